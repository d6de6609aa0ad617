// Has `ptprun explain-prediction` make the maps of a run, unless it has them.

#include "base/exit_code.hpp"
#include "base/output_file.hpp"
#include "base/ranges.hpp"
#include "base/temporary_path.hpp"
#include "base/text.hpp"
#include "distributed/program.hpp"
#include "engine/explain_request.hpp"
#include "plugin/search_path.hpp"
#include "ptp-report/checked_json.hpp"
#include "ptp-report/explanations_section.hpp"
#include "ptprun/explain_options.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
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
        for (const Json& method : facts.value("left_out", Json::array())) {
            made.push_back(method.get<std::string>());
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

// Returns the exit code of a program, which a signal to this process ends, too.
int exit_code_of(distributed::Program program) {
    const distributed::WaitedSignals signals({SIGHUP, SIGINT, SIGTERM});
    program.blocked = signals.before();
    const pid_t number = distributed::start(program);
    int received = 0;
    int status = 0;
    while (waitpid(number, &status, WNOHANG) == 0) {
        if (const int signal = signals.wait(); signal != 0 && signal != SIGCHLD) {
            received = signal;
            kill(-number, SIGTERM);
        }
    }
    return received != 0       ? distributed::exit_code_for(received)
           : WIFEXITED(status) ? WEXITSTATUS(status)
                               : distributed::exit_code_for(WTERMSIG(status));
}

void replace_all(std::string& text, const std::string& part, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += by.size()) {
        text.replace(at, part.size(), by);
    }
}

// Returns the errors of the program as a user of this one has typed its options; `own` are ours.
std::string with_usual_command(std::string errors, const std::string& own) {
    replace_all(errors, own, "");
    replace_all(errors, "error: --data ", "error: --explain-data ");
    replace_all(errors, "--data: error: ", "--explain-data: error: ");
    replace_all(errors, "error: --method ", "error: --explain ");
    replace_all(errors, "help: ptprun help explain-prediction", "help: ptprun help report");
    return errors;
}

}  // namespace

ExplainResult explain_run(const fs::path& run, const experiment::Explanations& explanations,
                          const std::string& data) {
    std::error_code error;
    const fs::path checkpoint =
        fs::canonical(run / run::kCheckpointsFolder / run::kLastCheckpoint, error);
    if (error) {
        return {"there is no checkpoint yet", kDataError};
    }
    const fs::path folder = run / kExplanationsFolder / checkpoint.filename();
    const Asked asked = asked_for(data, explanations);
    if (has_maps(folder, explanations.methods, asked)) {
        return {};
    }
    try {
        const TemporaryPath made(folder.string() + kUnfinishedEnding);
        fs::remove_all(made.path(), error);  // that of a program that was killed
        const TemporaryPath errors = TemporaryPath::new_folder();
        const fs::path output = errors.path() / "errors";
        const tools::Strings own = {"--checkpoint", checkpoint.string(), "-o", made.path().string(),
                                    "--quiet"};
        distributed::Program program{.path = plugin::executable_path().parent_path() / "ptprun",
                                     .arguments = {"explain-prediction", run.string()},
                                     .output = output};
        for (const tools::Strings& words : std::vector<tools::Strings>{
                 own, {"--data", data}, ptprun::explain_words(explanations)}) {
            program.arguments.insert(program.arguments.end(), words.begin(), words.end());
        }
        const int code = exit_code_of(std::move(program));
        fmt::print(stderr, "{}",
                   with_usual_command(
                       read_text(output),
                       " " + join(transformed(own, [](const auto& one) { return shell_word(one); }),
                                  " ")));
        if (code != 0) {
            return {"ptprun explain-prediction has failed", code};
        }
        add_facts(made.path(), asked);
        fs::remove_all(folder, error);
        fs::rename(made.path(), folder, error);
        return error ? ExplainResult{error.message(), kTrainingError} : ExplainResult();
    } catch (const std::exception& failed) {
        return {failed.what(), kDataError};
    }
}

}  // namespace ptp::report
