// Prints lines, warnings, JSON events and one progress line, which other output erases, and writes
// lines to the log.

#include "engine/output/console.hpp"

#include "base/characters.hpp"
#include "base/json.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace ptp::engine {

namespace {

constexpr std::chrono::milliseconds kProgressInterval{100};
constexpr std::chrono::milliseconds kEventInterval{1000};
constexpr const char* kBold = "\x1b[1m";
constexpr const char* kYellow = "\x1b[33m";
constexpr const char* kPlain = "\x1b[0m";
constexpr const char* kEraseLine = "\r\x1b[K";

constexpr std::size_t kTerminalWidth = 80;

}  // namespace

std::size_t Console::width() const {
    winsize size{};
    // After outlive_reader() (base/system_file.hpp) stdout has no descriptor.
    const int terminal = out_ == stdout ? STDOUT_FILENO : fileno(out_);
    const bool is_known = ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return (is_known ? size.ws_col : kTerminalWidth) - 1;
}

void Console::clear_progress() {
    const std::lock_guard<std::mutex> lock(mutex_);
    erase_progress();
}

void Console::write(const std::string& text) {
    if (!is_closed_) {
        is_closed_ =
            std::fwrite(text.data(), 1, text.size(), out_) != text.size() || std::fflush(out_) != 0;
    }
}

void Console::print(std::string_view unchecked, const char* color) {
    const std::string text = harmless(unchecked);
    const std::lock_guard<std::mutex> lock(mutex_);
    erase_progress();
    if (color != nullptr && style_.has_color) {
        write(fmt::format("{}{}{}\n", color, text, kPlain));
    } else {
        write(fmt::format("{}\n", text));
    }
}

// Writes after everything that has been printed, even if both streams are one terminal or file.
void Console::print_warning(std::string_view unchecked) {
    if (warnings_ == out_) {
        print(unchecked, kYellow);
        return;
    }
    const bool is_colored = has_color(fileno(warnings_));
    const std::lock_guard<std::mutex> lock(mutex_);
    erase_progress();
    const std::string line = fmt::format("{}{}{}\n", is_colored ? kYellow : "", harmless(unchecked),
                                         is_colored ? kPlain : "");
    static_cast<void>(std::fputs(line.c_str(), warnings_));
    static_cast<void>(std::fflush(warnings_));
}

void Console::line(std::string_view text) {
    if (style_.verbosity != Verbosity::kQuiet && !style_.is_json) {
        print(text, nullptr);
    }
}

void Console::headline(std::string_view text) {
    if (style_.verbosity != Verbosity::kQuiet && !style_.is_json) {
        print(text, kBold);
    }
}

void Console::warning(std::string_view given) {
    const std::string text = warned_ ? warned_(std::string(given)) : std::string(given);
    if (style_.is_json) {
        event(text_of({{"event", "warning"}, {"text", text}}));
    } else {
        print_warning(fmt::format("warning: {}", text));
    }
}

void Console::line_and_log(std::string_view text) {
    line(text);
    if (log_) {
        log_->debug(text);
    }
}

void Console::headline_and_log(std::string_view text) {
    headline(text);
    note(text);
}

void Console::note(std::string_view text) {
    if (log_) {
        log_->info(text);
    }
}

void Console::event(std::string_view json) {
    if (style_.is_json) {
        print(json, nullptr);
    }
}

bool Console::wants_progress() const {
    const auto interval = style_.is_json ? kEventInterval : kProgressInterval;
    return (is_live() || style_.is_json) &&
           std::chrono::steady_clock::now() - last_progress_ >= interval;
}

void Console::progress(std::string_view text) {
    last_progress_ = std::chrono::steady_clock::now();
    if (style_.is_json) {
        event(text);
        return;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    write(fmt::format("{}{}", kEraseLine, cut_to_width(text, width())));
    has_progress_ = true;
}

void Console::erase_progress() {
    if (has_progress_) {
        write(kEraseLine);
        has_progress_ = false;
    }
}

}  // namespace ptp::engine
