// Everything that a training works with: the components, wired to a frame; the data; the
// statistics; how the weights are changed.

#pragma once

#include "distributed/rank_state.hpp"
#include "engine/component/components.hpp"
#include "engine/component/executor.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/host.hpp"
#include "engine/data/batch_source.hpp"
#include "engine/distributed/rank_watch.hpp"
#include "engine/optim/optimization.hpp"
#include "engine/stats/statistics.hpp"
#include "engine/train/determinism_warnings.hpp"
#include "engine/train/shared_training.hpp"
#include "engine/train/training_threads.hpp"
#include "experiment/experiment.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

// Where a session's first weights come from: what the experiment specifies, or a checkpoint that is
// restored afterwards.
enum class FirstWeights { kFromExperiment, kFromCheckpoint };

// [main] Does not move.
class Session {
public:
    // Creates the components in order, loads and freezes what the experiment specifies. The
    // experiment and the component_context must outlive it. Throws RunError.
    Session(const experiment::Experiment& experiment, ComponentContext& component_context,
            const Descriptors& descriptors,
            FirstWeights first_weights = FirstWeights::kFromExperiment);
    ~Session() = default;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    const experiment::Experiment& experiment;
    spdlog::logger& log;
    DeterminismWarnings determinism;
    Components components;
    const Value data_files;           // that the tasks read; see data_facts.hpp
    bool accepts_other_data = false;  // than those of the checkpoint from which it continues
    Frame frame;
    std::vector<Picture> pictures;  // that components have shown and no sink has had yet
    Executor executor;
    Statistics statistics;
    std::unique_ptr<BatchSource> training;
    std::unique_ptr<BatchSource> validation;  // nullptr if the experiment has none
    std::vector<std::unique_ptr<BatchSource>> other_validations;
    std::unique_ptr<BatchSource> test;
    std::unique_ptr<Optimization> optimization;
    Profiler* profiler = nullptr;                  // (optional) times what is done with the above
    TrainingThreads* threads = nullptr;            // (optional) watches those that compute
    std::unique_ptr<SharedTraining> shared;        // nullptr: this process trains alone
    distributed::RankState* rank_state = nullptr;  // (optional) lets the others know of it

    // From now on it trains together with other processes, which do the same. Weights become those
    // of the first; what components draw differs from process to process, but for the transforms
    // that see whole batches. Both must outlive it. Before anything is trained. Throws
    // RunError.
    void share(Group& group, RankWatch& watch);
    // A source that was made later, with these components: its batches are shared too, if the
    // others are.
    void share(BatchSource& source, const Components& made) const;

    // From now on no memory is kept for what a task or its loader stage writes and no component
    // reads afterwards, but for the streams that are shown elsewhere. Before the first pass.
    void drop_unread(const std::function<bool(std::string_view)>& is_shown);
    // A source that was made later, with these components.
    void drop_unread(BatchSource& source, const Components& made) const;
    // Whether these components would read what the source drops; whether this node would, of any
    // source.
    [[nodiscard]] bool lacks_streams(const BatchSource& source, const Components& made) const;
    [[nodiscard]] bool lacks_streams_of(const pipeline::Node& node);

    // Those of the sections, in their order; some may be nullptr.
    std::vector<std::unique_ptr<BatchSource>*> sources();

    // Of the validation sets: 0 is the one that judges. REQUIRES: there is one of this number.
    BatchSource& validation_set(std::size_t number);

    // The names of the validation sets, by their numbers; empty if there are none.
    [[nodiscard]] std::vector<std::string> validation_names() const;

private:
    [[nodiscard]] std::vector<int> unread(const Components& made, const Instance& task) const;

    std::function<bool(std::string_view)> is_shown_;  // (optional) without it nothing is dropped
};

// Throws RunError (kPluginError) for a component whose counts a checkpoint could not hold: one that
// computes statistics over a whole set and does not offer ptp.state/1.
void require_saved_counts(const Instance& instance);

// Of the components' parameters, as the session's experiment specifies; the optimizer has no state
// for them yet. The session must outlive it. Throws RunError.
std::unique_ptr<Optimization> make_optimization(const Session& session,
                                                const Components& components);

}  // namespace ptp::engine
