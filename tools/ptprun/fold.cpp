// Changes an experiment such that it holds out a fold: samplers, validation and other sections.

#include "fold.hpp"

#include "pipeline/expression.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace ptp::ptprun {

namespace {

using experiment::Experiment;
using experiment::Folds;
using experiment::KFoldGroupSampler;
using experiment::KFoldLengthGroupedSampler;
using experiment::KFoldRandomSampler;
using experiment::KFoldStratifiedSampler;
using experiment::LengthGroupedSampler;
using experiment::Lengths;
using experiment::Sampler;
using experiment::Section;
using experiment::Split;
using experiment::StratifiedSplitSampler;
using experiment::TaskEntry;
using experiment::Training;
using pipeline::DataSetting;

// Returns the written value or the default; nullptr if there is neither.
const Value* effective_value(const TaskEntry& task, const DataSetting& setting) {
    const Value* written = task.settings.find(setting.name);
    return written != nullptr || !setting.default_value ? written : &*setting.default_value;
}

bool is_equal(const TaskEntry& task, const TaskEntry& other, const DataSetting& setting) {
    const Value* left = effective_value(task, setting);
    const Value* right = effective_value(other, setting);
    return left == nullptr ? right == nullptr : right != nullptr && *left == *right;
}

// Returns "MNIST" for "vision_tasks/MNIST".
std::string_view type_name_of(const TaskEntry& task) {
    const std::string_view type = task.type;
    return type.substr(type.rfind('/') + 1);
}

bool have_the_same_samples(const TaskEntry& task, const TaskEntry& other,
                           const std::vector<DataSetting>& data_settings) {
    return type_name_of(task) == type_name_of(other) &&
           std::ranges::all_of(data_settings, [&](const DataSetting& setting) {
               return is_equal(task, other, setting);
           });
}

void take_data_of(const TaskEntry& training, const std::vector<DataSetting>& data_settings,
                  TaskEntry& task) {
    for (const DataSetting& setting : data_settings) {
        const Value* wanted = training.settings.find(setting.name);
        if (is_equal(training, task, setting)) {
            continue;
        }
        if (wanted == nullptr) {
            task.settings.erase(setting.name);
        } else {
            task.settings.set(setting.name, *wanted);
        }
    }
}

// Returns the validation with its loader settings and the samples of the training.
Section validation_of(const Experiment& experiment, const std::vector<DataSetting>& data_settings,
                      Diagnostics& problems) {
    const Training& training = experiment.training;
    Section validation = experiment.validation.value_or(training);
    validation.name = experiment.validation ? experiment.validation->name : "validation";
    const std::string path = validation.name + ".task";
    const std::int64_t batch_size = validation.task.batch_size;
    if (!experiment.validation || validation.task.type != training.task.type) {
        if (experiment.validation) {
            problems.warning(validation.task.place, path,
                             "is replaced by training.task, one of whose folds is held out");
        }
        validation.task = training.task;
    }
    const std::optional<Sampler>& own = validation.sampler;
    if (experiment.validation && own && own->get<Folds>() == nullptr &&
        own->get<Split>() == nullptr) {
        problems.warning(own->place, validation.name + ".sampler",
                         "is replaced by the fold that is held out");
    }
    validation.task.batch_size = batch_size;
    validation.task.path = path;
    take_data_of(training.task, data_settings, validation.task);
    validation.dataloader.shuffle = false;
    validation.dataloader.mode = "ordered";
    return validation;
}

// Returns the sampler for a fold. A sampler that groups samples by length groups those outside of
// the fold. A sampler that selects a part of the samples is replaced by folds of all samples, which
// are stratified if that sampler is, or if `is_stratified`.
Sampler with_folds(const Sampler& sampler, bool is_stratified, Diagnostics& problems) {
    const bool is_share =
        sampler.get<Split>() != nullptr || sampler.get<experiment::Subset>() != nullptr;
    const auto* stratified = sampler.get<StratifiedSplitSampler>();
    const auto* grouped = sampler.get<Lengths>();
    const bool keeps_classes = stratified != nullptr || (is_stratified && grouped == nullptr);
    if (is_share) {
        problems.warning(
            sampler.place, "training.sampler",
            fmt::format("the folds are cut from all samples of training.task, {}, and not from the "
                        "{} that the {} has",
                        keeps_classes ? "with the classes in the same proportions" : "at random",
                        sampler.get<Split>() != nullptr ? "share" : "samples", sampler.type()));
    }
    if (grouped != nullptr && sampler.get<Folds>() == nullptr) {
        return Sampler{KFoldLengthGroupedSampler{{}, *grouped}, sampler.place};
    }
    if (stratified != nullptr) {
        return Sampler{KFoldStratifiedSampler{{}, *stratified}, sampler.place};
    }
    if (is_stratified && sampler.get<KFoldRandomSampler>() != nullptr) {
        return Sampler{KFoldStratifiedSampler{*sampler.get<Folds>(), {}}, sampler.place};
    }
    if (is_share) {
        return keeps_classes ? Sampler{KFoldStratifiedSampler(), sampler.place}
                             : Sampler{KFoldRandomSampler(), sampler.place};
    }
    return sampler;
}

Sampler held_out_by(const Sampler& training) {
    Sampler held_out{KFoldRandomSampler{*training.get<Folds>()}, training.place};
    if (const auto* grouped = training.get<KFoldLengthGroupedSampler>()) {
        held_out.options = *grouped;
        held_out.get<Lengths>()->shuffle = false;
    }
    if (const auto* stratified = training.get<KFoldStratifiedSampler>()) {
        held_out.options = *stratified;
    }
    if (const auto* by_group = training.get<KFoldGroupSampler>()) {
        held_out.options = *by_group;
    }
    held_out.get<Folds>()->part = "validation";
    return held_out;
}

// Applies the held-out fold to the other sections. One with the samples of the training would
// otherwise evaluate the model on samples that it was trained on.
void hold_out_of_others(Experiment& experiment, const std::vector<DataSetting>& data_settings,
                        Diagnostics& problems) {
    for (Section* section : experiment::all_sections(experiment)) {
        if (section == &experiment.training || section == &*experiment.validation ||
            !have_the_same_samples(experiment.training.task, section->task, data_settings)) {
            continue;
        }
        const std::string key = section->name + ".sampler";
        const std::optional<Sampler>& own = section->sampler;
        const SourceLocation place = own ? own->place : section->place;
        if (!own || own->get<LengthGroupedSampler>() != nullptr ||
            (own->get<Folds>() != nullptr && own->get<Folds>()->part != "validation")) {
            problems.warning(place, key,
                             "is set to the fold that is held out: the task has the samples of "
                             "training.task");
        } else if (own->get<Folds>() == nullptr) {
            problems.error(
                place, key,
                Explanation{
                    fmt::format("selects samples of training.task, and a {} cannot hold out a fold",
                                own->type()),
                    fmt::format("remove it, or set {}.task to other samples", section->name)});
            continue;
        }
        section->sampler = held_out_by(*experiment.training.sampler);
        section->sampler->place = place;
        section->dataloader.shuffle = false;
    }
}

// Warns of folds that are cut through groups which the task knows: the settings that name them are
// that of the stream which a kFoldGroupSampler reads, and one of the same name in a table, such as
// `split`.
void warn_of_groups(const Training& training, const plugin::Catalog& catalog,
                    Diagnostics& problems) {
    const plugin::Component* component = pipeline::component_of(training.task, catalog);
    if (component == nullptr || training.sampler->get<KFoldGroupSampler>() != nullptr) {
        return;
    }
    const auto port =
        std::ranges::find(component->ports, KFoldGroupSampler().group_stream, &plugin::Port::name);
    const bool has_condition = port != component->ports.end() && !port->when.empty();
    const std::string setting =
        has_condition ? pipeline::parse_condition(port->when).terms.front().setting : "";
    const Value* group = training.task.settings.find(setting);
    std::string key = training.task.path + "." + setting;
    std::string advice =
        fmt::format("training.sampler = {{ type = \"{}\" }}", KFoldGroupSampler::kName);
    for (const Member& one : training.task.settings.members()) {
        const Value* below = group == nullptr ? one.value.find(setting) : nullptr;
        if (below != nullptr && below->is_string()) {
            group = below;
            advice = fmt::format("{} = \"{}\", and {}", key, below->as_string(), advice);
            key = fmt::format("{}.{}.{}", training.task.path, one.key, setting);
        }
    }
    if (!setting.empty() && group != nullptr && group->is_string()) {
        problems.warning(
            group->place(), key,
            Explanation{fmt::format("the folds are cut at random: samples of one '{}' "
                                    "may be in the training and in the fold that is held out",
                                    group->as_string()),
                        "set " + advice});
    }
}

// Lets tasks that learn from their rows, such as means, leave out the fold.
void leave_out_of_means(Experiment& experiment, const plugin::Catalog& catalog) {
    for (Section* section : experiment::all_sections(experiment)) {
        const plugin::Component* const task = pipeline::component_of(section->task, catalog);
        const auto setting =
            task == nullptr ? std::nullopt : pipeline::held_out_setting(*section, *task);
        if (setting) {
            section->task.settings.set(setting->name, setting->value);
        }
    }
}

}  // namespace

void make_fold(Experiment& experiment, const Fold& fold,
               const std::vector<DataSetting>& data_settings, Diagnostics& problems) {
    Training& training = experiment.training;
    Sampler sampler = with_folds(training.sampler.value_or(Sampler{KFoldRandomSampler()}),
                                 fold.is_stratified, problems);
    auto* folds = sampler.get<Folds>();
    if (folds == nullptr) {
        const bool has_weights = sampler.get<experiment::Weights>() != nullptr;
        problems.error(
            sampler.place, "training.sampler",
            Explanation{fmt::format("a {} cannot hold out a fold", sampler.type()),
                        has_weights ? fmt::format("set training.sampler.type = \"{}\"",
                                                  experiment::KFoldWeightedRandomSampler::kName)
                                    : "remove training.sampler: the folds are drawn at random"});
        return;
    }
    if (fold.is_stratified && sampler.get<KFoldStratifiedSampler>() == nullptr) {
        problems.error(
            sampler.place, "training.sampler",
            Explanation{fmt::format("the folds of a {} cannot be stratified", sampler.type()),
                        "remove it, or leave out --stratified"});
        return;
    }
    folds->folds = fold.count;
    folds->fold = fold.number;
    folds->is_from_option = true;
    folds->part = "training";
    training.sampler = sampler;
    training.dataloader.shuffle = false;
    Section validation = validation_of(experiment, data_settings, problems);
    validation.sampler = held_out_by(sampler);
    experiment.validation = std::move(validation);
    hold_out_of_others(experiment, data_settings, problems);
}

void hold_out(host::Request& request, const Fold& fold) {
    request.adapt = [fold](experiment::Experiment& experiment, const plugin::Catalog& catalog,
                           Diagnostics& problems) {
        pipeline::fix_split(experiment.training.task, catalog);
        if (experiment.validation) {
            pipeline::fix_split(experiment.validation->task, catalog);
        }
        make_fold(experiment, fold, pipeline::data_settings(experiment.training.task, catalog),
                  problems);
        if (problems.ok()) {
            warn_of_groups(experiment.training, catalog, problems);
            leave_out_of_means(experiment, catalog);
        }
    };
}

}  // namespace ptp::ptprun
