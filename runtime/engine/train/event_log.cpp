// Writes events, whatever the state of the disk.

#include "engine/train/event_log.hpp"

#include "base/duration.hpp"

#include <fmt/core.h>

#include <exception>
#include <utility>

namespace ptp::engine {

void EventLog::add(run::Event event) {
    try {
        event.time = now_text();
        run::append_event(file_, std::move(event));
    } catch (const std::exception& error) {
        if (!std::exchange(is_reported_, true)) {
            log_.warn(
                fmt::format("an event is not recorded, the training continues: {}", error.what()));
        }
    }
}

}  // namespace ptp::engine
