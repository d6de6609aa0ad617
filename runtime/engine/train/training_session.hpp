// Everything that a training uses: the components, connected to a frame; the data; the statistics;
// the optimization of the weights.

#pragma once

#include "engine/component/components.hpp"
#include "engine/component/executor.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/host.hpp"
#include "engine/data/batch_source.hpp"
#include "engine/distributed/collective.hpp"
#include "engine/optimizer/optimization.hpp"
#include "engine/output/sinks.hpp"
#include "engine/statistics/statistics.hpp"
#include "engine/train/process_setup.hpp"
#include "engine/train/training_threads.hpp"
#include "experiment/experiment.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptp::engine {

// The source of a session's first weights: the experiment's specification, or a checkpoint that is
// restored afterwards.
enum class FirstWeights { kFromExperiment, kFromCheckpoint };

// The values of samples that records lack from now on. Those asked for were logged.
struct LeftOut {
    std::map<std::string, std::set<int>, std::less<>> streams;  // by section
    std::set<std::string> components;                           // whose values are nan
};

class ShownBatches;

// [main] Not movable.
class TrainingSession {
public:
    // Creates the components in order, loads and freezes what the experiment specifies. The
    // experiment, the component_context and the collective must outlive it. Throws RunError.
    TrainingSession(const experiment::Experiment& experiment, ComponentContext& component_context,
                    const Descriptors& descriptors, Collective& collective,
                    FirstWeights first_weights = FirstWeights::kFromExperiment);
    ~TrainingSession() { collective.end(); }
    TrainingSession(const TrainingSession&) = delete;
    TrainingSession& operator=(const TrainingSession&) = delete;

    const experiment::Experiment& experiment;
    spdlog::logger& log;
    Collective& collective;  // the processes that train together
    DeterminismWarnings determinism;
    Components components;
    std::vector<std::string> loaded;  // a line for each load of weights
    const Value data_files;           // read by the tasks; see data_facts.hpp
    bool accepts_other_data = false;  // than that of the checkpoint
    Frame frame;
    TriedLog tried;  // of the batches that were trained and evaluated
    LeftOut left_out;
    std::vector<Picture> pictures;  // shown by components, not yet sent to a sink
    Executor executor;
    Statistics statistics;
    std::unique_ptr<BatchSource> training;
    std::unique_ptr<BatchSource> validation;  // nullptr if the experiment has none
    std::vector<std::unique_ptr<BatchSource>> other_validations;
    std::unique_ptr<BatchSource> test;
    std::unique_ptr<Optimization> optimization;
    Profiler* profiler = nullptr;        // (optional) times the use of the above
    TrainingThreads* threads = nullptr;  // (optional) watches the computing threads

    // Trains together with other processes from now on, if there are any, which do the same.
    // Weights become those of the first; components draw differently in each process, except the
    // transforms that see whole batches. Called before anything is trained. Throws RunError.
    void share();
    // Shares the batches of a source that was made later, with these components, if the others are
    // shared.
    void share(BatchSource& source, const Components& made) const;

    // Returns what shows these sinks, nullptr for none, the batches of a pass over the source.
    std::unique_ptr<ShownBatches> shown_batches(const BatchSource& source, Sinks* sinks,
                                                std::optional<std::uint64_t> epoch);

    // Keeps no memory from now on for outputs of a task or its loader stage that no component reads
    // afterwards, except streams that a sink reads, in the first of several processes, too. All of
    // them call it before the first pass.
    void drop_unread(const Sinks& shown);
    // Does the same for a source that was made later, with these components.
    void drop_unread(BatchSource& source, const Components& made) const;
    // Returns whether these components would read streams that the source drops; or this node, for
    // any source.
    [[nodiscard]] bool lacks_streams(const BatchSource& source, const Components& made) const;
    [[nodiscard]] bool lacks_streams_of(const pipeline::Node& node);

    // Returns the sources of the sections, in their order; some may be nullptr.
    std::vector<std::unique_ptr<BatchSource>*> sources();

    // Returns a validation set by its number, which exists: 0 is the one that judges.
    BatchSource& validation_set(std::size_t number);

    // Returns the names of the validation sets, by number; empty if there are none.
    [[nodiscard]] std::vector<std::string> validation_names() const;

    // Returns the names of the trained components whose batch normalization is over a process's
    // part of a batch; none where it is over the whole batch.
    [[nodiscard]] std::vector<std::string> nodes_normalizing_parts() const;

private:
    [[nodiscard]] std::vector<int> unread(const Components& made, const Instance& task) const;

    // The streams that sinks of the first process read; nullopt: all streams are kept.
    std::optional<std::set<std::string>> shown_;
};

// Throws RunError (kPluginError) for a component whose counts could not be saved in a checkpoint:
// one that computes statistics over a whole set and does not offer ptp.state/1.
void require_saved_counts(const Instance& instance);

// Returns an optimization of the components' parameters, as the session's experiment specifies; the
// optimizer has no state for them yet. The session must outlive it. Throws RunError.
std::unique_ptr<Optimization> make_optimization(const TrainingSession& session,
                                                const Components& components);

}  // namespace ptp::engine
