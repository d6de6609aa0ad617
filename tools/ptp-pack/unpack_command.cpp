// `ptp-pack unpack`: writes the builds of plugins out of a bundle, once its signature is trusted.
// `ptprun predict MODEL.ptpm --with-plugins` starts it.

#include "base/exit_code.hpp"
#include "base/number.hpp"
#include "base/sha256.hpp"
#include "base/tar.hpp"
#include "base/temporary_path.hpp"
#include "bundle/bundle.hpp"
#include "ptp-pack/models.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

constexpr const char* kManifestHash = "manifest-sha256";

// Throws RunError unless a trusted key has signed the file whose manifest was read. The signature
// is of the whole file, and the manifest has the hash of each file that is written afterwards, so
// that it does not matter whether the file changes meanwhile.
SignedBy check_signed(const bundle::BundleFile& model, const TrustedKeys& keys) {
    const std::string file = model.path().string();
    const std::string read =
        tar_header(bundle::kManifestFile, model.manifest_text().size()) + model.manifest_text();
    std::string hashed(read.size(), '\0');
    const FileHash hash = hash_of_file(model.path(), hashed);
    if (hashed != read) {
        refuse(kDataError, {fmt::format("{}: has changed while it was read", file),
                            "try again when nothing writes to it"});
    }
    return check_signature({file, hash, file + kSignatureEnding}, keys, Unsigned::kNever);
}

// Returns the folder to write. Throws RunError for one with files.
fs::path new_folder(const std::string& folder) {
    std::error_code error;
    if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
        refuse(kConfigurationError, {fmt::format("--to {}: is there already and not empty", folder),
                                     "name a new folder, or remove what is in it"});
    }
    make_folder(folder);
    return folder;
}

int run_unpack(const Given& given) {
    const std::string& word = given.operands().front();
    const auto installed = is_absent(word) ? model_named(word, chosen_models(given)) : std::nullopt;
    const bundle::BundleFile model(installed ? *installed : fs::path(word));
    if (given.has(kManifestHash) && sha256(model.manifest_text()) != given.text(kManifestHash)) {
        refuse(kDataError, {fmt::format("{}: is another bundle than the one that was opened",
                                        model.path().string()),
                            "try again when nothing writes to it"});
    }
    const auto& files = model.manifest().files;
    const auto count = std::ranges::count_if(
        files, [](const PackedFile& file) { return bundle::is_in_builds(file.path); });
    if (count == 0) {
        refuse(kDataError, {fmt::format("{}: has no plugins", model.path().string()),
                            "ask its author to make it again: ptprun bundle RUN --with-plugins"});
    }
    const SignedBy by = check_signed(model, chosen_keys(given));
    TemporaryPath folder(new_folder(given.text("to")));
    model.write_builds(folder.path());
    fmt::print("{}: {}, signed with the key {} ({})\n", folder.keep().string(),
               counted(count, "file"), by.key, by.trusted_comment);
    return kDone;
}

}  // namespace

Command unpack_command() {
    return {.name = "unpack",
            .summary = "writes the plugins in a bundle to a folder",
            .details =
                "Nothing is written unless a trusted key has signed the bundle, and nothing "
                "is loaded. ptprun\ntakes the folder with --plugins FOLDER; its own option "
                "--with-plugins does both.\n",
            .operands = {{.name = "MODEL.ptpm",
                          .what = "a bundle, or the name of an installed one",
                          .completions = {tools::kFiles}}},
            .options = tools::concat({{{.name = "to",
                                        .value = "FOLDER",
                                        .help = "the folder, which must be empty or not exist",
                                        .completions = {tools::kFolders},
                                        .is_required = true},
                                       {.name = kManifestHash,
                                        .value = "HASH",
                                        .help = "refuse a bundle with another manifest.toml, as "
                                                "ptprun does with the one that it has read"},
                                       keys_option()},
                                      store_options()}),
            .example = "ptp-pack unpack kinds.ptpm --to plugins",
            .run = run_unpack};
}

}  // namespace ptp::pack
