// Shows the log's warnings and errors on the console, above the progress line.

#pragma once

#include "engine/train/console.hpp"

#include <spdlog/sinks/base_sink.h>

#include <mutex>
#include <string>

namespace ptp::engine {

// Log lines may come from loader threads while [main] prints, so the console takes turns by itself.
class ConsoleSink : public spdlog::sinks::base_sink<std::mutex> {
public:
    explicit ConsoleSink(Console& console) : console_(console) {}

protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        const std::string text(message.payload.data(), message.payload.size());
        const std::string name(message.logger_name.data(), message.logger_name.size());
        const std::string line = name == "ptp" ? text : name + ": " + text;
        if (message.level == spdlog::level::warn || message.level == spdlog::level::err) {
            console_.warning(line);
        } else if (message.level < spdlog::level::warn) {
            console_.line(line);
        }
    }
    void flush_() override {}

private:
    Console& console_;
};

}  // namespace ptp::engine
