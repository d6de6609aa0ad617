// Appends and reads the lines of events.jsonl.

#include "run/events.hpp"

#include "base/duration.hpp"
#include "run/format.hpp"
#include "run/keys.hpp"

#include <fmt/core.h>

#include <exception>

namespace ptp::run {

namespace fs = std::filesystem;

namespace {

std::vector<Key> event_keys(Event& event) {
    return {{"event", &event.event},
            {"episode", &event.episode},
            {"epoch", &event.epoch},
            {"details", &event.details},
            {"time", &event.time}};
}

}  // namespace

std::string EventLog::add(Event event) {
    try {
        if (!lines_) {
            lines_.emplace(file_);
        }
        if (event.time.empty()) {
            event.time = now_text();
        }
        Value line = Value::table({{kFormatKey, kEventsFormat}});
        add_keys(line, event_keys(event));
        lines_->append(line);
        return "";
    } catch (const std::exception& error) {
        return std::exchange(is_reported_, true)
                   ? ""
                   : fmt::format("an event is not recorded, the training continues: {}",
                                 error.what());
    }
}

std::vector<Event> read_events(const fs::path& file) {
    std::vector<Event> events;
    for_each_line(file, [&](const Value& line, std::uint64_t) {
        static_cast<void>(format_in(line, file, kEventsFormat));
        require_keys(line, event_keys(events.emplace_back()));
    });
    return events;
}

}  // namespace ptp::run
