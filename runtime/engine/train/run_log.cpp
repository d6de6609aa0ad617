#include "engine/train/run_log.hpp"

#include "engine/train/console_sink.hpp"

#include <fmt/core.h>
#include <spdlog/sinks/basic_file_sink.h>

#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

std::shared_ptr<spdlog::logger> new_log(const std::filesystem::path& file, Console& console,
                                        Verbosity verbosity) {
    auto to_file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file.string());
    auto to_console = std::make_shared<ConsoleSink>(
        console, verbosity == Verbosity::kVerbose ? spdlog::level::debug : spdlog::level::warn);
    const std::vector<spdlog::sink_ptr> sinks = {to_file, to_console};
    auto log = std::make_shared<spdlog::logger>("ptp", sinks.begin(), sinks.end());
    log->set_level(spdlog::level::debug);
    log->set_pattern("%Y-%m-%d %H:%M:%S.%e %l %n: %v");
    log->flush_on(spdlog::level::debug);  // nothing is lost when the process is killed
    log->set_error_handler([&console, name = file.filename().string(),
                            is_said = false](const std::string& reason) mutable {
        if (!std::exchange(is_said, true)) {
            console.warning(fmt::format("{} is not complete: {}", name, reason));
        }
    });
    auto file_only = std::make_shared<spdlog::logger>(*log);
    file_only->sinks() = {to_file};
    console.set_log(std::move(file_only));
    return log;
}

}  // namespace ptp::engine
