#include "pipeline/label_stream.hpp"

#include "base/suggest.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

bool has_label_for_each_sample(const plugin::Port& port) {
    return port.element == plugin::Element::string ||
           (port.element == plugin::Element::integer && port.shape == "B");
}

void check_section(const experiment::Section& section, const std::string& stream, const Draft& task,
                   Diagnostics& problems) {
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

}  // namespace

void check_label_streams(const experiment::Experiment& experiment, const Assembly& assembly,
                         Diagnostics& problems) {
    const auto check = [&](const experiment::Section& section) {
        if (!section.sampler || !section.sampler->needs_labels()) {
            return;
        }
        const auto& classes = *section.sampler->get<experiment::Classes>();
        if (classes.labels) {
            return;
        }
        for (const Draft& task : assembly.tasks) {
            if (task.node.section == section.name) {
                check_section(section, classes.label_stream, task, problems);
            }
        }
    };
    check(experiment.training);
    if (experiment.validation) {
        check(*experiment.validation);
    }
    if (experiment.test) {
        check(*experiment.test);
    }
}

}  // namespace ptp::pipeline
