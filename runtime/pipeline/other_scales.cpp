// Reports sections of which only one standardizes the values that are to be predicted.

#include "pipeline/evaluate.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/task_data.hpp"
#include "plugin/purpose.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

namespace ptp::pipeline {

namespace {

// Returns the stream that both tasks write and in which one has standardized values; -1 if there is
// none.
int stream_of_values(const Node& scaled, const Node& plain) {
    for (const Binding& output : scaled.outputs) {
        const bool is_in_both = output.stream >= 0 &&
                                std::ranges::find(plain.outputs, output.stream, &Binding::stream) !=
                                    plain.outputs.end();
        if (is_in_both && !value_scales(scaled, output.stream).empty()) {
            return output.stream;
        }
    }
    return -1;
}

// Returns whether a loss or statistic compares predictions with the stream.
bool are_targets(const Assembly& assembly, int stream) {
    return std::ranges::any_of(assembly.components, [&](const Draft& draft) {
        const Binding* const targets = draft.node.input_for(plugin::Purpose::kTargets);
        return draft.node.compares() && targets != nullptr && targets->stream == stream;
    });
}

std::string fix_of_scales(const Node& scaled, const Node& plain) {
    const auto* const scales =
        plugin::find_purpose(plain.component->globals, plugin::Purpose::kValueColumns);
    return scales != nullptr
               ? change_to_hold(parse_condition(scales->when), checked_settings(plain), plain.path)
               : fmt::format("set {}.type = \"{}\", with the settings of {}", plain.path,
                             scaled.component->name, scaled.path);
}

}  // namespace

bool has_other_scales(const Assembly& assembly, const Node& other, Diagnostics& problems) {
    const auto has_scales = [](const Node& task) {
        return !task.global_for(plugin::Purpose::kValueColumns).empty();
    };
    const Node& training = assembly.tasks.front().node;
    const Node& plain = has_scales(other) ? training : other;
    const Node& scaled = has_scales(other) ? other : training;
    const int stream =
        has_scales(training) == has_scales(other) ? -1 : stream_of_values(scaled, plain);
    if (stream < 0) {
        return false;
    }
    // A task of another plugin may standardize by itself.
    const bool is_plain =
        plugin::find_purpose(plain.component->settings, plugin::Purpose::kValueColumns) != nullptr;
    if (is_plain && are_targets(assembly, stream)) {
        problems.error(other.place, other.path,
                       Explanation{fmt::format("{} standardizes its values and {} does not, so "
                                               "that losses and errors of the two are of "
                                               "different numbers",
                                               node_text(scaled), node_text(plain)),
                                   fix_of_scales(scaled, plain)});
        return true;
    }
    problems.warning(
        other.place, other.path,
        Explanation{fmt::format("{} standardizes its values and {} {}, so that what reads '{}' {} "
                                "different numbers in the two",
                                node_text(scaled), node_text(plain),
                                is_plain ? "does not" : "does not state that it does",
                                assembly.stream(stream).name, is_plain ? "has" : "may have"),
                    fix_of_scales(scaled, plain)});
    return true;
}

}  // namespace ptp::pipeline
