// Calls Linux for files, repeated where a signal has interrupted them.

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

namespace {

// Repeats a call that a signal has interrupted, as may happen on network file systems.
template <class Call>
auto retried(Call call) {
    for (;;) {
        const auto result = call();
        if (result >= 0 || errno != EINTR) {
            return result;
        }
    }
}

// Writes for the FILE of the standard output, which takes less than `size` for an error.
ssize_t write_output(void* /*cookie*/, const char* bytes, std::size_t size) {
    for (std::size_t done = 0; done < size;) {
        const ssize_t written =
            retried([&] { return ::write(STDOUT_FILENO, bytes + done, size - done); });
        if (written < 0) {
            return errno == EPIPE ? static_cast<ssize_t>(size) : 0;
        }
        done += static_cast<std::size_t>(written);
    }
    return static_cast<ssize_t>(size);
}

int open_retried(const std::filesystem::path& path, int flags, int mode = 0) {
    return retried([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); });
}

// Returns `descriptor` with its file locked; closes it if that fails.
int locked(int descriptor) {
    if (descriptor >= 0 && retried([&] { return ::flock(descriptor, LOCK_EX); }) != 0) {
        const int reason = errno;
        ::close(descriptor);
        errno = reason;
        return -1;
    }
    return descriptor;
}

}  // namespace

int open_to_read(const std::filesystem::path& path) {
    return open_retried(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

int create_new(const std::filesystem::path& path, int mode) {
    return open_retried(path, O_WRONLY | O_CREAT | O_EXCL, mode);
}

int open_to_write(const std::filesystem::path& path) {
    return open_retried(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
}

int open_to_append(const std::filesystem::path& path) {
    return open_retried(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0644);
}

int open_locked(const std::filesystem::path& path) {
    return locked(open_retried(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600));
}

int open_locked_folder(const std::filesystem::path& folder) {
    return locked(open_retried(folder, O_RDONLY | O_DIRECTORY));
}

std::ptrdiff_t read_at(int descriptor, void* out, std::size_t size, std::uint64_t offset) {
    return retried([&] { return ::pread(descriptor, out, size, static_cast<off_t>(offset)); });
}

void report_size_limit() {
    std::signal(SIGXFSZ, SIG_IGN);
}

void outlive_reader() {
    std::signal(SIGPIPE, SIG_IGN);
    FILE* const output = fopencookie(nullptr, "w", {nullptr, write_output, nullptr, nullptr});
    if (output != nullptr) {
        if (::isatty(STDOUT_FILENO) == 1) {
            static_cast<void>(std::setvbuf(output, nullptr, _IOLBF, BUFSIZ));
        }
        stdout = output;
    }
}

int flush(int descriptor) {
    return retried([&] { return ::fsync(descriptor); });
}

int rename_over(const std::filesystem::path& from, const std::filesystem::path& to) {
    return retried([&] { return std::rename(from.c_str(), to.c_str()); });
}

bool exchange(const std::filesystem::path& left, const std::filesystem::path& right) {
    return ::renameat2(AT_FDCWD, left.c_str(), AT_FDCWD, right.c_str(), RENAME_EXCHANGE) == 0;
}

bool may_write_into(const std::filesystem::path& folder) {
    return ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

int flush_folder(const std::filesystem::path& folder) {
    const char* const name = folder.empty() ? "." : folder.c_str();  // for a file without a folder
    const int descriptor = open_retried(name, O_RDONLY | O_DIRECTORY);
    if (descriptor < 0) {
        return -1;
    }
    const int status = flush(descriptor);
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
