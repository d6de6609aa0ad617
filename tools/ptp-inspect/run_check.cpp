#include "run_check.hpp"

#include "base/diagnostics.hpp"
#include "check.hpp"
#include "check_output.hpp"
#include "experiment/render.hpp"
#include "given_settings.hpp"
#include "output.hpp"
#include "plugin/plugin_file.hpp"
#include "remember_check.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ptp::inspect {

namespace {

// Returns the settings in --with for the components of these files; files that are not plugins have
// none.
std::vector<experiment::ComponentEntry> given_settings(const Options& options,
                                                       ptp::Diagnostics& problems) {
    if (!options.given) {
        return {};
    }
    std::vector<plugin::Manifest> manifests;
    for (const std::string& file : options.names) {
        try {
            manifests.push_back(plugin::read_manifest(file));
        } catch (const std::exception&) {  // reported by the check of the file
            continue;
        }
    }
    std::vector<const plugin::Component*> components;
    for (const plugin::Manifest& manifest : manifests) {
        for (const plugin::Component& component : manifest.components) {
            components.push_back(&component);
        }
    }
    static_cast<void>(read_given_settings({*options.given, home_folder()}, components, problems));
    if (!problems.ok()) {
        return {};
    }
    // Errors name the file as given; the settings are absolute, because the rules are tried in
    // other folders.
    const std::filesystem::path file = std::filesystem::absolute(*options.given);
    return read_given_settings({file, home_folder()}, components, problems);
}

}  // namespace

int run_check(const Options& options) {
    ptp::Diagnostics problems;
    const CheckOptions how{options.time_limit_s, home_folder(), given_settings(options, problems),
                           options.rules,        options.seed,  options.is_strict};
    if (!problems.ok()) {
        std::fputs(
            experiment::rendered(problems, "ptp-inspect", {}, experiment::style_for(STDERR_FILENO))
                .c_str(),
            stderr);
        return kUsage;
    }
    Verdict worst = Verdict::kAccepted;
    Engine engine;
    std::vector<PluginReport> reports;
    for (const std::string& file : options.names) {
        const CheckedFile checked = before_check(file, how);
        PluginReport report = check_plugin(file, how, engine);
        if (const std::string problem = remember_check(report, checked); !problem.empty()) {
            warn("what came of it cannot be remembered: " + problem);
        }
        worst = std::max(worst, report.verdict());
        if (options.format == Format::kJson) {
            reports.push_back(std::move(report));
        } else {
            print(check_report_text(report));
        }
    }
    if (options.format == Format::kJson) {
        print(report_json(reports, how));
    }
    return worst == Verdict::kAccepted     ? EXIT_SUCCESS
           : worst == Verdict::kIncomplete ? kIncomplete
                                           : kPlugin;
}

}  // namespace ptp::inspect
