// Finds out about the other processes after a failed collective: which of them has failed by
// itself, has ended, no longer runs, or is missing.

#pragma once

#include "distributed/place.hpp"
#include "distributed/rank_state.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::distributed {

// The state of another process at a moment: from its file, or from the store if its file is not
// visible.
struct PeerReport {
    std::string host = {};
    std::int64_t pid = 0;
    std::uint64_t beats = 0;
    bool is_in_collective = false;
    Cause cause = Cause::kNone;
    std::string error = {};     // its first line
    std::string activity = {};  // "training, episode 12, in component net"

    friend bool operator==(const PeerReport&, const PeerReport&) = default;
};

PeerReport report_of(const RankStatus& status);

// Convert to and from a text for the store; nullopt for a malformed text.
std::string packed(const PeerReport& report);
std::optional<PeerReport> unpacked(const std::string& text);

// A process, observed for a while.
struct Peer {
    std::int64_t rank = 0;
    PeerReport report = {};
    bool has_ended = false;  // according to this host's system
    bool is_silent = false;  // no sign of life since the first look
};

// Returns "rank 1 of 2 on node7 has ended without a word, ...": the process to blame, the surest
// first: one that has failed by itself, that has ended, that is silent, or that alone is not
// waiting. Returns nullopt if none of them differs from the others.
std::optional<std::string> blamed(const std::vector<Peer>& peers, std::int64_t size);

// The reports of the others, and the time and the system's processes, which tests replace.
class PeerView {
public:
    virtual ~PeerView() = default;

    // Returns nullopt if nothing is known of the process.
    virtual std::optional<PeerReport> read(std::int64_t rank) = 0;

    // Returns whether a process of this host has ended.
    virtual bool is_gone(std::int64_t pid);

    virtual void wait(std::chrono::milliseconds time);
};

// Observes the others until one of them is surely to blame, or until the limit: a process that
// gives no sign in this time is silent. A rank that has ended because of another one is not to
// blame.
std::optional<std::string> find_blamed(const Place& place, PeerView& view,
                                       std::chrono::milliseconds limit);

}  // namespace ptp::distributed
