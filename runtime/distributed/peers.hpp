// Finds out about the other processes after a failed collective: which of them has failed by
// itself, has ended, no longer runs, or is missing.

#pragma once

#include "distributed/place.hpp"
#include "distributed/rank_state.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace ptp::distributed {

// The states of the others, and the time and the system's processes, which tests replace.
class PeerView {
public:
    virtual ~PeerView() = default;

    // Returns nullopt if nothing is known of the process.
    virtual std::optional<RankStatus> read(std::int64_t rank) = 0;

    // Returns whether a process of this host has ended.
    virtual bool is_gone(std::int64_t pid);

    virtual void wait(std::chrono::milliseconds time);
};

// Returns "rank 1 of 2 on node7 has ended without an error, ...": the process to blame, the surest
// first: one that has failed by itself, that has ended, that is silent, or that alone is not
// waiting. Returns nullopt if none of them differs from the others. Observes them until one is
// surely to blame, or until the limit: a process that gives no sign in this time is silent. A rank
// that has ended because of another one is not to blame.
std::optional<std::string> find_blamed(const Place& place, PeerView& view,
                                       std::chrono::milliseconds limit);

}  // namespace ptp::distributed
