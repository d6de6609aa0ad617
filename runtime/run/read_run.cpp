// Reads the folder of a run for a listing, whatever is wrong with it, and finds runs below a
// folder.

#include "run/read_run.hpp"

#include "base/diagnostics.hpp"
#include "base/input_file.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "run/format.hpp"
#include "run/journal.hpp"
#include "run/paths.hpp"
#include "run/status.hpp"
#include "run/tags.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <system_error>

namespace ptp::run {

namespace {

constexpr std::uint64_t kMaxRecordBytes = 16u << 20;

constexpr std::string_view kThen = ", then ";  // between rates that control has set

void add_problem(std::string& problem, const std::string& more) {
    problem += (problem.empty() ? "" : "; ") + plain(more);
}

std::optional<std::string> try_read_text(const std::filesystem::path& file, std::string& problem) {
    const std::string name = file.filename().string();
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (status.type() == std::filesystem::file_type::not_found) {
        add_problem(problem, fmt::format("{} is missing", name));
        return std::nullopt;
    }
    try {
        const InputFile input(file);
        if (input.size() <= kMaxRecordBytes) {
            return input.read(0, input.size());
        }
        add_problem(problem, fmt::format("{} is larger than 16 MiB", name));
    } catch (const std::exception&) {
        add_problem(problem, fmt::format("{} cannot be read", name));
    }
    return std::nullopt;
}

// Returns what `read` makes of the text of one JSON file of a run; nullopt after describing an
// error in `problem`.
template <class T>
std::optional<T> read_file(T (*read)(const std::string&, const std::filesystem::path&),
                           const std::filesystem::path& file, std::string& problem) {
    const auto text = try_read_text(file, problem);
    try {
        return text ? std::optional(read(*text, file)) : std::nullopt;
    } catch (const NewerFormat& error) {
        add_problem(problem, error.short_text());
    } catch (const RunError&) {
        add_problem(problem, fmt::format("{} is broken", file.filename().string()));
    }
    return std::nullopt;
}

void make_plain(std::optional<Measurement>& measurement) {
    if (measurement) {
        measurement->set = plain(measurement->set);
        for (auto& [name, value] : measurement->statistics) {
            name = plain(name);
        }
    }
}

void make_plain(Status& status) {
    for (std::string* text : {&status.state, &status.reason, &status.began, &status.ended}) {
        *text = plain(*text);
    }
    make_plain(status.last);
    make_plain(status.best);
}

void read_status_into(const Machine& machine, Run& run) {
    auto status = read_file(status_from, run.folder / kStatusFile, run.problem);
    if (status) {
        make_plain(*status);
        static_cast<Status&>(run) = *std::move(status);
    }
    const auto& known = states();
    const bool is_known = std::ranges::find(known, run.state) != known.end();
    if (status && !is_known) {
        add_problem(run.problem,
                    fmt::format("{} has the unknown state '{}'", kStatusFile, run.state));
    }
    if (!is_known) {
        run.state = "unreadable";
    }
    if (run.state == "running" && run.process && !may_be_alive(*run.process, machine)) {
        run.state = "died";
    }
}

void read_experiment(const std::filesystem::path& file, Run& run) {
    std::error_code ignored;
    if (run.state == "running" && !std::filesystem::exists(file, ignored)) {
        add_problem(run.problem,
                    fmt::format("it is starting: {} is not written yet", kExperimentFile));
        return;
    }
    const auto text = try_read_text(file, run.problem);
    if (!text) {
        return;
    }
    Diagnostics problems;
    auto tree = read_toml(*text, file.filename().string(), problems);
    if (!tree) {
        add_problem(run.problem, problems.sorted().front().text());
        return;
    }
    run.settings = std::move(*tree);
    const Value* name = run.settings.find("name");
    if (name != nullptr && name->is_string()) {
        run.experiment = plain(name->as_string());
    }
}

// Shows a learning rate that was set while the run trained beside the one of the experiment: the
// run is not one of that rate alone.
void add_rate_changes(Run& run) {
    Value* const training = run.settings.find("training");
    Value* const optimizer = training != nullptr ? training->find("optimizer") : nullptr;
    const Value* const rate = optimizer != nullptr ? optimizer->find("lr") : nullptr;
    if (rate == nullptr) {
        return;
    }
    std::string text = inline_toml(*rate);
    bool is_changed = false;
    for (const RateChange& change : rate_changes(run.folder)) {
        if (change.group.empty()) {
            text += fmt::format("{}{:g}", kThen, change.rate);
            is_changed = true;
        }
    }
    if (is_changed) {
        optimizer->set("lr", text);
    }
}

// Reads the trial; other errors are reported where records are compared.
void read_trial(Run& run) {
    const std::filesystem::path file = run.folder / kRecordFile;
    std::string unsaid;
    const auto text = try_read_text(file, unsaid);
    try {
        run.trial = text ? plain(record_from(*text, file).trial) : "";
    } catch (const NewerFormat& error) {
        add_problem(run.problem, error.short_text());
    } catch (const RunError&) {
        run.trial = "";
    }
}

// Reads the tags; runs without tags have no such file.
void read_tags_into(Run& run) {
    const std::filesystem::path file = run.folder / kTagsFile;
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) {
        return;
    }
    const auto tags = read_file(tags_from, file, run.problem).value_or(Tags());
    run.note = plain(tags.note);
    for (const std::string& tag : tags.tags) {
        run.tags.push_back(plain(tag));
    }
}

}  // namespace

std::optional<double> last_rate(std::string_view rates) {
    const std::size_t at = rates.rfind(kThen);
    const auto rate =
        at == rates.npos ? std::nullopt : read_toml_value(rates.substr(at + kThen.size()));
    return rate && rate->is_number() ? std::optional(rate->as_real()) : std::nullopt;
}

std::optional<Record> read_record(const std::filesystem::path& folder, std::string& problem) {
    return read_file(record_from, folder / kRecordFile, problem);
}

void refuse_newer(const std::filesystem::path& folder) {
    const auto check = [&folder](const char* name, std::int64_t newest) {
        std::string unsaid;
        const auto text = try_read_text(folder / name, unsaid);
        try {
            static_cast<void>(text ? read_json_table(*text, folder / name, newest) : Value());
        } catch (const NewerFormat&) {
            throw;
        } catch (const RunError&) {
            return;
        }
    };
    check(kStatusFile, kStatusFormat);
    check(kRecordFile, kRecordFormat);
}

Run read_run(const std::filesystem::path& folder, const Machine& machine) {
    Run run;
    run.folder = folder;
    read_status_into(machine, run);
    read_experiment(folder / kExperimentFile, run);
    add_rate_changes(run);
    read_trial(run);
    read_tags_into(run);
    return run;
}

namespace fs = std::filesystem;

namespace {

constexpr int kMaxFolderLevels = 8;  // for nested folders of sweeps

bool has_file(const fs::path& file) {
    std::error_code ignored;
    return fs::exists(fs::symlink_status(file, ignored));
}

void search(const fs::path& folder, const Machine& machine, int level, std::vector<Run>& runs) {
    if (is_run(folder)) {
        runs.push_back(read_run(folder, machine));
        return;
    }
    std::error_code error;
    std::vector<fs::path> folders;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        std::error_code ignored;
        if (fs::is_directory(it->symlink_status(ignored))) {
            folders.push_back(it->path());
        }
    }
    if (error) {
        Run run;
        run.folder = folder;
        run.state = "unreadable";
        run.problem = fmt::format("cannot be searched: {}", error.message());
        runs.push_back(std::move(run));
    }
    if (level == kMaxFolderLevels) {
        return;
    }
    std::ranges::sort(folders);
    for (const fs::path& below : folders) {
        search(below, machine, level + 1, runs);
    }
}

}  // namespace

bool has_checkpoints_folder(const fs::path& folder) {
    std::error_code ignored;  // an unreadable one is reported when it is opened
    return fs::is_directory(folder / kCheckpointsFolder, ignored);
}

bool is_run(const fs::path& folder) {
    return has_file(folder / kStatusFile) || has_file(folder / kRecordFile) ||
           (has_file(folder / kExperimentFile) && has_checkpoints_folder(folder));
}

std::vector<Run> find_runs(const fs::path& folder, const Machine& machine) {
    std::vector<Run> runs;
    search(folder, machine, 0, runs);
    return runs;
}

fs::path common_folder(const std::vector<Run>& runs) {
    if (runs.empty()) {
        return {};
    }
    fs::path common = runs.front().folder.parent_path();
    for (const Run& run : runs) {
        const fs::path parent = run.folder.parent_path();
        const auto [end, ignored] =
            std::mismatch(common.begin(), common.end(), parent.begin(), parent.end());
        fs::path shared;
        for (auto part = common.begin(); part != end; ++part) {
            shared /= *part;
        }
        common = shared;
    }
    return common;
}

std::string name_below(const fs::path& common, const fs::path& run) {
    const std::string name = run.lexically_relative(common).string();
    return name.empty() ? run.string() : name;
}

}  // namespace ptp::run
