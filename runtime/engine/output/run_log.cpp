// The loggers of a run: one shows on the console, both write to the file.

#include "engine/output/console.hpp"

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/system_file.hpp"
#include "base/text.hpp"
#include "engine/component/host.hpp"

#include <fmt/core.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

// Shows the log's warnings and errors on the console, above the progress line, and results of
// components; everything else only on request. Log lines may come from loader threads while [main]
// prints, so the console locks itself.
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

// The log's file, never a link; external names in its lines are escaped.
class FileSink : public spdlog::sinks::base_sink<std::mutex> {
public:
    explicit FileSink(std::filesystem::path file)
        : path_(std::move(file)), file_(system::open_to_append(path_)) {
        if (!file_.is_open()) {
            throw RunError(kTrainingError, fmt::format("cannot write {}: {}", path_.string(),
                                                       std::generic_category().message(errno)));
        }
    }

protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        const std::string text =
            harmless(std::string_view(message.payload.data(), message.payload.size()));
        spdlog::details::log_msg cleaned = message;
        cleaned.payload = text;
        spdlog::memory_buf_t line;
        formatter_->format(cleaned, line);
        for (std::size_t done = 0; done < line.size();) {
            const ssize_t count = ::write(file_.get(), line.data() + done, line.size() - done);
            if (count < 0 && errno != EINTR) {
                spdlog::throw_spdlog_ex("Failed writing to file " + path_.string(), errno);
            }
            done += count > 0 ? static_cast<std::size_t>(count) : 0;
        }
    }
    void flush_() override {}

private:
    std::filesystem::path path_;
    Descriptor file_;
};

}  // namespace

std::shared_ptr<spdlog::logger> new_log(const std::filesystem::path& file, Console& console,
                                        Verbosity verbosity) {
    auto to_file = std::make_shared<FileSink>(file);
    auto to_console = std::make_shared<ConsoleSink>(
        console, verbosity == Verbosity::kVerbose ? spdlog::level::debug : spdlog::level::warn);
    const std::vector<spdlog::sink_ptr> sinks = {to_file, to_console};
    auto log = std::make_shared<spdlog::logger>("ptp", sinks.begin(), sinks.end());
    log->set_level(spdlog::level::debug);
    log->set_pattern("%Y-%m-%d %H:%M:%S.%e %l %n: %v");
    log->flush_on(spdlog::level::debug);  // nothing is lost if the process is killed
    // Both loggers have a copy of the handler.
    log->set_error_handler([&console, name = file.filename().string(),
                            is_said = std::make_shared<bool>(false)](const std::string& reason) {
        if (!std::exchange(*is_said, true)) {
            console.warning(fmt::format("{} is not complete: {}", name, reason));
        }
    });
    auto file_only = std::make_shared<spdlog::logger>(*log);
    file_only->sinks() = {to_file};
    console.set_log(std::move(file_only));
    return log;
}

}  // namespace ptp::engine
