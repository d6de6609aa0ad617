#include "engine/distributed/network.hpp"

#include "base/descriptor.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <cstdlib>
#include <memory>

namespace ptp::engine {

namespace {

using Found = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

Found look_up(const std::string& address, std::uint16_t port) {
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(address.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0) {
        found = nullptr;
    }
    return {found, freeaddrinfo};
}

// Connecting a datagram socket sends nothing; it selects the source address.
std::string own_address_to(const addrinfo& target) {
    const Descriptor socket(::socket(target.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_storage own{};
    socklen_t size = sizeof(own);
    std::array<char, NI_MAXHOST> text{};
    if (socket.get() < 0 || connect(socket.get(), target.ai_addr, target.ai_addrlen) != 0 ||
        getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0 ||
        getnameinfo(reinterpret_cast<sockaddr*>(&own), size, text.data(), text.size(), nullptr, 0,
                    NI_NUMERICHOST) != 0) {
        return "";
    }
    return text.data();
}

}  // namespace

Network network_to(const std::string& address, std::uint16_t port) {
    if (const char* name = std::getenv("GLOO_SOCKET_IFNAME"); name != nullptr && *name != '\0') {
        return {true, name};
    }
    const Found found = look_up(address, port);
    const std::string own = found ? own_address_to(*found) : "";
    return {false, own.empty() ? address : own};
}

}  // namespace ptp::engine
