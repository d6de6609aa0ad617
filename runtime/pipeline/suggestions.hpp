// Suggestions for messages. Components are looked up in the catalog by what they declare, with
// their default settings: the host knows no component by its name.

#pragma once

#include "pipeline/evaluate.hpp"
#include "pipeline/wiring.hpp"
#include "plugin/catalog.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pipeline {

// The form of the values of a port: the kind of its elements, and its number of dimensions.
struct Form {
    plugin::Element element = plugin::Element::kFloating;
    std::size_t rank = 0;
};

// Returns the transform that makes `wanted` of a stream of this form; "" if there is none. With
// `keeps_values` it is one that only reshapes: the first that needs no settings, or else one whose
// output is declared as the input's values in another shape.
std::string transform_between(const plugin::Catalog& catalog, const Form& form, const Form& wanted,
                              bool keeps_values);

// Returns whether the component may have inputs with N dimensions.
bool takes_rank(const plugin::Component& component, std::size_t rank);

// Returns the fix to write the layer of the same name but for its number of dimensions, BatchNorm1d
// for BatchNorm2d, that takes inputs of this form and the required settings of this one; "" if
// there is none.
std::string layer_of_rank(const Node& layer, const Form& form);

// Returns whether the port takes numbers of any meaning but log-probabilities, not scores alone: a
// loss whose predictions do compares them with the numbers that are right.
bool takes_numbers(const plugin::Port& port);

// Returns components of this kind, three at most, that compare predictions with targets of this
// form, and have the input `port`: CrossEntropyLoss and NLLLoss with one class index for each
// sample, HuberLoss and MSELoss with rows of numbers.
std::vector<std::string> comparing(const plugin::Catalog& catalog, plugin::Kind kind,
                                   std::string_view port, const Form& targets);

// Returns such components that compare scores with a 1 or a 0 for each, as BCEWithLogitsLoss does.
std::vector<std::string> comparing_answers(const plugin::Catalog& catalog, plugin::Kind kind,
                                           std::string_view port);

// A component that measures a statistic.
struct Measuring {
    const plugin::Component* component;
    const plugin::Statistic* statistic;
    std::string setting;  // that it needs besides: "mode = \"multiclass\""
};

// Returns the first component that measures this statistic, or a kind of it ("f1score_macro" of
// "f1score"), of the targets and predictions that a loss compares; nullopt if there is none.
std::optional<Measuring> component_that_measures(const Assembly& assembly,
                                                 const std::string& statistic);

// Returns the first loss that needs no settings and compares the predictions of this one with
// targets of this form, at the input of this name; "" if there is none.
std::string loss_of_targets(const plugin::Catalog& catalog, const Node& loss,
                            std::string_view targets, const Form& form);

// Returns the options that give another key what those of the command line have set in this value
// of a setting; "" where they have set nothing.
std::string set_as_well(const std::string& key, const Value& value);

// In other_element.cpp.

// An input that takes other elements than its stream carries.
struct WrongElement {
    const Draft& draft;
    const Binding& binding;
    // Another input reads the same stream as such elements: its fix has what changes besides.
    bool is_repeated = false;
};

// Returns what to do about it: a loss or statistic that takes them, or the right targets, with all
// that changes besides; "" where neither is known.
std::string fix_of_element(const Assembly& assembly, const WrongElement& wrong);

// Returns what to do about a loss that compares a single score with the classes of a task; "" for
// another component.
std::string fix_of_single_score(const Assembly& assembly, const Draft& draft);

// In other_targets.cpp.

// The class of each sample, a 1 or a 0 for its two classes, or numbers.
enum class TargetKind { kClasses, kAnswers, kNumbers };

// A change of what a loss or statistic compares.
struct OtherTargets {
    TargetKind targets;
    const Draft& reader;  // whose own change is stated
    std::string type;     // of the reader then
    std::string from;     // the stream of the targets now
    std::string to;       // and then
    Value scores;         // their number for a sample, or the global that has it
};

// Returns what else changes then, each behind ", and ": ", and set pipeline.accuracy.type =
// "MultiLabelStatistics", and write globals = { prediction_size = 1 } in pipeline.net"; "" if
// nothing does.
std::string changes_beside(const Assembly& assembly, const OtherTargets& change);

// In named_streams.cpp: returns "set training.sampler.type = "RandomSplitSampler"" where the
// section's sampler needs the classes of this stream; "" where it does not.
std::string sampler_without_classes(const experiment::Section& section, const std::string& stream);

// Returns the change with which the component that makes the reader's scores makes as many for a
// sample; "" where it does, or none is known.
std::string change_of_scores(const Assembly& assembly, const Draft& reader, const Value& count);

// Returns what to set so that a loss or statistic of classes is one of the numbers that a task has
// to be predicted: "set pipeline.loss.type = "MSELoss", and streams = { targets = "values" } in
// pipeline.loss"; "" where there are none.
std::string fix_by_numbers(const Assembly& assembly, const Draft& draft, const Binding& binding);

// Warns of statistics that take the raw scores of a loss for predicted numbers.
void warn_of_scores(const Assembly& assembly, Diagnostics& problems);

// Returns the first loss that reads streams of the names that these have; "" if there is none.
std::string loss_that_reads(const plugin::Catalog& catalog,
                            const std::vector<WiredStream>& streams);

// Returns the component that publishes globals which a setting lists; "" if there is none.
std::string publisher_of_settings(const plugin::Catalog& catalog);

// Returns the change of one setting with which the component has a port of this name that `fits`;
// "" if there is none, or if it has the port already.
template <class Fits>
std::string change_to_have(const Node& node, plugin::Direction direction, const std::string& name,
                           const Fits& fits) {
    const Settings settings = checked_settings(node);
    for (const plugin::Port& port : node.component->ports) {
        std::string change;
        if (port.direction == direction && port.name == name && fits(port, settings)) {
            change = change_to_hold(parse_condition(port.when), settings, node.path);
        }
        if (!change.empty()) {
            return change;
        }
    }
    return "";
}

// In mismatch.cpp: returns the change of one setting with which the input takes this element; of
// several choices one that leaves the other inputs as they are.
std::string change_to_take(const Draft& draft, const Binding& binding, plugin::Element element);

// The setting that a component or task lacks to have the output of this name, or to publish the
// global: "set label in training.task: CsvTable has 'targets' only then"; "" where no single one
// is enough.
enum class Source { kStream, kGlobal };
std::string setting_to_have(const Assembly& assembly, const std::string& name, Source what,
                            plugin::Element element = plugin::Element::kAny);

// Returns whether it reads lists of words: names of classes are no vocabulary for it.
bool reads_words(const Node& node);
// In vocabulary_advice.cpp: returns how the component gets the vocabulary of what it reads, which
// it calls `declared`: by its published name or, if it is not published, as `name`. That is the one
// of the indices that it reads, or of the words: those of the training's task, or what the
// component before it makes of them. "" where none is known.
std::string vocabulary_to_have(const Assembly& assembly, const Draft& reader,
                               const std::string& declared, const std::string& name);

// A stream of the training's task that no model and no transform reads, such as the right values.
struct TargetStream {
    std::string name;
    plugin::Element element;
    std::vector<PlainDimension> shape;
};
std::vector<TargetStream> target_streams(const Assembly& assembly);

// In output_before.cpp: returns the model that a loss or statistic lacks, which reads a vector of
// each sequence, where the stream has all steps, and its writer is not asked for scores; "" for
// others.
std::string model_behind_steps(const Assembly& assembly, const Draft& reader,
                               const Binding& predictions, const std::string& stream);

// In needed_streams.cpp: returns the only one of them that no component reads and that fits the
// input, where that takes no integers, which may be targets; "" if there are several, or none.
std::string only_task_stream(const Assembly& assembly, const Draft& draft, const Binding& binding);

}  // namespace ptp::pipeline
