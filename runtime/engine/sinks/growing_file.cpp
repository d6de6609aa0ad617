#include "engine/sinks/growing_file.hpp"

#include "engine/error.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace ptp::engine {

namespace {

constexpr std::size_t kMostGathered = 1U << 16U;
constexpr std::chrono::seconds kLongestWait{1};

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& reason) {
    throw RunError(kTrainingError, fmt::format("cannot go on with {}: {}", path.string(), reason));
}

OutputFile cut(const std::filesystem::path& path, std::uint64_t size) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (descriptor < 0) {
        fail(path, std::generic_category().message(errno));
    }
    OutputFile file(descriptor, path);
    struct stat status {};
    if (fstat(descriptor, &status) != 0) {
        fail(path, std::generic_category().message(errno));
    }
    if (static_cast<std::uint64_t>(status.st_size) < size) {
        fail(path,
             fmt::format("it has {} bytes, but had {} at the checkpoint", status.st_size, size));
    }
    if (ftruncate(descriptor, static_cast<off_t>(size)) != 0) {
        fail(path, std::generic_category().message(errno));
    }
    return file;
}

}  // namespace

GrowingFile::GrowingFile(const std::filesystem::path& path) : file_(OutputFile::create(path)) {}

GrowingFile::GrowingFile(const std::filesystem::path& path, std::uint64_t size)
    : file_(cut(path, size)), size_(size), synced_size_(size) {}

void GrowingFile::add(std::string_view bytes) {
    gathered_ += bytes;
    if (gathered_.size() > kMostGathered ||
        std::chrono::steady_clock::now() - last_flush_ > kLongestWait) {
        flush();
    }
}

void GrowingFile::flush() {
    last_flush_ = std::chrono::steady_clock::now();
    file_.write(gathered_);
    size_ += gathered_.size();
    gathered_.clear();
}

void GrowingFile::sync() {
    flush();
    file_.sync();
    synced_size_ = size_;
}

}  // namespace ptp::engine
