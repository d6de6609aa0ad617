#include "pipeline/check_data.hpp"

#include "config/sampler_fit.hpp"
#include "pipeline/declared_value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

namespace ptp::pipeline {

namespace {

void check_section(const config::Section& section, const Assembly& assembly,
                   const std::vector<std::string>& processed, config::Diagnostics& problems) {
    const bool runs =
        processed.empty() || std::ranges::find(processed, section.name) != processed.end();
    const auto has_name = [&](const Draft& draft) { return draft.node.section == section.name; };
    const auto task = std::ranges::find_if(assembly.tasks, has_name);
    if (!runs || task == assembly.tasks.end() || !task->is_sound)
        return;
    const auto count = declared_sample_count(task->node);
    if (!count || *count < 1)
        return;
    if (const auto problem = config::sampler_problem(section, *count))
        problems.error(problem->place, problem->key, problem->message);
}

// A setting that names a file, as the experiment gives it.
struct NamedFile {
    const Draft* draft = nullptr;
    std::string setting;
    const config::Value* value = nullptr;
};

std::vector<NamedFile> named_files(const Assembly& assembly) {
    std::vector<NamedFile> files;
    for (const Draft& draft : assembly.components) {
        if (!draft.is_sound)
            continue;
        const auto& declared = draft.node.component->settings;
        for (std::size_t i = 0; i < declared.size(); ++i) {
            const auto& value = draft.node.settings[i];
            if (declared[i].is_output_file && value && value->is_string())
                files.push_back({&draft, declared[i].name, &*value});
        }
    }
    return files;
}

// Without a name the files of a component are named after it.
bool is_same_file(const NamedFile& left, const NamedFile& right) {
    const std::string& first = left.value->as_string();
    const std::string& second = right.value->as_string();
    if (left.setting != right.setting || (first.empty() && second.empty()))
        return false;
    if (first.empty())
        return second.starts_with(left.draft->node.name + ".");
    return second.empty() ? first.starts_with(right.draft->node.name + ".") : first == second;
}

}  // namespace

void check_samples(const config::Experiment& experiment, const Assembly& assembly,
                   const std::vector<std::string>& processed, config::Diagnostics& problems) {
    check_section(experiment.training, assembly, processed, problems);
    if (experiment.validation)
        check_section(*experiment.validation, assembly, processed, problems);
    if (experiment.test)
        check_section(*experiment.test, assembly, processed, problems);
}

void check_output_files(const Assembly& assembly, config::Diagnostics& problems) {
    const std::vector<NamedFile> files = named_files(assembly);
    for (std::size_t i = 0; i < files.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            if (!is_same_file(files[i], files[k]))
                continue;
            // Said of the one that has a name.
            const bool is_named = !files[i].value->as_string().empty();
            const NamedFile& file = is_named ? files[i] : files[k];
            const NamedFile& other = is_named ? files[k] : files[i];
            problems.error(*file.value, fmt::format("{}.{}", file.draft->node.path, file.setting),
                           fmt::format("'{}' writes a file of this name already; choose another",
                                       other.draft->node.name));
        }
    }
}

}  // namespace ptp::pipeline
