// events.jsonl in the folder of a run: what has happened to the training from within. What was done
// to it from outside is in the journal; a resume and a replay do not read this file.
//
//     {"format":1,"event":"rollback","episode":17,"epoch":3,"details":{"to_episode":12},
//      "time":"2026-11-21T08:59:12Z"}
//
// Lines are in the order of the time. An episode that was repeated, after a kill or a rollback, may
// have the same event again.

#pragma once

#include "base/value.hpp"
#include "run/line_file.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::run {

struct Event {
    std::string event;               // resume, rollback or skip
    std::uint64_t episode = 0;       // during which it was, from 0; of resume: how many were done
    std::uint64_t epoch = 0;         // from 1
    Value details = Value::table();  // of rollback: to_episode, after how many it continued
    std::string time = {};           // RFC 3339; EventLog notes it
};

// [main] Appends events. Neither opens nor makes the file before the first one.
class EventLog {
public:
    explicit EventLog(std::filesystem::path file) : file_(std::move(file)) {}

    // Adds the event, which is of now if it has no time. Returns a warning, once, where the file
    // cannot be written, otherwise "".
    [[nodiscard]] std::string add(Event event);

private:
    std::filesystem::path file_;
    std::optional<LineFile> lines_;
    bool is_reported_ = false;
};

// Returns all events; none where there is no such file. A last line without an end was being
// written when the process was killed: it does not count. Throws RunError for other damage, and
// NewerFormat.
std::vector<Event> read_events(const std::filesystem::path& file);

}  // namespace ptp::run
