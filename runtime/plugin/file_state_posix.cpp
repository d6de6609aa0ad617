#include "plugin/settling.hpp"

#include <sys/stat.h>

namespace ptp::plugin {

FileState state_of(const std::filesystem::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return {};
    }
    constexpr std::int64_t kNanoseconds = 1'000'000'000;
    return {.exists = true,
            .device = status.st_dev,
            .inode = status.st_ino,
            .size = static_cast<std::uint64_t>(status.st_size),
            .changed_ns = status.st_ctim.tv_sec * kNanoseconds + status.st_ctim.tv_nsec};
}

}  // namespace ptp::plugin
