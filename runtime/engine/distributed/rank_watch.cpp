// Keeps the state of this process up to date in its file and in the store, and explains errors by
// the states of the others.

#include "engine/distributed/rank_watch.hpp"

#include "base/explanation.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

using distributed::Cause;
using distributed::RankStatus;
using std::chrono::milliseconds;

// Signs of life come every half second, and a little later over a network.
constexpr milliseconds kSilence{2000};
constexpr milliseconds kSilenceOfHosts{5000};

std::string key_of_state(std::int64_t rank) {
    return fmt::format("rank/{}", rank);
}

std::string key_of_reader(std::int64_t rank) {
    return fmt::format("has seen why/{}", rank);
}

std::filesystem::path made(const std::filesystem::path& file) {
    std::filesystem::create_directories(file.parent_path());
    return file;
}

}  // namespace

RankWatch::RankWatch(Group& group, const std::filesystem::path& run_folder)
    : group_(group),
      place_(group.place()),
      folder_(run_folder),
      state_(made(run::rank_state(run_folder, place_.rank)), place_.host) {
    heartbeat_ = std::make_unique<distributed::Heartbeat>([this] { state_.beat(); });
    if (!place_.is_one_host()) {
        store_ = group.store();
        publish_state();
        store_heartbeat_ = std::make_unique<distributed::Heartbeat>([this] { publish_state(); });
    }
    group.barrier("the start");  // not watched: a roll call names one without a file
    group.watch([this](const char* what, bool is_over) {
        if (is_over) {
            state_.leave_collective();
        } else {
            state_.enter_collective(what);
        }
        if (Profiler* const profiler = profiler_ == nullptr ? nullptr : *profiler_) {
            is_over ? profiler->end_wait() : profiler->begin_wait();
        }
    });
    if (store_) {
        read_states();
    }
}

RankWatch::~RankWatch() {
    group_.watch({});
}

std::filesystem::path RankWatch::file_of(std::int64_t rank) const {
    return run::rank_state(folder_, rank);
}

void RankWatch::publish_state() {
    store_->put(key_of_state(place_.rank), distributed::rank_state_bytes(file_of(place_.rank)));
}

void RankWatch::read_states() {
    std::vector<std::string> keys;
    for (std::int64_t rank = 0; rank < place_.size; ++rank) {
        keys.push_back(key_of_state(rank));
    }
    const auto texts = store_->read(keys);
    if (!texts) {  // the store's process is lost; the others are unknown
        std::erase_if(published_, [](const auto& entry) { return entry.first != 0; });
        return;
    }
    for (std::size_t i = 0; i < texts->size(); ++i) {
        if (auto status = distributed::rank_status(texts->at(i).value_or(""))) {
            published_[static_cast<std::int64_t>(i)] = *std::move(status);
        }
    }
}

// Reads the state of a process on this host from its file, which outlives all; of others from the
// store, because their mapped memory is not visible here, even if the file is.
std::optional<RankStatus> RankWatch::read(std::int64_t rank) {
    const auto on_file = distributed::read_rank_state(file_of(rank));
    if (!store_ || (on_file && on_file->host == place_.host)) {
        return on_file;
    }
    const auto found = published_.find(rank);
    return found == published_.end() ? std::nullopt : std::optional(found->second);
}

// Waits and reads the states again, until the search is over: reading a store that does not answer
// takes time, too.
void RankWatch::wait(milliseconds time) {
    if (!store_) {
        PeerView::wait(time);
    } else if (std::chrono::steady_clock::now() < search_end_) {
        PeerView::wait(time);
        read_states();
    }
}

// Waits in rank 0, with which the store ends, until the others know why it ends.
void RankWatch::wait_until_read() {
    if (place_.rank != 0) {
        return;
    }
    std::vector<std::string> keys;
    for (std::int64_t rank = 1; rank < place_.size; ++rank) {
        keys.push_back(key_of_reader(rank));
    }
    static_cast<void>(store_->read(keys, kSilenceOfHosts));
}

RunError RankWatch::explained(const RunError& error) {
    const bool is_own = error.code() != kPeerLost;
    if (is_own) {
        state_.fail(Cause::kOwn, error.what());
        if (store_) {
            publish_state();
            group_.abandon();
            wait_until_read();
        }
        return error;
    }
    const auto status = distributed::read_rank_state(file_of(place_.rank));
    search_end_ = std::chrono::steady_clock::now() + kSilenceOfHosts;
    if (store_) {
        read_states();  // Beats sent before the failure are no sign of life after it.
    }
    const auto blamed = find_blamed(place_, *this, store_ ? kSilenceOfHosts : kSilence);
    std::string text = error.what();
    if (blamed && status) {
        const Explanation explanation = {
            fmt::format("rank {} of {} on {} cannot continue, in episode {}, in {}: {}",
                        place_.rank, place_.size, place_.host, status->episode,
                        status->last_collective, *blamed),
            fmt::format("correct what has happened there, then continue from the last checkpoint: "
                        "ptprun resume {}",
                        folder_.string())};
        text = explanation.text();
    }
    state_.fail(Cause::kPeer, text);
    if (store_) {
        publish_state();
        store_->put(key_of_reader(place_.rank), "");
    }
    return {kPeerLost, text};
}

}  // namespace ptp::engine
