// Finds the run that a word names, or explains why it names none.

#include "run/resolve.hpp"

#include "base/diagnostics.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "base/output_file.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "experiment/weights_file.hpp"
#include "run/paths.hpp"
#include "run/read_run.hpp"
#include "run/run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <system_error>
#include <tuple>
#include <vector>

namespace ptp::run {

namespace fs = std::filesystem;

namespace {

constexpr const char* kLastName = "last";
constexpr const char* kBestName = "best";
constexpr std::size_t kMaxListed = 8;

using Resolved = std::variant<fs::path, UnknownRun>;

bool is_there(const fs::path& path) {
    std::error_code ignored;  // inaccessible paths are reported when they are opened
    return fs::exists(fs::symlink_status(path, ignored));
}

bool is_folder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

// Returns "a, b and 3 more", the newest first.
std::string list_of(std::vector<std::string> names) {
    std::ranges::sort(names, std::ranges::greater());
    if (names.size() <= kMaxListed) {
        return joined(names);
    }
    const std::size_t more = names.size() - kMaxListed + 1;
    names.resize(kMaxListed - 1);
    names.push_back(fmt::format("{} more", more));
    return joined(names);
}

std::vector<std::string> names_of(const std::vector<Run>& runs, const fs::path& folder) {
    return transformed(runs, [&](const Run& run) {
        return plain(run.folder.lexically_relative(folder).string());
    });
}

std::string count_of(const std::vector<Run>& runs) {
    return counted(runs.size(), "run");
}

// Returns whether the run has failed before its first checkpoint, or was a trial that keeps none,
// so that other commands cannot use it.
bool has_no_weights(const Run& run) {
    const bool is_over = run.state == "failed" || (run.is_trial() && run.state != "running");
    return is_over && !is_there(run.folder / kCheckpointsFolder / kLastCheckpoint);
}

const Run& newest(const std::vector<Run>& runs) {
    return *std::ranges::max_element(runs, {}, [](const Run& run) {
        return std::make_tuple(!has_no_weights(run), run.began, run.folder.string());
    });
}

bool has_validation(const Run& run) {
    return !run.is_trial() && run.last && run.last->set.find("validation") != std::string::npos;
}

bool is_validated(const Run& run) {
    return !run.is_trial() && run.best && run.best->set.find("validation") != std::string::npos &&
           judged(run).value;
}

// Refuses to choose among several experiments, whose losses are not comparable.
Resolved refuse_mixture(const fs::path& word, const std::vector<Run>& runs,
                        const std::set<std::string>& experiments) {
    std::vector<Run> of_first;
    std::ranges::copy_if(runs, std::back_inserter(of_first),
                         [&](const Run& run) { return run.experiment == *experiments.begin(); });
    const fs::path folder = common_folder(of_first);
    const bool is_own = folder.lexically_normal() != word.parent_path().lexically_normal();
    return UnknownRun{fmt::format(
        "{}: there are runs of {} experiments in {} ({}), and their losses cannot be compared; "
        "name {}, such as {}",
        word.string(), experiments.size(), word.parent_path().string(),
        list_of({experiments.begin(), experiments.end()}), is_own ? "the folder of one" : "a run",
        (is_own ? folder / kBestName : newest(of_first).folder).string())};
}

Resolved refuse_judges(const fs::path& word, const std::set<std::string>& judges) {
    return UnknownRun{fmt::format(
        "{}: the runs in {} were judged by different statistics ({}), and "
        "their values cannot be compared; name the folder of a run",
        word.string(), word.parent_path().string(), list_of({judges.begin(), judges.end()}))};
}

Resolved best(const fs::path& word, const std::vector<Run>& all) {
    std::vector<Run> runs;
    std::set<std::string> experiments;
    std::set<std::string> judges;
    for (const Run& run : all) {
        if (is_validated(run)) {
            runs.push_back(run);
            experiments.insert(run.experiment);
            const Judged by = judged(run);
            judges.insert(by.name + (by.is_larger_better ? " (larger)" : ""));
        }
    }
    if (runs.empty()) {
        const fs::path folder = word.parent_path();
        const bool has_validations = std::ranges::any_of(all, has_validation);
        return UnknownRun{
            fmt::format("{}: none of the {} in {} has {}; there {} {}", word.string(),
                        count_of(all), folder.string(),
                        has_validations ? "had a validation with a finite value of what it is "
                                          "judged by"
                                        : "a validation loss yet",
                        all.size() == 1 ? "is" : "are", list_of(names_of(all, folder)))};
    }
    if (experiments.size() > 1) {
        return refuse_mixture(word, runs, experiments);
    }
    if (judges.size() > 1) {
        return refuse_judges(word, judges);
    }
    return std::ranges::min_element(runs, {},
                                    [](const Run& run) { return judged(run).comparable(); })
        ->folder;
}

// Resolves a `word` that ends with `last` or `best`, if the folder before that exists.
Resolved named_run(const fs::path& word, const Machine& machine) {
    const fs::path folder = word.parent_path();
    const std::vector<Run> runs = is_run(folder) ? std::vector<Run>() : find_runs(folder, machine);
    if (is_run(folder)) {
        return UnknownRun{fmt::format(
            "{}: {} is a run itself, name it without /{}; its checkpoints are in {}", word.string(),
            folder.string(), word.filename().string(), (folder / kCheckpointsFolder).string())};
    }
    if (runs.empty()) {
        return UnknownRun{fmt::format("{}: no runs in {}", word.string(), folder.string())};
    }
    return word.filename() == kBestName ? best(word, runs) : Resolved(newest(runs).folder);
}

// Returns nullopt if no part of the path is a name.
std::optional<Resolved> with_names(const fs::path& word, const Machine& machine) {
    fs::path before;
    for (auto part = word.begin(); part != word.end(); ++part) {
        const fs::path path = before / *part;
        const bool is_name = *part == kLastName || *part == kBestName;
        if (is_name && is_folder(before) && !is_there(path)) {
            Resolved run = named_run(path, machine);
            if (auto* folder = std::get_if<fs::path>(&run)) {
                for (++part; part != word.end(); ++part) {
                    *folder /= *part;
                }
            }
            return run;
        }
        before = path;
    }
    return std::nullopt;
}

bool may_be_below_runs(const fs::path& word) {
    return word.is_relative() && !word.empty() && *word.begin() != kRunsFolder &&
           *word.begin() != "." && *word.begin() != "..";
}

// Returns the part of a path up to the first folder that does not exist.
fs::path first_missing(const fs::path& word) {
    fs::path path;
    for (const fs::path& part : word) {
        path /= part;
        if (!is_there(path)) {
            break;
        }
    }
    return path;
}

// Returns the names of the folders beside the one that was meant.
std::vector<std::string> neighbors(const fs::path& word) {
    const fs::path parent = word.parent_path();
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
        if (is_run(it->path()) || (parent == runs_root() && is_folder(it->path()))) {
            names.push_back(plain(it->path().string()));
        }
    }
    std::ranges::sort(names);
    return names;
}

// Returns a file whose name resembles that of a missing one; "" if there is none, or the word has
// no ending.
std::string file_like(const fs::path& word) {
    std::vector<std::string> names;
    std::error_code error;
    const fs::path folder = word.has_parent_path() ? word.parent_path() : fs::path(".");
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        if (it->path().extension() == ".toml") {
            names.push_back(it->path().filename().string());
        }
    }
    const auto meant = word.has_extension() ? nearest(word.filename().string(), names)
                                            : std::optional<std::string>();
    return meant ? plain((word.parent_path() / *meant).string()) : "";
}

}  // namespace

// The lock is the first file of a run, and stays where it fails to begin.
std::string without_experiment(const fs::path& folder) {
    if (read_run(folder, this_machine()).state == "died") {
        return fmt::format(
            "{} has no {}: its run was killed before it began; remove the folder, and train again",
            folder.string(), kExperimentFile);
    }
    if (is_there(folder / kLockFile)) {
        return fmt::format(
            "{} has no {} yet: its run is starting, try again; or it has failed before it began",
            folder.string(), kExperimentFile);
    }
    const bool has_it = is_there(folder / kExperimentFile);
    return fmt::format("{} is not a run folder: it has no {}", folder.string(),
                       has_it ? kRecordFile : kExperimentFile);
}

std::optional<fs::path> run_of_checkpoint(const fs::path& folder) {
    const fs::path above = folder.parent_path().parent_path();
    const fs::path run = above.empty() ? "." : above;  // within the folder of the run
    return folder.parent_path().filename() == kCheckpointsFolder && is_run(run) ? std::optional(run)
                                                                                : std::nullopt;
}

namespace {

// Returns the fix of a word in whose place another one was meant.
std::string fix_by(const fs::path& meant) {
    return fmt::format("\n    fix: write {} in its place", shell_word(meant.string()));
}

// Returns what to write in place of the folder of a checkpoint; "" for another folder.
std::string checkpoint_text(const fs::path& word) {
    const auto run = run_of_checkpoint(word);
    return run ? fmt::format("{} is a checkpoint of the run {}{}", word.string(), run->string(),
                             fix_by(*run))
               : "";
}

// Returns the name of the runs of an experiment's file, by default that of the file.
std::string experiment_name(const fs::path& file) {
    if (file.extension() == ".toml") {
        try {
            Diagnostics reported_elsewhere;
            const auto tree = read_toml(read_text(file), file.string(), reported_elsewhere);
            const Value* const name = tree ? tree->find("name") : nullptr;
            if (name != nullptr && name->is_string()) {
                return name->as_string();
            }
        } catch (const RunError&) {  // its own name is all that is known
        }
    }
    return file.stem().string();
}

std::string why_not(const fs::path& word, const Machine& machine) {
    if (is_folder(word)) {
        const std::vector<Run> runs = find_runs(word, machine);
        const bool are_runs =
            std::ranges::any_of(runs, [](const Run& run) { return is_run(run.folder); });
        if (!are_runs) {
            const std::string checkpoint = checkpoint_text(word);
            return checkpoint.empty() ? without_experiment(word) : checkpoint;
        }
        return fmt::format(
            "{} is not a run folder but holds {}: {}\n    fix: write {} or {} in its place, or one "
            "of them by its name",
            word.string(), count_of(runs), list_of(names_of(runs, word)),
            shell_word((word / kLastName).string()), shell_word((word / kBestName).string()));
    }
    if (is_there(word) && experiment::is_bundle(word)) {
        return fmt::format("{} is a bundle with a trained model, not a run folder", word.string());
    }
    if (is_there(word)) {
        const fs::path runs = runs_root() / experiment_name(word);
        return fmt::format("{} is a file, not a run folder{}", word.string(),
                           is_folder(runs)
                               ? fmt::format("; its last run is {}{}", (runs / kLastName).string(),
                                             fix_by(runs / kLastName))
                               : "");
    }
    if (const std::string file = file_like(word); !file.empty()) {
        return fmt::format("{}: no such file; did you mean '{}'?{}", word.string(), file,
                           fix_by(file));
    }
    fs::path missing = first_missing(word);
    std::vector<std::string> near = neighbors(missing);
    if (near.empty() && may_be_below_runs(word)) {
        missing = first_missing(runs_root() / word);
        near = neighbors(missing);
    }
    // The names are compared alone: the folders before them are the same.
    const std::vector<std::string> names = transformed(
        near, [](const std::string& path) { return fs::path(path).filename().string(); });
    const auto near_name = nearest(missing.filename().string(), names);
    if (!near_name) {
        return fmt::format("{}: no such run{}", word.string(),
                           hint("", near, "ptprun runs lists all"));
    }
    const std::string typed = word.string();
    const std::string known = missing.string();
    const bool is_below_runs = !typed.starts_with(known);
    const std::string rest = typed.substr(  // "/last" of "nett/last"
        is_below_runs ? missing.lexically_relative(runs_root()).string().size() : known.size());
    const std::string meant = (missing.parent_path() / *near_name).string() + rest;
    return fmt::format("{}: no such run; did you mean '{}'?{}", typed, meant, fix_by(meant));
}

}  // namespace

bool is_checkpoint_name(std::string_view word) {
    return word == kBestCheckpoint || word == kLastCheckpoint;
}

Resolved resolve(const fs::path& typed, const Machine& machine) {
    // A path that ends with a slash has an empty last part.
    const fs::path word = typed.has_filename() ? typed : typed.parent_path();
    if (is_there(word)) {
        return word;
    }
    const std::optional<Resolved> named = with_names(word, machine);
    const bool is_found = named && std::holds_alternative<fs::path>(*named);
    const fs::path below = runs_root() / word;
    if (is_found || !may_be_below_runs(word)) {
        return named.value_or(word);
    }
    if (is_there(below)) {
        return below;
    }
    // A folder of data may have the name of an experiment: its runs are below the root.
    const std::optional<Resolved> named_below = with_names(below, machine);
    if (named && !(named_below && std::holds_alternative<fs::path>(*named_below))) {
        return *named;
    }
    return named_below.value_or(word);
}

Resolved find_run(const fs::path& word, const Machine& machine) {
    Resolved found = resolve(word, machine);
    const auto* path = std::get_if<fs::path>(&found);
    if (path == nullptr || is_run(*path)) {
        return found;
    }
    return UnknownRun{why_not(*path, machine)};
}

Resolved find_subject(const fs::path& word, const Machine& machine) {
    Resolved found = resolve(word, machine);
    const auto* path = std::get_if<fs::path>(&found);
    if (path == nullptr) {
        return found;
    }
    constexpr std::array kEndings = {".toml", ".yaml", ".yml", ".json"};  // of files, not of runs
    std::error_code ignored;  // reported when it is opened
    if (const auto run = run_of_checkpoint(*path); run && is_folder(*path)) {
        const std::string name = path->filename().string();
        return UnknownRun{fmt::format(
            "{} is a checkpoint of the run {}\n    fix: write {} --checkpoint {} in its place",
            path->string(), run->string(), shell_word(run->string()),
            is_checkpoint_name(name) ? name : shell_word(path->string()))};
    }
    const bool is_nothing = !fs::exists(*path, ignored) && !contains(kEndings, path->extension()) &&
                            !fs::exists(path->string() + ".toml", ignored);
    return is_nothing || is_folder(*path) ? find_run(is_nothing ? word : *path, machine) : found;
}

}  // namespace ptp::run
