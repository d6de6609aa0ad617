// An experiment in typed form: what load_experiment() read, checked and with defaults filled in.
//
// Everything that can be known without plugins is checked here. The settings of tasks and
// components stay values with their places, because only the plugins' declarations can judge them.

#pragma once

#include "base/diagnostics.hpp"
#include "base/duration.hpp"
#include "base/source_location.hpp"
#include "base/value.hpp"
#include "experiment/checkpointing.hpp"
#include "experiment/distributing.hpp"
#include "experiment/optimization.hpp"
#include "experiment/records.hpp"
#include "experiment/sampler.hpp"
#include "experiment/searching.hpp"
#include "experiment/swapping.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::schema {
class KeyRecord;
}

namespace ptp::experiment {

// When components run: in the training's sections, or in a section that is processed.
inline constexpr std::array<std::string_view, 4> kPhases = {"training", "validation", "test",
                                                            "process"};

// One line of `streams`, `globals` or `statistics`: the component's own name and the one to use.
struct Renaming {
    std::string from;
    SourceLocation from_place;
    std::string to;
    SourceLocation to_place;
    std::optional<Value> constant = {};  // of `globals`: replaces the global itself; `to` is empty
};

// The three maps of names, in the order in which they were written.
struct Names {
    std::vector<Renaming> streams;
    std::vector<Renaming> globals;
    std::vector<Renaming> statistics;
};

// What `name` is called in the pipeline: its renaming, or itself.
std::string_view renamed(const std::vector<Renaming>& map, std::string_view name);

struct TaskEntry {
    SourceLocation place;  // of the table
    std::string path;      // "training.task", for messages and the seed of its random generator
    std::string type;      // "MNIST" or "plugin/MNIST"
    SourceLocation type_place;
    Names names;
    std::int64_t batch_size = 0;
    Value settings;  // a table: everything that is not reserved
};

struct DataLoader {
    std::int64_t num_workers = 1;  // loader threads; 0 loads in the thread that trains
    bool shuffle = false;          // true in training unless set otherwise; false with a sampler
    bool drop_last = false;
    std::int64_t prefetch = 2;             // batches that may wait ready
    std::string mode = "ordered";          // or "reservoir"
    std::int64_t reservoir_size = 64;      // batches that are held
    std::int64_t reservoir_exchange = 16;  // batches that are replaced, at most, between two rounds

    [[nodiscard]] bool is_reservoir() const { return mode == "reservoir"; }
};

inline constexpr double kDefaultLossStopThreshold = 1e-5;

// Without a [validation] the first is absent unless the experiment has it, and the second is 0.
struct TerminalConditions {
    std::optional<double> loss_stop_threshold = kDefaultLossStopThreshold;  // absent: never
    std::int64_t early_stop_validations = 0;                                // <= 0: never
    std::int64_t epoch_limit = 10;    // -1: none, which the offline worker refuses
    std::int64_t episode_limit = -1;  // -1: none, which the online worker refuses
    Duration wall_time;               // of all parts of an interrupted run together
    double divergence_factor = 1000;  // of the first loss, at least of 1; 0: never
};

// [training], [validation], [test], or one of several: [validation.hard], [process.easy].
struct Section {
    std::string name;  // as it is written: "training", "validation.hard"
    SourceLocation place;
    TaskEntry task;
    DataLoader dataloader;
    std::optional<Sampler> sampler;
    std::optional<std::int64_t> batch_limit;  // of a pass only the first batches are used
};

// How a training is cut up. The offline worker judges the model by a validation of the whole set
// at the end of each epoch, the online one by one batch of it every few episodes.
enum class Worker { kOffline, kOnline };

// By which statistic two validations are compared, in place of the loss.
struct Judge {
    std::string statistic;  // as it is shown
    bool is_larger_better = false;
    SourceLocation place = {};  // of its name

    // Of a value of the statistic: smaller is better.
    [[nodiscard]] double comparable(double value) const {
        return is_larger_better ? -value : value;
    }
};

struct Training : Section, Optimization {
    Worker worker = Worker::kOffline;
    TerminalConditions terminal_conditions;
    std::optional<Judge> judge = {};
    std::string judging_set = {};  // "hard": of several validation sets the one that judges, as far
                                   // as [training] names it
    SourceLocation judging_place = {};
};

// What names in a file of weights begin with, and what they are to begin with.
struct Rename {
    std::string from;
    std::string to;
    SourceLocation place;  // of the line
};

// Where weights come from.
struct Load {
    SourceLocation place;
    std::filesystem::path from;  // resolved: absolute, or relative to the current directory
    // The prefix of a component's names in the file; "": nothing. Absent for a pipeline.
    std::optional<std::string> component = {};
    bool is_strict = true;  // false: what does not fit is left as it was created, and logged
    std::vector<std::string> except = {};  // tensors and layers that are left so anyway
    std::vector<std::string> only = {};    // if not empty: all but these are left so
    std::vector<Rename> renames = {};      // of names in the file, before anything else
};

struct ComponentEntry {
    std::string name;
    SourceLocation place;
    std::string path;  // "pipeline.lenet5", for messages
    std::string type;  // "LeNet5" or "plugin/LeNet5"
    SourceLocation type_place;
    // (optional) The component whose weights, type and settings it has; not disabled, and without
    // `share` itself.
    std::string share = {};
    SourceLocation share_place = {};
    std::optional<double> priority;
    SourceLocation priority_place;
    Names names;
    std::optional<Load> load;
    bool is_frozen = false;
    SourceLocation freeze_place;                    // nowhere when not written
    std::vector<std::string> frozen_layers = {};    // patterns of parameters that are not trained
    std::optional<std::int64_t> frozen_until = {};  // from this epoch on it is trained whole
    bool is_enabled = true;  // false with `enabled = false` or when named in `disable`
    std::vector<std::string> phases = {};  // in which it runs, of kPhases; empty: in all
    bool skip_if_missing = false;          // does not run in sections that lack one of its inputs

    [[nodiscard]] bool runs_in(std::string_view phase) const;
    Value settings;  // a table: everything that is not reserved
};

struct Pipeline {
    std::string name;
    SourceLocation place;
    std::vector<ComponentEntry> components;  // as written, the disabled ones too
    std::optional<Load> load = {};           // of components without one of their own
    bool is_frozen = false;                  // of models without a setting of their own
    // The experiment's `interval`, an integer: that of components with such a setting and none of
    // their own.
    std::optional<Value> interval = {};
};

struct Experiment {
    // Compiled once: a copy is all of the above, with every optimizer and schedule.
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
    std::optional<Section> validation;             // of several the one that judges the model
    std::vector<Section> other_validations = {};   // those that are only measured, as written
    std::int64_t partial_validation_interval = 0;  // episodes between two; 0: none
    std::optional<Section> test;
    std::vector<Section> processed =
        {};  // [process.NAME]: neither trained on nor measured by a run
    Records records;
    Pipeline pipeline;
    Checkpointing checkpoint;
    Swapping swap;
    Distributing distributed;
    Searching search = {};
};

// What the samples of a section are for, by its name: "training", "validation", also of
// "validation.hard", or "test", also of "process.easy". Its task and its components know it so.
std::string_view role_of(std::string_view section);

// The sections that a run works with: [training], the validation sets with the one that judges
// first, [test].
std::vector<const Section*> run_sections(const Experiment& experiment);
std::vector<Section*> run_sections(Experiment& experiment);

// The same, and those that can only be processed.
std::vector<const Section*> all_sections(const Experiment& experiment);
std::vector<Section*> all_sections(Experiment& experiment);

// nullptr if the experiment has none of this name.
const Section* find_section(const Experiment& experiment, std::string_view name);

// What the typed reader needs besides the tree.
struct ReadOptions {
    std::string default_name;           // of an experiment without a name: its file's stem
    std::filesystem::path home = {};    // what "~" expands to; empty: "~" is refused
    schema::KeyRecord* keys = nullptr;  // (optional) receives the keys of each table that is read
};

// Checks `root` (what load_experiment() returned) and reports all that is wrong with it. The result
// is usable only when no error was reported; otherwise it holds what could be understood.
Experiment read_experiment(const Value& root, const ReadOptions& options, Diagnostics& problems);

// The whole experiment with its defaults, as a tree that reads back to an equal experiment from any
// folder (paths are absolute). For the record in the run folder.
Value resolved_tree(const Experiment& experiment);

}  // namespace ptp::experiment
