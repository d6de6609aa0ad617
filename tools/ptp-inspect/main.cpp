// ptp-inspect: what plugins offer, and whether they keep the rules. `ptp-inspect --help` explains
// how.

#include "base/terminal.hpp"
#include "check.hpp"
#include "experiment/render.hpp"
#include "given_settings.hpp"
#include "json_listing.hpp"
#include "markdown_listing.hpp"
#include "options.hpp"
#include "plugin/plugin_file.hpp"
#include "selection.hpp"
#include "text_listing.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace ptp::inspect {

namespace {

namespace fs = std::filesystem;

constexpr int kUsage = 2;
constexpr int kPlugin = 3;
constexpr int kOutput = 5;

struct OutputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Half a listing is not what was asked for: throws OutputError.
void print(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) < text.size() ||
        std::fflush(stdout) != 0) {
        throw OutputError("cannot write the standard output: " +
                          std::generic_category().message(errno));
    }
}

// Lines that are indented belong to the one before them.
std::size_t end_of_error(const std::string& text, std::size_t begin) {
    std::size_t end = text.find('\n', begin);
    while (end != std::string::npos && end + 1 < text.size() && text[end + 1] == ' ') {
        end = text.find('\n', end + 1);
    }
    return std::min(end, text.size());
}

int complain(const std::string& text, int status) {
    std::fflush(stdout);
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = end_of_error(text, begin);
        const ptp::Problem problem = experiment::problem_from(text.substr(begin, end - begin));
        const std::string shown =
            experiment::rendered(problem, "ptp-inspect", {}, experiment::style_for(STDERR_FILENO));
        std::fputs(shown.c_str(), stderr);
        begin = end + 1;
    }
    return status;
}

Style style_of_output() {
    return {.has_colors = ptp::has_color(STDOUT_FILENO)};
}

fs::path home_folder() {
    const char* home = std::getenv("HOME");
    return home == nullptr ? "" : home;
}

// The settings in --with for the components of these files. Those that are not plugins have none.
std::vector<experiment::ComponentEntry> given_settings(const Options& options,
                                                       ptp::Diagnostics& problems) {
    if (!options.given) {
        return {};
    }
    std::vector<plugin::Manifest> manifests;
    for (const std::string& file : options.names) {
        try {
            manifests.push_back(plugin::read_manifest(file));
        } catch (const std::exception&) {  // is reported when it is checked
            continue;
        }
    }
    std::vector<const plugin::Component*> components;
    for (const plugin::Manifest& manifest : manifests) {
        for (const plugin::Component& component : manifest.components) {
            components.push_back(&component);
        }
    }
    return read_given_settings({*options.given, home_folder()}, components, problems);
}

int check(const Options& options) {
    ptp::Diagnostics problems;
    const CheckOptions how{options.time_limit_s, home_folder(), given_settings(options, problems)};
    if (!problems.ok()) {
        std::fputs(
            experiment::rendered(problems, "ptp-inspect", {}, experiment::style_for(STDERR_FILENO))
                .c_str(),
            stderr);
        return kUsage;
    }
    bool is_right = true;
    Engine engine;
    for (const std::string& file : options.names) {
        const auto verdicts = check_plugin(file, how, engine);
        print(file + "\n" + verdict_text(verdicts));
        is_right = is_right && all_passed(verdicts);
    }
    return is_right ? EXIT_SUCCESS : kPlugin;
}

std::string pages(const Selection& selection, const Style& style) {
    std::string out;
    for (const plugin::CatalogEntry* entry : selection.plugins) {
        out += (out.empty() ? "" : "\n") + plugin_page(*entry, style);
    }
    for (const plugin::Found& found : selection.components) {
        out += (out.empty() ? "" : "\n") +
               component_page(*found.component, found.plugin->manifest, style);
    }
    return out;
}

int list(const Options& options) {
    const Plugins plugins = find_plugins(options);
    Selection selection = select(options.names, plugins);
    if (options.names.empty()) {
        for (const plugin::CatalogEntry& entry : plugins.catalog.plugins) {
            selection.plugins.push_back(&entry);
        }
    }
    switch (options.format) {
        case Format::kJson:
            print(json_listing(selection, plugins.catalog));
            break;
        case Format::kMarkdown:
            print(markdown_listing(selection));
            break;
        case Format::kText:
            print(options.names.empty() ? overview(plugins.catalog, style_of_output())
                                        : pages(selection, style_of_output()));
            break;
    }
    return EXIT_SUCCESS;
}

int run(int argc, char** argv) {
    const Options options = parse_options(argc, argv);
    if (options.wants_help) {
        print(usage());
        return EXIT_SUCCESS;
    }
    if (options.wants_version) {
        print("ptp-inspect " PTP_VERSION "\n");
        return EXIT_SUCCESS;
    }
    return options.checks ? check(options) : list(options);
}

}  // namespace

int run_program(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const UsageError& error) {
        return complain(std::string(error.what()) + "\n    help: ptp-inspect --help", kUsage);
    } catch (const OutputError& error) {
        return complain(error.what(), kOutput);
    } catch (const NotFound& error) {
        return complain(error.what(), kPlugin);
    } catch (const std::exception& error) {
        return complain(error.what(), kPlugin);
    }
}

}  // namespace ptp::inspect

int main(int argc, char** argv) {
    return ptp::inspect::run_program(argc, argv);
}
