// The network that connects the processes of a training.

#pragma once

#include "base/descriptor.hpp"
#include "distributed/place.hpp"

#include <netdb.h>

#include <cstdint>
#include <memory>
#include <string>

namespace c10d {
class Store;
}

namespace ptp::engine {

struct Network {
    bool is_interface = false;
    std::string name;  // "eth0", or an address of this host
};

// The interface that GLOO_SOCKET_IFNAME names, as for PyTorch; otherwise the address from which
// this host sends to rank 0, because the others can reach it too, or, if this host maps the name of
// rank 0 to itself, the one from which it sends to a rank of another host. MASTER_ADDR itself if
// the system knows no route. All ranks of several hosts call it, because they exchange their
// addresses in the store.
Network network_among(const distributed::Place& place, c10d::Store& store);

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

// Returns the addresses of a host or, for nullptr, those to listen at all interfaces. Throws
// std::runtime_error.
Addresses addresses_of(const char* host, std::uint16_t port);

// Returns the address of this end of a socket, in digits; "" if it has none.
std::string own_address(const Descriptor& socket);

// Returns whether this host maps that name to that address of its loopback interface, as Debian
// does with its own name. Other hosts know it by another address.
bool is_name_of_loopback(const std::string& name, const std::string& address);

}  // namespace ptp::engine
