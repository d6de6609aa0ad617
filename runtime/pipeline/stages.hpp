// The steps of assemble() after the components are drafted and wired: checks, the order of
// execution, and warnings. A comment names the file of each group of functions.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"
#include "pipeline/wiring.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

// In check_data.cpp: samples and files of all sections together, and those that must exist.

// Reports, as missing data, the paths in settings that declare how to obtain what they name. Only
// the tasks count that run. A checkpoint has what a task of another section would learn from the
// files of the training.
void check_setting_files(const Assembly& assembly, bool has_checkpoint, Diagnostics& problems);

// Reports, as missing data, the weights of `load`.
void check_loaded_files(const experiment::Experiment& experiment, Diagnostics& problems);

// Reports samplers that ask for samples that a task that runs does not have, where its declaration
// states how many it has.
void check_samples(const Assembly& assembly, Diagnostics& problems);

// Reports components that would write the same file.
void check_output_files(const Assembly& assembly, Diagnostics& problems);

// In check_columns.cpp: reports columns that the first line of a section's table lacks. New data
// for a checkpoint may have others for what it reads.
void check_columns(const Assembly& assembly, bool has_checkpoint, Diagnostics& problems);

// In named_streams.cpp: streams that samplers and records name.

// Reports a sampler's stream of labels or lengths that neither its section's task nor a transform
// behind it that treats each sample by itself writes, or that has no integer (or label) for each
// sample, and "task" of a sampler whose task states nothing of its samples.
void check_sampler_streams(const Assembly& assembly, Diagnostics& problems);
// Returns the streams that [records] names.
std::vector<std::string> recorded_streams(const experiment::Records& records);
// Reports names in [records] that no stream has, and streams that are not images or numbers.
void check_record_streams(const experiment::Records& records, const Plan& plan,
                          Diagnostics& problems);

// In check_judge.cpp: reports a judging statistic that its validation set does not measure, and
// wrong values that are better.
void check_judge(const Assembly& assembly, Diagnostics& problems);

// In check_training.cpp: what [training] specifies for components and losses.

// Returns whether it has reported a loss or a statistic that reads one stream as its predictions
// and its targets, or the targets of the tasks as its predictions while it lacks its own.
bool report_compared(const Assembly& assembly, const Draft& draft, Diagnostics& problems);

// Reports an experiment to train without a loss, weights for losses that do not exist, weights that
// are all 0, and optimizer options for components without parameters.
void check_training(const Assembly& assembly, Diagnostics& problems);

// Reports what a training lacks: a loss in a section that trains or judges, the judging statistic
// in its validation set, a model that is not frozen, and statistics over a whole set that can save
// their counts. To be called after find_phases().
// `is_wired`: no error concerns the components and their streams, so that statistics are known.
void check_sections(const Assembly& assembly, bool is_wired, Diagnostics& problems);

// In order.cpp: the order of execution, which is also the order of creation, and which components
// run on the batches of a section.

// Returns indices into assembly.components: writers of streams and globals before their readers,
// components with a priority by it, others in the order of the experiment. nullopt after reporting
// a cycle, a priority that contradicts the streams, or one that is given twice.
std::optional<std::vector<int>> order_components(const Assembly& assembly,
                                                 const std::map<std::string, int>& global_writers,
                                                 Diagnostics& problems);

// Fills in Node::runs_for, by the places of assembly.tasks. Sections that are processed are so in
// the phase "process"; in a pipeline to train each is run in the phase of its role,
// [validation.hard] in "validation". `order` is the order of execution. Reports a component that
// runs in a section which lacks one of its inputs, unless it is to be skipped there, or the port
// takes a list of streams and is optional: it gets that one without a value.
void find_phases(Assembly& assembly, const std::vector<int>& order, Diagnostics& problems);

// In predicted_inputs.cpp: reports inputs of models, and of what leads to them, whose stream a
// component does not write when new samples are predicted, because of its `phases`.
void check_predicted_inputs(const Assembly& assembly, const std::vector<int>& order,
                            Diagnostics& problems);

// In meaning.cpp.

// Reports inputs that do not take what their stream carries in a section, such as a loss over raw
// scores behind a log-softmax. `order` is the order of execution. What no port declares is taken. A
// loss that does not take what is written when new samples are predicted does not run there, of
// which a warning is reported.
void check_meanings(Assembly& assembly, const std::vector<int>& order, Diagnostics& problems);

// In limited_predictions.cpp.

// Warns of losses that compare numbers from 0 on, or from 0 to 1, with standardized values.
void warn_of_limits(const Plan& plan, Diagnostics& problems);
// Reports a softmax, or its logarithm, along another dimension than that of the classes in the loss
// or statistic that reads it.
void check_normalized(const Plan& plan, Diagnostics& problems);

// In filling.cpp: components that treat padding as data. Sequences are padded ("filled") up to the
// longest of their batch, and the stream `lengths` has the length of each one.

// Warns of components that read the padding although a setting would leave it out, and of lengths
// that no component reads. `others` are the streams that are read elsewhere.
void warn_of_filling(const Plan& plan, const std::vector<std::string>& others,
                     Diagnostics& problems);

// In unread_outputs.cpp: warns of outputs of tasks that exist only because of a setting, and that
// no component reads, and of losses that compare with targets in whose place a transform has made
// others. `read_elsewhere` are the streams that are read elsewhere.
void warn_of_unread_outputs(const Plan& plan, const plugin::Catalog& catalog,
                            const std::vector<std::string>& read_elsewhere, Diagnostics& problems);

// In other_vocabulary.cpp: warns of globals that are of other words than the indices beside which a
// component reads them, or with which its scores are compared.
void warn_of_other_vocabularies(const Plan& plan, Diagnostics& problems);

// In padding.cpp: warns of losses and statistics that count padding as right answers, and of
// sequences as long as the longest of their batch where another length is needed.
void warn_of_padding(const Plan& plan, Diagnostics& problems);

// In other_scores.cpp: warns of statistics that get another number of scores than the losses over
// the same targets.
void warn_of_other_scores(const Plan& plan, Diagnostics& problems);

// In later_steps.cpp: warns of predictions that are computed of the integers which their loss
// compares them with, step by step where these are sequences.
void warn_of_read_targets(const Plan& plan, Diagnostics& problems);
// Warns of layers, such as a convolution, that take the steps of sequences for channels: where all
// are filled up to one length, the sizes fit.
void warn_of_steps_as_channels(const Plan& plan, Diagnostics& problems);

// In oversights.cpp: what is allowed but probably a mistake: streams that no component reads,
// models that no loss trains, samples both in training and in validation, sections that prepare
// samples differently, and an interval that no component has.

// Returns the streams that samplers and records read, and components that the training is without
// (`unfed`), because only a task of [process] writes what they read.
std::vector<std::string> streams_read_elsewhere(const experiment::Experiment& experiment,
                                                const std::vector<Draft>& unfed);

// Looks at an experiment that is trained, once its components are wired.
void warn_of_oversights(const Assembly& assembly, const std::vector<std::string>& read_elsewhere,
                        Diagnostics& problems);

// In frozen.cpp: models that are frozen with weights of no use, or to the end.

// Returns whether a model has the weights that it is created with, as far as the experiment says.
bool begins_at_random(const Assembly& assembly, const Draft& draft);
void warn_of_freezing(const Assembly& assembly, Diagnostics& problems);

// In other_scales.cpp: returns whether only one of the training's task and another standardizes
// values that both write, after reporting it at the other.
bool has_other_scales(const Assembly& assembly, const Node& other, Diagnostics& problems);

// In same_samples.cpp: what two sections have in common.

// Returns whether settings keep what the component requires of them, as far as it is known.
bool meet_requirements(const plugin::Component& component,
                       const std::vector<std::optional<Value>>& values);

// Returns whether the section uses all samples of its task: no sampler leaves some out.
bool takes_all(const experiment::Section& section);

// Returns the part of the data that a training takes where the setting is not set, if the setting
// chooses one: not where the task does not take it beside the others, as a part where nothing
// divides the rows.
std::optional<std::string> part_of_training(const Node& task, std::size_t setting);

// Returns a table as a user writes it: without members that have their defaults.
std::string written_table(const plugin::Setting& table, const Value& value);

// Reports a section that divides the rows of the training's files otherwise than the training does,
// so that it has rows that are trained on; where a run's weights are used, as a warning.
void warn_of_division(const Assembly& assembly, const experiment::Section& section,
                      const Node& other, Diagnostics& problems);
void warn_of_processed(const Assembly& assembly, Diagnostics& problems);

// In missing_rules.cpp: returns what is wrong with rows of one divided table that the training or
// the other section alone drops for missing values; nullopt where there are none.
std::optional<Explanation> other_rows(const Node& training, const experiment::Section& section,
                                      const Node& other, const plugin::Catalog& catalog);
// Warns of a rule for missing values that the training's columns have decided already.
void warn_of_unused_rule(const Node& training, const experiment::Section& section,
                         const Node& other, Diagnostics& problems);

// Returns the advice to divide the rows of the training's file by shares, in all sections that read
// it; "" where its task cannot.
std::string fix_of_split(const Assembly& assembly);

// Returns whether it has warned that the task of `section` has samples of `used`, which is the
// training or a validation: those of the same files, which differ at most in how they are prepared.
bool warn_of_samples(const Assembly& assembly, const experiment::Section& used,
                     const experiment::Section& section, Diagnostics& problems);

// Warns of a training whose sampler leaves rows out by which the task standardizes all, where
// another section measures such rows.
void warn_of_scales_of_all(const Assembly& assembly, Diagnostics& problems);

// Warns of tests by the samples of a validation, which has chosen the weights that are tested.
void warn_of_tests(const Assembly& assembly,
                   const std::vector<const experiment::Section*>& sections, Diagnostics& problems);

}  // namespace ptp::pipeline
