// `ptprun fetch`: gets what an experiment lacks and whose source is in downloads.toml, by
// ptp-fetch, which has libcurl.

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/json.hpp"
#include "base/started_program.hpp"
#include "commands.hpp"
#include "missing_downloads.hpp"
#include "plugin/search_path.hpp"
#include "report.hpp"
#include "request_options.hpp"
#include "run_operand.hpp"
#include "sweep_points.hpp"

#include <fmt/core.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace ptp::ptprun {

namespace {

std::string items_of(const std::vector<Download>& downloads) {
    Json items = Json::array();
    for (const Download& one : downloads) {
        Json members = Json::object();
        for (const auto& [name, path] : one.members) {
            members[name] = path.string();
        }
        items.push_back({{"key", one.keys.front()},
                         {"url", one.url},
                         {"path", one.path.string()},
                         {"sha256", one.sha256},
                         {"bytes", one.bytes},
                         {"members", std::move(members)}});
    }
    return text_of(items);
}

// Runs ptp-fetch on the same terminal: a signal from the keyboard reaches both processes.
int fetch(const std::vector<Download>& downloads, bool is_list) {
    const std::filesystem::path program =
        plugin::executable_path().parent_path() / PTP_LIBEXEC_FOLDER / "ptp-fetch";
    std::fflush(stdout);
    std::signal(SIGCHLD, SIG_DFL);  // one that is ignored, as by daemons, would hide the exit code
    const auto start = [&] {
        try {
            return StartedProgram::on_terminal(program,
                                               {is_list ? "list" : "fetch", items_of(downloads)});
        } catch (const std::system_error& error) {
            throw RunError(kTrainingError, fmt::format("{} cannot be started: {}", program.string(),
                                                       error.code().message()));
        }
    };
    const int status = start().wait();
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Reports that nothing is missing, or that the list does not know where to get it.
int check_again(const host::Request& request) {
    Diagnostics problems;
    const host::Prepared prepared = host::prepare(request, problems);
    if (!problems.ok()) {
        return report(problems, prepared.catalog, prepared.overrides);
    }
    fmt::print("{}: no file is missing\n", shown_file(request));
    return kDone;
}

int run_fetch(const Given& given) {
    Diagnostics problems;
    const host::Request request = subject_request(given, problems);
    refuse_sweep(request);
    const host::Prepared prepared =
        host::prepare(request, problems, pipeline::NeededFiles::kIgnored);
    if (!prepared.plan) {
        return report(problems, prepared.catalog, prepared.overrides);
    }
    std::vector<Download> downloads = missing_downloads(prepared);
    if (const std::string mirror = given.text("mirror"); given.has("mirror")) {
        for (Download& one : downloads) {  // The mirror has the files under their names.
            one.url = fmt::format("{}{}{}", mirror, mirror.ends_with('/') ? "" : "/",
                                  one.url.substr(one.url.rfind('/') + 1));
        }
    }
    if (!downloads.empty()) {
        const int code = fetch(downloads, given.has("list"));
        if (code != kDone || given.has("list")) {
            return code;
        }
    }
    return check_again(request);
}

}  // namespace

Command fetch_command() {
    return {.name = "fetch",
            .summary = "downloads data and weights that are missing",
            .details =
                std::string("The files are those of a list, with their SHA-256; only what the\n"
                            "experiment names and lacks is fetched. Interrupted, the same command\n"
                            "continues.\n") +
                kTakesInput,
            .operands = {declared_subject()},
            .options = tools::concat(
                {{{.name = "mirror",
                   .value = "ADDRESS",
                   .help = "take the files from this address, where they have the same names"},
                  {.name = "list", .help = "show what is missing, and fetch nothing"}},
                 subject_options()}),
            .example = "ptprun fetch configs/mnist/lenet5.toml",
            .keeps_results = true,
            .run = run_fetch};
}

}  // namespace ptp::ptprun
