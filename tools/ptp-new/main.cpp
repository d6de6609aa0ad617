// ptp-new: creates a plugin; see `ptp-new --help`.

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/system_file.hpp"
#include "base/terminal.hpp"
#include "common/command.hpp"
#include "experiment/render.hpp"
#include "options.hpp"
#include "plugin/catalog.hpp"
#include "plugin/search_path.hpp"
#include "project.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace ptp::newplugin {

namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "ptp-new";

void print(const std::string& text) {
    const bool is_whole =
        std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (!is_whole) {
        throw RunError(kTrainingError, "cannot write the standard output: " +
                                           std::generic_category().message(errno));
    }
}

int complain(const std::string& text, int code) {
    const Problem problem = experiment::problem_from(text);
    static_cast<void>(std::fputs(
        experiment::rendered(problem, kProgram, {}, experiment::style_for(STDERR_FILENO)).c_str(),
        stderr));
    return code;
}

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
        tools::shell_word(options.as_given.string()),
        is_found ? "" : fmt::format("CMAKE_PREFIX_PATH={} ", tools::shell_word(prefix.string())));
}

int run(int argc, char** argv) {
    const Options options = parse_options(argc, argv);
    if (options.wants_help) {
        print(usage());
        return kDone;
    }
    if (options.wants_version) {
        print("ptp-new " PTP_VERSION "\n");
        return kDone;
    }
    require_unused_name(options.name);
    const fs::path executable = plugin::executable_path();
    make_project(options, template_folder(executable));
    print(next_step(options, executable.parent_path().parent_path()));
    return kDone;
}

}  // namespace

int run_program(int argc, char** argv) {
    system::report_size_limit();
    system::outlive_reader();
    try {
        return run(argc, argv);
    } catch (const tools::UsageError& error) {
        return complain(std::string(error.what()) + "\n    help: ptp-new --help",
                        kConfigurationError);
    } catch (const RunError& error) {
        return complain(error.what(), error.code());
    } catch (const std::exception& error) {
        return complain(error.what(), kTrainingError);
    }
}

}  // namespace ptp::newplugin

int main(int argc, char** argv) {
    return ptp::newplugin::run_program(argc, argv);
}
