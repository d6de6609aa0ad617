// ptp-new: creates a plugin; see `ptp-new --help`.

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/text.hpp"
#include "common/program.hpp"
#include "plugin/catalog.hpp"
#include "plugin/search_path.hpp"
#include "project.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <string>

namespace ptp::newplugin {

namespace {

namespace fs = std::filesystem;

// Rejects the name of an existing plugin: one would hide the other.
void require_unused_name(const std::string& name) {
    const plugin::Catalog catalog =
        plugin::scan(plugin::search_folders(plugin::search_path_here({})));
    for (const plugin::CatalogEntry& entry : catalog.plugins) {
        if (entry.manifest.name == name) {
            throw WithFix<RunError>(
                kConfigurationError,
                {fmt::format("there is a plugin '{}' already: {}", name, entry.path.string()),
                 "choose another name; of two plugins of one name ptprun takes the first that it "
                 "finds"});
        }
    }
}

// Returns the next command to type. CMake finds a ptp in the system's folders without help.
std::string next_step(const Options& options, const fs::path& prefix) {
    const bool is_found = prefix == "/usr" || prefix == "/usr/local";
    return fmt::format(
        "made {}: the {} {}, a test and an experiment\nnext: cd {} && {}./test.sh\n",
        options.as_given.string(), options.kind, options.type,
        shell_word(options.as_given.string()),
        is_found ? "" : fmt::format("CMAKE_PREFIX_PATH={} ", shell_word(prefix.string())));
}

int run(const tools::Given& given) {
    const Options options = options_from(given);
    require_unused_name(options.name);
    const fs::path executable = plugin::executable_path();
    make_project(options, template_folder(executable));
    tools::print(next_step(options, executable.parent_path().parent_path()));
    return kDone;
}

}  // namespace

int run_program(const tools::Strings& words) {
    const tools::Command command = new_command(run);
    return tools::run_program(
        {"ptp-new", command,
         "0 done, 2 wrong command line, or a folder that exists, 5 cannot write"},
        words);
}

}  // namespace ptp::newplugin

int main(int argc, char** argv) {
    return ptp::newplugin::run_program({argv + 1, argv + argc});
}
