// An experiment in typed form: the result of load_experiment(), checked and with defaults filled
// in.
//
// All checks that need no plugins are done here. The settings of tasks and components stay values
// with their places, because only the plugins' declarations can validate them.

#pragma once

#include "base/diagnostics.hpp"
#include "base/duration.hpp"
#include "base/source_location.hpp"
#include "base/value.hpp"
#include "experiment/explanations.hpp"
#include "experiment/optimization.hpp"
#include "experiment/records.hpp"
#include "experiment/sampler.hpp"
#include "experiment/searching.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::schema {
class KeyRecord;
}

namespace ptp::experiment {

// The phases in which components run: the training's sections, sections that are processed, and
// predictions for new samples, which are a part of "process", too.
inline constexpr std::array<std::string_view, 5> kPhases = {"training", "validation", "test",
                                                            "process", "predict"};
// The stages that a component may be in.
inline constexpr std::array<std::string_view, 3> kStages = {"pre", "forward", "post"};

// One line of `streams`, `globals` or `statistics`: the component's own name and the one to use.
struct Renaming {
    std::string from;
    SourceLocation from_place;
    std::string to;
    SourceLocation to_place;
    std::optional<Value> constant = {};  // only in `globals`, with an empty `to`
};

// The three maps of names, in the order in which they were written.
struct Names {
    std::vector<Renaming> streams;
    std::vector<Renaming> globals;
    std::vector<Renaming> statistics;
};

// Returns the name in the pipeline of `name`: its renaming, or itself.
std::string_view renamed(const std::vector<Renaming>& map, std::string_view name);

struct TaskEntry {
    SourceLocation place;  // of the table
    std::string path;      // "training.task", for messages and the seed of its random numbers
    std::string type;      // "MNIST" or "plugin/MNIST"
    SourceLocation type_place;
    Names names;
    std::int64_t batch_size = 0;
    Value settings;  // a table of all keys that are not reserved
};

struct DataLoader {
    std::int64_t num_workers = 1;  // loader threads; 0 loads in the thread that trains
    bool shuffle = false;          // true in training unless set otherwise; false with a sampler
    bool drop_last = false;
    std::int64_t prefetch = 2;             // batches that are loaded ahead
    std::string mode = "ordered";          // or "reservoir"
    std::int64_t reservoir_size = 64;      // batches in the reservoir
    std::int64_t reservoir_exchange = 16;  // maximum of batches replaced between two rounds

    [[nodiscard]] bool is_reservoir() const { return mode == "reservoir"; }
};

inline constexpr double kDefaultLossStopThreshold = 1e-5;

// The conditions that end a training. Without a [validation], loss_stop_threshold is absent unless
// the experiment has it, and early_stop_validations is 0.
struct TerminalConditions {
    std::optional<double> loss_stop_threshold = kDefaultLossStopThreshold;  // absent: never
    std::int64_t early_stop_validations = 0;                                // <= 0: never
    std::int64_t epoch_limit = 10;    // -1: none, which the offline worker rejects
    std::int64_t episode_limit = -1;  // -1: none, which the online worker rejects
    Duration wall_time;               // of all parts of an interrupted run together
    double divergence_factor = 1000;  // relative to the first loss, at least to 1; 0: never
};

// [training], [validation], [test], or one of several: [validation.hard], [process.easy].
struct Section {
    std::string name;  // as written: "training", "validation.hard"
    SourceLocation place;
    TaskEntry task;
    DataLoader dataloader;
    std::optional<Sampler> sampler;
    std::optional<std::int64_t> batch_limit;  // the number of batches used in a pass
};

// The division of a training. The offline worker judges the model by a validation on the whole set
// at the end of each epoch, the online one by one batch of the set every few episodes.
enum class Worker { kOffline, kOnline };

// The statistic by which validations are compared, instead of the loss.
struct Judge {
    std::string statistic;  // as displayed
    bool is_larger_better = false;
    bool has_direction = true;  // false: `better` is missing, which the pipeline's check reports
    SourceLocation place = {};  // place of its name
    SourceLocation better_place = {};  // of `better`, if it is given

    // Returns the value such that smaller is better.
    [[nodiscard]] double comparable(double value) const {
        return is_larger_better ? -value : value;
    }
};

struct Training : Section, Optimization {
    Worker worker = Worker::kOffline;
    TerminalConditions terminal_conditions;
    std::optional<Judge> judge = {};
    std::string judging_set = {};  // "hard": the validation set that judges, if named
    SourceLocation judging_place = {};
};

// A prefix of names in a file of weights, and its replacement.
struct Rename {
    std::string from;
    std::string to;
    SourceLocation place;  // place of the line
};

// The source of weights.
struct Load {
    SourceLocation place;
    std::filesystem::path from;  // resolved: absolute, or relative to the current directory
    // The prefix of a component's names in the file; "": none. Absent for a pipeline.
    std::optional<std::string> component = {};
    bool is_strict = true;  // false: what does not fit keeps its initial values, and is logged
    std::vector<std::string> except = {};  // tensors and layers that are not loaded
    std::vector<std::string> only = {};    // if not empty: only these are loaded
    std::vector<Rename> renames = {};      // of names in the file, applied first
    std::string written = {};              // `from` as the experiment has it, for messages
};

struct ComponentEntry {
    std::string name;
    SourceLocation place;
    std::string path;  // "pipeline.lenet5", for messages
    std::string type;  // "LeNet5" or "plugin/LeNet5"
    SourceLocation type_place;
    // (optional) The component whose type and settings it has, too, and of a model the weights; not
    // disabled, and without `share` itself.
    std::string share = {};
    SourceLocation share_place = {};
    std::optional<double> priority;
    SourceLocation priority_place;
    Names names;
    std::optional<Load> load;
    bool is_frozen = false;
    SourceLocation freeze_place;                  // nowhere when not written
    std::vector<std::string> frozen_layers = {};  // patterns of parameters that are not trained
    bool freezes_others = false;  // the patterns are of those that are trained, all others are not
    std::optional<std::int64_t> frozen_until = {};  // trained as a whole from this epoch on
    bool is_enabled = true;  // false with `enabled = false` or when named in `disable`
    std::vector<std::string> phases = {};  // of kPhases, in which it runs; empty: all
    bool skip_if_missing = false;          // does not run in sections that lack one of its inputs
    bool passes_through = false;  // outside of `phases` its inputs take the place of its outputs
    SourceLocation pass_place = {};
    // (optional) The section of Pipeline::tries that tries it on each sample, and its place there.
    std::string tried_in = {};
    std::size_t turn = 0;
    std::string stage = {};  // of kStages; "": the one that it declares
    SourceLocation stage_place = {};
    Value settings;  // a table of all keys that are not reserved
};

// A section with `try`: components that are tried in turn on each sample. The streams and when they
// run are its, the rest is written in the table of each component.
struct TryEntry {
    std::string name;
    SourceLocation place;
    std::string path;                     // "pipeline.date"
    std::vector<std::string> components;  // in their order; the disabled ones too
    SourceLocation components_place;
    Names names;  // only streams
    bool is_enabled = true;
    std::vector<std::string> phases = {};
    bool skip_if_missing = false;
    bool passes_through = false;
    SourceLocation pass_place = {};
    std::string stage = {};
    SourceLocation stage_place = {};
};

struct Pipeline {
    std::string name;
    SourceLocation place;
    std::vector<ComponentEntry> components;  // as written, the disabled ones too
    std::vector<TryEntry> tries = {};
    std::optional<Load> load = {};  // of components without one of their own
    bool is_frozen = false;         // of models without a setting of their own
    // The experiment's `interval`, an integer: that of components with such a setting and none of
    // their own.
    std::optional<Value> interval = {};
};

// [checkpoint]: when a run saves its state, and how many checkpoints are kept.
struct Checkpointing {
    // The number of epochs between checkpoints; 0: none at the end of an epoch. Absent: at the end
    // of each epoch that is 30 s or more after the last checkpoint.
    std::optional<std::int64_t> every_epochs;
    std::int64_t every_episodes = 0;  // additional to those at the ends of epochs; 0: none
    Duration every = {600};           // additional too, at the end of the first episode after it
    std::int64_t keep = 2;            // the newest ones; last and best are always kept
};

// [report]: the report that a training writes of itself, in a process of its own.
struct Reporting {
    std::int64_t every_epochs = 0;          // 0: only at its end
    double max_share = 0.01;                // of the time so far that those before its end take
    std::vector<std::string> options = {};  // of ptprun report
    std::optional<Explanations> explanations = {};  // absent: none are made
    Duration time_limit = {60};                     // how long the end of the training waits for it
};

// The place where a new build of a component runs for the first time.
enum class Rehearsal : std::int32_t {
    kOff,
    kThread,  // on the training's thread: a crash ends the run, and no limit holds
    kProcess  // in a child process, whose crash the run survives
};

// [swap]: which components of a running training may be replaced by newer builds, and how a build
// is tested first.
struct Swapping {
    // The names of components, and of sections for their tasks; absent: all may be swapped.
    std::optional<std::vector<std::string>> components;
    // Rejects a swap if loss or gradients of the rehearsal differ in any bit from before.
    bool must_keep_numbers = false;
    Rehearsal rehearsal = Rehearsal::kThread;
    Duration time_limit = {30};  // for loading a build, and a rehearsal in a child process

    // Returns whether a component of the pipeline, or the task of a section ("training"), may be
    // swapped.
    [[nodiscard]] bool allows(std::string_view name) const;
};

// The combination of the buffers of components, such as the means of a batch normalization, which
// each process computes on its share of a batch.
enum class SharedBuffers : std::int32_t {
    kFirst,        // all use those of the first process
    kMean,         // all use the mean, weighted by the samples
    kOwn,          // each keeps its own
    kSynchronized  // batch normalization is over the whole batch; others as kFirst
};

// [distributed]: how several processes train together.
struct Distributing {
    SharedBuffers buffers = SharedBuffers::kFirst;
    bool is_compressed = false;          // gradients are sent as bfloat16
    bool has_sharded_optimizer = false;  // each process keeps the state of its share of parameters
    Duration timeout = {60};             // a process that does not answer for longer counts as lost
};

struct Experiment {
    // Defined in the source file to compile them once: a copy contains every optimizer and
    // schedule.
    Experiment();
    Experiment(const Experiment& other);
    Experiment(Experiment&& other) noexcept;
    Experiment& operator=(const Experiment& other);
    Experiment& operator=(Experiment&& other) noexcept;
    ~Experiment();

    std::string name;
    std::optional<std::int64_t> seed;                // absent: the program draws one
    std::string device = "cpu";                      // "cpu", "cuda" or "cuda:N"
    bool is_deterministic = true;                    // on a CUDA device; the CPU always is
    std::vector<std::filesystem::path> plugin_path;  // resolved like Load::file
    Training training;
    std::optional<Section> validation;             // the one that judges the model
    std::vector<Section> other_validations = {};   // the others, which are only measured
    std::int64_t partial_validation_interval = 0;  // in episodes; 0: none
    std::optional<Section> test;
    std::vector<Section> processed = {};  // [process.NAME], which a run does not use
    Records records;
    Pipeline pipeline;
    std::optional<Reporting> report = {};  // absent: none is written
    Checkpointing checkpoint;
    Swapping swap;
    Distributing distributed;
    Searching search = {};
    std::shared_ptr<const Value> document = {};  // what was read, for advice on places in it
};

// Returns the role of a section by its name: "training", "validation" (also for "validation.hard"),
// or "test" (also for "process.easy"). Its task and its components receive this role.
std::string_view role_of(std::string_view section);

// Returns the sections of a run: [training], the validation sets with the judging one first,
// [test].
std::vector<const Section*> run_sections(const Experiment& experiment);
std::vector<Section*> run_sections(Experiment& experiment);

// Returns the sections of a run, followed by those that can only be processed.
std::vector<const Section*> all_sections(const Experiment& experiment);
std::vector<Section*> all_sections(Experiment& experiment);

// Returns nullptr if the experiment has no section of this name.
const Section* find_section(const Experiment& experiment, std::string_view name);

// Limits every section to one batch, and the training to one episode.
void make_fast_dev_run(Experiment& experiment);

// Trains repeatedly on the first batches, in order, and validates on the same ones; no test. A
// model that cannot memorize these cannot learn. A sampler and a reservoir are ignored with a
// warning.
void make_overfit(Experiment& experiment, std::int64_t batches, Diagnostics& problems);

// A warning about a key for the learning rate.
struct ScheduleAdvice {
    std::string key;  // "training.scheduler.total_episodes"
    Explanation advice;
};

// Returns the warnings about a cycle that the limits of the training cut off or leave behind, and
// about changes of the learning rate that are due only after its end; none where this depends on
// the unknown number of episodes in an epoch. In schedule_advice.cpp.
std::vector<ScheduleAdvice> schedule_advice(const Training& training,
                                            std::optional<std::int64_t> episodes_per_epoch = {});

// The input of the typed reader besides the tree.
struct ReadOptions {
    std::string default_name;           // for an experiment without a name: its file's stem
    std::filesystem::path home = {};    // what "~" expands to; empty: "~" is refused
    schema::KeyRecord* keys = nullptr;  // (optional) receives the keys of each table that is read
    std::string section = {};  // "test": what is processed, for advice on keys; "": it is to train
};

// Checks `root` (the result of load_experiment()) and reports all errors in it. The result is
// usable only if no error was reported; otherwise it contains the valid parts.
Experiment read_experiment(const Value& root, const ReadOptions& options, Diagnostics& problems);

// Returns the whole experiment with its defaults, as a tree that reads back to an equal experiment
// from any folder (paths are absolute). It is recorded in the run folder.
Value resolved_tree(const Experiment& experiment);

}  // namespace ptp::experiment
