#include "engine/swap/swap_jobs.hpp"

#include "engine/data/loader_threads.hpp"
#include "engine/swap/safe_mode.hpp"
#include "plugin/private_copies.hpp"
#include "plugin/staging.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

namespace ptp::engine {

namespace {

using Loaded = std::optional<Swapper::Loaded>;

// Returns a clock that ends a staging when the run ends.
plugin::StageClock clock_until(const std::atomic<bool>& is_ending) {
    plugin::StageClock clock = plugin::StageClock::real();
    clock.wait = [&is_ending](std::chrono::milliseconds time) {
        std::this_thread::sleep_for(std::min(time, std::chrono::milliseconds(100)));
        if (is_ending) {
            throw std::runtime_error("the run has ended");
        }
    };
    return clock;
}

void check_hash(const plugin::Staged& staged, const std::string& hash) {
    constexpr std::size_t kShownDigits = 16;
    if (staged.hash != hash) {
        const SwapError error(
            SwapPhase::kStage,
            {fmt::format("has changed since the run used it: its SHA-256 begins with {}, the "
                         "journal has {}",
                         staged.hash.substr(0, kShownDigits), hash.substr(0, kShownDigits)),
             "put the file back that the run used"});
        throw WithFix<std::runtime_error>(refusal_of({staged.source}, error));
    }
}

void check_origin(const plugin::Staged& staged) {
    if (const auto why = refuse_origin(staged)) {
        const SwapError error(SwapPhase::kStage, *why);
        throw WithFix<std::runtime_error>(refusal_of({staged.source}, error));
    }
}

}  // namespace

SwapJobs::~SwapJobs() {
    is_ending_ = true;  // the futures wait for their threads
}

void SwapJobs::begin(SwapOrder order, const std::vector<std::string>& active_hashes) {
    auto work = [this, files = order.files, known = order.staged, wanted = order.hashes,
                 hashes = order.takes_equal_files ? std::vector<std::string>() : active_hashes] {
        become_worker_thread();
        if (!known.empty()) {
            return Loaded(swapper_.load(known));
        }
        plugin::PrivateCopies copies(copies_);
        std::vector<plugin::Staged> staged;
        for (const std::filesystem::path& file : files) {
            if (auto one = plugin::stage({.file = file, .active_hashes = hashes}, copies,
                                         clock_until(is_ending_))) {
                staged.push_back(std::move(*one));
                if (is_safe_) {
                    check_origin(staged.back());
                }
                if (!wanted.empty()) {
                    check_hash(staged.back(), wanted.at(staged.size() - 1));
                }
            }
        }
        try_out(staged);
        return staged.empty() ? Loaded() : Loaded(swapper_.load(std::move(staged)));
    };
    jobs_.push_back({std::move(order), std::async(std::launch::async, std::move(work))});
}

// Tries the builds. Those staged earlier have been tried by then.
void SwapJobs::try_out(const std::vector<plugin::Staged>& builds) const {
    if (!try_build_) {
        return;
    }
    const experiment::Swapping rules = swapper_.rules();
    for (const plugin::Staged& build : builds) {
        const auto refusal =
            try_build_({.build = build,
                        .limit_s = rules.time_limit.seconds,
                        .is_only_remembered = rules.rehearsal == experiment::Rehearsal::kProcess,
                        .is_ending = is_ending_});
        if (refusal) {
            throw SwapError(SwapPhase::kLoad, *refusal);
        }
    }
}

SwapJobs::Done* SwapJobs::next() {
    if (front_) {
        return &*front_;
    }
    const auto is_ready = [](const Job& job) {
        return !job.order.staged.empty() ||
               job.loaded.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    };
    return jobs_.empty() || !is_ready(jobs_.front()) ? nullptr : &wait();
}

SwapJobs::Done& SwapJobs::wait() {
    if (front_) {
        return *front_;
    }
    Job& job = jobs_.front();
    Done& done = front_.emplace(Done{std::move(job.order), std::nullopt, std::nullopt});
    try {
        done.loaded = job.loaded.get();
    } catch (const SwapError& error) {
        done.refusal = refusal_of(done.order.files, error);
        done.refused_for = error.refused_for();
        done.code = error.code();
    } catch (const plugin::StageError& error) {
        done.refusal = error.explanation();
        if (error.refused_for() == RefusedFor::kNow) {
            done.refused_for = RefusedFor::kNow;
            done.code = kTrainingError;
        }
    } catch (const std::exception& error) {
        done.refusal = explanation_of(error);
    }
    return done;
}

SwapJobs::Done SwapJobs::take() {
    wait();
    Done done = std::move(*front_);
    front_.reset();
    jobs_.pop_front();
    return done;
}

}  // namespace ptp::engine
