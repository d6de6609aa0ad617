// Shows the log's warnings and errors on the console, above the progress line, and results of components; all else
// only if it is asked for.

#pragma once

#include "engine/component/result_mark.hpp"
#include "engine/train/console.hpp"

#include <spdlog/sinks/base_sink.h>

#include <mutex>
#include <string>
#include <string_view>

namespace ptp::engine {

// Log lines may come from loader threads while [main] prints, so the console takes turns by itself.
class ConsoleSink : public spdlog::sinks::base_sink<std::mutex> {
public:
    // `least`: the lowest level that is shown.
    ConsoleSink(Console& console, spdlog::level::level_enum least)
        : console_(console), least_(least) {}

protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        const bool is_result =
            message.source.filename != nullptr &&
            std::string_view(message.source.filename) == kResultOfComponent.filename;
        if (message.level < least_ && !is_result) {
            return;
        }
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
    spdlog::level::level_enum least_;
};

}  // namespace ptp::engine
