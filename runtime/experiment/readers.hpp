// The readers and the writers of an experiment's tables: what read_experiment() and
// resolved_tree() are made of. A reader gets the scope of its table and reports all problems in
// it; a writer returns the table that reads back to the same value. Tables of plain values have a
// list of fields instead, whose targets are in its argument.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

// read_section.cpp: [training], [test] and each set of [validation] and [process]

// Reads the table of a section, whose name is the path of `scope`. `more` are additional keys of
// this section.
void read_section(const Scope& scope, Section& section, std::vector<Field> more = {});
void read_training(const Scope& scope, Training& training);
Kinds kinds_of(DataLoader& loader);
std::vector<Field> fields_of(TerminalConditions& conditions);
Value sampler_tree(const Sampler& sampler);

// read_validation.cpp

// Reads one set, or named sets, which are all in other_validations until choose_judge().
void read_validation(const Scope& scope, Experiment& experiment);
void read_processed(const Scope& scope, Experiment& experiment);

// Moves the validation set that judges to experiment.validation, and removes its name from the
// statistic of training.judge; call it after [training] and [validation] are read. Reports if the
// choice is ambiguous, or there is no such set. `root` is the scope of the whole experiment.
void choose_judge(const Scope& root, Experiment& experiment);

// read_optimization.cpp: the keys of [training] for optimizer, learning rate and gradients

// The values that are read in a second pass, after the section's keys.
struct RawOptimization {
    RawTable optimizer;
    RawTable scheduler;
    RawTable warm_up;
    RawTable weight_average;
    Map<double> loss_weights;
    std::optional<double> clipping;
    RawTable clipping_table;
    std::string bad_loss_action;
    RawTable bad_loss;

    // Returns the section's keys, including those with plain values.
    std::vector<Field> fields(Optimization& optimization);
};
void read_optimization(const Scope& training, const RawOptimization& raw,
                       Optimization& optimization);
// Adds the keys to the tree of [training].
void write_optimization(const Optimization& optimization, Value& training);

// Checks what depends on other tables and on the libtorch of this build: the components of
// parameter groups, the presence of a validation, float16 and fused steps. `root` is the scope of
// the whole experiment.
void check_optimization(const Scope& root, const Experiment& experiment);

// read_optimizer.cpp

void read_optimizer(const Scope& scope, Optimization& optimization);
Value write_optimizer(const Optimization& optimization);

// Reads the scheduler, after read_optimizer(): its valid options depend on the optimizer.
void read_scheduler(const Scope& scope, Optimization& optimization);

// Warns about a momentum that a schedule replaces, and a schedule without effect. `training` is the
// scope of both tables.
void warn_of_unused_options(const Scope& training, const Optimization& optimization);

// read_pipeline.cpp

void read_pipeline(const Scope& scope, Pipeline& pipeline);

// read_try.cpp

TryEntry read_try(const Scope& scope, const std::string& name);
// Gives the components of each `try` their turns, and disables them with it. `scope` is the one of
// the pipeline, whose components have been read.
void resolve_tries(const Scope& scope, Pipeline& pipeline);

// read_component.cpp: what tasks and components have in common, and `load`

// Receives the common keys of a table: a type, maps of names.
class CommonKeys {
public:
    // Returns the keys to read with the table's own. Their targets are in this object.
    std::vector<Field> fields(std::string_view help_of_type);

    // Returns "LeNet5" or "plugin/LeNet5"; "" after reporting that it is neither.
    [[nodiscard]] const std::string& type() const { return type_; }
    static SourceLocation type_place(const Scope& scope);
    [[nodiscard]] Names names() const;

private:
    std::string type_;
    Map<std::string> streams_;
    Map<Raw> globals_;
    Map<std::string> statistics_;
};

// Returns the members that no key claimed, as a table. Reserved names among them are rejected: they
// have a meaning elsewhere, but not for `what`, "a task" or "a component".
Value settings_of(const Scope& scope, const std::vector<const Member*>& members,
                  std::string_view what);

// Returns whether a component with `share` has a key of its own: `streams`, but not `type`.
bool is_own_beside_share(std::string_view key);

// Receives the key `load` of a component or of the pipeline: a path, or a table with a path.
class LoadKeys {
public:
    // Returns the field to read with the table's own keys. Its targets are in this object.
    Field field();

    // Returns the result; nullopt if it is absent or wrong, which has been reported. `component` is
    // the component to load; nullopt for the whole pipeline. `scope` is the table with the key.
    [[nodiscard]] std::optional<Load> read(const Scope& scope,
                                           const std::optional<std::string>& component) const;

private:
    std::filesystem::path from_;
    RawTable table_;
};
Value tree_of(const Load& load);

// read_run_tables.cpp: [records], [report], [checkpoint], [swap] and [distributed]

// `interval`: the episodes from one record to the next, where a table has none of its own.
// Reads it into the experiment, whose sections have been read.
void read_records(const Scope& scope, std::optional<std::int64_t> interval, Experiment& experiment);
// Returns an empty table if only the CSV files are written.
Value tree_of(const Records& records);

// `experiment` contains the sections that have been read.
void read_reporting(const Scope& scope, const Experiment& experiment, Reporting& reporting);
Value tree_of(const Reporting& reporting);

std::vector<Field> fields_of(Checkpointing& checkpointing);

// `experiment` contains the other tables that have been read.
void read_swapping(const Scope& scope, const Experiment& experiment, Swapping& swapping);
Value tree_of(const Swapping& swapping);

void read_distributing(const Scope& scope, Distributing& distributing);
Value tree_of(const Distributing& distributing);

// read_searching.cpp: [search]

void read_searching(const Scope& scope, Searching& searching);
Value tree_of(const Searching& searching);

}  // namespace ptp::experiment
