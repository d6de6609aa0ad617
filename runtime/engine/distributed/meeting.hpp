// How the processes of a training find each other: in a store that rank 0 hosts, where each signs.

#pragma once

#include "distributed/place.hpp"

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <exception>
#include <string>

namespace c10d {
class Store;
}

namespace ptp::engine {

// How long they may take, at least: they start at different times, and to load libtorch takes as
// long as the disk needs.
inline constexpr std::chrono::seconds kMinConnecting{60};

class Meeting {
public:
    // Opens the store, and waits until all have signed. Throws RunError with kPeerLost that names
    // those that have not within the limit.
    Meeting(const distributed::Place& place, std::chrono::milliseconds limit);

    [[nodiscard]] const c10::intrusive_ptr<c10d::Store>& store() const { return store_; }

    // Why this process has lost others, by a roll call: "rank 1 on node1 does not answer". Each
    // process calls it that has lost one; who does not is named. The text of the error where all
    // do. It takes seconds. [any]
    [[nodiscard]] std::string cause_of(const std::exception& error) const;

private:
    [[nodiscard]] std::string roll_call() const;

    const distributed::Place place_;
    c10::intrusive_ptr<c10d::Store> store_;
    std::string host_of_first_;
};

// The message of an exception; of libtorch's own without the list of calls.
std::string text_of(const std::exception& error);

// "1.5"
std::string in_seconds(std::chrono::milliseconds time);

}  // namespace ptp::engine
