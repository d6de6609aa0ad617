// Chooses the interface or address by which the others reach this process.

#include "engine/distributed/network.hpp"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netdb.h>
#include <sys/socket.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace ptp::engine {

namespace {

// Connecting a socket for datagrams sends nothing; it chooses the address to send from.
std::string own_address_to(const addrinfo& target) {
    const Descriptor socket(::socket(target.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const bool has_way =
        socket.is_open() && connect(socket.get(), target.ai_addr, target.ai_addrlen) == 0;
    return has_way ? own_address(socket) : "";
}

// Returns the interface that GLOO_SOCKET_IFNAME names; otherwise the address from which this host
// sends to `address`, or `address` itself if the system knows no route to it.
Network network_to(const std::string& address, std::uint16_t port) {
    if (const char* name = std::getenv("GLOO_SOCKET_IFNAME"); name != nullptr && *name != '\0') {
        return {true, name};
    }
    std::string own;
    try {
        own = own_address_to(*addresses_of(address.c_str(), port));
    } catch (const std::runtime_error&) {  // The name is not known.
        own.clear();
    }
    return {false, own.empty() ? address : own};
}

}  // namespace

Addresses addresses_of(const char* host, std::uint16_t port) {
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = AI_PASSIVE;
    addrinfo* found = nullptr;
    if (const int error = getaddrinfo(host, std::to_string(port).c_str(), &wanted, &found);
        error != 0) {
        throw std::runtime_error(gai_strerror(error));
    }
    return {found, freeaddrinfo};
}

Network network_among(const distributed::Place& place, c10d::Store& store) {
    const Network own = network_to(place.address, place.port);
    if (place.is_one_host()) {
        return own;
    }
    const auto key = [](std::int64_t rank) { return fmt::format("address/{}", rank); };
    const std::string address = own.is_interface ? "" : own.name;
    const bool is_hidden = is_name_of_loopback(place.address, address);
    const std::string told = is_hidden ? "" : address;
    store.set(key(place.rank), std::vector<std::uint8_t>(told.begin(), told.end()));
    for (std::int64_t rank = 0; is_hidden && rank < place.size; ++rank) {
        const std::vector<std::uint8_t> other = store.get(key(rank));  // It waits for it.
        if (!other.empty()) {
            return network_to({other.begin(), other.end()}, place.port);
        }
    }
    return own;
}

std::string own_address(const Descriptor& socket) {
    sockaddr_storage own{};
    socklen_t size = sizeof(own);
    std::array<char, NI_MAXHOST> text{};
    const bool is_known =
        getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &size) == 0 &&
        getnameinfo(reinterpret_cast<sockaddr*>(&own), size, text.data(), text.size(), nullptr, 0,
                    NI_NUMERICHOST) == 0;
    return is_known ? text.data() : "";
}

bool is_name_of_loopback(const std::string& name, const std::string& address) {
    return name != "localhost" && name != address &&
           (address.starts_with("127.") || address == "::1");
}

}  // namespace ptp::engine
