// Chooses the interface or address by which the others reach this process.

#include "engine/distributed/network.hpp"

#include <fmt/core.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace ptp::engine {

namespace {

namespace asio = boost::asio;
using Address = asio::ip::address;

// Returns the interface that GLOO_SOCKET_IFNAME names; otherwise the address from which this host
// sends to `address`, or `address` itself if the system knows no route to it. Connecting a socket
// for datagrams sends nothing; it chooses the address to send from.
Network network_to(const std::string& address, std::uint16_t port) {
    if (const char* name = std::getenv("GLOO_SOCKET_IFNAME"); name != nullptr && *name != '\0') {
        return {true, name};
    }
    try {
        asio::io_context context;
        asio::ip::udp::socket socket(context);
        asio::ip::udp::resolver resolver(context);
        socket.connect(resolver.resolve(address, std::to_string(port)).begin()->endpoint());
        return {false, socket.local_endpoint().address().to_string()};
    } catch (const boost::system::system_error&) {  // The name is not known, or no route.
        return {false, address};
    }
}

}  // namespace

Network network_among(const distributed::Place& place, c10d::Store& store) {
    const Network own = network_to(place.address, place.port);
    if (place.is_one_host()) {
        return own;
    }
    const auto key = [](std::int64_t rank) { return fmt::format("address/{}", rank); };
    boost::system::error_code is_other_text;
    const Address address = asio::ip::make_address(own.name, is_other_text);
    const bool is_hidden =
        !own.is_interface && !is_other_text && is_name_of_loopback(place.address, address);
    const std::string told = is_hidden || own.is_interface ? "" : own.name;
    store.set(key(place.rank), std::vector<std::uint8_t>(told.begin(), told.end()));
    for (std::int64_t rank = 0; is_hidden && rank < place.size; ++rank) {
        const std::vector<std::uint8_t> other = store.get(key(rank));  // It waits for it.
        if (!other.empty()) {
            return network_to({other.begin(), other.end()}, place.port);
        }
    }
    return own;
}

bool is_name_of_loopback(const std::string& name, const Address& address) {
    return name != "localhost" && name != address.to_string() && address.is_loopback();
}

}  // namespace ptp::engine
