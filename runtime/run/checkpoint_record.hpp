// checkpoint.toml of a checkpoint: where the training was, how good it was, and what made it; for
// people, and for who uses its weights.

#pragma once

#include "base/value.hpp"
#include "run/measurement.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::run {

// A plugin, and which generation of it was active; 0: plugins.lock does not have it.
struct ActivePlugin {
    std::string name;
    std::string version;
    std::string sha256;
    std::int64_t generation = 0;
    std::int64_t from_episode = 0;
};

struct CheckpointRecord {
    std::string experiment;  // its name
    std::int64_t seed = 0;
    bool is_reproducible = true;
    Value globals;         // a table: the constants of the pipeline
    Measurement measured;  // the last one
    std::vector<ActivePlugin> plugins;
    std::string status;  // "running", or what ended the training: "epoch_limit", ...
};

// The content of the file's text; `file` is for errors. Nothing is trusted: what is missing or has
// another type is 0, "" or nothing. Throws NewerFormat, and RunError with kDataError for what is
// not TOML.
CheckpointRecord checkpoint_record_from(std::string_view text, const std::filesystem::path& file);

// Throws RunError, as read_text() does, too.
CheckpointRecord read_checkpoint_record(const std::filesystem::path& checkpoint);

// A new file in the folder of a checkpoint that is being made. Throws RunError.
void write_checkpoint_record(const std::filesystem::path& checkpoint,
                             const CheckpointRecord& record);

// The hashes of plugins, by their names; none without a readable record. Throws NewerFormat.
std::map<std::string, std::string> recorded_plugins(const std::filesystem::path& checkpoint);

}  // namespace ptp::run
