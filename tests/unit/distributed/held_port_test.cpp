#include "distributed/held_port.hpp"

#include "base/descriptor.hpp"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace held_port_test {

using ptp::Descriptor;
using ptp::distributed::HeldPort;

// A socket at this port, of this host alone.
bool can_listen(std::uint16_t port, bool reuses) {
    const Descriptor server(socket(AF_INET, SOCK_STREAM, 0));
    const int value = reuses ? 1 : 0;
    setsockopt(server.get(), SOL_SOCKET, SO_REUSEADDR, &value, sizeof(value));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return bind(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
           listen(server.get(), 1) == 0;
}

TEST_CASE("held port: a server that reuses addresses can listen at it, and no other one") {
    const HeldPort port;
    CHECK(port.number() != 0);
    CHECK(can_listen(port.number(), true));
    CHECK_FALSE(can_listen(port.number(), false));
}

TEST_CASE("held port: two differ") {
    const HeldPort first;
    const HeldPort second;
    CHECK(first.number() != second.number());
}

}  // namespace held_port_test
