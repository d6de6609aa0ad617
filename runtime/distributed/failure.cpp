// Determines the process that failed first, what happened to it, and whether to restart.

#include "distributed/failure.hpp"

#include "base/exit_code.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>

namespace ptp::distributed {

namespace {

bool is_consequence(const RankEnd& end) {
    return end.code == kPeerLost || (end.status && end.status->cause == Cause::kPeer);
}

constexpr const char* kStuck =
    ", but has not ended: it waits in the kernel, as for a file system that does not answer";

// Returns whether it was not killed or lost, but has said why it ends.
bool has_own_error(const RankEnd& end) {
    return end.signal == 0 && !end.is_hung && !end.is_stuck && end.status &&
           end.status->cause == Cause::kOwn && !end.status->error.empty();
}

bool failed_by_itself(const RankEnd& end) {
    return end.is_hung || end.is_stuck ||
           (is_failure(end) && !end.was_asked_to_end && !is_consequence(end));
}

// If all waited until their timeout, returns the process that they waited for: it has not connected
// with them, or had begun the fewest collectives, and was in none.
const RankEnd* awaited(const std::vector<RankEnd>& ranks) {
    const auto unconnected = std::find_if(ranks.rbegin(), ranks.rend(), [](const RankEnd& end) {
        return !end.status && end.was_asked_to_end;
    });
    if (unconnected != ranks.rend()) {  // of several, the last to end
        return &*unconnected;
    }
    const RankEnd* found = nullptr;
    for (const RankEnd& end : ranks) {
        const bool is_behind = end.status && end.status->collective.empty() && end.was_asked_to_end;
        if (is_behind &&
            (found == nullptr || end.status->collective_count < found->status->collective_count)) {
            found = &end;
        }
    }
    return found;
}

// If all decide to end, as when a loss diverges, returns rank 0, which reports it.
const RankEnd* first_of_all(const std::vector<RankEnd>& ranks, const RankEnd& culprit) {
    const auto first = std::ranges::find_if(ranks, [&culprit](const RankEnd& end) {
        return end.rank == 0 && failed_by_itself(end) && end.code == culprit.code &&
               end.signal == 0 && !culprit.is_hung;
    });
    return first == ranks.end() ? &culprit : &*first;
}

// Returns whether there are more processes than processors by far: they may connect too late.
bool is_crowded(const Launch& launch) {
    constexpr std::int64_t kManyOfEach = 4;
    return launch.processors > 0 && launch.size > kManyOfEach * launch.processors;
}

std::string what_happened(const RankEnd& end, const Launch& launch, bool is_awaited) {
    const auto seconds = [](std::chrono::milliseconds time) {
        return exact_text(static_cast<double>(time.count()) / 1000);
    };
    if (end.is_hung) {
        return fmt::format("{}did not run for {} s, and was killed{}",
                           end.was_halted ? "was halted by a signal, " : "",
                           seconds(launch.timeout), end.is_stuck ? kStuck : "");
    }
    if (end.is_stuck) {
        return fmt::format("was killed{}", kStuck);
    }
    if (is_awaited && !end.status) {
        return std::string("did not connect with the others, and was stopped") +
               (is_crowded(launch)
                    ? fmt::format("; {} processes share {} processor{}", launch.size,
                                  launch.processors, launch.processors == 1 ? "" : "s")
                    : "");
    }
    if (is_awaited && end.status->phase == Phase::kSaving) {
        return "did not come to an end of its checkpoint, and was stopped";
    }
    if (is_awaited) {
        return fmt::format("did not come to where the others waited for it for {} s",
                           seconds(launch.timeout));
    }
    if (end.signal != 0) {
        const char* const name = sigabbrev_np(end.signal);  // nullptr for real-time signals
        return name != nullptr ? fmt::format("was killed by SIG{}", name)
                               : fmt::format("was killed by signal {}", end.signal);
    }
    const bool has_error = end.status && !end.status->error.empty();
    return fmt::format("ended with exit code {}{}", end.code,
                       has_error ? ": " + end.status->error : "");
}

// A process that has not ended may still write into the run's folder, besides those of a restart.
void note_stuck(Failure& failure, const std::vector<RankEnd>& ranks) {
    for (const RankEnd& end : ranks) {
        failure.is_transient = failure.is_transient && !end.is_stuck;
        if (end.is_stuck && end.rank != failure.rank) {
            failure.reason +=
                fmt::format("; rank {} (process {}) was killed{}", end.rank, end.pid, kStuck);
        }
    }
}

}  // namespace

std::optional<Failure> failure_of(const LaunchEnd& end, const Launch& launch) {
    if (!end.problem.empty()) {
        return Failure{.code = kTrainingError, .reason = end.problem};
    }
    auto found = std::ranges::find_if(end.ranks, failed_by_itself);
    const RankEnd* culprit = found == end.ranks.end() ? nullptr : first_of_all(end.ranks, *found);
    bool is_awaited = false;
    if (culprit == nullptr) {
        found = std::ranges::find_if(end.ranks, is_failure);
        if (found == end.ranks.end()) {
            return std::nullopt;
        }
        culprit = awaited(end.ranks);
        is_awaited = culprit != nullptr;
        culprit = is_awaited ? culprit : &*found;
    }
    Failure failure{.rank = culprit->rank, .code = culprit->code};
    if (culprit->is_hung || is_awaited) {
        failure.code = kPeerLost;
    }
    failure.is_transient =
        culprit->signal != 0 || failure.code == kPeerLost || failure.code == kTrainingError;
    failure.reason =
        fmt::format("rank {} of {} on {} (process {}) {}", culprit->rank, launch.size, launch.host,
                    culprit->pid, what_happened(*culprit, launch, is_awaited));
    if (is_awaited && !culprit->status && is_crowded(launch)) {
        failure.better_size = launch.processors;
    }
    failure.has_own_error = has_own_error(*culprit);
    note_stuck(failure, end.ranks);
    failure.activity = culprit->status ? text_of(*culprit->status) : "";
    return failure;
}

std::string fix_of(const Failure& failure, std::int64_t size, const std::string& run) {
    const std::int64_t next = failure.better_size > 0 ? failure.better_size : size;
    return failure.is_transient && !failure.has_own_error && !run.empty()
               ? fmt::format("ptprun resume {} --nproc {}", shell_word(run), next)
           : failure.better_size > 0 ? fmt::format("--nproc {}", next)
                                     : "";
}

int exit_code_of(const LaunchEnd& end) {
    assert(std::ranges::none_of(end.ranks, is_failure) && end.problem.empty());
    const auto stopped =
        std::ranges::find_if(end.ranks, [](const RankEnd& one) { return one.code != kDone; });
    return stopped == end.ranks.end() ? static_cast<int>(kDone) : stopped->code;
}

std::optional<std::int64_t> Restarts::after(const Failure& failure, std::int64_t size) {
    if (!failure.is_transient || left_ == 0) {
        return std::nullopt;
    }
    --left_;
    ++done_;
    const bool is_again = last_rank_ == failure.rank;
    last_rank_ = failure.rank;
    if (!is_again || size <= min_size_) {
        return size;
    }
    last_rank_.reset();  // the ranks are different now
    return size - 1;
}

}  // namespace ptp::distributed
