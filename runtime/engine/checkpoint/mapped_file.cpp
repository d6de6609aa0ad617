// Maps a file privately, and notices by its size and its time that somebody has written to it.

#include "engine/checkpoint/mapped_file.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/text.hpp"

#include <fmt/core.h>
#include <sys/mman.h>

#include <system_error>

namespace ptp::engine {

MappedFile::MappedFile(const std::filesystem::path& path) : file_(open_regular(path)) {
    if (!file_.descriptor.is_open()) {
        throw RunError(kDataError, fmt::format("{}: {}", path.string(), file_.problem()));
    }
    std::error_code error;
    path_ = std::filesystem::canonical(path, error);
    if (error) {
        path_ = path;
    }
    opened_ = status();
}

MappedFile::~MappedFile() {
    if (begin_ != nullptr) {
        munmap(begin_, size_);
    }
}

std::filesystem::path MappedFile::same() const {
    return fmt::format("/proc/self/fd/{}", file_.descriptor.get());
}

char* MappedFile::map(std::uint64_t size) {
    if (begin_ != nullptr || file_.size < size || size == 0) {
        return nullptr;
    }
    void* const begin =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file_.descriptor.get(), 0);
    if (begin == MAP_FAILED) {
        return nullptr;
    }
    begin_ = begin;
    size_ = size;
    crash_.emplace(CrashOnFile::Memory{begin, size}, path_.string());
    return static_cast<char*>(begin);
}

struct stat MappedFile::status() const {
    struct stat status {};
    if (::fstat(file_.descriptor.get(), &status) != 0) {
        status.st_size = -1;  // such as on another machine that has deleted it
    }
    return status;
}

bool MappedFile::is_unchanged() const {
    const struct stat now = status();
    return now.st_size == opened_.st_size && now.st_mtim.tv_sec == opened_.st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == opened_.st_mtim.tv_nsec;
}

void MappedFile::require_unchanged() const {
    if (!is_unchanged()) {
        throw WithFix<RunError>(
            kDataError,
            {fmt::format("{}: was changed while its weights were used", path_.string()),
             fmt::format("open it again; put another file in its place by renaming: mv NEW {}",
                         shell_word(path_.string()))});
    }
}

}  // namespace ptp::engine
