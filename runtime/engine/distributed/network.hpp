// The network that connects the processes of a training.

#pragma once

#include <cstdint>
#include <string>

namespace ptp::engine {

struct Network {
    bool is_interface = false;
    std::string name;  // "eth0", or an address of this host
};

// Returns the interface that GLOO_SOCKET_IFNAME names, as for PyTorch; otherwise this host's
// address on the route to that address, which the others can reach too. Returns the address itself
// if the system has no route.
Network network_to(const std::string& address, std::uint16_t port);

}  // namespace ptp::engine
