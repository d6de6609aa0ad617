// Informs the other processes about this one while they train together, and finds out about them
// when one is lost, so that an error names the process that caused it.

#pragma once

#include "base/error.hpp"
#include "distributed/heartbeat.hpp"
#include "distributed/peers.hpp"
#include "distributed/place.hpp"
#include "distributed/rank_state.hpp"
#include "engine/component/profiler.hpp"
#include "engine/distributed/group.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

namespace ptp::engine {

// [main] Exists as long as the group, and before the first collective that may fail.
class RankWatch : private distributed::PeerView {
public:
    // Makes the file of this process in the run's folder; when it returns, each process has done
    // so. Throws RunError.
    RankWatch(Group& group, const std::filesystem::path& run_folder);
    ~RankWatch() override;
    RankWatch(const RankWatch&) = delete;
    RankWatch& operator=(const RankWatch&) = delete;

    // Returns the state that the training updates.
    [[nodiscard]] distributed::RankState& state() { return state_; }

    // Times the waits for the others if there is a profiler in this place, which outlives all
    // collectives.
    void profile(Profiler* const& profiler) { profiler_ = &profiler; }

    // Returns the error with which this process ends. Publishes an error of its own to the others.
    // For one that another process has caused, finds out which, and why: that takes seconds.
    [[nodiscard]] RunError explained(const RunError& error);

private:
    std::optional<distributed::RankStatus> read(std::int64_t rank) override;
    void wait(std::chrono::milliseconds time) override;
    [[nodiscard]] std::filesystem::path file_of(std::int64_t rank) const;
    void publish_state();
    void read_states();
    void wait_until_read();

    Group& group_;
    const distributed::Place place_;
    const std::filesystem::path folder_;
    distributed::RankState state_;
    Profiler* const* profiler_ = nullptr;
    c10::intrusive_ptr<RankStore> store_;  // for the states, if they are on several hosts
    std::map<std::int64_t, distributed::RankStatus> published_;
    std::chrono::steady_clock::time_point search_end_;   // limits the search for the culprit
    std::unique_ptr<distributed::Heartbeat> heartbeat_;  // in the file
    std::unique_ptr<distributed::Heartbeat>
        store_heartbeat_;  // a halted store must not stop the other
};

}  // namespace ptp::engine
