// Exchanges plugins of a running training for newer builds, between two episodes, without losing a
// bit of its state; or leaves everything as it was and reports why.

#pragma once

#include "engine/component/plugins.hpp"
#include "engine/swap/candidate.hpp"
#include "engine/swap/next_pipeline.hpp"
#include "engine/swap/rehearsal.hpp"
#include "engine/swap/swap_error.hpp"
#include "engine/swap/trial.hpp"
#include "plugin/staging.hpp"

#include <c10/util/FunctionRef.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

// The seconds of each phase, in the order in which they began.
using PhaseTimes = std::vector<std::pair<SwapPhase, double>>;

// The result of a swap that was not refused.
struct SwapReport {
    bool has_other_tensors = false;  // previous weights do not fit the new components
    std::vector<std::string> notes;  // the differences, for users
    PhaseTimes seconds;
};

class Swapper {
public:
    struct Parts {
        TrainingSession& session;
        Plugins& plugins;
        const pipeline::Plan& plan;  // the session's, as it was created
        const ComponentContext& component_context;
    };

    // The part of a swap that is prepared before the training has to wait for it.
    struct Loaded {
        std::vector<plugin::Staged> files;
        std::shared_ptr<NextPipeline> next;
        NewGenerations generations;
        PhaseTimes seconds;
        std::uint64_t after = 0;  // the number of commits it accounts for
    };

    explicit Swapper(const Parts& parts) : parts_(parts) {}

    // Plans the pipeline and loads the plugins, unless they are to be loaded in a child process
    // first. [any], also while the training continues. Throws SwapError.
    [[nodiscard]] Loaded load(std::vector<plugin::Staged> files);

    // Both are called between two episodes; if changes_loading(), outside of a pass. They throw
    // SwapError, in which case nothing has changed, and RunError if the training cannot continue.
    // Before the commit, swap() calls `note`, when only that can still fail: it throws the same
    // errors. [main]
    SwapReport swap(Loaded loaded, const TrainingPosition& place, c10::function_ref<void()> note) {
        return exchange(loaded, place, &note);
    }
    // Does everything that can be done without a change.
    SwapReport try_swap(Loaded loaded, const TrainingPosition& place) {
        return exchange(loaded, place, nullptr);
    }

    // Returns how swaps are tried. [any]
    [[nodiscard]] experiment::Swapping rules();

    // No swap is planned while the lock exists, so that the experiment may change.
    [[nodiscard]] std::unique_lock<std::mutex> hold_experiment() {
        return std::unique_lock(current_mutex_);
    }

    // Returns whether the swap may exchange the task of a section or its components in loader
    // threads, or needs streams that these drop.
    [[nodiscard]] bool changes_loading(const Loaded& loaded) const;

private:
    [[nodiscard]] CurrentPipeline current() const;
    SwapReport exchange(Loaded& loaded, const TrainingPosition& place,
                        const c10::function_ref<void()>* note);
    void plan(Loaded& loaded);
    void load_plugins(Loaded& loaded);
    void try_out(Loaded& loaded, const TrainingPosition& place, StateSnapshot& untouched);
    void rehearse_copy(Loaded& loaded, const TrainingPosition& place, StateSnapshot& untouched,
                       TrialPhase& phase);
    void commit(Loaded& loaded, Candidate candidate);
    [[nodiscard]] std::uint64_t seed_of(const TrainingPosition& place) const;

    const Parts parts_;
    std::mutex load_mutex_;  // a plugin is loaded by one thread at a time
    // Guards the experiment, and the two members below, which change in a commit.
    std::mutex current_mutex_;
    std::shared_ptr<NextPipeline> active_;  // nullptr before the first commit
    std::uint64_t commits_ = 0;
};

}  // namespace ptp::engine
