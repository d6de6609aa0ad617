// Files of tensors that are named after an episode: "validation_000937.safetensors".

#pragma once

#include "engine/component/saved_state.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace ptp::engine {

// Creates the folder, and removes the files of this episode and later ones, which a resumed run
// writes again.
void prepare_numbered_files(const std::filesystem::path& folder, std::uint64_t first_episode);

// Writes FOLDER/PREFIX_EPISODE.safetensors, which is complete or does not exist. Throws RunError.
void write_numbered_file(const std::filesystem::path& folder, std::string_view prefix,
                         std::uint64_t episode, const TensorsByName& tensors,
                         const std::map<std::string, std::string>& metadata);

}  // namespace ptp::engine
