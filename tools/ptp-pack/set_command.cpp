#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/temporary_path.hpp"
#include "common/output_option.hpp"
#include "ptp-pack/common_options.hpp"
#include "ptp-pack/package_set.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

namespace ptp::pack {

namespace {

int run_set(const Given& given) {
    const auto output = given.has("output")
                            ? std::optional(tools::output_file(given.text("output")))
                            : std::nullopt;
    const Folders folders = folders_here();
    const TrustedKeys keys = chosen_keys(given, folders);
    const TemporaryPath staging = TemporaryPath::new_folder();
    const std::vector<InstalledPackage> installed = chosen_store(given, folders).list();
    const std::vector<OpenRepository> repositories =
        open_repositories({given, folders, keys, staging.path()});
    PackageSet set{.packages = {}, .builds = builds_of_run(given.operands().front())};
    Strings unknown;
    for (const NeededBuild& build : set.builds) {
        const auto source = find_build(build, {installed, plugin_folders(), repositories});
        if (!source) {
            unknown.push_back(build.plugin);
        } else if (!source->package.name.empty() &&
                   std::ranges::find(set.packages, source->package) == set.packages.end()) {
            set.packages.push_back(source->package);
        }
    }
    std::string text = text_of(set);
    for (const std::string& plugin : unknown) {
        text = fmt::format("# no package is known that has the build of {}\n", plugin) + text;
    }
    if (output) {
        replace_file(*output, text);
    } else {
        fmt::print("{}", text);
    }
    return kDone;
}

}  // namespace

Command set_command() {
    return {.name = "set",
            .summary = "lists the packages with the plugins of a run",
            .details =
                "As TOML: the builds that it has locked, and the packages, installed or in\n"
                "repositories, that have them. ptp-pack restore takes the file.\n",
            .operands = {{.name = "RUN", .what = "a run folder", .completions = {tools::kFolders}}},
            .options = tools::concat({{{.name = "output,o",
                                        .value = "FILE.toml",
                                        .help = "write the list to this file",
                                        .completions = {tools::kFiles}}},
                                      repository_options(),
                                      trust_options(),
                                      store_options()}),
            .example = "ptp-pack set runs/digits/20260101_120000 -o plugins.toml",
            .run = run_set};
}

}  // namespace ptp::pack
