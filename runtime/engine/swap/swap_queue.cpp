// The sources of swaps, the preparation of their files in other threads, and the order in which
// they are handed out. The swaps themselves are made in live_swaps.cpp.

#include "engine/swap/swap_queue.hpp"

#include "engine/data/loader_threads.hpp"
#include "engine/swap/run_plugins.hpp"
#include "plugin/private_copies.hpp"
#include "plugin/watch.hpp"
#include "run/plugins_lock.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace ptp::engine {

// The watch of plugins' files, with a thread of its own.
class PluginWatch {
public:
    // Throws std::system_error.
    explicit PluginWatch(const std::vector<std::filesystem::path>& files)
        : watcher_(files), thread_([this] { watch(); }) {}
    ~PluginWatch() {
        is_ending_ = true;
        watcher_.stop();
        thread_.join();
    }
    PluginWatch(const PluginWatch&) = delete;
    PluginWatch& operator=(const PluginWatch&) = delete;

    // Returns the files that have changed and settled since the last call.
    std::vector<std::filesystem::path> changed() {
        if (!has_changed_.load(std::memory_order_relaxed)) {
            return {};
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        has_changed_ = false;
        return std::exchange(changed_, {});
    }

private:
    void watch() {
        become_helper_thread("ptp-watch");
        while (!is_ending_) {
            const auto files = watcher_.poll(std::chrono::hours(1));
            if (files.empty()) {
                continue;
            }
            const std::lock_guard<std::mutex> lock(mutex_);
            for (const std::filesystem::path& file : files) {
                if (std::ranges::count(changed_, file) == 0) {
                    changed_.push_back(file);
                }
            }
            has_changed_ = true;
        }
    }

    plugin::Watcher watcher_;
    std::atomic<bool> has_changed_ = false;
    std::atomic<bool> is_ending_ = false;
    std::mutex mutex_;  // guards what follows
    std::vector<std::filesystem::path> changed_;
    std::thread thread_;
};

namespace {

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

[[noreturn]] void refuse_staged(const plugin::Staged& staged, const Explanation& why) {
    throw WithFix<std::runtime_error>(
        refusal_of({staged.source}, SwapError(SwapPhase::kStage, why)));
}

void check_hash(const plugin::Staged& staged, const std::string& hash) {
    const std::string change = run::change_of_build(staged.hash, hash, "the journal");
    if (!change.empty()) {
        refuse_staged(staged, {change, "put the file back that the run used"});
    }
}

}  // namespace

void PreparedSwap::refuse(const SwapError& error) {
    refusal = SwapRefusal{refusal_of(order.files, error), error.refused_for(), error.code()};
}

SwapQueue::SwapQueue(Setup setup) : setup_(std::move(setup)) {}

SwapQueue::~SwapQueue() {
    is_ending_ = true;  // the futures wait for their threads
}

void SwapQueue::add(SwapOrder order, std::uint64_t episodes) {
    std::vector<std::string> active;
    if (!order.is_decided) {
        active = setup_.generations.hashes(episodes);
    }
    const auto hashes = std::make_shared<std::vector<std::string>>();
    auto work = [this, staged = order.staged,
                 what = Preparation{order.files, order.hashes, std::move(active), hashes}] {
        become_helper_thread("ptp-swap");
        return staged.empty() ? prepare(what) : Loaded(setup_.swapper.load(staged));
    };
    swaps_.push_back({std::move(order), hashes, std::async(std::launch::async, std::move(work))});
}

// Copies, checks and loads the files. Runs in a thread of its own.
SwapQueue::Loaded SwapQueue::prepare(const Preparation& what) const {
    plugin::PrivateCopies copies(setup_.copies);
    std::vector<plugin::Staged> staged;
    for (const std::filesystem::path& file : what.files) {
        auto one = plugin::stage({.file = file, .active_hashes = what.active_hashes}, copies,
                                 clock_until(is_ending_));
        if (!one) {
            continue;
        }
        what.hashes->push_back(one->hash);
        if (setup_.is_safe) {
            if (const auto why = refuse_origin(*one)) {
                refuse_staged(*one, *why);
            }
        }
        if (!what.wanted_hashes.empty()) {
            check_hash(*one, what.wanted_hashes.at(staged.size()));
        }
        staged.push_back(std::move(*one));
    }
    try_out(staged);
    return staged.empty() ? Loaded() : Loaded(setup_.swapper.load(std::move(staged)));
}

// Tries the builds before they are loaded. Builds that were staged earlier are not tried again.
void SwapQueue::try_out(const std::vector<plugin::Staged>& builds) const {
    if (!setup_.try_build) {
        return;
    }
    const experiment::Swapping rules = setup_.swapper.rules();
    for (const plugin::Staged& build : builds) {
        const auto refusal = setup_.try_build(
            {.build = build,
             .limit_s = rules.time_limit.seconds,
             .is_only_remembered = rules.rehearsal == experiment::Rehearsal::kProcess,
             .is_ending = is_ending_});
        if (refusal) {
            throw SwapError(SwapPhase::kLoad, *refusal);
        }
    }
}

// The watch only reports later changes; a build may have come since the plugin was copied.
void SwapQueue::watch(std::uint64_t episodes) {
    try {
        watch_ = std::make_unique<PluginWatch>(setup_.generations.sources());
        setup_.log.info("watching for newer builds of its plugins");
        if (auto files = setup_.generations.newer_sources(); !files.empty()) {
            setup_.log.info(
                fmt::format("{}: other builds than the run has copied", path_list(files)));
            add({.files = std::move(files)}, episodes);
        }
    } catch (const std::exception& error) {
        setup_.log.warn(fmt::format("newer builds of plugins are not noticed: {}", error.what()));
    }
}

void SwapQueue::add_changed(std::uint64_t episodes) {
    if (!watch_) {
        return;
    }
    if (auto files = watch_->changed(); !files.empty()) {
        forget_refused(files);
        add({.files = std::move(files)}, episodes);
    }
}

void SwapQueue::add_refused(const TrainingPosition& at) {
    for (RefusedBuild& build : refused_) {
        if (build.epoch != at.epoch) {
            setup_.console.headline_and_log(
                fmt::format("{}: tried again", path_list(build.order.files)));
            add({.files = std::exchange(build.order.files, {}),
                 .staged = std::move(build.order.staged)},
                at.episode);
        }
    }
    std::erase_if(refused_, [](const RefusedBuild& build) { return build.order.files.empty(); });
}

void SwapQueue::retry(SwapOrder order, std::uint64_t epoch) {
    refused_.push_back({std::move(order), epoch});
}

void SwapQueue::refused(const PreparedSwap& swap) {
    if (swap.refusal->refused_for == RefusedFor::kGood && !swap.hashes->empty()) {
        hashes_of_refused_.push_back(*swap.hashes);
    }
}

void SwapQueue::swapped(const std::vector<plugin::Staged>& files) {
    hashes_of_refused_.clear();
    forget_refused(setup_.generations.sources_of(files));
}

// The remaining files of a build are staged anew: they may be of other plugins.
void SwapQueue::forget_refused(const Files& files) {
    for (RefusedBuild& build : refused_) {
        const auto is_one = [&](const auto& file) { return std::ranges::count(files, file) > 0; };
        if (std::erase_if(build.order.files, is_one) > 0) {
            build.order.staged.clear();
        }
    }
    std::erase_if(refused_, [](const RefusedBuild& build) { return build.order.files.empty(); });
}

PreparedSwap* SwapQueue::next(std::uint64_t episodes) {
    if (swaps_.empty()) {
        return nullptr;
    }
    const PreparedSwap& first = swaps_.front();
    if (first.preparing.valid() && first.order.staged.empty() &&
        first.preparing.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
        return nullptr;
    }
    PreparedSwap& prepared = wait();
    drop_active_files(prepared, episodes);
    drop_refused_build(prepared);
    return &prepared;
}

void SwapQueue::drop_refused_build(PreparedSwap& prepared) const {
    if (prepared.order.asked_by || prepared.order.is_decided ||
        std::ranges::count(hashes_of_refused_, *prepared.hashes) == 0) {
        return;
    }
    setup_.log.info(fmt::format("{}: the build that was refused, with the same content",
                                path_list(prepared.order.files)));
    prepared.loaded.reset();
    prepared.refusal.reset();
}

void SwapQueue::drop_active_files(PreparedSwap& prepared, std::uint64_t episodes) {
    if (!prepared.loaded) {
        return;
    }
    const std::vector<std::string> hashes = setup_.generations.hashes(episodes);
    std::vector<plugin::Staged>& files = prepared.loaded->files;
    const auto dropped = std::erase_if(files, [&](const plugin::Staged& file) {
        return std::ranges::count(hashes, file.hash) > 0;
    });
    if (files.empty()) {
        prepared.loaded.reset();
    } else if (dropped > 0) {
        try {
            prepared.loaded = setup_.swapper.load(std::move(files));
        } catch (const SwapError& error) {
            prepared.refuse(error);
        }
    }
}

PreparedSwap& SwapQueue::wait() {
    assert(!is_empty());
    PreparedSwap& prepared = swaps_.front();
    if (!prepared.preparing.valid()) {
        return prepared;
    }
    try {
        prepared.loaded = prepared.preparing.get();
    } catch (const SwapError& error) {
        prepared.refuse(error);
    } catch (const plugin::StageError& error) {
        const bool is_for_now = error.refused_for() == RefusedFor::kNow;
        prepared.refusal = SwapRefusal{error.explanation(), error.refused_for(),
                                       is_for_now ? kTrainingError : kPluginError};
    } catch (const std::exception& error) {
        prepared.refusal = SwapRefusal{explanation_of(error)};
    }
    return prepared;
}

PreparedSwap SwapQueue::take() {
    PreparedSwap prepared = std::move(wait());
    swaps_.pop_front();
    return prepared;
}

}  // namespace ptp::engine
