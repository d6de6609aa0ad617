// The changes of an experiment during its run, and the file that has the current one.

#include "engine/train/stages.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "experiment/resumable.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace ptp::engine {

namespace fs = std::filesystem;

namespace {

void add_settings(const std::vector<pipeline::Node>& nodes, const std::string& path,
                  Value& settings) {
    const auto node = std::ranges::find(nodes, path, &pipeline::Node::path);
    if (node == nodes.end()) {
        return;
    }
    for (std::size_t i = 0; i < node->settings.size(); ++i) {
        if (node->settings[i]) {
            settings.set(node->component->settings[i].name, *node->settings[i]);
        }
    }
}

std::string_view schedule_of(const experiment::Training& training) {
    return training.scheduler ? schedule::name_of(*training.scheduler) : "";
}

bool has_any_of(const std::vector<std::string>& keys, const std::string& table) {
    return std::ranges::any_of(
        keys, [&](const std::string& key) { return key == table || key.starts_with(table + "."); });
}

// Returns "training.terminal_conditions.epoch_limit = 10"; only the name of a removed key.
std::string changes_text(const std::vector<std::string>& keys,
                         const experiment::Experiment& after) {
    const Value tree = experiment::resolved_tree(after);
    std::string text;
    for (const std::string& key : keys) {
        const Value* value = experiment::value_at(tree, key);
        text += fmt::format("{}{}{}", text.empty() ? "" : ", ", key,
                            value == nullptr ? " removed" : " = " + inline_toml(*value));
    }
    return text;
}

std::string begins_text(const Optimization::Changed& changed,
                        const experiment::Training& training) {
    std::vector<std::string> begin;
    if (changed.has_schedule && training.scheduler) {
        begin.emplace_back("the schedule");
    }
    if (changed.has_warm_up && training.warm_up) {
        begin.emplace_back("the warm-up");
    }
    return begin.empty()
               ? ""
               : fmt::format(
                     "; {} count{} from {}", join(begin, " and "), begin.size() == 1 ? "s" : "",
                     changed.begin.episode == changed.here.episode ? "here"
                                                                   : "the start of the training");
}

}  // namespace

fs::path first_experiment(const fs::path& run) {
    const fs::path first = run / run::kFirstExperimentFile;
    return fs::exists(first) ? first : run / run::kExperimentFile;
}

experiment::Experiment with_settings(experiment::Experiment experiment,
                                     const pipeline::Plan& plan) {
    for_each_settings(experiment, [&](const std::string& path, Value& settings) {
        add_settings(plan.tasks, path, settings);
        add_settings(plan.only_recorded, path, settings);
        add_settings(plan.nodes, path, settings);
    });
    return experiment;
}

std::string experiment_text(const experiment::Experiment& experiment, const pipeline::Plan& plan) {
    return to_toml(experiment::resolved_tree(with_settings(experiment, plan)));
}

Stages::Stages(const Parts& parts, std::vector<experiment::Experiment> stages)
    : parts_(parts), stages_(std::move(stages)) {
    if (stages_.empty()) {
        stages_.push_back(parts_.active);
    }
    experiment::copy_resumable(stages_.front().training, parts_.active.training);
}

void Stages::resume_at(std::size_t stage, Optimization& optimization) {
    if (stage >= stages_.size()) {
        throw RunError(kDataError, fmt::format("{} has changed the experiment {} times, and {} of "
                                               "them are known",
                                               run::kJournalFile, stage, stages_.size() - 1));
    }
    current_ = stage;
    experiment::copy_resumable(stages_[stage].training, parts_.active.training);
    optimization.follow_experiment();
}

std::string Stages::advance(Optimization& optimization, const TrainingPosition& here,
                            const TrainingPosition& begin) {
    const experiment::Training before = parts_.active.training;
    const experiment::Experiment old = stages_[current_];
    resume_at(current_ + 1, optimization);
    const auto keys = experiment::differing_keys(old, stages_[current_]);
    const Optimization::Changed changed = {
        .here = here,
        .begin = begin,
        .has_schedule = schedule_of(before) != schedule_of(parts_.active.training) ||
                        (begin.episode > 0 && has_any_of(keys, "training.scheduler")),
        .has_warm_up = has_any_of(keys, "training.warm_up")};
    optimization.change_from(before, changed);
    write();
    return changes_text(keys, stages_[current_]) + begins_text(changed, parts_.active.training);
}

void Stages::write() const {
    if (parts_.run.empty()) {
        return;  // another process does it
    }
    const fs::path first = parts_.run / run::kFirstExperimentFile;
    const fs::path file = parts_.run / run::kExperimentFile;
    if (!fs::exists(first)) {
        replace_file(first, read_text(file));
    }
    replace_file(file, experiment_text(stages_[current_], parts_.plan));
}

}  // namespace ptp::engine
