// Binds a socket to a free port, of IPv6 where the system has it.

#include "distributed/held_port.hpp"

#include "base/error.hpp"

#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

namespace ptp::distributed {

namespace {

// Returns a negative descriptor, with the reason in errno, on failure.
Descriptor bound_socket(int family) {
    Descriptor bound(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int yes = 1;
    const int no = 0;
    sockaddr_storage address{};  // any address, any port
    address.ss_family = static_cast<sa_family_t>(family);
    const socklen_t size = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    const bool is_bound =
        bound.is_open() &&
        setsockopt(bound.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 &&
        (family != AF_INET6 ||
         setsockopt(bound.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no)) == 0) &&
        bind(bound.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0;
    return is_bound ? std::move(bound) : Descriptor(-1);
}

// Both families have the port at the same position.
std::uint16_t port_of(int socket) {
    sockaddr_storage address{};
    socklen_t size = sizeof(address);
    if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        return 0;
    }
    const in_port_t port = address.ss_family == AF_INET6
                               ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                               : reinterpret_cast<const sockaddr_in&>(address).sin_port;
    return ntohs(port);
}

}  // namespace

HeldPort::HeldPort() : socket_(bound_socket(AF_INET6)) {
    if (!socket_.is_open()) {  // a system without IPv6
        socket_ = bound_socket(AF_INET);
    }
    if (!socket_.is_open()) {
        throw RunError(kTrainingError, fmt::format("no free port for the processes to meet at: {}",
                                                   std::generic_category().message(errno)));
    }
    number_ = port_of(socket_.get());
}

}  // namespace ptp::distributed
