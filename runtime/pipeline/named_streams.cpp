#include "pipeline/named_streams.hpp"

#include "base/suggest.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/sizes.hpp"
#include "plugin/enum_names.hpp"

#include <ptp/ext/draft/sampling.h>

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

bool has_label_for_each_sample(const plugin::Port& port) {
    return port.element == plugin::Element::kString ||
           (port.element == plugin::Element::kInteger && port.shape == "B");
}

void check_labels_of(const experiment::Section& section, const std::string& stream,
                     const Draft& task, Diagnostics& problems) {
    std::vector<std::string> fitting;
    for (std::size_t i = 0; i < task.outputs.size(); ++i) {
        if (!task.outputs[i].stream.empty() &&
            has_label_for_each_sample(task.port(task.node.outputs[i]))) {
            fitting.push_back(task.outputs[i].stream);
        }
    }
    if (std::ranges::find(fitting, stream) != fitting.end()) {
        return;
    }
    problems.error(
        Value(stream).at(section.sampler->place), section.name + ".sampler.label_stream",
        fmt::format("{} has no stream of this name with an integer or a string for each sample{}",
                    node_text(task.node), hint(stream, fitting)));
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

}  // namespace

void check_label_streams(const experiment::Experiment& experiment, const Assembly& assembly,
                         Diagnostics& problems) {
    for (const experiment::Section* one : experiment::all_sections(experiment)) {
        const experiment::Section& section = *one;
        if (!section.sampler) {
            continue;
        }
        const auto* classes = section.sampler->get<experiment::Classes>();
        const bool needs_stream = section.sampler->needs_labels() && !classes->labels;
        for (const Draft& task : assembly.tasks) {
            if (task.node.section != section.name) {
                continue;
            }
            if (needs_stream) {
                check_labels_of(section, classes->label_stream, task, problems);
            }
            check_stated_by(section, task, problems);
        }
    }
}

void check_record_streams(const experiment::Records& records, const Plan& plan,
                          Diagnostics& problems) {
    const auto& tensorboard = records.get<experiment::TensorBoard>();
    if (!tensorboard) {
        return;
    }
    std::vector<std::string> names;
    for (const Stream& stream : plan.streams) {
        names.push_back(stream.name);
    }
    for (const auto& image : tensorboard->images) {
        const Value name = Value(image.value).at(image.place);
        const auto found = std::ranges::find(plan.streams, image.value, &Stream::name);
        if (found == plan.streams.end()) {
            problems.error(name, "records.tensorboard.images",
                           "unknown stream" + hint(image.value, names));
        } else if (!may_be_images(plan, *found)) {
            problems.error(name, "records.tensorboard.images",
                           fmt::format("images are [B, 1 or 3, height, width], float or byte; this "
                                       "stream is {}, {}",
                                       shape_text(plan, found->shape, found->has_shape),
                                       plugin::to_string(found->element)));
        }
    }
}

}  // namespace ptp::pipeline
