// Compares the outputs of components that pass their inputs through with these inputs.

#include "pipeline/pass_through.hpp"

#include "base/number.hpp"
#include "pipeline/meaning.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/task_data.hpp"
#include "pipeline/wiring.hpp"
#include "plugin/enum_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ptp::pipeline {

namespace {

constexpr const char* kFix = "leave it out, and name all phases in which it is to run";

// Returns the shape that a port declares; of one that takes any shape, that of its stream. nullptr:
// it is not known.
const std::vector<Dimension>* shape_at(const Plan& plan, const Binding& binding) {
    if (binding.has_shape) {
        return &binding.shape;
    }
    const Stream& stream = plan.stream(binding.stream);
    return stream.has_shape ? &stream.shape : nullptr;
}

// Returns whether two shapes differ in a size that is known on both sides.
bool differ(const Plan& plan, const std::vector<Dimension>& input,
            const std::vector<Dimension>& output) {
    bool differs = input.size() != output.size();
    for (std::size_t i = 0; !differs && i < input.size(); ++i) {
        const auto in = size_of(plan, input[i]);
        const auto out = size_of(plan, output[i]);
        differs = in && out && *in != *out;
    }
    return differs;
}

bool has_kind_to_pass(const Node& node) {
    return node.component->kind == plugin::Kind::kTransform ||
           node.component->kind == plugin::Kind::kModel;
}

}  // namespace

bool may_pass_through(const Draft& draft) {
    const Node& node = draft.node;
    const auto passed = node.passed_ports();
    return !draft.phases.empty() && !node.passes_through && has_kind_to_pass(node) &&
           passed.size() == node.written_streams().size() &&
           std::ranges::all_of(passed, [&](const auto& ports) {
               return node.port(node.inputs[ports.first]).element ==
                      node.port(node.outputs[ports.second]).element;
           });
}

bool passes_without_targets(const Node& node) {
    const auto streams_beside_targets = [&](const std::vector<Binding>& bindings) {
        std::vector<const Binding*> beside;
        for (const Binding& binding : bindings) {
            if (binding.stream >= 0 && node.port(binding).purpose != plugin::Purpose::kTargets) {
                beside.push_back(&binding);
            }
        }
        return beside;
    };
    const auto inputs = streams_beside_targets(node.inputs);
    const auto outputs = streams_beside_targets(node.outputs);
    bool passes = node.component->kind == plugin::Kind::kTransform &&
                  node.input_for(plugin::Purpose::kTargets) != nullptr &&
                  node.output_for(plugin::Purpose::kTargets) != nullptr &&
                  inputs.size() >= outputs.size();
    for (std::size_t i = 0; passes && i < outputs.size(); ++i) {
        const plugin::Port& read = node.port(*inputs[i]);
        const plugin::Port& written = node.port(*outputs[i]);
        passes = read.element == written.element && read.shape == written.shape &&
                 meanings_of(written, checked_settings(node)) == std::vector{read.name};
    }
    return passes;
}

const Binding* listed_output(const Node& node, const Binding& input) {
    const plugin::Port& read = node.port(input);
    if (node.component->kind != plugin::Kind::kTransform || read.streams_setting.empty()) {
        return nullptr;
    }
    const auto place =
        &input - &*std::ranges::find(node.inputs, input.port, &Binding::port);  // in its list
    const auto first = std::ranges::find_if(node.outputs, [&](const Binding& output) {
        const plugin::Port& written = node.port(output);
        return !written.streams_setting.empty() &&
               written.streams_setting != read.streams_setting &&
               meanings_of(written, checked_settings(node)) == std::vector{read.name};
    });
    return place < node.outputs.end() - first && (first + place)->port == first->port
               ? &*(first + place)
               : nullptr;
}

void leave_out_listed(Node& node, const std::vector<int>& streams) {
    const auto erase = [&](std::vector<Binding>& bindings, const Binding& binding) {
        const auto first = std::ranges::find(bindings, binding.port, &Binding::port);
        const auto place = &binding - &*first;
        const auto& settings = node.component->settings;
        const auto* const setting = find_named(settings, node.port(binding).streams_setting);
        std::vector<Value>& names =
            node.settings[static_cast<std::size_t>(setting - settings.data())]->items();
        names.erase(names.begin() + place);
        bindings.erase(first + place);
    };
    for (std::size_t i = node.inputs.size(); i-- > 0;) {
        const Binding& input = node.inputs[i];
        const Binding* const output = listed_output(node, input);
        if (output != nullptr && contains(streams, input.stream)) {
            erase(node.outputs, *output);
            erase(node.inputs, input);
        }
    }
}

void leave_targets_out(Node& node) {
    for (auto* const bindings : {&node.inputs, &node.outputs}) {
        for (Binding& binding : *bindings) {
            if (node.port(binding).purpose == plugin::Purpose::kTargets) {
                binding.stream = -1;
            }
        }
    }
}

void leave_targets_out(Plan& plan) {
    std::vector<int> left_out;  // streams that nothing writes any more
    std::vector<int> missing;   // these, and the targets
    for (const Binding& output : plan.tasks.front().outputs) {
        if (is_with_targets(plan.tasks.front(), output)) {
            missing.push_back(output.stream);
        }
    }
    for (Node& node : plan.nodes) {
        std::vector<int> unwritten = node.written_streams();
        leave_out_listed(node, missing);
        const bool passes = node.runs_on(0) && passes_without_targets(node);
        const bool lacks_input = !passes && std::ranges::any_of(left_out, [&](int stream) {
            return node.reads(stream);
        });
        if (passes) {
            leave_targets_out(node);
        }
        if (passes || lacks_input) {
            node.runs_for = {false};
            node.passes_for = {passes};
        }
        if (!lacks_input) {
            std::erase_if(unwritten, [&](int stream) { return node.writes(stream); });
        }
        for (const int stream : unwritten) {
            plan.streams[static_cast<std::size_t>(stream)].producer = -1;
            left_out.push_back(stream);
            missing.push_back(stream);
        }
    }
}

std::optional<Explanation> passing_problem(const Plan& plan, const Node& node) {
    if (!has_kind_to_pass(node)) {
        return Explanation{
            fmt::format("{} is a {}; only transforms and models pass through what they read",
                        node.component->name, plugin::to_string(node.component->kind)),
            "skip_if_missing = true in what reads its streams, in its place"};
    }
    const auto passed = node.passed_ports();
    const std::size_t written = node.written_streams().size();
    if (passed.size() < written) {
        return Explanation{
            fmt::format("{} writes {} and reads {}; each that it writes needs one to pass through",
                        node.component->name, counted(written, "stream"),
                        counted(node.read_streams().size(), "stream")),
            kFix};
    }
    for (const auto& [in, out] : passed) {
        const Binding& input = node.inputs[in];
        const Binding& output = node.outputs[out];
        const plugin::Element read = plan.stream(input.stream).element;
        const plugin::Element wrote = plan.stream(output.stream).element;
        if (read != wrote) {
            return Explanation{
                fmt::format("its output '{}' has {}, its input '{}' has {}; what passes through "
                            "has one type",
                            output.name, element_text(wrote), input.name, element_text(read)),
                kFix};
        }
        const auto* const from = shape_at(plan, input);
        const auto* const into = shape_at(plan, output);
        if (from != nullptr && into != nullptr && differ(plan, *from, *into)) {
            return Explanation{
                fmt::format("its output '{}' is {}, its input '{}' is {}; what passes through has "
                            "one shape",
                            output.name, shape_text(plan, *into), input.name,
                            shape_text(plan, *from)),
                kFix};
        }
    }
    return std::nullopt;
}

void check_passing(const Plan& plan, Diagnostics& problems) {
    for (const Node& node : plan.nodes) {
        if (!node.passes_through) {
            continue;
        }
        if (const auto problem = passing_problem(plan, node)) {
            problems.error(node.pass_place, node.path + ".pass_through", *problem);
        }
    }
}

}  // namespace ptp::pipeline
