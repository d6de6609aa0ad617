// The keys that say when and where a component runs, or those that a `try` names.

#pragma once

#include "experiment/readers.hpp"

#include <vector>

namespace ptp::experiment {

// Returns the keys that say when and where a component, or those of a `try`, run.
template <class AnyEntry>
[[nodiscard]] std::vector<Field> phase_fields(AnyEntry& entry) {
    return {{.name = "enabled", .into = &entry.is_enabled, .help = "false leaves it out"},
            {.name = "phases",
             .into = &entry.phases,
             .help = "when it runs; by default in all of them; process includes predict",
             .length = "[1, inf)",
             .choices = {kPhases.begin(), kPhases.end()}},
            {.name = "skip_if_missing",
             .into = &entry.skip_if_missing,
             .help = "true: it is inactive in sections that lack one of its inputs"},
            {.name = "pass_through",
             .into = &entry.passes_through,
             .help = "true: outside of its phases each output is the input at its place; for "
                     "inputs and outputs of one type"},
            {.name = "stage",
             .into = &entry.stage,
             .help = "where it runs, if several are possible: pre, on each sample in the loader "
                     "threads; forward, on batches; post, on results; by default what it declares",
             .choices = {kStages.begin(), kStages.end()}}};
}

// Notes where these keys are written, and refuses `pass_through` without phases.
template <class AnyEntry>
void read_phase_places(const Scope& scope, AnyEntry& entry) {
    if (const Value* stage = scope.table.find("stage")) {
        entry.stage_place = stage->place();
    }
    if (const Value* passing = scope.table.find("pass_through")) {
        entry.pass_place = passing->place();
        if (entry.passes_through && entry.phases.empty()) {
            scope.problems.error(*passing, scope.key("pass_through"),
                                 Explanation{"has no meaning without phases: it runs in all",
                                             "phases = [\"training\"]"});
        }
    }
}

}  // namespace ptp::experiment
