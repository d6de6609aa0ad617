#include "engine/train/stages.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/toml_writer.hpp"
#include "config/resumable.hpp"
#include "engine/train/record_settings.hpp"

#include <fmt/core.h>

#include <utility>

namespace ptp::engine {

namespace fs = std::filesystem;

namespace {

// "training.terminal_conditions.epoch_limit = 10"; without a value what is gone.
std::string changes_text(const config::Experiment& before, const config::Experiment& after) {
    const Value tree = config::resolved_tree(after);
    std::string text;
    for (const std::string& key : config::differing_keys(before, after)) {
        const Value* value = config::value_at(tree, key);
        text += fmt::format("{}{}{}", text.empty() ? "" : ", ", key,
                            value == nullptr ? " removed" : " = " + inline_toml(*value));
    }
    return text;
}

}  // namespace

fs::path first_experiment(const fs::path& run) {
    const fs::path first = run / kFirstExperimentFile;
    return fs::exists(first) ? first : run / kExperimentFile;
}

std::string experiment_text(const config::Experiment& experiment, const pipeline::Plan& plan) {
    return to_toml(config::resolved_tree(with_settings(experiment, plan)));
}

Stages::Stages(const Parts& parts, std::vector<config::Experiment> stages)
    : parts_(parts), stages_(std::move(stages)) {
    config::copy_resumable(stages_.front().training, parts_.in_force.training);
}

void Stages::resume_at(std::size_t stage, Optimization& optimization) {
    if (stage >= stages_.size()) {
        throw RunError(kDataError, fmt::format("journal.jsonl has changed the experiment {} times, "
                                               "and {} of them are known",
                                               stage, stages_.size() - 1));
    }
    current_ = stage;
    config::copy_resumable(stages_[stage].training, parts_.in_force.training);
    optimization.follow_schedule();
}

std::string Stages::advance(Optimization& optimization) {
    const config::Training before = parts_.in_force.training;
    const config::Experiment old = stages_[current_];
    resume_at(current_ + 1, optimization);
    optimization.change_from(before);
    write();
    return changes_text(old, stages_[current_]);
}

void Stages::write() const {
    const fs::path first = parts_.run / kFirstExperimentFile;
    const fs::path file = parts_.run / kExperimentFile;
    if (!fs::exists(first)) {
        replace_file(first, read_text(file));
    }
    replace_file(file, experiment_text(stages_[current_], parts_.plan));
}

}  // namespace ptp::engine
