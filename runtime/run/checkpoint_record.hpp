// checkpoint.toml of a checkpoint: the position of the training, its results and its plugins, for
// people and for users of its weights.

#pragma once

#include "base/value.hpp"
#include "run/measurement.hpp"
#include "run/run.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::run {

// A plugin and its active generation; 0: plugins.lock does not list it.
struct ActivePlugin {
    std::string name;
    std::string version;
    std::string sha256;
    std::int64_t generation = 0;
    std::int64_t from_episode = 0;
};

struct CheckpointRecord {
    std::string experiment;  // name of the experiment
    std::int64_t seed = 0;
    bool is_reproducible = true;
    Value globals;         // a table: the constants of the pipeline
    Measurement measured;  // the last one
    std::vector<ActivePlugin> plugins;
    std::string status;  // "running", or why the training ended: "epoch_limit", ...
};

// Parses the text of the file; `file` is for errors. The content is not trusted: missing values and
// values of another type become 0, "" or empty. Throws NewerFormat, and RunError with kDataError
// for text that is not TOML.
CheckpointRecord checkpoint_record_from(std::string_view text, const std::filesystem::path& file);

// Throws as checkpoint_record_from() and read_text() do.
CheckpointRecord read_checkpoint_record(const std::filesystem::path& checkpoint);

// Creates the file in the folder of a checkpoint that is being made. Throws RunError.
void write_checkpoint_record(const std::filesystem::path& checkpoint,
                             const CheckpointRecord& record);

// Returns the hashes of plugins by their names; empty without a readable record. Throws
// NewerFormat.
std::map<std::string, std::string> recorded_plugins(const std::filesystem::path& checkpoint);

// Returns the epoch of the best measurement of a run that is running or has died, if its checkpoint
// `best` is an older one or missing. nullopt for any other run.
std::optional<std::int64_t> newer_best_epoch(const Run& run);

// Returns newer_best_epoch() of a run that has died: the weights of that epoch are lost.
std::optional<std::int64_t> unsaved_best_epoch(const Run& run);

}  // namespace ptp::run
