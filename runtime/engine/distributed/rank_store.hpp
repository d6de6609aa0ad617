// The store in which the processes of a training meet: rank 0 hosts it, all connect with it. It
// replaces c10d::TCPStore, which listens on all interfaces, accepts any client as a rank and
// allocates as much as a stranger requests.

#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace c10d {
class Store;
}

namespace ptp::engine {

// The location of the store, and the proof that a process belongs to the training.
struct StorePlace {
    std::string address;
    std::uint16_t port = 0;
    std::string secret;      // known to all ranks, and to no other process
    std::int64_t ranks = 1;  // of the training; a process with another number is refused
};

// Connects with the store within the limit, which also applies to each call; the host opens the
// store first. It listens only at the address, or on all interfaces if this host has none with it.
// A client that does not prove to know the secret within seconds is disconnected: it can send some
// 100 bytes, and more is never read nor allocated. The secret itself is not sent. Throws
// std::runtime_error.
c10::intrusive_ptr<c10d::Store> open_rank_store(const StorePlace& place, bool is_host,
                                                std::chrono::milliseconds limit);

}  // namespace ptp::engine
