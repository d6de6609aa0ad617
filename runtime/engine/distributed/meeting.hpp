// The meeting of a training's processes in a store that rank 0 hosts: each signs there, and waits
// until all have.

#pragma once

#include "distributed/place.hpp"
#include "engine/distributed/rank_store.hpp"

#include <chrono>
#include <exception>
#include <string>

namespace ptp::engine {

// The minimum time limit: processes start at different times, and loading libtorch takes as long as
// the disk needs.
inline constexpr std::chrono::seconds kMinConnecting{60};

class Meeting {
public:
    // Opens the store, and waits until all have signed. Throws RunError with kPeerLost that names
    // those that have not within the limit.
    Meeting(const distributed::Place& place, std::chrono::milliseconds limit);

    [[nodiscard]] const c10::intrusive_ptr<RankStore>& store() const { return store_; }

    // Returns why this process has lost others, by a roll call: "rank 1 on node1 does not answer".
    // Each process that has lost one calls it; those that do not are named. Returns the text of the
    // error if all do. It takes seconds. [any]
    [[nodiscard]] std::string cause_of(const std::exception& error) const;

private:
    [[nodiscard]] std::string roll_call() const;

    const distributed::Place place_;
    c10::intrusive_ptr<RankStore> store_;
    std::string host_of_first_;
};

// Returns the message of an exception; of libtorch's own, without the backtrace.
std::string text_of(const std::exception& error);

// Returns "1.5".
std::string in_seconds(std::chrono::milliseconds time);

}  // namespace ptp::engine
