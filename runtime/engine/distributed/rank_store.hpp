// The store in which the processes of a training meet: rank 0 hosts it, all connect with it. It
// replaces c10d::TCPStore, which listens on all interfaces, accepts any client as a rank and
// allocates as much as a stranger requests.

#pragma once

#include "distributed/place.hpp"

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace ptp::engine {

// The host cannot open the store at its place.
class CannotListen : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// [any] A connection with the store, for one request at a time. A request that fails takes the
// connection with it, and the next one makes another. Throws std::runtime_error.
class RankStore : public c10d::Store {
public:
    using Texts = std::vector<std::optional<std::string>>;

    // Connects with the store within the limit, which also applies to each call; `is_host` opens
    // the store first. It listens at the address alone, or at all addresses if no interface of this
    // host has it, or if other hosts know this one by a name that it maps to its loopback
    // interface. A client that does not prove within seconds that it knows the secret is
    // disconnected: until then, at most some 100 bytes are read or allocated for it. The secret
    // itself is not sent.
    static c10::intrusive_ptr<RankStore> open(distributed::Place place, bool is_host,
                                              std::chrono::milliseconds limit);
    // Returns a store that makes a connection of its own when it is used.
    [[nodiscard]] virtual c10::intrusive_ptr<RankStore> another() const = 0;

    // Short texts that the processes leave for each other, also after a failed collective. The
    // store may have ended, or hang with its process: neither function throws, nor takes much more
    // than a second, besides the time that read() waits until all texts are there.
    virtual bool put(const std::string& key, const std::string& text) = 0;  // whether it is stored
    // Returns the text of each key, nullopt if there is none; nullopt if the store does not answer.
    virtual std::optional<Texts> read(const std::vector<std::string>& keys,
                                      std::chrono::milliseconds wait = {}) = 0;

protected:
    using c10d::Store::Store;
};

}  // namespace ptp::engine
