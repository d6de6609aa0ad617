// Warns of a task that standardizes by rows that the training's sampler leaves out, and names the
// setting by which it leaves out a fold.

#include "base/suggest.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/assemble.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/task_data.hpp"
#include "plugin/purpose.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pipeline {

using experiment::Section;

namespace {

constexpr const char* kHeldOut = "held_out";  // the setting of a task that learns from its rows

const plugin::Setting* held_out_of(const plugin::Component& task) {
    const auto found = std::ranges::find(task.settings, kHeldOut, &plugin::Setting::name);
    return found == task.settings.end() || found->type != plugin::SettingType::kTable ? nullptr
                                                                                      : &*found;
}

// Returns the sampler that cuts the same folds; "" where it cuts them by others than the classes or
// groups that the task has by default.
std::string_view sampler_of_folds(const Section& section) {
    const auto& renamed = section.task.names.streams;
    const auto is_own = [&](const std::string& stream, const std::string& port) {
        const auto found = std::ranges::find(renamed, port, &experiment::Renaming::from);
        return stream == (found == renamed.end() ? port : found->to);
    };
    if (const auto* groups = section.sampler->get<experiment::KFoldGroupSampler>()) {
        const std::string port = experiment::KFoldGroupSampler().group_stream;
        return is_own(groups->group_stream, port) ? section.sampler->type() : "";
    }
    const auto* classes = section.sampler->get<experiment::Classes>();
    if (classes == nullptr) {
        return experiment::KFoldRandomSampler::kName;
    }
    const bool is_of_task = classes->labels
                                ? !classes->labels->source.empty()
                                : is_own(classes->label_stream, experiment::Classes().label_stream);
    return is_of_task ? section.sampler->type() : "";
}

}  // namespace

std::optional<TaskSetting> held_out_setting(const Section& section, const plugin::Component& task) {
    const auto* folds = section.sampler ? section.sampler->get<experiment::Folds>() : nullptr;
    if (held_out_of(task) == nullptr || folds == nullptr || !folds->folds || !folds->fold) {
        return std::nullopt;
    }
    const std::string sampler(sampler_of_folds(section));
    if (sampler.empty()) {
        return std::nullopt;
    }
    return TaskSetting{kHeldOut, Value::table({{"folds", Value(*folds->folds)},
                                               {"fold", Value(*folds->fold)},
                                               {"fold_seed", Value(folds->fold_seed)},
                                               {"sampler", Value(sampler)}})};
}

namespace {

// Warns of a fold that is held out of the training, and not of what the task learns.
void warn_of_fold(const Section& section, const Node& task, Diagnostics& problems) {
    const plugin::Setting* const declared = held_out_of(*task.component);
    const auto setting = held_out_setting(section, *task.component);
    const Settings settings = checked_settings(task);
    const Value* const stated = declared == nullptr ? nullptr : settings.find(declared->name);
    if (declared == nullptr || (stated != nullptr && (!setting || *stated == setting->value))) {
        return;
    }
    problems.warning(
        section.sampler->place, fmt::format("{}.sampler", section.name),
        Explanation{fmt::format("{} standardizes also by the rows of the fold that is held out, so "
                                "that what is measured on these is too good",
                                node_text(task)),
                    setting ? fmt::format("write {} = {} in the task of each section",
                                          setting->name, written_table(*declared, setting->value))
                            : fmt::format("let the {} take the classes or groups of the task, for "
                                          "which `{}` can leave them out",
                                          section.sampler->type(), declared->name)});
}

// Returns whether the other task reads a file that the task reads.
bool reads_file_of(const Node& task, const Node& other) {
    const auto& declared = task.component->settings;
    for (std::size_t i = 0; i < declared.size() && task.component == other.component; ++i) {
        if (declared[i].type == plugin::SettingType::kPath && task.settings[i] &&
            task.settings[i] == other.settings[i]) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::string fix_of_split(const Assembly& assembly) {
    const Node& task = assembly.tasks.front().node;
    const auto& declared = *task.component;
    const auto table = std::ranges::find_if(declared.settings, [](const plugin::Setting& one) {
        return one.type == plugin::SettingType::kTable &&
               std::ranges::find(one.members, "shares", &plugin::Setting::name) !=
                   one.members.end();
    });
    if (plugin::find_purpose(declared.settings, plugin::Purpose::kSplit) == nullptr ||
        table == declared.settings.end()) {
        return "";
    }
    std::vector<std::string> paths;
    bool has_test = false;
    for (const Draft& draft : assembly.tasks) {
        if (reads_file_of(task, draft.node)) {
            paths.push_back(draft.node.path);
            has_test = has_test || experiment::role_of(draft.node.section) == "test";
        }
    }
    const bool is_all = paths.size() == assembly.tasks.size();
    return fmt::format("write {} = {{ shares = [{}], seed = 1 }} in {}", toml_key(table->name),
                       has_test ? "0.6, 0.2, 0.2" : "0.8, 0.2",
                       is_all ? "the task of each section" : joined(paths, "and"));
}

void warn_of_scales_of_all(const Assembly& assembly, Diagnostics& problems) {
    const Node& task = assembly.tasks.front().node;
    const Section* const section = experiment::find_section(*assembly.experiment, task.section);
    const auto& declared = *task.component;
    const bool standardizes =
        plugin::find_purpose(declared.globals, plugin::Purpose::kValueColumns) != nullptr &&
        std::ranges::any_of(task.outputs, [&](const Binding& output) {
            return output.stream >= 0 && output.shape.size() == 2 &&
                   task.port(output).element == plugin::Element::kFloating &&
                   task.port(output).purpose != plugin::Purpose::kTargets;
        });
    const auto* const part = plugin::find_purpose(declared.settings, plugin::Purpose::kSplit);
    const bool is_divided =
        part != nullptr &&
        (checked_settings(task).find(part->name) != nullptr ||
         part_of_training(task, static_cast<std::size_t>(part - declared.settings.data())));
    const bool is_measured = std::ranges::any_of(assembly.tasks, [&](const Draft& other) {
        return other.node.section != task.section && reads_file_of(task, other.node);
    });
    if (section == nullptr || takes_all(*section) || !standardizes || part == nullptr ||
        !is_measured || !may_read_numbers(*section, *assembly.catalog)) {
        return;
    }
    if (section->sampler->get<experiment::Folds>() != nullptr) {
        return warn_of_fold(*section, task, problems);
    }
    const std::string fix = fix_of_split(assembly);
    if (is_divided || fix.empty()) {
        return;
    }
    problems.warning(
        section->sampler->place, fmt::format("{}.sampler", section->name),
        Explanation{fmt::format("{} standardizes by all rows of its file, also by those that {} "
                                "leaves out, so that what is measured on these is too good",
                                node_text(task), section->sampler->type()),
                    fix + ", in place of the samplers"});
}

}  // namespace ptp::pipeline
