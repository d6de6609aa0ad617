// The installed models, files of `ptprun bundle`: MODELS/NAME.ptpm, each with its signature beside
// it. Nothing in them is unpacked.
#pragma once

#include "ptp-pack/common_options.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pack {

// The folder of models that belongs to the store of the options.
std::filesystem::path chosen_models(const Given& given);

// Returns whether a word is a file or an address of a model.
bool is_model(const std::string& word);

// Fetches a model, checks its signature and all hashes, and puts it in its place in one step. One
// of the same name that is another model stays, and is an error. Throws RunError.
void install_model(const std::string& source, const Access& access,
                   const std::filesystem::path& models);

// Returns the files of the models in a folder, in order.
std::vector<std::filesystem::path> models_in(const std::filesystem::path& models);

// Returns the file of a model; nullopt if none of this name is there.
std::optional<std::filesystem::path> model_named(const std::string& name,
                                                 const std::filesystem::path& models);

// Removes a model and its signature. Throws RunError.
void remove_model(const std::filesystem::path& file);

}  // namespace ptp::pack
