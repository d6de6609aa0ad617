// `ptp-pack create`: collects the content of a package from a folder and plugins, and writes it.

#include "base/output_file.hpp"
#include "base/ranges.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "bundle/license.hpp"
#include "plugin/search_path.hpp"
#include "ptp-pack/archive.hpp"
#include "ptp-pack/commands.hpp"
#include "ptp-pack/fetch.hpp"
#include "ptp-pack/libraries.hpp"
#include "ptp-pack/manifest.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace ptp::pack {

namespace {

constexpr const char* kAboutFile = "package.toml";

namespace fs = std::filesystem;

constexpr std::string_view kPackedDocuments[] = {"LICENSE", "README", "CHANGELOG", "NOTICE",
                                                 "COPYING"};
constexpr std::string_view kPackedFolders[] = {"docs", "experiments"};

bool is_library(const fs::path& file) {
    return file.extension() == ".so";
}

// Collects package.toml, LICENSE*, README*, CHANGELOG*, NOTICE*, COPYING*, experiments/, docs/ and
// all *.so in plugins/ of a folder, and plugins' files. Values missing in package.toml are taken
// from the plugins if they agree. Throws RunError: kConfigurationError for missing or wrong values
// in package.toml, kPluginError for a library that is not a plugin, kDataError for a link.
class Collector {
public:
    void add_folder(const fs::path& folder) {
        for (const fs::directory_entry& entry : sorted_entries(folder)) {
            const std::string name = entry.path().filename().string();
            if (name == kAboutFile) {
                continue;
            }
            const bool is_document = std::ranges::any_of(
                kPackedDocuments, [&](std::string_view begin) { return name.starts_with(begin); });
            if (contains(kPackedFolders, name)) {
                add_all(entry, name);
            } else if (name == "plugins") {
                add_libraries(entry);
            } else if (is_document) {
                add_file(entry, name);
            } else {
                left_out_.push_back(name);
            }
        }
    }

    void add_library(const fs::path& file) { described_.push_back({describe_library(file), file}); }

    // Returns the manifest, with the libraries in their places. Its files are those of files().
    PackageManifest finish(const std::optional<fs::path>& folder) {
        PackageManifest manifest{.about = read_about(folder)};
        for (auto& [one, file] : described_) {
            one.library.path = packed_path(one.library);
            const auto [same, is_new] = files_.emplace(one.library.path, file);
            if (!is_new) {
                refuse(kConfigurationError,
                       {fmt::format("{} and {} are the same plugin for the same platform and "
                                    "libtorch",
                                    same->second.string(), file.string()),
                        "remove one of them"});
            }
            add_companions(one);
            manifest.libraries.push_back(one.library);
        }
        std::ranges::sort(manifest.libraries, {}, &Library::path);
        for (const auto& [path, file] : files_) {
            std::error_code error;
            const std::uintmax_t size = fs::file_size(file, error);
            manifest.files.push_back({path, {}, error ? 0 : static_cast<std::int64_t>(size)});
        }
        require_packable(manifest);
        for (PackedFile& file : manifest.files) {
            const std::string content = read_text(files_.at(file.path));
            file.sha256 = sha256(content);
            file.size = static_cast<std::int64_t>(content.size());
        }
        return manifest;
    }

    [[nodiscard]] bool has_plugin() const { return !described_.empty(); }
    [[nodiscard]] const std::map<std::string, fs::path>& files() const { return files_; }
    [[nodiscard]] const Strings& left_out() const { return left_out_; }

private:
    struct Described {
        DescribedLibrary one;
        fs::path file;
    };

    static void check_path(const fs::path& file, const std::string& path) {
        if (const std::string why = refuse_path(path); !why.empty()) {
            refuse(kDataError, {fmt::format("{}: its path in the package {}", file.string(), why),
                                "rename it"});
        }
    }

    // The libraries of several plugins for one platform share a folder.
    void add_companions(const DescribedLibrary& one) {
        for (const plugin::Companion& companion : one.companions) {
            const fs::path library = one.library.path;
            const std::string path = companion.is_library
                                         ? (library.parent_path() / companion.place).string()
                                         : plugin::place_beside(library, companion).string();
            check_path(companion.file, path);
            const auto known = files_.emplace(path, companion.file).first;
            if (read_text(known->second) != read_text(companion.file)) {
                refuse(kDataError,
                       {fmt::format("{} and {} would be one file, {}", known->second.string(),
                                    companion.file.string(), path),
                        "rename one of them, or make a package of each plugin"});
            }
        }
    }

    // Before the files are read, which may take long.
    static void require_packable(const PackageManifest& manifest) {
        const std::string& name = manifest.about.name;
        if (const std::string why = refuse_sizes(manifest, kMaxPackageBytes); !why.empty()) {
            refuse(kDataError, {fmt::format("the package '{}' {}", name, why), kSmallerPackage});
        }
        const Strings paths = transformed(manifest.files, &PackedFile::path);
        if (const std::string path = colliding_path(paths); !path.empty()) {
            refuse(
                kDataError,
                {fmt::format("the package '{}' would have '{}' twice: case does not count in paths",
                             name, path),
                 "rename one of them"});
        }
    }

    static std::vector<fs::directory_entry> sorted_entries(const fs::path& folder) {
        std::vector<fs::directory_entry> entries = entries_of(folder);
        std::ranges::sort(entries, {},
                          [](const fs::directory_entry& entry) { return entry.path().native(); });
        return entries;
    }

    void add_file(const fs::directory_entry& entry, const std::string& path) {
        if (entry.is_symlink() || !entry.is_regular_file()) {
            refuse(kDataError, {fmt::format("{}: is {}: a package has regular files only",
                                            entry.path().string(),
                                            entry.is_symlink() ? "a link" : "not a file"),
                                "replace it with the file itself, or remove it"});
        }
        check_path(entry.path(), path);
        files_.emplace(path, entry.path());
    }

    // Names that begin with '.' belong to editors and version control.
    void add_all(const fs::directory_entry& folder, const std::string& path) {
        if (folder.is_symlink() || !folder.is_directory()) {
            add_file(folder, path);
            return;
        }
        for (const fs::directory_entry& entry : sorted_entries(folder.path())) {
            const std::string name = entry.path().filename().string();
            if (name.starts_with('.')) {
                left_out_.push_back(path + "/" + name);
            } else if (entry.is_directory() && !entry.is_symlink()) {
                add_all(entry, path + "/" + name);
            } else {
                add_file(entry, path + "/" + name);
            }
        }
    }

    void add_libraries(const fs::directory_entry& folder) {
        const std::vector<fs::directory_entry> entries = sorted_entries(folder.path());
        for (const fs::directory_entry& entry : entries) {
            if (is_library(entry.path())) {
                for (const plugin::Companion& one : companions_for_any_machine(entry.path())) {
                    travelling_.insert(one.file);
                }
            }
        }
        for (const fs::directory_entry& entry : entries) {
            if (travelling_.contains(fs::absolute(entry.path()).lexically_normal())) {
                continue;
            }
            if (entry.is_directory() && !entry.is_symlink()) {
                add_libraries(entry);
            } else if (is_library(entry.path())) {
                add_library(entry.path());
            } else {
                left_out_.push_back("plugins/.../" + entry.path().filename().string());
            }
        }
    }

    [[nodiscard]] About read_about(const std::optional<fs::path>& folder) const {
        About about;
        const fs::path file = folder ? *folder / kAboutFile : fs::path(kAboutFile);
        std::error_code error;
        const bool is_there = folder && fs::exists(file, error);
        read_document(is_there ? read_text(file) : "", file.string(), kConfigurationError,
                      [&](const schema::Scope& scope) {
                          schema::read_all_fields(scope, about.fields());
                          refuse_empty(scope);
                          check_license(scope);
                          take_from_plugins(about);
                          if (scope.problems.ok()) {
                              require_about(about, file, is_there);
                              check_about(about, scope);
                          }
                      });
        return about;
    }

    // A key that is missing has a meaning, one with nothing in it has none.
    static void refuse_empty(const schema::Scope& scope) {
        for (const Member& member : scope.table.members()) {
            if (member.key != "summary" && member.value.is_string() &&
                member.value.as_string().empty()) {
                scope.problems.error(
                    member.value, member.key,
                    "must not be empty; without this line it is that of the plugins");
            }
        }
    }

    static void check_license(const schema::Scope& scope) {
        const Value* const license = scope.table.find("license");
        if (license == nullptr || !license->is_string() || license->as_string().empty()) {
            return;
        }
        if (const auto wrong = bundle::wrong_license(license->as_string())) {
            scope.problems.error(
                *license, scope.key("license"),
                Explanation{wrong->reason, wrong->meant.empty()
                                               ? ""
                                               : fmt::format("write license = {}",
                                                             inline_toml(Value(wrong->meant)))});
        }
    }

    // Fills in the values in which all plugins agree.
    void take_from_plugins(About& about) const {
        const auto take = [&](std::string& into, auto get) {
            const auto is_same = [&](const Described& each) {
                return get(each.one) == get(described_.front().one);
            };
            if (into.empty() && !described_.empty() && std::ranges::all_of(described_, is_same)) {
                into = get(described_.front().one);
            }
        };
        take(about.name, [](const DescribedLibrary& one) { return one.library.plugin; });
        take(about.version, [](const DescribedLibrary& one) { return one.library.version; });
        take(about.license, [](const DescribedLibrary& one) { return one.license; });
        take(about.author, [](const DescribedLibrary& one) { return one.author; });
        take(about.homepage, [](const DescribedLibrary& one) { return one.homepage; });
    }

    void require_about(const About& about, const fs::path& file, bool is_there) const {
        const std::pair<const char*, const std::string&> needed[] = {
            {"name", about.name}, {"version", about.version}, {"license", about.license}};
        for (const auto& [key, value] : needed) {
            if (value.empty()) {
                refuse(kConfigurationError,
                       {fmt::format("the package has no {}: the plugins declare none, or several",
                                    key),
                        fmt::format("add {} = \"...\" to {}{}", key, file.string(),
                                    is_there ? "" : ", a new file")});
            }
        }
    }

    std::vector<Described> described_;
    std::map<std::string, fs::path> files_;  // by their paths in the package
    std::set<fs::path> travelling_;          // with plugins in the folder
    Strings left_out_;
};

// Returns the command that names the plugins which are built below the folder, where a project of
// ptp-new has them; a form where there are none.
std::string naming_plugins(const std::optional<fs::path>& folder, const Given& given) {
    std::string named;
    std::error_code error;
    const fs::path built = folder.value_or(".") / "build" / plugin::kBelowPrefix;
    for (const fs::directory_entry& entry : fs::directory_iterator(built, error)) {
        named += is_library(entry.path())
                     ? " --plugin " + shell_word(entry.path().lexically_normal().string())
                     : "";
    }
    if (named.empty()) {
        return "name its file, --plugin FILE.so, or put it into the folder plugins/";
    }
    std::string line = "ptp-pack create";
    for (const Strings& part : {given.operands(), given.options_without({})}) {
        for (const std::string& word : part) {
            line += " " + shell_word(word);
        }
    }
    return line + named;
}

int run_create(const Given& given) {
    std::optional<fs::path> folder;
    if (!given.operands().empty()) {
        folder = given.operands().front();
        std::error_code error;
        if (!fs::is_directory(*folder, error)) {
            throw UsageError(fmt::format("{}: is not a folder", folder->string()));
        }
    }
    const Strings named = given.texts("plugin");
    if (!folder && named.empty()) {
        throw UsageError("a folder or a plugin is needed: ptp-pack create DIR, or --plugin FILE");
    }
    Collector collector;
    if (folder) {
        collector.add_folder(*folder);
    }
    for (const std::string& plugin : named) {
        collector.add_library(plugin);
    }
    if (!collector.has_plugin()) {
        refuse(kConfigurationError, {"there is no plugin to pack", naming_plugins(folder, given)});
    }
    const PackageManifest manifest = collector.finish(folder);
    const fs::path into = given.has("output") ? fs::path(given.text("output")) : fs::path(".");
    make_folder(into);
    const fs::path file = (into / package_file_name(manifest)).lexically_normal();
    write_package(file, manifest, collector.files());
    fmt::print("{}\n", file.string());
    for (const PackedFile& packed : manifest.files) {
        fmt::print("  {}\n", packed.path);
    }
    if (!collector.left_out().empty()) {
        fmt::print("left out: {}\n", join(collector.left_out(), ", "));
    }
    return kDone;
}

}  // namespace

Command create_command() {
    return {
        .name = "create",
        .summary = "packs plugins, experiments and documents",
        .details =
            "Of a folder it takes package.toml (name, version, summary, license, author, homepage\n"
            "and dependencies), the *.so in plugins/, experiments/, docs/, LICENSE*, README*,\n"
            "CHANGELOG*, NOTICE* and COPYING*. What package.toml does not have is taken from the\n"
            "plugins. Builds of one plugin for several platforms and versions of libtorch may be\n"
            "packed together. Equal contents become equal bytes.\n",
        .operands =
            {{.name = "DIR", .what = "a folder", .min = 0, .completions = {tools::kFolders}}},
        .options = {{.name = "plugin",
                     .value = "FILE",
                     .help = "pack this plugin too; may be repeated",
                     .completions = {tools::kFiles},
                     .is_repeatable = true},
                    {.name = "output,o",
                     .value = "FOLDER",
                     .help = "write NAME-VERSION-PLATFORM.ptpkg into this folder",
                     .completions = {tools::kFolders}}},
        .example = "ptp-pack create my_losses --plugin build/my_losses.so",
        .run = run_create};
}

}  // namespace ptp::pack
