// Files of tensors that are named after an episode: "validation_000937.safetensors".

#pragma once

#include "base/value.hpp"
#include "engine/component/saved_state.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace ptp::engine {

// The files of one folder. A resumed run has none that were written after its checkpoint: those it
// writes again, or, with another limit, never. [main]
class NumberedFiles {
public:
    explicit NumberedFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

    // Returns for each prefix the episode after that of its last file, for a checkpoint; those of
    // earlier versions have an empty table.
    [[nodiscard]] Value save() const;
    void restore(const Value& saved);

    // Creates the folder, and removes the files of episodes from the saved ones on; those of
    // prefixes that were not saved, from the episode before `first_episode` on, or, where nothing
    // was saved, from `first_episode` on.
    void begin(std::uint64_t first_episode);

    // Writes FOLDER/PREFIX_EPISODE.safetensors, which is complete or does not exist. Throws
    // RunError.
    void write(const std::string& prefix, std::uint64_t episode, const TensorsByName& tensors,
               const std::map<std::string, std::string>& metadata);

private:
    std::filesystem::path folder_;
    std::map<std::string, std::uint64_t> ends_;
    bool is_restored_ = false;
};

}  // namespace ptp::engine
