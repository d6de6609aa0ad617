// The network that connects the processes of a training.

#pragma once

#include "distributed/place.hpp"

#include <boost/asio/ip/address.hpp>

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

// Returns whether this host maps that name to that address of its loopback interface, as Debian
// does with its own name. Other hosts know it by another address.
bool is_name_of_loopback(const std::string& name, const boost::asio::ip::address& address);

}  // namespace ptp::engine
