// Installs bundles as models with a name.

#include "ptp-pack/models.hpp"

#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "bundle/bundle.hpp"
#include "bundle/installed_models.hpp"
#include "plugin/catalog.hpp"
#include "ptp-pack/fetch.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace ptp::pack {

namespace fs = std::filesystem;

namespace {

constexpr const char* kNew = ".new-";  // begins the name of the folder of an installation

fs::path signature_of(const fs::path& file) {
    return file.string() + kSignatureEnding;
}

// Reads all of a model, with its source in errors in place of its copy. Returns the plugins that it
// needs.
std::vector<bundle::NeededPlugin> checked_content(const fs::path& copy, const std::string& source) {
    try {
        const bundle::BundleFile file(copy);
        file.check();
        return file.manifest().plugins;
    } catch (const RunError& error) {
        std::string text = error.what();
        if (text.starts_with(copy.string())) {
            text.replace(0, copy.string().size(), source);
        }
        throw RunError(error.code(), text);
    }
}

void move_to(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::rename(from, to, error);
    if (error) {
        refuse(kTrainingError, {fmt::format("cannot write {}: {}", to.string(), error.message())});
    }
}

void remove_file(const fs::path& file) {
    std::error_code error;  // none where there is no file
    fs::remove(file, error);
    if (error) {
        refuse(kTrainingError,
               {fmt::format("cannot remove {}: {}", file.string(), error.message())});
    }
}

// Removes what interrupted installations have left. The caller has locked the store.
void remove_rests(const fs::path& models) {
    std::error_code error;  // a rest that cannot be removed does no harm
    std::vector<fs::path> rests;
    for (fs::directory_iterator entry(models, error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->path().filename().string().starts_with(kNew)) {
            rests.push_back(entry->path());
        }
    }
    for (const fs::path& rest : rests) {
        fs::remove_all(rest, error);
    }
}

std::optional<NewModel> offered_model(const std::string& name,
                                      const std::vector<OpenRepository>& repositories) {
    for (const OpenRepository& open : repositories) {
        const auto entry = std::ranges::find(open.index.models, name, &ModelEntry::name);
        if (entry != open.index.models.end()) {
            return NewModel{.name = name,
                            .source = location_of(open.repository.location, entry->file()),
                            .sha256 = entry->sha256,
                            .size = entry->size};
        }
    }
    return std::nullopt;
}

// Puts the trusted signature of a model that is installed beside it, if it is another than the one
// that is there, and prints what was done.
void add_signature(const NewModel& model, const fs::path& signature, const fs::path& place) {
    const bool is_new = !model.signed_by.empty() &&
                        (is_absent(place) || sha256_of_file(place) != sha256_of_file(signature));
    if (is_new) {
        move_to(signature, place);
        sync_folder(place.parent_path());
    }
    fmt::print("{}: the model {} is installed{}\n",
               is_new ? "added the signature" : "nothing to do", model.name,
               is_new ? ", " + signed_text(model.signed_by) : "");
}

[[noreturn]] void refuse_name(const std::string& source, const std::string& name,
                              const char* other) {
    refuse(kPluginError,
           {fmt::format("{}: a {} of the name {} is installed, or is to be", source, other, name),
            fmt::format(
                "leave out one of the two, or remove the one that is there: ptp-pack remove {}",
                name)});
}

}  // namespace

fs::path chosen_models(const Given& given) {
    return bundle::models_folder(chosen_store(given).packages());
}

bool is_model(const std::string& word) {
    return word.ends_with(bundle::kBundleEnding);
}

NewModel model_of_file(const std::string& source) {
    const std::string name = fs::path(source).stem().string();
    require_model_name(name, source);
    return {.name = name, .source = source};
}

std::optional<NewModel> requested_model(const Request& request,
                                        const std::vector<OpenRepository>& repositories,
                                        const std::string& options) {
    const auto model = offered_model(request.name, repositories);
    const auto package = newest({.name = request.name, .takes_prereleases = true}, repositories);
    if (model && package) {
        refuse(kPluginError,
               {fmt::format("'{}' is a package, {}, and a model, {}", request.name, package->source,
                            model->source),
                fmt::format("name the file of the one that you want: ptp-pack install {}",
                            shell_word(model->source))});
    }
    if (model && !request.version.empty()) {
        refuse(kConfigurationError,
               {fmt::format("'{}' is a model, which has no versions", request.name),
                fmt::format("ptp-pack install {}{}", request.name, options)});
    }
    return model;
}

ModelInstallation::ModelInstallation(fs::path models, const Access& access)
    : models_(std::move(models)), access_(access) {
    remove_rests(models_);
}

fs::path ModelInstallation::place_of(const std::string& name) const {
    return models_ / (name + bundle::kBundleEnding);
}

void ModelInstallation::add(NewModel model) {
    if (std::ranges::find(wanted_, model.name, &NewModel::name) != wanted_.end()) {
        refuse(kConfigurationError,
               {fmt::format("{}: the model {} is named twice", model.source, model.name),
                "name it once"});
    }
    if (!staging_) {
        make_folder(models_);
        staging_.emplace(
            TemporaryPath::empty_folder(models_ / fmt::format("{}{}", kNew, ::getpid())));
    }
    const bool is_promised = !model.sha256.empty();
    model.file = staging_->path() / (model.name + bundle::kBundleEnding);
    const auto max_bytes = is_promised ? static_cast<std::uint64_t>(model.size) : kMaxModelBytes;
    if (fetch(model.source, model.file, max_bytes) == Fetched::kMissing) {
        refuse(kDataError, {fmt::format("{}: there is no such model", model.source)});
    }
    const std::string hash = sha256_of_file(model.file);
    if (is_promised && hash != model.sha256) {
        refuse_other_file(model.source);
    }
    model.signed_by = check_signature({model.source, hash_of_file(model.file),
                                       fetch_signature(model.source, model.file)},
                                      access_.keys, access_.unsigned_files)
                          .key;
    model.plugins = checked_content(model.file, model.source);
    if (const fs::path place = place_of(model.name);
        !is_absent(place) && sha256_of_file(place) != hash) {
        refuse(kPluginError, {fmt::format("{}: another model of the name {} is installed",
                                          model.source, model.name),
                              fmt::format("rename the file, or remove the one that is there: "
                                          "ptp-pack remove {}",
                                          model.name)});
    }
    wanted_.push_back(std::move(model));
}

void ModelInstallation::check_names(const std::vector<Candidate>& packages,
                                    const Store& store) const {
    for (const NewModel& model : wanted_) {
        const bool is_wanted = std::ranges::any_of(packages, [&](const Candidate& candidate) {
            return candidate.about.name == model.name;
        });
        if (is_wanted || store.find(model.name)) {
            refuse_name(model.source, model.name, "package");
        }
    }
    for (const Candidate& candidate : packages) {
        if (model_named(candidate.about.name, models_)) {
            refuse_name(candidate.source, candidate.about.name, "model");
        }
    }
}

void ModelInstallation::warn_of_missing_plugins() const {
    const plugin::Catalog catalog =
        wanted_.empty() ? plugin::Catalog() : plugin::scan(plugin_folders());
    for (const NewModel& model : wanted_) {
        for (const bundle::NeededPlugin& needed : model.plugins) {
            const bool is_there =
                std::ranges::any_of(catalog.plugins, [&](const plugin::CatalogEntry& entry) {
                    return entry.manifest.name == needed.name;
                });
            if (!is_there) {
                fmt::print(
                    "warning: the model {} needs the plugin '{}' {}, which is not installed\n",
                    model.name, needed.name, needed.version);
            }
        }
    }
}

void ModelInstallation::install() const {
    for (const NewModel& model : wanted_) {
        const fs::path place = place_of(model.name);
        const fs::path signature = signature_of(model.file);
        if (!is_absent(place)) {
            add_signature(model, signature, signature_of(place));
            continue;
        }
        remove_file(signature_of(place));  // of a model that is gone
        if (!is_absent(signature)) {
            move_to(signature, signature_of(place));
        }
        move_to(model.file, place);
        sync_folder(models_);
        fmt::print("installed the model {}, {}\n", model.name, signed_text(model.signed_by));
    }
    warn_of_missing_plugins();
}

std::vector<fs::path> models_in(const fs::path& models) {
    return models.empty() || is_absent(models) ? std::vector<fs::path>()
                                               : files_ending_with(models, bundle::kBundleEnding);
}

std::optional<fs::path> model_named(const std::string& name, const fs::path& models) {
    const fs::path file = models / (name + bundle::kBundleEnding);
    return models.empty() || !is_package_name(name) || is_absent(file) ? std::nullopt
                                                                       : std::optional(file);
}

void remove_model(const fs::path& file) {
    remove_file(file);
    remove_file(signature_of(file));
}

}  // namespace ptp::pack
