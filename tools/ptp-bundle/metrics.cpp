// Finds what a model was measured with.

#include "ptp-bundle/contents.hpp"

#include "base/sha256.hpp"
#include "experiment/weights_file.hpp"
#include "ptp-report/statistics_table.hpp"
#include "run/paths.hpp"

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <system_error>

namespace ptp::bundling {

namespace fs = std::filesystem;

namespace {

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

}  // namespace

std::vector<run::Measurement> metrics_of(const Source& source,
                                         const run::CheckpointRecord& checkpoint) {
    std::vector<run::Measurement> metrics = {checkpoint.measured};
    if (const auto test = tested(source.run); test && are_tested(source)) {
        metrics.push_back(*test);
    }
    return metrics;
}

}  // namespace ptp::bundling
