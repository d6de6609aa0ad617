// The history of a trained model, from the folder of its run, and the part of it that is known as
// the training begins.
#pragma once

#include "base/value.hpp"
#include "bundle/lineage.hpp"
#include "experiment/experiment.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::bundle {

struct History {
    Lineage lineage = {};
    std::vector<BundledData> data = {};
    std::vector<Ancestor> ancestors = {};

    void read(const schema::Scope& scope);
};

// The key of a history in the metadata of a safetensors file that was exported.
inline constexpr const char* kLineageText = "ptp.lineage";

// Returns the history as JSON in one line.
std::string text_of(const History& history);

// The models whose weights an experiment loads.
struct Beginning {
    Value table = Value::table();       // for run.json; empty where it loads none
    std::vector<std::string> warnings;  // of parents whose own history is not in the table
};

// Files that cannot be read are left out: the training reports them.
Beginning beginning_of(const experiment::Experiment& experiment);

// Returns whether a pipeline, or a component of it, begins with the weights of others.
bool begins_with_others(const experiment::Experiment& experiment);

// Returns the history of the weights of a run's checkpoint. Throws RunError, also where it is none
// that a bundle may have.
History history_of(const std::filesystem::path& run, const std::filesystem::path& checkpoint);

// Returns the SHA-256 of the weights that `load` takes from a run, a checkpoint, a bundle or a
// file. Throws RunError or FileError.
std::string hash_of_weights(const std::filesystem::path& named);

}  // namespace ptp::bundle
