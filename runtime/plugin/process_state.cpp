// Reads and restores that state. The umask can only be read by setting it: for a moment, files that
// other threads create get the strictest one.

#include "plugin/process_state.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <clocale>
#include <cstddef>
#include <system_error>

namespace ptp::plugin {

namespace {

namespace fs = std::filesystem;

std::string locale_now() {
    const char* name = std::setlocale(LC_ALL, nullptr);
    return name == nullptr ? "" : name;
}

fs::path folder_now() {
    std::error_code removed;
    return fs::current_path(removed);
}

mode_t mask_now() {
    constexpr mode_t kStrictest = 0077;
    const mode_t mask = ::umask(kStrictest);
    ::umask(mask);
    return mask;
}

struct sigaction handler_of(int signal) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    return action;
}

bool is_same_handler(const struct sigaction& left, const struct sigaction& right) {
    return left.sa_handler == right.sa_handler && left.sa_flags == right.sa_flags;
}

bool is_stream_open(int stream) {
    return ::fcntl(stream, F_GETFD) != -1;
}

}  // namespace

ProcessState::ProcessState() : locale_(locale_now()), folder_(folder_now()), mask_(mask_now()) {
    for (int signal = 1; signal < kSignals; ++signal) {
        handlers_[static_cast<std::size_t>(signal)] = handler_of(signal);
    }
    for (int stream = 0; stream < kStreams; ++stream) {
        are_open_[static_cast<std::size_t>(stream)] = is_stream_open(stream);
    }
}

std::string ProcessState::change() const {
    if (const std::string locale = locale_now(); locale != locale_) {
        return fmt::format("the locale (now {})", locale);
    }
    if (const fs::path folder = folder_now(); folder != folder_) {
        return fmt::format("the current folder (now {})", folder.string());
    }
    if (const mode_t mask = mask_now(); mask != mask_) {
        return fmt::format("the permissions of new files (the mask is now {:03o})", mask);
    }
    for (int signal = 1; signal < kSignals; ++signal) {
        if (!is_same_handler(handler_of(signal), handlers_[static_cast<std::size_t>(signal)])) {
            return fmt::format("what happens at the signal SIG{}", ::sigabbrev_np(signal));
        }
    }
    for (int stream = 0; stream < kStreams; ++stream) {
        if (is_stream_open(stream) != are_open_[static_cast<std::size_t>(stream)]) {
            constexpr std::array kNames = {"input", "output", "error"};
            return fmt::format("whether the standard {} is open",
                               kNames[static_cast<std::size_t>(stream)]);
        }
    }
    return "";
}

void ProcessState::restore() const {
    std::setlocale(LC_ALL, locale_.c_str());
    std::error_code removed;
    fs::current_path(folder_, removed);
    ::umask(mask_);
    for (int signal = 1; signal < kSignals; ++signal) {
        ::sigaction(signal, &handlers_[static_cast<std::size_t>(signal)], nullptr);
    }
}

}  // namespace ptp::plugin
