// `ptp-pack publish`, which makes a folder a repository, and `ptp-pack sign`.

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "bundle/bundle.hpp"
#include "ptp-pack/archive.hpp"
#include "ptp-pack/common_options.hpp"
#include "ptp-pack/refuse.hpp"
#include "ptp-pack/repository.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <limits>
#include <optional>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

// Returns the trusted comment that minisign would choose.
std::string usual_comment(const fs::path& file) {
    return fmt::format("timestamp:{}\tfile:{}\thashed", std::time(nullptr),
                       file.filename().string());
}

int run_sign(const Given& given) {
    const SecretKey key = chosen_secret_key(given);
    if (!is_plain(given.text("comment")) || given.text("comment").find('\n') != std::string::npos) {
        throw UsageError("--comment: must be one line without control characters");
    }
    for (const std::string& name : given.operands()) {
        const std::string comment =
            given.has("comment") ? given.text("comment") : usual_comment(name);
        const std::string signature = name + kSignatureEnding;
        replace_file(signature, text_of(sign(key, hash_of_file(name), comment)));
        fmt::print("{}\n", signature);
    }
    return kDone;
}

constexpr std::int64_t kUsualDays = 30;
constexpr std::int64_t kMaxDays = 3650;
constexpr std::time_t kSecondsOfDay = 86'400;

// Returns nullopt if there is none; a damaged one counts as none where the number of the next one
// is given.
std::optional<Index> previous_index(const fs::path& file, std::optional<std::int64_t> number) {
    if (is_absent(file)) {
        return std::nullopt;
    }
    try {
        return read_index(read_text(file), file.string());
    } catch (const RunError& error) {
        if (!number) {
            refuse(error.code(), {error.what(),
                                  "restore it, or replace it: --number N, greater than "
                                  "the number of the last index"});
        }
        fmt::print("warning: what was published before is not known: {}\n", error.what());
        return std::nullopt;
    }
}

std::int64_t next_number(const fs::path& file, const Index& before,
                         std::optional<std::int64_t> number) {
    if (number && *number <= before.version) {
        throw UsageError(fmt::format("--number {}: must be greater than {}, that of {}", *number,
                                     before.version, file.string()));
    }
    if (before.version == std::numeric_limits<std::int64_t>::max()) {
        refuse(kDataError, {fmt::format("{}: is index {}, and no number is greater", file.string(),
                                        before.version),
                            "publish in another folder"});
    }
    return number.value_or(before.version + 1);
}

std::string name_to_publish(const Given& given, const Index& before) {
    const std::string name = given.has("name") ? given.text("name") : before.name;
    if (given.has("name") && (name.empty() || !is_one_line(name))) {
        throw UsageError("--name: must be one line without control characters");
    }
    if (name.empty()) {
        throw UsageError("--name is needed for a new repository: what people call it");
    }
    return name;
}

// Returns the options with which the secret key was chosen.
std::string key_words(const Given& given) {
    std::string words = "--key " + shell_word(given.text("key"));
    if (given.has("password-file")) {
        words += " --password-file " + shell_word(given.text("password-file"));
    }
    return words;
}

std::string signing(const fs::path& file, const std::string& key_words) {
    return fmt::format("ptp-pack sign {} {}", shell_word(file.string()), key_words);
}

// The key of who publishes, and the options that choose it.
struct OwnKey {
    PublicKey key;
    std::string words;
};

// Refuses a file that has no signature, or was made again since the own key signed it, and tells
// its publisher to sign it.
void refuse_unsigned(const fs::path& file, const TrustedKeys& keys, const OwnKey& own) {
    const FileHash hash = hash_of_file(file);
    const fs::path signature = file.string() + kSignatureEnding;
    if (is_absent(signature)) {
        refuse(kDataError, {fmt::format("{}: is not signed: there is no {}", file.string(),
                                        signature.filename().string()),
                            signing(file, own.words) +
                                "\n         or, if it is not yours, ask its author to sign it"});
    }
    const Signature found = read_signature(read_text(signature), signature.string());
    if (found.id() == own.key.id && !is_signed_by(own.key, hash, found)) {
        refuse(kDataError,
               {fmt::format("{}: was changed, or made again, after the key {} signed it",
                            file.string(), id_text(found.id())),
                signing(file, own.words)});
    }
    check_signature({file.string(), hash, signature}, keys, Unsigned::kNever);
}

// A file that somebody has fetched under a name stays what it is.
void check_unchanged(const fs::path& model, const std::string& sha256, const Index& before) {
    const std::string name = model.stem().string();
    const auto same = std::ranges::find(before.models, name, &ModelEntry::name);
    if (same != before.models.end() && same->sha256 != sha256) {
        refuse(
            kDataError,
            {fmt::format("{}: is another model than the one that was published under this name",
                         model.filename().string()),
             fmt::format("give the new model another name: {}_2{}", name, bundle::kBundleEnding)});
    }
}

IndexEntry entry_of(const fs::path& file, const TrustedKeys& keys, const OwnKey& own) {
    refuse_unsigned(file, keys, own);
    PackageFile package(file, file.string());
    package.check();
    const PackageManifest& manifest = package.manifest();
    if (file.filename() != package_file_name(manifest)) {
        refuse(kDataError,
               {fmt::format("{}: is {} {}", file.string(), manifest.about.name,
                            manifest.about.version),
                fmt::format("rename it, and its signature: {}", package_file_name(manifest))});
    }
    return {.about = manifest.about,
            .file = file.filename().string(),
            .sha256 = sha256_of_file(file),
            .size = static_cast<std::int64_t>(fs::file_size(file)),
            .libraries = manifest.libraries};
}

ModelEntry model_entry_of(const fs::path& file, const TrustedKeys& keys, const OwnKey& own,
                          const Index& before) {
    const std::string name = file.stem().string();
    require_model_name(name, file.string());
    const std::string sha256 = sha256_of_file(file);
    check_unchanged(file, sha256, before);
    refuse_unsigned(file, keys, own);
    const bundle::BundleFile model(file);
    model.check();
    const bundle::BundleManifest& manifest = model.manifest();
    return {.name = name,
            .summary = manifest.summary,
            .license = manifest.license,
            .author = manifest.author,
            .sha256 = sha256,
            .size = static_cast<std::int64_t>(fs::file_size(file))};
}

// A name is one thing for those who install it.
void check_name(const ModelEntry& model, const Index& index) {
    const auto same = std::ranges::find_if(
        index.packages, [&](const IndexEntry& entry) { return entry.about.name == model.name; });
    if (same != index.packages.end()) {
        refuse(kDataError,
               {fmt::format("{}: has the name of a package, that of {}", model.file(), same->file),
                fmt::format("rename it, and its signature: {}_model{}", model.name,
                            bundle::kBundleEnding)});
    }
}

void check_unchanged(const IndexEntry& entry, const Index& before) {
    const auto same = std::ranges::find(before.packages, entry.file, &IndexEntry::file);
    if (same != before.packages.end() && same->sha256 != entry.sha256) {
        refuse(kDataError, {fmt::format("{}: is another package than the one that was published "
                                        "under this name",
                                        entry.file),
                            "give the new build a new version"});
    }
}

// Refuses a package or a model in place of the folder that has it.
void refuse_file(const fs::path& file, const Given& given) {
    const std::string key = key_words(given);
    const std::string signature = file.string() + kSignatureEnding;
    refuse(kConfigurationError,
           {fmt::format("{}: is a file, and a repository is a folder", file.string()),
            fmt::format("{}mkdir -p site && cp {} {} site && ptp-pack publish site {} --name {}",
                        is_absent(signature) ? signing(file, key) + " && " : "",
                        shell_word(file.string()), shell_word(signature), key,
                        given.has("name") ? shell_word(given.text("name")) : "\"MY MODELS\"")});
}

int run_publish(const Given& given) {
    const fs::path folder = given.operands().front();
    if (fs::is_regular_file(folder)) {
        if (is_absent(given.text("key"))) {
            chosen_secret_key(given);
        }
        refuse_file(folder, given);
    }
    const fs::path file = folder / kIndexFile;
    const auto number = given.integer("number");
    const Index before = previous_index(file, number).value_or(Index{});
    const std::time_t now = std::time(nullptr);
    Index index{.name = name_to_publish(given, before),
                .version = next_number(file, before, number),
                .published = utc_text(now),
                .expires = utc_text(now + *given.integer("valid-days") * kSecondsOfDay)};
    const SecretKey key = chosen_secret_key(given);
    TrustedKeys keys = chosen_keys(given);
    const OwnKey own{public_key_of(key), key_words(given)};
    keys.add({own.key, given.text("key")});
    for (const fs::path& package : files_ending_with(folder, ".ptpkg")) {
        index.packages.push_back(entry_of(package, keys, own));
        check_unchanged(index.packages.back(), before);
    }
    for (const fs::path& model : files_ending_with(folder, bundle::kBundleEnding)) {
        const ModelEntry& entry =
            index.models.emplace_back(model_entry_of(model, keys, own, before));
        check_name(entry, index);
    }
    const std::string text = text_of(index);
    const Signature signature = sign(key, hash_of_text(text), usual_comment(file));
    replace_file(file.string() + kSignatureEnding, text_of(signature));
    replace_file(file, text);
    const std::string models =
        index.models.empty() ? "" : " and " + counted(index.models.size(), "model");
    fmt::print("{}: index {} with {}{}, until {}\n", file.string(), index.version,
               counted(index.packages.size(), "package"), models, index.expires);
    return kDone;
}

}  // namespace

Command sign_command() {
    return {.name = "sign",
            .summary = "signs files: FILE.minisig",
            .details =
                "The signature is minisign's: minisign -V checks it, and minisign -S makes "
                "ones that\nptp-pack takes.\n",
            .operands = {{.name = "FILE",
                          .what = "a file",
                          .max = kMaxOperands,
                          .completions = {tools::kFiles}}},
            .options = tools::concat({secret_key_options(),
                                      {{.name = "comment",
                                        .value = "TEXT",
                                        .help = "the trusted comment; by default the time and the "
                                                "name of the file, as minisign's"}}}),
            .example = "ptp-pack sign my_losses-1.2.0-linux-x86_64.ptpkg --key jane.key",
            .run = run_sign};
}

Command publish_command() {
    return {
        .name = "publish",
        .summary = "makes a folder a repository",
        .details =
            "Writes index.toml, which names all packages and models in the folder (NAME.ptpkg or\n"
            "NAME.ptpm, and its signature), and index.toml.minisig. Offer the folder as it is, over HTTPS or as a\n"
            "folder. The index has a number, which grows, and expires: publish again in time,\n"
            "even if nothing is new.\n",
        .operands = {{.name = "DIR", .what = "a folder", .completions = {tools::kFolders}}},
        .options = tools::concat(
            {secret_key_options(),
             {{.name = "name",
               .value = "TEXT",
               .help = "what people call the repository; needed the first time"},
              {.name = "valid-days",
               .value = "N",
               .help = "the index expires after N days (default: 30)",
               .integers = tools::Integers{.min = 1, .max = kMaxDays, .usual = kUsualDays}},
              {.name = "number",
               .value = "N",
               .help = "the number of the index, where the last one was lost",
               .integers = tools::Integers{.min = 1}},
              {.name = "keys",
               .value = "FOLDER",
               .help =
                   "take packages and models that are signed with the keys in this folder, NAME.pub, "
                   "besides the own",
               .completions = {tools::kFolders}}}}),
        .example = "ptp-pack publish site --key jane.key --name \"Jane's plugins\"",
        .run = run_publish};
}

}  // namespace ptp::pack
