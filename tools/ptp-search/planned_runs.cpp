// The names, folders and command lines of the runs of a sweep or a search.

#include "ptp-search/planned_runs.hpp"

#include "base/cores.hpp"
#include "base/duration.hpp"
#include "ptprun/commands.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <utility>

namespace ptp::search {

using namespace ptprun;

namespace fs = std::filesystem;

PlannedRuns::PlannedRuns(std::string file, std::vector<PlannedRun> runs, fs::path parent,
                         const SweepOptions& options)
    : file_(std::move(file)),
      runs_(std::move(runs)),
      parent_(std::move(parent)),
      options_(options) {}

fs::path PlannedRuns::folder(std::size_t run) const {
    return parent_ / name(run);
}

fs::path PlannedRuns::output(std::size_t run) const {
    return parent_ / (name(run) + ".out");
}

std::string PlannedRuns::name(std::size_t run) const {
    const std::size_t digits = fmt::format("{}", runs_.size()).size();
    return fmt::format("{:0{}}_{}", run + 1, digits, ptprun::file_name(runs_[run].point));
}

std::string PlannedRuns::title(std::size_t run) const {
    return fmt::format("[{}/{}] {}", run + 1, runs_.size(), runs_[run].point.label);
}

Job PlannedRuns::first_job(std::size_t run, const std::vector<std::string>& more) const {
    Job made{{file_, "--color", "never"}, output(run)};
    for (const std::string& override : runs_[run].point.overrides) {
        made.arguments.insert(made.arguments.end(), {"--set", override});
    }
    if (!runs_[run].fold.empty()) {
        made.arguments.insert(made.arguments.end(), {"--fold", runs_[run].fold});
    }
    for (const auto* words : {&options_.passed_on, &more}) {
        made.arguments.insert(made.arguments.end(), words->begin(), words->end());
    }
    made.arguments.insert(made.arguments.end(), {"--run-dir", folder(run).string()});
    return made;
}

Job PlannedRuns::next_job(std::size_t run, const std::vector<std::string>& more) const {
    if (!fs::exists(folder(run) / ptp::run::kExperimentFile)) {
        fs::remove_all(folder(run));
        return first_job(run, more);
    }
    Job continued{{"resume", folder(run).string(), "--color", "never"}, output(run), true};
    for (const auto* words : {&options_.resumed_with, &more}) {
        continued.arguments.insert(continued.arguments.end(), words->begin(), words->end());
    }
    return continued;
}

std::string PlannedRuns::last_words(std::size_t run, const std::string& recorded,
                                    std::uintmax_t from) const {
    std::ifstream stream(output(run));
    stream.seekg(static_cast<std::streamoff>(from));
    std::string last;
    std::string error;
    for (std::string line; std::getline(stream, line);) {
        if (line.find(": error: ") != std::string::npos && !line.starts_with(' ')) {
            error = line;
        }
        if (!line.empty()) {
            last = line;
        }
    }
    return ptp::run::plain(!error.empty() ? error : !recorded.empty() ? recorded : last);
}

bool is_active(const run::Run& run, const run::Machine& machine) {
    return run.state == "running" && run.process && run.process->host == machine.host;
}

namespace {

fs::path new_folder(const fs::path& parent) {
    fs::create_directories(parent);
    const std::string stamp = stamp_text(std::time(nullptr));
    fs::path folder = parent / stamp;
    for (int i = 2; !fs::create_directory(folder); ++i) {
        folder = parent / fmt::format("{}_{}", stamp, i);
    }
    return folder;
}

}  // namespace

fs::path new_results_folder(const std::string& asked_for, const std::string& name) {
    try {
        if (asked_for.empty()) {
            return new_folder(run::runs_root() / name);
        }
        if (fs::exists(asked_for) && !(fs::is_directory(asked_for) && fs::is_empty(asked_for))) {
            throw UsageError(
                fmt::format("--run-dir {}: is there already and not empty", asked_for));
        }
        fs::create_directories(asked_for);
        return asked_for;
    } catch (const fs::filesystem_error& error) {
        throw UsageError(fmt::format("cannot make the folder {}: {}", error.path1().string(),
                                     error.code().message()));
    }
}

fs::path shared_folder(const fs::path& asked_for) {
    try {
        fs::create_directories(asked_for);
    } catch (const fs::filesystem_error& error) {
        throw UsageError(fmt::format("cannot make the folder {}: {}", error.path1().string(),
                                     error.code().message()));
    }
    return asked_for;
}

void say_progress(const std::string& line) {
    std::fputs((line + "\n").c_str(), stdout);
    std::fflush(stdout);
}

void divide_cores(std::size_t processes) {
    const auto cores = static_cast<std::size_t>(available_cores());
    if (processes > 1) {
        setenv("OMP_NUM_THREADS",
               fmt::format("{}", std::max<std::size_t>(cores / processes, 1)).c_str(), 0);
    }
}

}  // namespace ptp::search
