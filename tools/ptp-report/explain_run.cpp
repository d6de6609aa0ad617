// Has `ptprun explain-prediction` make the maps of a run, unless it has them.

#include "base/output_file.hpp"
#include "base/ranges.hpp"
#include "distributed/program.hpp"
#include "engine/explain_request.hpp"
#include "plugin/search_path.hpp"
#include "ptp-report/checked_json.hpp"
#include "ptp-report/explanations_section.hpp"
#include "ptprun/explain_options.hpp"
#include "run/paths.hpp"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

namespace ptp::report {

namespace fs = std::filesystem;

namespace {

Asked asked_for(const std::string& data, experiment::Explanations explanations) {
    explanations.methods = experiment::Explanations().methods;
    return {data, join(ptprun::explain_words(std::move(explanations)), " ")};
}

// Returns whether the folder has maps of these methods for the samples of this section.
bool has_maps(const fs::path& folder, const std::vector<std::string>& methods, const Asked& asked) {
    try {
        const Json facts = read_explanations(folder);
        if (asked_in(facts) != asked || !are_of_section(facts)) {
            return false;
        }
        const Json& first = list_in(facts, "samples").at(0);
        std::vector<std::string> made;
        for (const Json& map : list_in(first, "maps")) {
            made.push_back(text_in(map, "method"));
        }
        const bool has_all =
            first.contains("attention") &&
            std::ranges::all_of(experiment::kExplainMethods,
                                [&](const char* method) { return contains(made, method); });
        if (has_all) {
            made.emplace_back(experiment::kAllMethods);
        }
        if (!list_in(first, "attention").empty()) {
            made.emplace_back(experiment::kAttentionMethod);
        }
        return std::ranges::all_of(methods,
                                   [&](const auto& method) { return contains(made, method); });
    } catch (const std::exception&) {  // there are none, or none that can be read
        return false;
    }
}

// Adds what was asked for to the facts of a folder. Throws FileError, RunError.
void add_facts(const fs::path& folder, const Asked& asked) {
    Json facts = read_explanations(folder);
    add_asked(facts, asked);
    replace_file(folder / engine::kExplanationsFile, text_of(facts, 2) + "\n");
}

}  // namespace

std::string explain_run(const fs::path& run, const experiment::Explanations& explanations,
                        const std::string& data) {
    std::error_code error;
    const fs::path checkpoint =
        fs::canonical(run / run::kCheckpointsFolder / run::kLastCheckpoint, error);
    if (error) {
        return "there is no checkpoint yet";
    }
    const fs::path folder = run / kExplanationsFolder / checkpoint.filename();
    const Asked asked = asked_for(data, explanations);
    if (has_maps(folder, explanations.methods, asked)) {
        return "";
    }
    const fs::path made = folder.string() + kUnfinishedEnding;  // of a program that was ended
    fs::remove_all(made, error);
    distributed::Program program{
        .path = plugin::executable_path().parent_path() / "ptprun",
        .arguments = {"explain-prediction", run.string(), "--checkpoint", checkpoint.string(), "-o",
                      made.string(), "--quiet", "--data", data}};
    const tools::Strings words = ptprun::explain_words(explanations);
    program.arguments.insert(program.arguments.end(), words.begin(), words.end());
    try {
        if (distributed::run(program) != 0) {
            fs::remove_all(made, error);
            return "ptprun explain-prediction has failed";
        }
        add_facts(made, asked);
    } catch (const std::exception& failed) {
        return failed.what();
    }
    fs::remove_all(folder, error);
    fs::rename(made, folder, error);
    return error ? error.message() : "";
}

}  // namespace ptp::report
