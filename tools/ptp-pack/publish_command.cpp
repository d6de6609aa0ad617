// `ptp-pack publish`, which makes a folder a repository, and `ptp-pack sign`.

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
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

int run_sign(const Given& given) {
    const SecretKey key = chosen_secret_key(given);
    if (!is_plain(given.text("comment")) || given.text("comment").find('\n') != std::string::npos) {
        throw UsageError("--comment: must be one line without control characters");
    }
    for (const std::string& name : given.operands()) {
        const fs::path file = name;
        const std::string comment = given.has("comment")
                                        ? given.text("comment")
                                        : fmt::format("timestamp:{}\tfile:{}\thashed",
                                                      std::time(nullptr), file.filename().string());
        const std::string signature = name + kSignatureEnding;
        replace_file(signature, text_of(sign(key, hash_of_file(file), comment)));
        fmt::print("{}\n", signature);
    }
    return kDone;
}

constexpr std::int64_t kUsualDays = 30;
constexpr std::int64_t kMaxDays = 3650;
constexpr std::time_t kSecondsOfDay = 86'400;

// A damaged one is replaced where the number of the next one is given.
std::optional<Index> read_if_whole(const fs::path& file, bool is_replaced) {
    try {
        return read_index(read_text(file), file.string());
    } catch (const RunError& error) {
        if (!is_replaced) {
            refuse(error.code(), {error.what(),
                                  "restore it, or replace it: --number N, greater than "
                                  "the number of the last index"});
        }
        fmt::print("warning: what was published before is not known: {}\n", error.what());
        return std::nullopt;
    }
}

std::optional<Index> previous_index(const fs::path& folder, std::optional<std::int64_t> number) {
    const fs::path file = folder / kIndexFile;
    if (is_absent(file)) {
        return std::nullopt;
    }
    std::optional<Index> before = read_if_whole(file, number.has_value());
    if (!before) {
        return std::nullopt;
    }
    Index& index = *before;
    if (number && *number <= index.version) {
        throw UsageError(fmt::format("--number {}: must be greater than {}, that of {}", *number,
                                     index.version, file.string()));
    }
    if (index.version == std::numeric_limits<std::int64_t>::max()) {
        refuse(kDataError, {fmt::format("{}: is index {}, and no number is greater", file.string(),
                                        index.version),
                            "publish in another folder"});
    }
    return before;
}

std::string name_to_publish(const Given& given, const std::optional<Index>& before) {
    if (given.has("name")) {
        if (given.text("name").empty() || !is_one_line(given.text("name"))) {
            throw UsageError("--name: must be one line without control characters");
        }
        return given.text("name");
    }
    if (!before) {
        throw UsageError("--name is needed for a new repository: what people call it");
    }
    return before->name;
}

IndexEntry entry_of(const fs::path& file, const TrustedKeys& keys) {
    check_signature({file.string(), hash_of_file(file), file.string() + kSignatureEnding}, keys,
                    Unsigned::kRefused);
    PackageFile package(file, file.string());
    package.unpack([](const PackedFile&) { return std::nullopt; });
    const PackageManifest& manifest = package.manifest();
    if (file.filename() != package_file_name(manifest)) {
        refuse(kDataError,
               {fmt::format("{}: is {} {}", file.string(), manifest.about.name,
                            manifest.about.version),
                fmt::format("rename it, and its signature: {}", package_file_name(manifest))});
    }
    const std::string content = read_text(file);
    return {.about = manifest.about,
            .file = file.filename().string(),
            .sha256 = sha256(content),
            .size = static_cast<std::int64_t>(content.size()),
            .libraries = manifest.libraries};
}

// A file that somebody has fetched under a name stays what it is.
void check_unchanged(const IndexEntry& entry, const std::optional<Index>& before) {
    if (!before) {
        return;
    }
    const auto same = std::ranges::find(before->packages, entry.file, &IndexEntry::file);
    if (same != before->packages.end() && same->sha256 != entry.sha256) {
        refuse(kDataError, {fmt::format("{}: is another package than the one that was published "
                                        "under this name",
                                        entry.file),
                            "give the new build a new version"});
    }
}

std::vector<fs::path> package_files(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : entries_of(folder)) {
        if (entry.path().extension() == ".ptpkg") {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

int run_publish(const Given& given) {
    const fs::path folder = given.operands().front();
    const std::optional<Index> before = previous_index(folder, given.integer("number"));
    const std::string name = name_to_publish(given, before);
    const SecretKey key = chosen_secret_key(given);
    TrustedKeys keys = chosen_keys(given, folders_here());
    keys.add({public_key_of(key), given.text("key")});
    const std::time_t now = std::time(nullptr);
    Index index{.name = name,
                .version = given.integer("number").value_or(before ? before->version + 1 : 1),
                .published = utc_text(now),
                .expires = utc_text(now + *given.integer("valid-days") * kSecondsOfDay),
                .packages = {}};
    for (const fs::path& file : package_files(folder)) {
        index.packages.push_back(entry_of(file, keys));
        check_unchanged(index.packages.back(), before);
    }
    const std::string text = text_of(index);
    const std::string comment = fmt::format("timestamp:{}\tfile:{}\thashed", now, kIndexFile);
    const Signature signature = sign(key, hash_of_text(text), comment);
    replace_file(folder / (std::string(kIndexFile) + kSignatureEnding), text_of(signature));
    replace_file(folder / kIndexFile, text);
    const std::size_t count = index.packages.size();
    fmt::print("{}: index {} with {} {}, until {}\n", (folder / kIndexFile).string(), index.version,
               count, count == 1 ? "package" : "packages", index.expires);
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
            "Writes index.toml, which names all packages in the folder (NAME.ptpkg and its\n"
            "signature), and index.toml.minisig. Offer the folder as it is, over HTTPS or as a\n"
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
               .help = "take packages that are signed with the keys in this folder, NAME.pub, "
                       "besides the own",
               .completions = {tools::kFolders}}}}),
        .example = "ptp-pack publish site --key jane.key --name \"Jane's plugins\"",
        .run = run_publish};
}

}  // namespace ptp::pack
