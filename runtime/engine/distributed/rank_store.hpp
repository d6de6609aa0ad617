// The store in which the processes of a training meet: rank 0 hosts it, all connect with it. It
// replaces c10d::TCPStore, which listens on all interfaces, accepts any client as a rank and
// allocates as much as a stranger requests.

#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace c10d {
class Store;
}

namespace ptp::engine {

// The location of the store, and the proof that a process belongs to the training.
struct StorePlace {
    std::string address;
    std::uint16_t port = 0;
    std::string secret;      // which all ranks have, and no other process
    std::int64_t ranks = 1;  // their number; a process with another one is refused
    bool is_one_host = true;
};

// The host cannot open the store at its place.
class CannotListen : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Connects with the store within the limit, which also applies to each call; the host opens the
// store first. It listens at the address alone, or at all addresses if no interface of this host
// has it, or if other hosts know this one by a name that it maps to its loopback interface. A
// client that does not prove within seconds that it knows the secret is disconnected: until then,
// at most some 100 bytes are read or allocated for it. The secret itself is not sent. A request
// that fails takes the connection with it, and the next one makes another. Throws
// std::runtime_error.
c10::intrusive_ptr<c10d::Store> open_rank_store(const StorePlace& place, bool is_host,
                                                std::chrono::milliseconds limit);

}  // namespace ptp::engine
