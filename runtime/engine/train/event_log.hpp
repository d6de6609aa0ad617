// Notes what happens to a training in events.jsonl of its folder.

#pragma once

#include "run/events.hpp"

#include <spdlog/logger.h>

#include <filesystem>

namespace ptp::engine {

// [main] The log must outlive it.
class EventLog {
public:
    EventLog(std::filesystem::path file, spdlog::logger& log) : file_(std::move(file)), log_(log) {}

    // Adds the event, now. A file that cannot be written is reported once, and changes nothing.
    void add(run::Event event);

private:
    std::filesystem::path file_;
    spdlog::logger& log_;
    bool is_reported_ = false;
};

}  // namespace ptp::engine
