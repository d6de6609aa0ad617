#include "engine/checkpoint/file.hpp"

#include "engine/error.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace ptp::engine {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
    throw RunError(kTrainingError, fmt::format("cannot write {}: {}", path.string(),
                                               std::generic_category().message(errno)));
}

}  // namespace

OutputFile OutputFile::create(const std::filesystem::path& path) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (descriptor < 0) {
        fail(path);
    }
    return {descriptor, path};
}

OutputFile::OutputFile(int descriptor, std::filesystem::path path)
    : descriptor_(descriptor), path_(std::move(path)) {}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

void OutputFile::write(const void* data, std::size_t size) {
    const char* next = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t written = ::write(descriptor_, next, size);
        if (written < 0 && errno != EINTR) {
            fail(path_);
        }
        if (written > 0) {
            next += written;
            size -= static_cast<std::size_t>(written);
        }
    }
}

void OutputFile::sync() {
    // A pipe or a device cannot be synced, and need not.
    if (fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) {
        fail(path_);
    }
}

void OutputFile::finish() {
    sync();
    if (close(std::exchange(descriptor_, -1)) != 0) {
        fail(path_);
    }
}

void replace_file(const std::filesystem::path& path, std::string_view content) {
    const std::filesystem::path made = path.string() + ".new";
    std::filesystem::remove(made);
    OutputFile file = OutputFile::create(made);
    file.write(content);
    file.finish();
    if (std::rename(made.c_str(), path.c_str()) != 0) {
        fail(path);
    }
    sync_folder(path.parent_path());
}

void sync_folder(const std::filesystem::path& folder) {
    const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) {
        fail(folder);
    }
    const int status = fsync(descriptor);
    const int reason = errno;
    close(descriptor);
    if (status != 0 && reason != EINVAL) {
        errno = reason;
        fail(folder);
    }
}

}  // namespace ptp::engine
