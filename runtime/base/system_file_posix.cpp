#include "base/system_file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

namespace ptp::system {

int open_to_read(const std::filesystem::path& path) {
    return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

int create_new(const std::filesystem::path& path, int mode) {
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
}

int open_to_write(const std::filesystem::path& path) {
    return ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

int open_locked(const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    while (descriptor >= 0 && ::flock(descriptor, LOCK_EX) != 0) {
        if (const int reason = errno; reason != EINTR) {
            ::close(descriptor);
            errno = reason;
            return -1;
        }
    }
    return descriptor;
}

std::ptrdiff_t read_at(int descriptor, void* out, std::size_t size, std::uint64_t offset) {
    return ::pread(descriptor, out, size, static_cast<off_t>(offset));
}

void report_size_limit() {
    std::signal(SIGXFSZ, SIG_IGN);
}

int flush(int descriptor) {
    return ::fsync(descriptor);
}

int rename_over(const std::filesystem::path& from, const std::filesystem::path& to) {
    return std::rename(from.c_str(), to.c_str());
}

bool exchange(const std::filesystem::path& left, const std::filesystem::path& right) {
    return ::renameat2(AT_FDCWD, left.c_str(), AT_FDCWD, right.c_str(), RENAME_EXCHANGE) == 0;
}

bool may_write_into(const std::filesystem::path& folder) {
    return ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

int flush_folder(const std::filesystem::path& folder) {
    const char* const name = folder.empty() ? "." : folder.c_str();  // of a file without a folder
    const int descriptor = ::open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) {
        return -1;
    }
    const int status = ::fsync(descriptor);
    const int reason = errno;
    ::close(descriptor);
    errno = reason;
    return status == 0 || reason == EINVAL ? 0 : -1;
}

bool make_private_folder(std::string& name) {
    return ::mkdtemp(name.data()) != nullptr;
}

std::size_t columns_of_terminal(int descriptor) {
    winsize size{};
    return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace ptp::system
