// Installs bundles as models with a name.

#include "ptp-pack/models.hpp"

#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "base/temporary_path.hpp"
#include "bundle/bundle.hpp"
#include "ptp-pack/fetch.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <system_error>

namespace ptp::pack {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxModelBytes = std::uint64_t{16} << 30U;

fs::path signature_of(const fs::path& file) {
    return file.string() + kSignatureEnding;
}

// Returns "kinds" of "kinds.ptpm" and "https://example.org/kinds.ptpm".
std::string name_in(const std::string& source) {
    const std::string name = fs::path(source).stem().string();
    if (!is_package_name(name)) {
        refuse(kConfigurationError,
               {fmt::format("{}: its name cannot be that of an installed model, which is made of "
                            "lower-case letters, digits and '_'",
                            source),
                "rename the file: my_model.ptpm"});
    }
    return name;
}

// Names the source in errors, in place of its copy.
void check_content(const fs::path& copy, const std::string& source) {
    try {
        bundle::BundleFile(copy).check();
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

}  // namespace

fs::path chosen_models(const Given& given) {
    const fs::path packages = chosen_store(given).packages();
    return packages.empty() ? fs::path() : packages.parent_path() / "models";
}

bool is_model(const std::string& word) {
    return word.ends_with(bundle::kBundleEnding);
}

void install_model(const std::string& source, const Access& access, const fs::path& models) {
    const std::string name = name_in(source);
    const fs::path place = models / (name + bundle::kBundleEnding);
    make_folder(models);
    const TemporaryPath staging =
        TemporaryPath::empty_folder(models / fmt::format(".new-{}", ::getpid()));
    const fs::path copy = staging.path() / place.filename();
    if (fetch(source, copy, kMaxModelBytes) == Fetched::kMissing) {
        refuse(kDataError, {fmt::format("{}: there is no such model", source)});
    }
    const fs::path signature = fetch_signature(source, copy);
    const SignedBy by = check_signature({source, hash_of_file(copy), signature}, access.keys,
                                        access.unsigned_files);
    check_content(copy, source);
    if (!is_absent(place)) {
        if (sha256_of_file(place) == sha256_of_file(copy)) {
            fmt::print("nothing to do: the model {} is installed\n", name);
            return;
        }
        refuse(kPluginError,
               {fmt::format("{}: another model of the name {} is installed", source, name),
                fmt::format("ptp-pack remove {}, and install it again; or rename the "
                            "file",
                            name)});
    }
    if (is_absent(signature)) {
        std::error_code ignored;  // without an old signature there is nothing to remove
        fs::remove(signature_of(place), ignored);
    } else {
        move_to(signature, signature_of(place));
    }
    move_to(copy, place);
    sync_folder(models);
    fmt::print("installed the model {}, {}\n", name, signed_text(by.key));
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
    std::error_code error;
    fs::remove(file, error);
    if (error) {
        refuse(kTrainingError,
               {fmt::format("cannot remove {}: {}", file.string(), error.message())});
    }
    fs::remove(signature_of(file), error);
}

}  // namespace ptp::pack
