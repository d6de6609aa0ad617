// What a process lets the others know of itself while they train together, and what it finds out
// about them when one is lost: so that an error names the process that it comes from.

#pragma once

#include "base/error.hpp"
#include "distributed/heartbeat.hpp"
#include "distributed/peers.hpp"
#include "distributed/place.hpp"
#include "distributed/rank_state.hpp"
#include "engine/component/profiler.hpp"
#include "engine/distributed/board.hpp"
#include "engine/distributed/group.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ptp::engine {

// [main] Lives as long as the group, and before the first collective that may be lost.
class RankWatch {
public:
    // Makes the file of this process in the run's folder; each process must have come here when it
    // returns. Throws RunError.
    RankWatch(Group& group, const std::filesystem::path& run_folder);
    ~RankWatch();
    RankWatch(const RankWatch&) = delete;
    RankWatch& operator=(const RankWatch&) = delete;

    // For what the training is doing.
    [[nodiscard]] distributed::RankState& state() { return state_; }

    // Times what it waits for the others where there is a profiler in this place, which outlives
    // all collectives.
    void profile(Profiler* const& profiler) { profiler_ = &profiler; }

    // What this process ends with, of what has ended it. The others can read an error of its own.
    // Of one that another process is the reason for, it finds out which, and why: that takes
    // seconds.
    [[nodiscard]] RunError explained(const RunError& error);

private:
    [[nodiscard]] std::optional<distributed::PeerReport> read(std::int64_t rank);
    [[nodiscard]] std::optional<distributed::PeerReport> of_file(std::int64_t rank) const;
    [[nodiscard]] distributed::PeerReport own_report() const;
    void put_up_report();
    void read_board();
    void wait_for_readers();
    [[nodiscard]] std::string key_of(std::int64_t rank) const;

    Group& group_;
    const distributed::Place place_;
    const std::filesystem::path folder_;
    distributed::RankState state_;
    Profiler* const* profiler_ = nullptr;
    std::optional<Board> board_;  // where they are on several hosts
    std::map<std::int64_t, distributed::PeerReport> on_board_;
    std::unique_ptr<distributed::Heartbeat> heartbeat_;  // of the file
    std::unique_ptr<distributed::Heartbeat>
        board_heartbeat_;  // a halted store must not stop the other
};

}  // namespace ptp::engine
