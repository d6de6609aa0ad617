#include "base/error.hpp"
#include "base/text.hpp"
#include "ptp-pack/collect.hpp"
#include "ptp-pack/commands.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <system_error>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

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
    const CollectedPackage package =
        collect_package(folder, std::vector<fs::path>(named.begin(), named.end()));
    const fs::path into = given.has("output") ? fs::path(given.text("output")) : fs::path(".");
    std::error_code error;
    fs::create_directories(into, error);
    if (error) {
        refuse(kTrainingError, {fmt::format("cannot make {}: {}", into.string(), error.message())});
    }
    const fs::path file = (into / package_file_name(package.manifest)).lexically_normal();
    write_package(file, package.manifest, package.contents);
    fmt::print("{}\n", file.string());
    for (const PackedFile& packed : package.manifest.files) {
        fmt::print("  {}\n", packed.path);
    }
    if (!package.left_out.empty()) {
        fmt::print("left out: {}\n", join(package.left_out, ", "));
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
