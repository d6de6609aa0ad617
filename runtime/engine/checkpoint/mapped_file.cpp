// Maps a file privately, and notices by its size and its time that somebody has written to it.

#include "engine/checkpoint/mapped_file.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"

#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <system_error>

namespace ptp::engine {

namespace {

// File systems of other machines, and of other programs: those that <linux/magic.h> lacks by their
// numbers in statfs(2) and in their own sources.
constexpr std::array<std::uint32_t, 14> kForeignSystems = {
    AFS_SUPER_MAGIC, AFS_FS_MAGIC,      CEPH_SUPER_MAGIC, CODA_SUPER_MAGIC, FUSE_SUPER_MAGIC,
    NFS_SUPER_MAGIC, OCFS2_SUPER_MAGIC, SMB_SUPER_MAGIC,  SMB2_SUPER_MAGIC, V9FS_MAGIC,
    0xFF534D42,  // CIFS
    0x0BD00BD0,  // Lustre
    0x47504653,  // GPFS
    0x19830326,  // BeeGFS
};

}  // namespace

bool is_of_this_machine(std::uint32_t file_system) {
    return std::ranges::find(kForeignSystems, file_system) == kForeignSystems.end();
}

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
    struct statfs system {};
    if (begin_ != nullptr || file_.size < size || size == 0 ||
        ::fstatfs(file_.descriptor.get(), &system) != 0 ||
        !is_of_this_machine(static_cast<std::uint32_t>(system.f_type))) {
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
        status.st_size = -1;
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
             "load it again; put another file in its place by renaming it, not by writing into "
             "this one"});
    }
}

}  // namespace ptp::engine
