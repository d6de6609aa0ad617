// Facts about the data that are known before it is read: how many samples a task has, and which
// files components write.
#include "pipeline/stages.hpp"

#include "experiment/experiment.hpp"
#include "pipeline/declared_value.hpp"
#include "pipeline/evaluate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

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

// The ending of a file without a name, by the setting `format`.
struct Ending {
    std::string_view format;
    std::string_view ending;
};
constexpr std::array kEndings = {Ending{"csv", ".csv"}, Ending{"json_lines", ".jsonl"}};

// A format with a file for each stream: NAME.STREAM.npy.
constexpr std::string_view kFilePerStream = "npy";

// A setting that names files, and the files that will be written.
struct NamedFiles {
    const Draft* draft = nullptr;
    std::string setting;
    const Value* value = nullptr;
    std::vector<std::string> files;  // empty: not known
};

std::vector<std::string> files_of(const Draft& draft, const std::string& given) {
    const Settings settings{*draft.node.component, draft.node.settings};
    const Value* format = settings.find("format");
    const std::string form =
        format != nullptr && format->is_string() ? format->as_string() : std::string();
    const std::string name = given.empty() ? draft.node.name : given;
    if (form == kFilePerStream) {
        std::vector<std::string> files;
        for (const Binding& input : draft.node.inputs) {
            const auto place = static_cast<std::size_t>(&input - draft.node.inputs.data());
            files.push_back(fmt::format("{}.{}.npy", name, draft.inputs[place].stream));
        }
        return files;
    }
    if (!given.empty()) {
        return {given};
    }
    const auto ending = std::ranges::find(kEndings, form, &Ending::format);
    if (ending == kEndings.end()) {
        return {};
    }
    return {name + std::string(ending->ending)};
}

std::vector<NamedFiles> named_files(const Assembly& assembly) {
    std::vector<NamedFiles> result;
    for (const Draft& draft : assembly.components) {
        if (!draft.is_sound) {
            continue;
        }
        const auto& declared = draft.node.component->settings;
        for (std::size_t i = 0; i < declared.size(); ++i) {
            const auto& value = draft.node.settings[i];
            if (!declared[i].is_output_file || !value || !value->is_string()) {
                continue;
            }
            result.push_back(
                {&draft, declared[i].name, &*value, files_of(draft, value->as_string())});
        }
    }
    return result;
}

// "" if they have none in common.
std::string common_file(const NamedFiles& left, const NamedFiles& right) {
    for (const std::string& file : left.files) {
        if (left.setting == right.setting &&
            std::ranges::find(right.files, file) != right.files.end()) {
            return file;
        }
    }
    return "";
}

}  // namespace

void check_samples(const experiment::Experiment& experiment, const Assembly& assembly,
                   const std::vector<std::string>& processed, Diagnostics& problems) {
    for (const experiment::Section* section : experiment::all_sections(experiment)) {
        check_section(*section, assembly, processed, problems);
    }
}

void check_output_files(const Assembly& assembly, Diagnostics& problems) {
    const std::vector<NamedFiles> all = named_files(assembly);
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            const std::string file = common_file(all[i], all[k]);
            if (file.empty()) {
                continue;
            }
            // Reported for the one that has a name.
            const bool is_named = !all[i].value->as_string().empty();
            const NamedFiles& said = is_named ? all[i] : all[k];
            const NamedFiles& other = is_named ? all[k] : all[i];
            problems.error(*said.value, fmt::format("{}.{}", said.draft->node.path, said.setting),
                           fmt::format("'{}' writes the file '{}' already; choose another name",
                                       other.draft->node.name, file));
        }
    }
}

}  // namespace ptp::pipeline
