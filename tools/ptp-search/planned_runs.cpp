// The names, folders and command lines of the runs of a sweep or a search.

#include "ptp-search/planned_runs.hpp"

#include "base/cores.hpp"
#include "base/json.hpp"
#include "ptprun/commands.hpp"
#include "ptprun/report.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
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

namespace {

// Returns the text of a warning that the line begins; "" if it begins none. A run prints it to the
// person at the terminal, or with --json as an event.
std::string warning_in(const std::string& line) {
    for (const std::string_view begin : {"warning: ", "ptprun: warning: "}) {
        if (line.starts_with(begin)) {
            return line.substr(begin.size());
        }
    }
    const auto event = line.starts_with('{') ? parsed_json(line) : std::nullopt;
    return event && event->value("event", "") == "warning" ? event->value("text", "") : "";
}

}  // namespace

void RunWarnings::read(std::size_t run) {
    std::ifstream stream(runs_.output(run));
    std::string warning;
    for (std::string line; std::getline(stream, line);) {
        if (!warning.empty() && line.starts_with(' ')) {
            warning += "\n" + line;
            continue;
        }
        add(warning, run);
        warning = warning_in(line);
    }
    add(warning, run);
}

void RunWarnings::add(const std::string& text, std::size_t run) {
    if (text.empty()) {
        return;
    }
    auto known = std::ranges::find(found_, text, &Found::text);
    if (known == found_.end()) {
        known = found_.insert(known, {text, {}});
    }
    if (std::ranges::find(known->runs, run) == known->runs.end()) {
        known->runs.push_back(run);
    }
}

void RunWarnings::show() {
    constexpr std::size_t kShown = 5;
    for (; shown_ < found_.size(); ++shown_) {
        std::vector<std::size_t>& runs = found_[shown_].runs;
        std::ranges::sort(runs);
        std::string labels;
        for (std::size_t i = 0; i < std::min(runs.size(), kShown); ++i) {
            labels += (i == 0 ? "" : ", ") + runs_.point(runs[i]).label;
        }
        labels += runs.size() > kShown ? fmt::format(" and {} more", runs.size() - kShown) : "";
        const bool are_all = runs.size() == runs_.size() && runs.size() > 1;
        show_warning(fmt::format("{}\n    in {}", found_[shown_].text,
                                 are_all ? fmt::format("all {} runs", runs.size()) : labels));
    }
}

bool Refusals::add(std::size_t run, int code) {
    ++ended_;
    if (code == kConfigurationError) {
        const std::string reason = runs_.last_words(run, "");
        refused_ += ended_ == 1 || reason == reason_ ? 1 : 0;
        reason_ = reason;
    }
    return are_all();
}

void report_refusal(const PlannedRuns& runs, std::size_t refused) {
    fmt::print(stderr, "{}", read_text(runs.output(refused), kMaxTableBytes));
    fs::remove_all(runs.parent());
    say_failure(fmt::format("no run is kept: {} is removed", runs.parent().string()));
}

bool is_active(const run::Run& run, const run::Machine& machine) {
    return run.state == "running" && run.process && run.process->host == machine.host;
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

void say_progress(const SweepOptions& options, const std::string& line) {
    if (!options.is_quiet) {
        say_failure(line);
    }
}

void say_failure(const std::string& line) {
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
