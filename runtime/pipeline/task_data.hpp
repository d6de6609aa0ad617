// The data of a task: the settings that determine which samples there are, not what they look like,
// and samples without targets that it gets in place of them.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

// A setting of a task that determines its samples.
struct DataSetting {
    std::string name;
    std::optional<Value> default_value = {};
};

// Returns paths, and what the declared number of samples follows from: with "if($subset, *, *)" a
// task states that `subset` decides it, though the number itself is not known. Empty for a type
// that no plugin has.
std::vector<DataSetting> data_settings(const experiment::TaskEntry& task,
                                       const plugin::Catalog& catalog);

// Returns whether the task has the same samples with any value of the setting: a switch, where the
// declared number of samples follows from other settings.
bool leaves_samples(const plugin::Setting& setting, const plugin::Component& task);

// Returns the choice of a setting that is the training's part of the data, "training" or "train".
std::optional<std::string> choice_of_training(const plugin::Setting& setting);

// Sets what the task would otherwise take from the name of its section: such a setting that is not
// given, has no default, and can be "training" or "train".
void fix_split(experiment::TaskEntry& task, const plugin::Catalog& catalog);

// A setting of a task, with its value.
struct TaskSetting {
    std::string name;
    Value value;
};

// Returns the setting by which a task leaves the fold that the section's sampler holds out out of
// its means and deviations, held_out = { folds = 5, fold = 2 }; nullopt where the section has no
// sampler of folds, or one by other classes or groups than the task's.
std::optional<TaskSetting> held_out_setting(const experiment::Section& section,
                                            const plugin::Component& task);

// Returns whether the words that the node reads are windows of a longer text, all equally long: by
// its `stride` a task cuts them.
bool reads_windows(const Plan& plan, const Node& node);

// The setting for samples without targets that are in files, such as `files`; nullptr where the
// task has none.
const plugin::Setting* unlabeled_setting(const plugin::Component& component);

// Returns the component of a task; nullptr where there is none, which a later check reports.
const plugin::Component* component_of(const experiment::TaskEntry& task,
                                      const plugin::Catalog& catalog);

// Returns whether the condition is one on this setting, too.
bool names_setting(const std::string& when, const std::string& setting);

// Returns whether what has this condition exists only as long as the setting is not given.
bool is_gone(const std::string& when, const plugin::Setting& setting);

// Returns whether a task writes the output for samples with targets alone: the targets themselves,
// or what is measured of them.
bool is_with_targets(const Node& task, const Binding& output);

// Returns the port of a task with classes that has numbers in place of their indices as targets,
// whether it writes them for these samples or not; nullptr if there is none.
const plugin::Port* answers_of(const Node& task);

// Returns whether the port has targets that are a single 1 or 0, for the second and the first of
// two classes.
bool is_yes_or_no(const plugin::Port& port);

// Returns the setting for samples that are texts themselves, such as `samples`.
const plugin::Setting* texts_setting(const plugin::Component& component);

// Returns whether the task of a section takes texts themselves, as `--text` has them.
bool takes_texts(const experiment::Section& section, const plugin::Catalog& catalog);

// Returns whether texts are all that the section's task then writes: no setting names columns of
// numbers or images besides.
bool reads_texts_alone(const experiment::Section& section, const plugin::Catalog& catalog);

// Returns how the name of a file with samples ends, ".csv", as the first file that the section's
// task reads; nullopt for a task that takes several files, or lines of text.
std::optional<std::string> ending_of_one_file(const experiment::Section& section,
                                              const plugin::Catalog& catalog);

// Returns whether the section's task reads a table, by the purposes of its settings.
bool reads_table(const experiment::Section& section, const plugin::Catalog& catalog);

// Samples without targets: files and folders, or where there are any texts.
struct UnlabeledData {
    std::vector<std::filesystem::path> files = {};
    std::vector<std::string> texts = {};
    std::string option = "--data";  // by which the user gave them
};

// Returns the setting by which the section's task, which has one, reads them, with its value.
Member samples_setting(const experiment::Section& section, const UnlabeledData& data,
                       const plugin::Catalog& catalog);

// Sets them for the task of the section, each of its samples once and in order. Reports a task that
// has no setting for samples without targets, and which tasks have one.
void give_unlabeled(experiment::Section& section, const UnlabeledData& data,
                    const plugin::Catalog& catalog, Diagnostics& problems);

// Returns the names in a table from classes to their numbers, in the order of these; nullopt if the
// numbers are not those from 0 on, each once.
std::optional<std::vector<std::string>> class_names_in(const Value& mapping);

// The answer to the question whether data that may have targets are scored.
struct DataScores {
    bool is_scored = false;
    std::string reason = {};   // why not, "the table has no column 'price'"; "": there is no sign
    bool has_targets = false;  // the data have them, and are not scored because of a few
    std::string note = {};     // which rows alone are not scored, a sentence; "": all are
};

// Makes the task of the section read data with targets as it reads the training's, each sample once
// and in order, with the classes of the training from the recorded globals: a table with all
// columns of its targets, or a folder whose folders are classes. Changes nothing if the data cannot
// be scored. Throws RunError for a file that cannot be read.
DataScores give_with_targets(experiment::Section& section, const std::filesystem::path& data,
                             const Value& recorded, const plugin::Catalog& catalog);

// Returns what the section leaves out of a file that the training does not read, where its task
// `other` takes one share of the rows as if it were the training's; nullopt otherwise.
std::optional<Explanation> lost_share(const experiment::Section& training,
                                      const experiment::Section& section, const Node& other,
                                      const plugin::Catalog& catalog);

// Returns the number of the rows of the table that a task reads; 0 if it reads none.
std::size_t rows_of_table(const experiment::Section& section, const plugin::Catalog& catalog);

// Returns false where no column that the task reads of new samples has numbers in the first rows of
// its table, which is there.
bool may_read_numbers(const experiment::Section& section, const plugin::Catalog& catalog);

// Returns those of the names that are no columns of the table that a task reads; empty if it reads
// none, or one that is not there.
std::vector<std::string> absent_columns(const experiment::Section& section,
                                        const std::vector<std::string>& names,
                                        const plugin::Catalog& catalog);

// The name that means all columns of a table but those that other settings name.
inline constexpr const char* kAllColumns = "*";

// Returns the names of columns that the task reads of samples without targets, too. All columns,
// "*", are those that the training has recorded; without a record the name is kAllColumns.
std::vector<std::string> input_columns(const experiment::Section& section, const Value& recorded,
                                       const plugin::Catalog& catalog);

// Returns the global with the means and deviations by which the task standardizes the numbers in
// its stream of targets, whether it writes it for these samples or not; "" where it does not.
std::string value_scales(const Node& task, int targets);

// Returns false for a global with such means and deviations where the node reads other targets than
// the numbers of a task: they are not theirs.
bool suits_targets(const Plan& plan, const Node& node, const plugin::Global& global);

// Returns what a training has drawn of a file or folder that its task reads, or of one in a folder
// of its, "each of its samples"; "" for other data. A copy of a file or folder counts as it, a copy
// of a file in a folder does not.
std::string drawn_in_training(const experiment::Section& training,
                              const std::filesystem::path& data, const plugin::Catalog& catalog);

// Returns advice for a section whose task cannot read the samples that it was given: indented lines
// for the error, with what the task reads, and which other task may read them. "" where the plan
// has no such section, or its task no setting for such samples.
std::string unlabeled_advice(const Plan& plan, const std::string& section,
                             const plugin::Catalog& catalog);

}  // namespace ptp::pipeline
