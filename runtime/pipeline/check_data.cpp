#include "pipeline/check_data.hpp"

#include "experiment/sampler_fit.hpp"
#include "pipeline/declared_value.hpp"

#include <algorithm>

namespace ptp::pipeline {

namespace {

void check_section(const experiment::Section& section, const Assembly& assembly,
                   const std::vector<std::string>& processed, Diagnostics& problems) {
    const bool runs =
        processed.empty() || std::ranges::find(processed, section.name) != processed.end();
    const auto has_name = [&](const Draft& draft) { return draft.node.section == section.name; };
    const auto task = std::ranges::find_if(assembly.tasks, has_name);
    if (!runs || task == assembly.tasks.end() || !task->is_sound) {
        return;
    }
    const auto count = declared_sample_count(task->node);
    if (!count || *count < 1) {
        return;
    }
    if (const auto problem = experiment::sampler_problem(section, *count)) {
        problems.error(problem->place, problem->key, problem->message);
    }
}

}  // namespace

void check_samples(const experiment::Experiment& experiment, const Assembly& assembly,
                   const std::vector<std::string>& processed, Diagnostics& problems) {
    for (const experiment::Section* section : experiment::all_sections(experiment)) {
        check_section(*section, assembly, processed, problems);
    }
}

}  // namespace ptp::pipeline
