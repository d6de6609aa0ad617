// Reads lines of JSON.

#include "input_lines.hpp"

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/text.hpp"
#include "run_operand.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <string_view>
#include <system_error>
#include <utility>

namespace ptp::ptprun {

namespace {

constexpr std::size_t kMaxLines = 1000;
constexpr int kWaitMs = 500;

[[noreturn]] void refuse_unreadable(const std::string& file) {
    throw RunError(kDataError, fmt::format("--jsonl {}: cannot be read: {}", file,
                                           std::generic_category().message(errno)));
}

}  // namespace

Strings InputLines::next(bool may_return) {
    Strings lines;
    while (lines.size() < kMaxLines && !is_ended_) {
        pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
        const int ready = ::poll(&input, 1, lines.empty() ? kWaitMs : 0);
        if (ready > 0) {
            read(lines);
        } else if (!lines.empty() || may_return) {
            break;
        }
    }
    if (is_ended_ && !gathered_.empty()) {  // a line without its end
        lines.emplace_back(trimmed(std::exchange(gathered_, "")));
    }
    return lines;
}

void InputLines::read(Strings& lines) {
    std::array<char, 65536> bytes{};
    const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
        refuse_unreadable("-");
    }
    is_ended_ = count == 0;
    gathered_.append(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = gathered_.find('\n', begin)) != std::string::npos;) {
        lines.emplace_back(trimmed(std::string_view(gathered_).substr(begin, end - begin)));
        begin = end + 1;
    }
    gathered_.erase(0, begin);
}

Strings lines_of(const std::string& file) {
    Strings lines;
    std::ifstream opened;
    std::istream& in = file == kStandardInput ? std::cin : opened;
    if (file != kStandardInput) {
        opened.open(file);
        if (!opened) {
            refuse_unreadable(file);
        }
    }
    for (std::string line; std::getline(in, line);) {
        lines.emplace_back(trimmed(line));
    }
    if (lines.empty()) {
        refuse_without_lines(file);
    }
    return lines;
}

void refuse_without_lines(const std::string& file) {
    throw RunError(kDataError, fmt::format("--jsonl {}: has no lines", file));
}

}  // namespace ptp::ptprun
