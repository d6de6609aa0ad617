// The history of a model: its measurements, and the data and first weights of its training.

#include "ptp-bundle/history.hpp"

#include "base/sha256.hpp"
#include "base/toml_writer.hpp"
#include "experiment/weights_file.hpp"
#include "ptp-report/statistics_table.hpp"
#include "run/paths.hpp"
#include "run/training_record.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace ptp::bundling {

namespace fs = std::filesystem;

namespace {

// Returns the members of a table; none of anything else.
std::vector<Member> members_of(const Value* table) {
    return table != nullptr && table->is_table() ? table->members() : std::vector<Member>();
}

// Returns whether these are the weights that the test set was measured with: the best, or without
// such the last.
bool are_tested(const Source& source) {
    std::error_code ignored;
    fs::path tested = source.run / run::kCheckpointsFolder / run::kBestCheckpoint;
    if (!fs::is_directory(tested, ignored)) {
        tested = tested.parent_path() / run::kLastCheckpoint;
    }
    return fs::equivalent(tested, source.checkpoint, ignored) ||
           (fs::is_directory(tested, ignored) &&
            sha256_of_file(experiment::weights_file(tested)) ==
                sha256_of_file(experiment::weights_file(source.checkpoint)));
}

// Returns the last row of the table of the test set.
std::optional<run::Measurement> tested(const fs::path& run) {
    std::error_code ignored;
    const fs::path file = run / run::kTestTable;
    const auto table = fs::exists(file, ignored) ? report::read_statistics(file) : std::nullopt;
    if (!table || table->row_count() == 0) {
        return std::nullopt;
    }
    run::Measurement measured;
    measured.set = table->set;
    for (std::size_t i = 0; i < table->names.size(); ++i) {
        const double value = table->columns[i].back();
        if (table->names[i] == "episode") {
            measured.episode = static_cast<std::int64_t>(value);
        } else if (table->names[i] == "epoch") {
            measured.epoch = static_cast<std::int64_t>(value);
        } else if (table->names[i] == "loss") {
            measured.loss = value;
        } else if (!report::is_place(table->names[i])) {
            measured.statistics.emplace_back(
                table->names[i], std::isfinite(value) ? std::optional(value) : std::nullopt);
        }
    }
    return measured;
}

// Returns the files of weights that the training began with.
std::vector<std::string> parents_of(const experiment::Experiment& experiment) {
    std::vector<std::string> parents;
    const auto add = [&](const std::optional<experiment::Load>& load) {
        const fs::path file = load ? experiment::weights_file(load->from) : fs::path();
        std::error_code ignored;
        if (load) {
            const bool is_there = fs::is_regular_file(file, ignored);
            parents.push_back(fmt::format("{}{}", fs::path(load->from).filename().string(),
                                          is_there ? " " + sha256_of_file(file) : ""));
        }
    };
    add(experiment.pipeline.load);
    for (const experiment::ComponentEntry& entry : experiment.pipeline.components) {
        if (entry.is_enabled) {
            add(entry.load);
        }
    }
    return parents;
}

std::string text_at(const Value& table, const char* key) {
    const Value* const value = table.find(key);
    return value != nullptr && value->is_string() ? value->as_string() : "";
}

}  // namespace

bundle::Lineage lineage_of(const Source& source, const run::CheckpointRecord& checkpoint,
                           const run::Record& record, const experiment::Experiment& experiment) {
    const Value* const clean = record.git.is_table() ? record.git.find("clean") : nullptr;
    bundle::Lineage lineage;
    lineage.run = fs::weakly_canonical(source.run).filename().string();
    lineage.experiment_sha256 = record.experiment_sha256;
    lineage.commit = record.git.is_table() ? text_at(record.git, "commit") : "";
    lineage.is_clean = clean == nullptr || (clean->is_bool() && clean->as_bool());
    lineage.seed = checkpoint.seed;
    lineage.epoch = checkpoint.measured.epoch;
    lineage.episode = checkpoint.measured.episode;
    lineage.parents = parents_of(experiment);
    return lineage;
}

std::vector<run::Measurement> metrics_of(const Source& source,
                                         const run::CheckpointRecord& checkpoint) {
    std::vector<run::Measurement> metrics = {checkpoint.measured};
    if (const auto test = tested(source.run); test && are_tested(source)) {
        metrics.push_back(*test);
    }
    return metrics;
}

std::vector<bundle::BundledData> data_of(const Value& training) {
    std::vector<bundle::BundledData> all;
    for (const Member& section : members_of(training.find(run::kDataPart))) {
        const Value* const samples = section.value.find("samples");
        const Value* const files = section.value.find("files");
        bundle::BundledData data;
        data.section = section.key;
        data.samples = samples != nullptr && samples->is_integer() ? samples->as_integer() : 0;
        if (!members_of(files).empty()) {
            data.sha256 = sha256(to_toml(*files));
        }
        all.push_back(std::move(data));
    }
    return all;
}

}  // namespace ptp::bundling
