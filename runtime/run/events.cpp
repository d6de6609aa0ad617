// Appends and reads the lines of events.jsonl.

#include "run/events.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/output_file.hpp"
#include "run/format.hpp"
#include "run/keys.hpp"

#include <fmt/core.h>

#include <optional>
#include <string_view>
#include <utility>

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

Event event_from(std::string_view line, const fs::path& file, std::size_t number) {
    const std::optional<Json> json = parsed_json(line);
    if (!json || !json->is_object()) {
        throw RunError(kDataError,
                       fmt::format("{}:{}: is not a JSON object", file.string(), number));
    }
    const Value value = ptp::value_of(*json);
    static_cast<void>(format_in(value, file, kEventsFormat));
    Event event;
    try {
        require_keys(value, event_keys(event));
    } catch (const RunError& error) {
        throw RunError(kDataError, fmt::format("{}:{}: {}", file.string(), number, error.what()));
    }
    return event;
}

}  // namespace

void append_event(const fs::path& file, Event event) {
    Value line = Value::table({{kFormatKey, kEventsFormat}});
    add_keys(line, event_keys(event));
    std::string text = ptp::text_of(json_of(line)) + '\n';
    if (!fs::exists(file)) {
        OutputFile::create(file).write(text);
        return;
    }
    const std::string before = read_text(file);
    const std::size_t end = before.rfind('\n');  // what follows it was cut off
    OutputFile::append(file, end == std::string::npos ? 0 : end + 1).write(text);
}

std::vector<Event> read_events(const fs::path& file) {
    std::vector<Event> events;
    if (!fs::exists(file)) {
        return events;
    }
    const std::string text = read_text(file);
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
        events.push_back(
            event_from(std::string_view(text).substr(begin, end - begin), file, events.size() + 1));
    }
    return events;
}

}  // namespace ptp::run
