// The installed models, files of `ptprun bundle`: MODELS/NAME.ptpm, each with its signature beside
// it. Nothing in them is unpacked.
#pragma once

#include "base/temporary_path.hpp"
#include "bundle/manifest.hpp"
#include "ptp-pack/common_options.hpp"
#include "ptp-pack/plan.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pack {

// The folder of models that belongs to the store of the options.
std::filesystem::path chosen_models(const Given& given);

// Returns whether a word is a file or an address of a model.
bool is_model(const std::string& word);

// A model that can be installed.
struct NewModel {
    std::string name;
    std::string source;               // path or address of its file
    std::string sha256 = {};          // of its file, as an index has it; "": it is of no index
    std::int64_t size = 0;            // the same
    std::filesystem::path file = {};  // fetched and checked
    std::string signed_by = {};
    std::vector<bundle::NeededPlugin> plugins = {};
};

// Returns the model of a file or an address, by the name of the file. Throws RunError.
NewModel model_of_file(const std::string& source);

// Returns the model of the first repository that has it; nullopt where there is only a package of
// the name, or nothing. Throws RunError if there are both; a fix has these options.
std::optional<NewModel> requested_model(const Request& request,
                                        const std::vector<OpenRepository>& repositories,
                                        const std::string& options);

// Installs models: all are fetched and checked before the first is put in its place.
class ModelInstallation {
public:
    // Removes what interrupted installations have left. REQUIRES: the store is locked.
    ModelInstallation(std::filesystem::path models, const Access& access);

    // Fetches a model, and checks its size and hash if an index has them, its signature and all
    // hashes in it. Throws RunError, also if another model of its name is installed.
    void add(NewModel model);

    [[nodiscard]] const std::vector<NewModel>& models() const { return wanted_; }

    // Throws RunError if a package that is installed or among these, which are to be installed, has
    // the name of a model.
    void check_names(const std::vector<Candidate>& packages, const Store& store) const;

    // Puts each model in its place in one step, prints it, and warns of plugins that it needs and
    // that are missing: they may be installed later. Throws RunError.
    void install() const;

private:
    [[nodiscard]] std::filesystem::path place_of(const std::string& name) const;
    void warn_of_missing_plugins() const;

    std::filesystem::path models_;
    const Access& access_;
    std::optional<TemporaryPath> staging_;  // in the folder of the models, since files move from it
    std::vector<NewModel> wanted_;
};

// Returns the files of the models in a folder, in order.
std::vector<std::filesystem::path> models_in(const std::filesystem::path& models);

// Returns the file of a model; nullopt if none of this name is there.
std::optional<std::filesystem::path> model_named(const std::string& name,
                                                 const std::filesystem::path& models);

// Removes a model and its signature. Throws RunError.
void remove_model(const std::filesystem::path& file);

}  // namespace ptp::pack
