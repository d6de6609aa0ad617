// The output of a run for the person at the terminal, or as JSON for a program.

#pragma once

#include "engine/request.hpp"

#include <spdlog/logger.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace ptp::engine {

struct ConsoleStyle {
    Verbosity verbosity = Verbosity::kNormal;
    bool is_terminal = false;
    bool has_color = false;
    bool is_json = false;  // for programs: nothing is printed but JSON, an object on each line
};

// [any]: lines of several threads do not mix. Output that cannot be written, because its reader is
// gone or the disk is full, ends the printing there and nothing else.
class Console {
public:
    // Warnings go to a stream of their own, or to `out` as well.
    Console(std::FILE* out, ConsoleStyle style, std::FILE* warnings = nullptr)
        : out_(out), warnings_(warnings != nullptr ? warnings : out), style_(style) {}
    ~Console() { clear_progress(); }
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;

    // Shows a line that stays; nothing when quiet.
    void line(std::string_view text);

    // Shows an important line that stays.
    void headline(std::string_view text);

    // Shows a warning, even when quiet.
    void warning(std::string_view text);

    // Shows a JSON object on one line; nothing unless the style is JSON.
    void event(std::string_view json);

    // Show a line, or a headline, that is also written to the log, once.
    void line_and_log(std::string_view text);
    void headline_and_log(std::string_view text);

    // Writes a line to the log only.
    void note(std::string_view text);

    // Sets what a warning becomes before it is shown.
    void set_warned(std::function<std::string(std::string)> warned) { warned_ = std::move(warned); }

    // Sets the log of these three; it must not show its lines here.
    void set_log(std::shared_ptr<spdlog::logger> log) { log_ = std::move(log); }

    // Returns whether to show progress now: to a terminal or a program, and if the last line was a
    // while ago.
    [[nodiscard]] bool wants_progress() const;

    // Replaces the last progress line. The text is cut to the terminal's width, because a line that
    // wraps could not be replaced; for a program it is a JSON object.
    void progress(std::string_view text);

    // Empties the line of the cursor, for other output.
    void clear_progress();

    [[nodiscard]] bool is_live() const {
        return style_.is_terminal && style_.verbosity != Verbosity::kQuiet && !style_.is_json;
    }
    [[nodiscard]] bool is_json() const { return style_.is_json; }
    [[nodiscard]] bool is_verbose() const { return style_.verbosity == Verbosity::kVerbose; }

    // Returns the number of columns of a line that does not wrap.
    [[nodiscard]] std::size_t width() const;

private:
    void write(const std::string& text);  // with the mutex held
    void print(std::string_view unchecked, const char* color);
    void print_warning(std::string_view unchecked);
    void erase_progress();  // with the mutex held

    std::FILE* out_;
    std::FILE* warnings_;
    ConsoleStyle style_;
    std::function<std::string(std::string)> warned_ = {};  // (optional)
    std::shared_ptr<spdlog::logger> log_;                  // (optional)
    std::mutex mutex_;  // guards what is printed and what follows
    bool is_closed_ = false;
    bool has_progress_ = false;
    std::chrono::steady_clock::time_point last_progress_;  // written and read by [main] only
};

// Returns the log of a run, or of a set that is processed: a file with everything. The console
// shows warnings and errors, everything if verbose, and must outlive the log. Throws RunError.
std::shared_ptr<spdlog::logger> new_log(const std::filesystem::path& file, Console& console,
                                        Verbosity verbosity);

}  // namespace ptp::engine
