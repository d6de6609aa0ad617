// Finds the plugins of bundles among the installed ones, and has ptp-pack write those that a bundle
// has in it.

#include "host/bundle_plugins.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "distributed/program.hpp"
#include "host/open_engine.hpp"
#include "plugin/catalog.hpp"
#include "plugin/companions.hpp"
#include "plugin/search_path.hpp"

#include <fmt/core.h>
#include <sys/wait.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <optional>
#include <string_view>
#include <system_error>

namespace ptp::host {

namespace fs = std::filesystem;

namespace {

// An installed build of a plugin that a bundle needs.
struct InstalledBuild {
    fs::path file;
    std::string version;
    std::string sha256;
};

std::vector<InstalledBuild> builds_of(const std::string& plugin,
                                      const std::vector<plugin::Catalog>& folders) {
    std::vector<InstalledBuild> builds;
    for (const plugin::Catalog& folder : folders) {
        for (const plugin::CatalogEntry& entry : folder.plugins) {
            if (entry.manifest.name == plugin) {
                builds.push_back(
                    {entry.path, entry.manifest.version, plugin::build_hash(entry.path)});
            }
        }
    }
    return builds;
}

// Returns the build that trained the model, or else one of its version, or else the first.
const InstalledBuild& best_of(const std::vector<InstalledBuild>& builds,
                              const bundle::NeededPlugin& needed) {
    auto found = std::ranges::find(builds, needed.sha256, &InstalledBuild::sha256);
    if (found == builds.end()) {
        found = std::ranges::find(builds, needed.version, &InstalledBuild::version);
    }
    return found == builds.end() ? builds.front() : *found;
}

// The build of a plugin that a bundle had in it.
struct UnpackedBuild {
    fs::path file;        // empty: there is none that can be used
    std::string why_not;  // "": the bundle has none, or it was not asked for
};

UnpackedBuild unpacked_build(const fs::path& folder, const bundle::NeededPlugin& needed) {
    const fs::path file = folder / bundle::build_path(needed.name);
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) {
        return {};
    }
    const plugin::Catalog found = plugin::scan({}, {file});
    if (found.plugins.empty()) {
        return {{}, found.rejected.front().reason};
    }
    return found.plugins.front().manifest.name == needed.name &&
                   plugin::build_hash(file) == needed.sha256
               ? UnpackedBuild{file, ""}
               : UnpackedBuild{{}, "it is not the build that trained the model"};
}

// "'my_layers' 1.0.0": the plugins whose builds are in a bundle.
std::string built_plugins(const bundle::BundleManifest& manifest) {
    std::vector<std::string> names;
    for (const bundle::NeededPlugin& plugin : manifest.plugins) {
        if (bundle::has_build(manifest, plugin.name)) {
            names.push_back(fmt::format("'{}' {}", plugin.name, plugin.version));
        }
    }
    return join(names, ", ");
}

class BundlePlugins {
public:
    // REQUIRES: the folder is one of an opened bundle. Both must outlive it.
    BundlePlugins(const fs::path& folder, Diagnostics& problems)
        : folder_(folder), problems_(problems), model_(bundle::laid_out_bundle(folder)) {
        assert(model_);
        plugin::SearchPath path = plugin::search_path_here({});
        path.executable = program_path();
        for (const fs::path& one : plugin::search_folders(path)) {
            installed_.push_back(plugin::scan({one}));
        }
    }

    std::vector<fs::path> find(const std::set<std::string>& replaced) {
        std::vector<fs::path> files;
        for (const bundle::NeededPlugin& needed : model_->manifest.plugins) {
            if (replaced.contains(needed.name)) {
                continue;
            }
            if (const fs::path file = find(needed); !file.empty()) {
                files.push_back(file);
            }
        }
        warn_of_other_builds();
        warn_of_no_builds();
        return files;
    }

private:
    // Returns an empty path after reporting a plugin that is not there.
    fs::path find(const bundle::NeededPlugin& needed) {
        const std::vector<InstalledBuild> builds = builds_of(needed.name, installed_);
        const InstalledBuild* const best = builds.empty() ? nullptr : &best_of(builds, needed);
        if (best != nullptr && best->sha256 == needed.sha256) {
            return best->file;
        }
        UnpackedBuild own = unpacked_build(folder_, needed);
        if (!own.file.empty()) {
            return own.file;
        }
        if (best == nullptr) {
            report_missing(needed, own.why_not);
            return {};
        }
        other_builds_.push_back(
            best->version == needed.version
                ? fmt::format("'{}' {}", needed.name, needed.version)
                : fmt::format("'{}' {} (here {})", needed.name, needed.version, best->version));
        if (!own.why_not.empty()) {
            problems_.warning(
                place(), "",
                fmt::format("its build of '{}' cannot be used here: {}", needed.name, own.why_not));
        }
        has_own_of_others_ = has_own_of_others_ || is_offered(needed, own);
        return best->file;
    }

    // Returns whether --with-plugins would find a build that the bundle has.
    [[nodiscard]] bool is_offered(const bundle::NeededPlugin& needed,
                                  const UnpackedBuild& own) const {
        return own.why_not.empty() && bundle::has_build(model_->manifest, needed.name);
    }

    void report_missing(const bundle::NeededPlugin& needed, const std::string& why_not) {
        const bool has_build = is_offered(needed, {{}, why_not});
        problems_.error(
            place(), "",
            Explanation{
                fmt::format(
                    "needs the plugin '{}' {}, which is not installed{}; {}a repository may "
                    "have it, or a folder",
                    needed.name, needed.version,
                    why_not.empty() ? "" : "; its own build cannot be used here: " + why_not,
                    has_build ? "the build in it can be used if its signer is trusted; " : ""),
                fmt::format("{}ptp-pack install {}\n         --plugins DIR",
                            has_build ? "--with-plugins\n         " : "", needed.name)});
    }

    void warn_of_other_builds() {
        if (!other_builds_.empty()) {
            problems_.warning(
                place(), "",
                Explanation{
                    fmt::format("was trained with {} of {}: its numbers may differ{}",
                                other_builds_.size() == 1 ? "another build" : "other builds",
                                join(other_builds_, ", "),
                                has_own_of_others_
                                    ? "; the builds in it can be used if its signer is trusted"
                                    : ""),
                    has_own_of_others_ ? "--with-plugins" : ""});
        }
    }

    // unpack_builds() has made a folder, and has not found any.
    void warn_of_no_builds() {
        std::error_code ignored;
        if (built_plugins(model_->manifest).empty() &&
            fs::is_directory(folder_ / bundle::kBuildsFolder, ignored)) {
            problems_.warning(place(), "",
                              Explanation{"has no plugins in it, and uses the installed ones",
                                          "leave out --with-plugins"});
        }
    }

    [[nodiscard]] SourceLocation place() const { return {model_->file.string(), 0, 0}; }

    const fs::path& folder_;
    Diagnostics& problems_;
    std::optional<bundle::LaidOutBundle> model_;
    std::vector<plugin::Catalog> installed_;
    std::vector<std::string> other_builds_;
    bool has_own_of_others_ = false;  // the bundle has a build of one of these
};

// Waits for ptp-pack to end, and returns its exit code. Who embeds this code may wait for all
// children: then only what it has written is known.
ExitCode exit_code_of(pid_t process, const fs::path& written) {
    int status = 0;
    pid_t ended = 0;
    do {
        ended = waitpid(process, &status, 0);
    } while (ended < 0 && errno == EINTR);
    if (ended < 0) {
        std::error_code ignored;
        return fs::is_directory(written, ignored) ? kDone : kDataError;
    }
    return WIFEXITED(status) ? static_cast<ExitCode>(WEXITSTATUS(status)) : kTrainingError;
}

// Returns what ptp-pack has printed, as an error of the option.
std::string unpacking_error(const fs::path& output, const bundle::OpenedBundle& bundle) {
    constexpr std::string_view kProgram = "ptp-pack: error: ";
    std::string why = read_text(output);
    why.resize(why.find_last_not_of('\n') + 1);
    why.erase(0, why.starts_with(kProgram) ? kProgram.size() : 0);
    const std::string other = fmt::format("install {}, and leave out --with-plugins",
                                          built_plugins(bundle.file().manifest()));
    return fmt::format("--with-plugins: {}\n    {}{}", why,
                       why.find("\n    fix: ") == why.npos ? "fix: " : "     or ", other);
}

}  // namespace

std::vector<fs::path> bundle_plugins(const fs::path& folder, const std::set<std::string>& replaced,
                                     Diagnostics& problems) {
    return BundlePlugins(folder, problems).find(replaced);
}

void refuse_bundle_options(const std::string& name, bool skips_self_test, bool with_plugins) {
    const char* const option = skips_self_test ? "--no-self-test" : "--with-plugins";
    if (skips_self_test || with_plugins) {
        throw WithFix<RunError>(
            kConfigurationError,
            {fmt::format("{}: is of bundles, and {} is none: it has no {}", option, name,
                         skips_self_test ? "stored samples to test itself with"
                                         : "plugins that a signature would be needed for"),
             fmt::format("leave out {}", option)});
    }
}

void refuse_checkpoint_option(const char* option, const std::string& bundle) {
    throw WithFix<RunError>(kConfigurationError,
                            {fmt::format("{}: is of runs, and {} is a bundle, which has the "
                                         "weights of one checkpoint",
                                         option, bundle),
                             fmt::format("leave out {}", option)});
}

void unpack_builds(const bundle::OpenedBundle& bundle) {
    const bundle::BundleManifest& manifest = bundle.file().manifest();
    if (built_plugins(manifest).empty()) {
        std::error_code ignored;  // then nothing is warned of
        fs::create_directory(bundle.folder() / bundle::kBuildsFolder, ignored);
        return;
    }
    const fs::path program = program_path().parent_path() / "ptp-pack";
    std::error_code ignored;
    if (!fs::exists(program, ignored)) {
        throw WithFix<RunError>(
            kPluginError,
            {fmt::format("--with-plugins: {} is missing, which checks who signed {}",
                         program.string(), bundle.file().path().string()),
             fmt::format("install {}, and leave out --with-plugins", built_plugins(manifest))});
    }
    const fs::path output = bundle.folder() / "unpacked.txt";
    const fs::path builds = bundle.folder() / bundle::kBuildsFolder;
    const pid_t process = distributed::start(
        {.path = program,
         .arguments = {"unpack", bundle.file().path().string(), "--to", builds.string(),
                       "--manifest-sha256", sha256(bundle.file().manifest_text())},
         .output = output});
    if (const ExitCode code = exit_code_of(process, builds); code != kDone) {
        throw RunError(code, unpacking_error(output, bundle));
    }
}

}  // namespace ptp::host
