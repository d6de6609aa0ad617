// The transaction of a swap: the new components are tried, created and given the state of the old
// ones, and replace them only when nothing can fail any more.

#include "engine/swap/swapper.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/stopwatch.hpp"
#include "base/temporary_path.hpp"
#include "engine/component/loader_stage.hpp"
#include "engine/swap/process_settings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <system_error>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

// Adds to the phase's time; a repeated phase keeps its place.
class Timer {
public:
    Timer(PhaseTimes& seconds, SwapPhase phase) : seconds_(seconds), phase_(phase) {}
    ~Timer() {
        const auto known = std::ranges::find(seconds_, phase_, &PhaseTimes::value_type::first);
        if (known == seconds_.end()) {
            seconds_.emplace_back(phase_, time_.seconds());
        } else {
            known->second += time_.seconds();
        }
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

private:
    PhaseTimes& seconds_;
    SwapPhase phase_;
    Stopwatch time_;
};

Candidate create(TrainingSession& session, Swapper::Loaded& loaded, std::uint64_t seed) {
    const Timer timer(loaded.seconds, SwapPhase::kCreate);
    return create_candidate(session, loaded.next, loaded.next->component_context,
                            loaded.generations, seed);
}

// Migrates the state of the old components. Returns whether tensors are new, lost or changed.
bool hand_over(TrainingSession& session, Candidate& candidate, Swapper::Loaded& loaded) {
    const Timer timer(loaded.seconds, SwapPhase::kMigrate);
    std::vector<std::string> notes = migrate(session, candidate);
    migrate_optimization(session, candidate);
    const bool has_other_tensors = !notes.empty();
    std::ranges::move(notes, std::back_inserter(loaded.next->notes));
    return has_other_tensors;
}

// Returns a folder for files that new components write while they are tried.
TemporaryPath scratch_folder(const std::string& run_folder) {
    const fs::path path = fs::path(run_folder) / "swap-trial";
    try {
        return TemporaryPath::empty_folder(path);
    } catch (const fs::filesystem_error& error) {
        throw WithFix<std::runtime_error>(
            {fmt::format("{}, where new components are tried, cannot be made: {}", path.string(),
                         error.code().message()),
             "make room there, or make it writable"});
    }
}

plugin::Generation load_newer(Plugins& plugins, const plugin::CatalogEntry& copy) {
    try {
        return plugins.load_newer(copy);
    } catch (const plugin::LoadError& error) {
        throw SwapError(SwapPhase::kLoad, error.explanation(), error.refused_for(), code_of(error));
    }
}

}  // namespace

CurrentPipeline Swapper::current() const {
    const experiment::Experiment& experiment = parts_.session.experiment;
    if (active_) {
        return {experiment, active_->plan, active_->component_context};
    }
    return {experiment, parts_.plan, parts_.component_context};
}

std::uint64_t Swapper::seed_of(const TrainingPosition& place) const {
    return derived(derived(parts_.component_context.seed, "swap"), std::to_string(place.episode));
}

Swapper::Loaded Swapper::load(std::vector<plugin::Staged> files) {
    Loaded loaded;
    loaded.files = std::move(files);
    plan(loaded);
    if (parts_.session.experiment.swap.rehearsal != experiment::Rehearsal::kProcess) {
        load_plugins(loaded);
    }
    return loaded;
}

void Swapper::plan(Loaded& loaded) {
    const Timer timer(loaded.seconds, SwapPhase::kInspect);
    const std::lock_guard<std::mutex> lock(current_mutex_);
    loaded.after = commits_;
    loaded.next = plan_next(current(), loaded.files);
}

experiment::Swapping Swapper::rules() {
    const std::lock_guard<std::mutex> lock(current_mutex_);
    return parts_.session.experiment.swap;
}

void Swapper::load_plugins(Loaded& loaded) {
    const Timer timer(loaded.seconds, SwapPhase::kLoad);
    const std::lock_guard<std::mutex> lock(load_mutex_);
    in_phase(SwapPhase::kLoad, [&] {
        const ProcessSettings settings;
        for (const plugin::Staged& file : loaded.files) {
            const std::string& name = file.copy.manifest.name;
            if (!loaded.generations.contains(name)) {
                loaded.generations.emplace(name, load_newer(parts_.plugins, file.copy));
            }
            try {
                settings.check(SwapPhase::kLoad, "its code, by being loaded,");
            } catch (const SwapError&) {
                settings.restore();
                throw;
            }
        }
    });
}

bool Swapper::changes_loading(const Loaded& loaded) const {
    const NextPipeline& next = *loaded.next;
    for (std::size_t i = 0; i < next.new_nodes.size(); ++i) {
        if (next.new_nodes[i] && parts_.session.lacks_streams_of(next.plan.nodes[i])) {
            return true;
        }
    }
    return std::ranges::count(next.new_tasks, true) > 0 ||
           may_change_loader_stages(parts_.session.components, next.new_nodes);
}

SwapReport Swapper::exchange(Loaded& loaded, const TrainingPosition& place,
                             const c10::function_ref<void()>* note) {
    if (loaded.after != commits_) {
        plan(loaded);  // another swap was faster
    }
    const ProcessSettings settings;
    const bool do_components_run =
        parts_.session.experiment.swap.rehearsal == experiment::Rehearsal::kThread;
    StateSnapshot untouched = in_phase(
        SwapPhase::kMigrate, [&] { return StateSnapshot(parts_.session, do_components_run); },
        RefusedFor::kNow);
    std::optional<Candidate> candidate;
    bool has_other_tensors = false;
    try {
        try_out(loaded, place, untouched);
        untouched.restore();
        if (note != nullptr) {
            load_plugins(loaded);
            candidate.emplace(create(parts_.session, loaded, seed_of(place)));
            has_other_tensors = hand_over(parts_.session, *candidate, loaded);
        }
        untouched.restore();
        settings.check(SwapPhase::kMigrate, "a new component");
        if (candidate) {
            (*note)();
        }
    } catch (...) {
        candidate.reset();
        settings.restore();
        untouched.restore();
        throw;
    }
    if (candidate) {
        const Timer timer(loaded.seconds, SwapPhase::kCommit);
        commit(loaded, std::move(*candidate));
    }
    return {has_other_tensors, loaded.next->notes, loaded.seconds};
}

void Swapper::try_out(Loaded& loaded, const TrainingPosition& place, StateSnapshot& untouched) {
    const experiment::Swapping& rules = parts_.session.experiment.swap;
    if (rules.rehearsal == experiment::Rehearsal::kOff) {
        return;
    }
    const Timer timer(loaded.seconds, SwapPhase::kRehearse);
    const TrialLimit limit(rules.time_limit.seconds);
    const auto scratch = in_phase(
        SwapPhase::kRehearse, [&] { return scratch_folder(parts_.component_context.run_folder); },
        RefusedFor::kNow, kTrainingError);
    loaded.next->trial.log = silent_log("trial");  // in the run, they log their messages again
    loaded.next->trial.run_folder = scratch.path().string();
    TrialPhase phase = in_phase(
        SwapPhase::kRehearse, [] { return TrialPhase(SwapPhase::kLoad); }, RefusedFor::kNow,
        kTrainingError);
    const auto work = [&] { rehearse_copy(loaded, place, untouched, phase); };
    try {
        if (rules.rehearsal == experiment::Rehearsal::kProcess) {
            try_in_process(limit, scratch.path(), [&] {
                try {
                    load_plugins(loaded);
                    work();
                } catch (const SwapError& error) {
                    phase.note(error);
                    throw WithFix<std::runtime_error>(error.cause());
                }
            });
        } else {
            work();
        }
    } catch (const SwapError&) {
        throw;
    } catch (const std::system_error& error) {  // no process or memory for the trial
        throw SwapError(SwapPhase::kRehearse, {error.what()}, RefusedFor::kNow, kTrainingError);
    } catch (const std::exception& error) {
        throw phase.error(explanation_of(error));
    }
}

// Rehearses copies of the new components, so that the actual ones have never run.
void Swapper::rehearse_copy(Loaded& loaded, const TrainingPosition& place, StateSnapshot& untouched,
                            TrialPhase& phase) {
    phase.enter(SwapPhase::kCreate);
    const ProcessSettings settings;
    TrainingSession& session = parts_.session;
    Candidate copy = create_candidate(session, loaded.next, loaded.next->trial, loaded.generations,
                                      seed_of(place));
    untouched.restore();
    phase.enter(SwapPhase::kMigrate);
    static_cast<void>(migrate(session, copy));
    phase.enter(SwapPhase::kRehearse);
    rehearse(session, *loaded.next, copy, place, untouched);
    settings.check(SwapPhase::kRehearse, "a new component");
}

// Commits the swap; cannot fail.
void Swapper::commit(Loaded& loaded, Candidate candidate) {
    TrainingSession& session = parts_.session;
    session.frame.clear();
    session.executor.rebind(candidate.components);
    session.statistics.rebind(candidate.components);
    std::swap(session.components, candidate.components);
    const std::vector<std::unique_ptr<BatchSource>*> places = session.sources();
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (candidate.sources[i]) {
            std::swap(*places[i], candidate.sources[i]);
        }
    }
    if (candidate.optimization) {
        std::swap(session.optimization, candidate.optimization);
    }
    session.collective.rebind(session.components);
    const std::lock_guard<std::mutex> lock(current_mutex_);
    for (const plugin::Staged& file : loaded.files) {
        auto generation = loaded.generations.extract(file.copy.manifest.name);
        parts_.plugins.activate(std::move(generation.mapped()), file.source);
    }
    active_ = loaded.next;
    ++commits_;
}

}  // namespace ptp::engine
