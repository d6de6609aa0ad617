// Redirects the output of a process to its log, and reads the end of a log.

#include "distributed/rank_log.hpp"

#include "base/error.hpp"
#include "base/system_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <deque>
#include <fstream>
#include <system_error>

namespace ptp::distributed {

void log_to(const std::filesystem::path& file) {
    const Descriptor log(system::open_to_append(file));
    if (!log.is_open()) {
        throw RunError(kTrainingError, fmt::format("cannot write {}: {}", file.string(),
                                                   std::generic_category().message(errno)));
    }
    std::fflush(stdout);
    std::fflush(stderr);
    dup2(log.get(), STDOUT_FILENO);
    dup2(log.get(), STDERR_FILENO);
}

FirstErrorStream::FirstErrorStream() : stream_(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)) {}

void FirstErrorStream::show_elsewhere(std::string_view text) const {
    struct stat first {};
    struct stat now {};
    if (!stream_.is_open() || fstat(stream_.get(), &first) != 0 ||
        fstat(STDERR_FILENO, &now) != 0 ||
        (first.st_dev == now.st_dev && first.st_ino == now.st_ino)) {
        return;
    }
    while (!text.empty()) {
        const ssize_t written = write(stream_.get(), text.data(), text.size());
        if (written <= 0) {
            return;  // its reader is gone
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

std::string last_lines(const std::filesystem::path& file, std::size_t count) {
    constexpr std::streamoff kMaxBytes = 64 * 1024;
    std::ifstream stream(file, std::ios::binary);
    stream.seekg(0, std::ios::end);
    const std::streamoff size = stream.tellg();
    if (size < 0) {
        return "";
    }
    stream.seekg(size > kMaxBytes ? size - kMaxBytes : 0);
    std::deque<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        if (const std::size_t start = line.rfind('\r'); start != std::string::npos) {
            line.erase(0, start + 1);
        }
        if (line.empty()) {
            continue;
        }
        lines.push_back(line);
        if (lines.size() > count) {
            lines.pop_front();
        }
    }
    std::string text;
    for (const std::string& line : lines) {
        text += (text.empty() ? "" : "\n") + line;
    }
    return text;
}

}  // namespace ptp::distributed
