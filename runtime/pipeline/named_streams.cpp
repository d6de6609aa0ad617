// Checks the streams that an experiment names outside of its pipeline, for samplers and records.

#include "pipeline/stages.hpp"

#include "base/suggest.hpp"
#include "pipeline/component_stages.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/suggestions.hpp"
#include "pipeline/task_data.hpp"
#include "plugin/enum_names.hpp"
#include "plugin/purpose.hpp"

#include <ptp/ext/draft/sampling.h>

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

// A stream that a sampler reads.
struct SamplerStream {
    const char* key;    // that names it
    std::string usual;  // its name where the key is not given
    std::string name;
    bool has_classes;  // or groups, that need no numbers
};

bool has_facts(const plugin::Port& port, const SamplerStream& wanted) {
    const bool is_class = port.element == plugin::Element::kString || is_yes_or_no(port);
    return (is_class && wanted.has_classes) ||
           (port.element == plugin::Element::kInteger && port.shape == "B");
}

// The task and the transforms behind it that treat each sample by itself.
std::vector<const Draft*> per_sample_stage(const experiment::Section& section, const Draft& task,
                                           const Assembly& assembly) {
    std::vector<const Draft*> found = {&task};
    std::set<std::string> streams;
    const auto add_outputs = [&](const Draft& draft) {
        for (const Binding& output : draft.node.outputs) {
            streams.insert(output.wire.stream);
        }
    };
    add_outputs(task);
    const std::string phase(experiment::role_of(section.name));
    const auto is_behind = [&](const Draft& draft) {
        const bool writes = draft.runs_in(phase) || draft.node.passes_through;
        return writes && !contains(found, &draft) && is_per_sample(*draft.node.component) &&
               std::ranges::all_of(draft.node.inputs, [&](const Binding& input) {
                   return input.wire.stream.empty() || streams.contains(input.wire.stream);
               });
    };
    for (auto next = assembly.components.begin(); next != assembly.components.end();) {
        next = std::ranges::find_if(assembly.components, is_behind);
        if (next != assembly.components.end()) {
            found.push_back(&*next);
            add_outputs(*next);
        }
    }
    return found;
}

// Returns whether the settings of the task name numbers to be predicted.
bool predicts_numbers(const Node& task) {
    const auto* const values =
        plugin::find_purpose(task.component->settings, plugin::Purpose::kValueColumns);
    return values != nullptr && checked_settings(task).find(values->name) != nullptr;
}

void check_sampler_stream(const experiment::Section& section, const SamplerStream& wanted,
                          const Draft& task, const Assembly& assembly, Diagnostics& problems) {
    std::vector<std::string> fitting;
    for (const Draft* draft : per_sample_stage(section, task, assembly)) {
        for (const Binding& output : draft->node.outputs) {
            if (!output.wire.stream.empty() && has_facts(draft->port(output), wanted)) {
                fitting.push_back(output.wire.stream);
            }
        }
    }
    if (contains(fitting, wanted.name)) {
        return;
    }
    const auto report = [&](const std::string& reason) {
        const auto* folds = section.sampler->get<experiment::Folds>();
        if (folds != nullptr && folds->is_from_option &&
            section.sampler->get<experiment::Classes>() != nullptr) {
            if (folds->part != "training") {
                return;  // the folds are of the training's samples, and reported there
            }
            problems.error(
                Value(wanted.name).at(section.sampler->place),
                fmt::format("{}.sampler.{}", section.name, wanted.key),
                Explanation{reason, predicts_numbers(task.node)
                                        ? "leave out --stratified: numbers to be predicted have "
                                          "no classes"
                                        : "leave out --stratified: it needs samples of one class "
                                          "each"});
            return;
        }
        std::string fix = setting_to_have(assembly, wanted.name, Source::kStream);
        if (const bool has_usual = contains(fitting, wanted.usual);
            fix.empty() && wanted.name != wanted.usual) {
            const std::string more =
                has_usual ? "" : setting_to_have(assembly, wanted.usual, Source::kStream);
            fix = !has_usual && more.empty()
                      ? ""
                      : fmt::format("set {}.sampler.{} = \"{}\"{}{}", section.name, wanted.key,
                                    wanted.usual, more.empty() ? "" : ", and ", more);
        }
        const std::string other =
            predicts_numbers(task.node) ? sampler_without_classes(section, wanted.name) : "";
        if (!other.empty()) {
            fix = fmt::format("numbers to be predicted have no classes: {}{}{}", other,
                              fix.empty() ? "" : "; to predict classes, ", fix);
        }
        problems.error(Value(wanted.name).at(section.sampler->place),
                       fmt::format("{}.sampler.{}", section.name, wanted.key),
                       Explanation{reason, fix});
    };
    for (const Draft& draft : assembly.components) {
        const bool writes_it = std::ranges::any_of(draft.node.outputs, [&](const Binding& output) {
            return output.wire.stream == wanted.name;
        });
        if (writes_it && !is_per_sample(*draft.node.component)) {
            report(
                fmt::format("is written by {}, which is not a transform that treats each sample "
                            "by itself{}",
                            node_text(draft.node), hint("", fitting)));
            return;
        }
    }
    report(fmt::format(
        "neither {} nor a transform behind it that treats each sample by itself has "
        "a stream of this name with {} for each sample{}",
        node_text(task.node), wanted.has_classes ? "an integer or a string" : "an integer",
        hint(wanted.name, fitting)));
}

// Known where the manifest lists the abilities; the run reports it for other tasks.
void check_stated_by(const experiment::Section& section, const Draft& task, Diagnostics& problems) {
    const auto& abilities = task.node.component->abilities;
    if (!abilities || std::ranges::count(*abilities, PTP_EXTENSION_SAMPLING) > 0) {
        return;
    }
    const auto report = [&](const char* key, const SourceLocation& place) {
        problems.error(Value(std::string(experiment::kFromTask)).at(place),
                       fmt::format("{}.sampler.{}", section.name, key),
                       fmt::format("{} states neither weights nor classes of its samples",
                                   node_text(task.node)));
    };
    const auto* weights = section.sampler->get<experiment::Weights>();
    if (weights != nullptr && weights->weights && !weights->weights->source.empty()) {
        report("weights", weights->weights->place);
    }
    const auto* classes = section.sampler->get<experiment::Classes>();
    if (classes != nullptr && classes->labels && !classes->labels->source.empty()) {
        report("labels", classes->labels->place);
    }
}

constexpr std::size_t kImageRank = 4;  // [B, channels, height, width]

// A size that is not known yet may turn out to be right.
bool may_be_images(const Plan& plan, const Stream& stream) {
    const bool is_element =
        stream.element == plugin::Element::kFloating || stream.element == plugin::Element::kByte;
    if (!is_element || !stream.has_shape) {
        return is_element;
    }
    if (stream.shape.size() != kImageRank) {
        return false;
    }
    const auto channels = size_of(plan, stream.shape[1]);
    return !channels || *channels == 1 || *channels == 3;
}

// Return what is wrong with a stream that is recorded; "" for nothing.

std::string not_images(const Plan& plan, const Stream& stream) {
    return may_be_images(plan, stream)
               ? ""
               : fmt::format(
                     "images are [B, 1 or 3, height, width], float or byte; this stream is {}, {}",
                     shape_text(plan, stream.shape, stream.has_shape),
                     plugin::to_string(stream.element));
}

std::string not_numbers(const Stream& stream) {
    const bool is_list =
        plugin::is_text(stream.element) || stream.element == plugin::Element::kTensorList;
    return is_list ? fmt::format("must be a tensor; this stream is {}",
                                 plugin::to_string(stream.element))
                   : "";
}

}  // namespace

std::string sampler_without_classes(const experiment::Section& section, const std::string& stream) {
    const auto* const classes =
        section.sampler ? section.sampler->get<experiment::Classes>() : nullptr;
    const auto* const folds = section.sampler ? section.sampler->get<experiment::Folds>() : nullptr;
    if (classes == nullptr || classes->label_stream != stream || classes->labels ||
        (folds != nullptr && folds->is_from_option)) {
        return "";
    }
    const std::string_view type = section.sampler->type_without_classes();
    return type.empty() ? "" : fmt::format("set {}.sampler.type = \"{}\"", section.name, type);
}

void check_sampler_streams(const Assembly& assembly, Diagnostics& problems) {
    for (const experiment::Section* one : experiment::all_sections(*assembly.experiment)) {
        const experiment::Section& section = *one;
        const Draft* const task = assembly.task_of(section.name);
        if (!section.sampler || task == nullptr) {
            continue;
        }
        const auto* classes = section.sampler->get<experiment::Classes>();
        const auto* lengths = section.sampler->get<experiment::Lengths>();
        if (const auto* groups = section.sampler->get<experiment::KFoldGroupSampler>()) {
            check_sampler_stream(section,
                                 {"group_stream", experiment::KFoldGroupSampler().group_stream,
                                  groups->group_stream, true},
                                 *task, assembly, problems);
        }
        if (classes != nullptr && section.sampler->needs_labels() && !classes->labels) {
            check_sampler_stream(
                section,
                {"label_stream", experiment::Classes().label_stream, classes->label_stream, true},
                *task, assembly, problems);
        }
        if (section.sampler->needs_lengths()) {
            check_sampler_stream(section,
                                 {"length_stream", experiment::Lengths().length_stream,
                                  lengths->length_stream, false},
                                 *task, assembly, problems);
        }
        check_stated_by(section, *task, problems);
    }
}

std::vector<std::string> recorded_streams(const experiment::Records& records) {
    std::vector<std::string> names;
    if (const auto& tensorboard = records.get<experiment::TensorBoard>()) {
        for (const auto& image : tensorboard->images) {
            names.push_back(image.value);
        }
    }
    if (const auto& probe = records.get<experiment::Probe>()) {
        for (const auto& stream : probe->streams) {
            names.push_back(stream.value);
        }
    }
    if (const auto& samples = records.get<experiment::SampleValues>()) {
        for (const auto& stream : samples->streams) {
            names.push_back(stream.value);
        }
    }
    return names;
}

void check_record_streams(const experiment::Records& records, const Plan& plan,
                          Diagnostics& problems) {
    const std::vector<std::string> names = transformed(plan.streams, &Stream::name);
    const auto check = [&](const schema::Placed<std::string>& named, const char* key,
                           const auto& problem_of) {
        const Stream* const found = find_named(plan.streams, named.value);
        const std::string problem =
            found == nullptr ? "unknown stream" + hint(named.value, names) : problem_of(*found);
        if (!problem.empty()) {
            problems.error(Value(named.value).at(named.place), key, problem);
        }
    };
    if (const auto& tensorboard = records.get<experiment::TensorBoard>()) {
        for (const auto& image : tensorboard->images) {
            check(image, "records.tensorboard.images",
                  [&](const Stream& stream) { return not_images(plan, stream); });
        }
    }
    if (const auto& probe = records.get<experiment::Probe>()) {
        for (const auto& stream : probe->streams) {
            check(stream, "records.probe.streams", not_numbers);
        }
    }
    if (const auto& samples = records.get<experiment::SampleValues>()) {
        for (const auto& stream : samples->streams) {
            check(stream, "records.sample_values.streams", not_numbers);
        }
    }
}

}  // namespace ptp::pipeline
