// Binds, connects and removes the socket in the folder of a run.

#include "control/socket.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace ptp::control {

namespace {

constexpr int kBacklog = 64;

[[noreturn]] void refuse_socket() {
    throw std::system_error(errno, std::generic_category());
}

Descriptor open_folder(const std::filesystem::path& folder) {
    Descriptor opened(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!opened.is_open()) {
        refuse_socket();
    }
    return opened;
}

Descriptor make_socket(int flags) {
    Descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
    if (!made.is_open()) {
        refuse_socket();
    }
    return made;
}

// Returns the path of the socket in an open folder.
std::string path_in(const Descriptor& folder) {
    return fmt::format("/proc/self/fd/{}/{}", folder.get(), kSocketName);
}

// Calls connect() or bind(), and returns whether that works.
bool try_to(int (*call)(int, const sockaddr*, socklen_t), const Descriptor& socket,
            const Descriptor& folder) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_in(folder).copy(address.sun_path, sizeof address.sun_path - 1);
    return call(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

struct stat status_in(const Descriptor& folder) {
    struct stat status {};
    if (fstatat(folder.get(), kSocketName.data(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        refuse_socket();
    }
    return status;
}

// Throws if the existing file must stay.
void remove_stale(const Descriptor& folder) {
    if (!S_ISSOCK(status_in(folder).st_mode)) {
        throw std::runtime_error("a file that is not a socket is there already");
    }
    if (try_to(connect, make_socket(SOCK_NONBLOCK), folder) || errno == EAGAIN) {
        throw std::runtime_error("another process listens there");
    }
    if (errno != ECONNREFUSED || unlinkat(folder.get(), kSocketName.data(), 0) != 0) {
        refuse_socket();
    }
}

}  // namespace

// Sets the mode of the socket first: its file has this mode from its creation, minus the bits of
// the umask.
Listener::Listener(const std::filesystem::path& folder)
    : folder_(open_folder(folder)), socket_(make_socket(SOCK_NONBLOCK)) {
    fchmod(socket_.get(), 0600);
    if (!try_to(bind, socket_, folder_)) {
        if (errno != EADDRINUSE) {
            refuse_socket();
        }
        remove_stale(folder_);
        if (!try_to(bind, socket_, folder_)) {
            refuse_socket();
        }
    }
    const struct stat status = status_in(folder_);
    device_ = status.st_dev;
    file_ = status.st_ino;
    if (chmod(path_in(folder_).c_str(), 0600) != 0 || listen(socket_.get(), kBacklog) != 0) {
        const int reason = errno;
        unlinkat(folder_.get(), kSocketName.data(), 0);
        errno = reason;
        refuse_socket();
    }
}

// Removes the socket unless another process has replaced it meanwhile.
Listener::~Listener() {
    struct stat status {};
    const bool is_there =
        fstatat(folder_.get(), kSocketName.data(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    if (is_there && status.st_dev == device_ && status.st_ino == file_) {
        unlinkat(folder_.get(), kSocketName.data(), 0);
    }
}

Descriptor Listener::accept() const {
    return Descriptor(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

Descriptor connect_to(const std::filesystem::path& folder,
                      std::optional<std::chrono::milliseconds> limit) {
    const Descriptor opened = open_folder(folder);
    Descriptor made = make_socket(0);
    if (limit) {
        const timeval time{.tv_sec = limit->count() / 1000,
                           .tv_usec = limit->count() % 1000 * 1000};
        setsockopt(made.get(), SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
    }
    if (!try_to(connect, made, opened)) {
        refuse_socket();
    }
    return made;
}

bool may_control(const Descriptor& client) {
    ucred peer{};
    socklen_t size = sizeof peer;
    return getsockopt(client.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           (peer.uid == geteuid() || peer.uid == 0);
}

}  // namespace ptp::control
