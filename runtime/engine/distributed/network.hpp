// The network by which the processes of a training reach each other.

#pragma once

#include <cstdint>
#include <string>

namespace ptp::engine {

struct Network {
    bool is_interface = false;
    std::string name;  // "eth0", or an address of this host
};

// The interface that GLOO_SOCKET_IFNAME names, as for PyTorch; else this host's address on the way
// to that one, which the others can reach too. The address itself where the system knows no way.
Network network_to(const std::string& address, std::uint16_t port);

}  // namespace ptp::engine
