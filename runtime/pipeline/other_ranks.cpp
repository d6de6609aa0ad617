// The numbers of dimensions of the streams of an input for several, where a requirement wants them
// to be the same.

#include "base/ranges.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/shapes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

// Returns the input for several streams that must have as many dimensions each; "" for another
// requirement.
std::string input_of_ranks(const Node& node, const plugin::Requirement& requirement) {
    for (const plugin::Port& port : node.component->ports) {
        const std::string relation = fmt::format("min(rank({0})) = max(rank({0}))", port.name);
        if (!port.streams_setting.empty() && requirement.relation.ends_with(relation)) {
            return port.name;
        }
    }
    return "";
}

// Returns whether the requirement is known to be broken.
bool is_broken(const Solving& of, const plugin::Requirement& requirement) {
    const Settings settings = checked_settings(of.draft.node);
    try {
        const SolvingScope scope(of);
        return holds(parse_condition(requirement.when), settings) &&
               !holds(parse_relation(requirement.relation), settings, scope).value_or(true);
    } catch (const ComputationError&) {
        return false;
    }
}

}  // namespace

bool has_other_ranks(const Solving& of) {
    return std::ranges::any_of(of.draft.node.component->requirements,
                               [&](const plugin::Requirement& requirement) {
                                   return !of.draft.has_wrong_input &&
                                          !input_of_ranks(of.draft.node, requirement).empty() &&
                                          is_broken(of, requirement);
                               });
}

std::string fix_of_ranks(const Solving& of, const plugin::Requirement& requirement) {
    const Node& node = of.draft.node;
    const std::string port = input_of_ranks(node, requirement);
    std::vector<Binding> inputs;  // each with the shape of its stream
    for (const Binding& input : node.inputs) {
        if (input.stream >= 0 && node.port(input).name == port &&
            of.assembly.stream(input.stream).has_shape) {
            inputs.push_back(input);
            inputs.back().shape = of.assembly.stream(input.stream).shape;
        }
    }
    const auto rank = [](const Binding& input) { return input.shape.size(); };
    const auto least = std::ranges::min_element(inputs, {}, rank);
    std::string fix;
    for (const Binding& input : inputs) {
        if (rank(input) == rank(*least)) {
            continue;
        }
        const WiredStream& stream = of.assembly.stream(input.stream);
        const Draft& writer = of.assembly.writer(stream, stream.writers.front());
        const auto output = std::ranges::find(writer.node.outputs, input.stream, &Binding::stream);
        Binding first = output == writer.node.outputs.end() ? input : *output;
        first.shape = input.shape;
        const std::string one = rank_fix({of.assembly,
                                          of.sizes,
                                          input.stream,
                                          {&writer, &first},
                                          {&of.draft, &*least, true},
                                          {}});
        if (one.empty()) {
            return "";
        }
        fix += (fix.empty() ? "" : ", and ") + one;
    }
    return fix;
}

}  // namespace ptp::pipeline
