// ptp-mlflow: writes runs into a folder of MLflow, from where `mlflow ui` shows them. `ptprun
// mlflow` starts it.

#include "base/duration.hpp"
#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/json.hpp"
#include "base/number.hpp"
#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "base/toml_writer.hpp"
#include "common/program.hpp"
#include "ptp-report/statistics_table.hpp"
#include "ptprun/report.hpp"
#include "ptprun/run_operand.hpp"
#include "run/run.hpp"
#include "schema/key_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ptp::mlflow {

namespace {

namespace fs = std::filesystem;
using run::Run;
using tools::Given;

constexpr const char* kMetaFile = "meta.yaml";
constexpr std::size_t kMaxParameter = 6000;  // characters of a value, as MLflow has it
constexpr std::size_t kRunDigits = 32;
constexpr std::size_t kExperimentDigits = 18;
constexpr std::int64_t kMilliseconds = 1000;

// Returns a name of MLflow: it allows letters, digits and _ - . : / and spaces.
std::string allowed(std::string_view name) {
    std::string text;
    for (const char c : name) {
        const bool is_allowed = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                                std::string_view("_-. /").find(c) != std::string_view::npos;
        text += is_allowed ? c : '_';
    }
    while (text.find("..") != std::string::npos) {
        text.replace(text.find(".."), 2, "_");
    }
    return text.empty() || text.front() == '/' || text.front() == '.' ? "_" + text : text;
}

// Returns a text as YAML, which includes JSON.
std::string quoted(const std::string& text) {
    return text_of(Json(text));
}

// Returns the milliseconds since 1970 of "2026-11-21T08:59:12Z"; 0 for other texts.
std::int64_t milliseconds_of(const std::string& text) {
    std::tm time{};
    std::istringstream stream(text);
    stream >> std::get_time(&time, "%Y-%m-%dT%H:%M:%SZ");
    return stream.fail() ? 0 : static_cast<std::int64_t>(timegm(&time)) * kMilliseconds;
}

// Returns the number of a state: 1 runs, 3 is finished, 4 has failed, 5 was killed.
int status_of(const Run& run) {
    static const std::map<std::string, int> kStates = {
        {"running", 1}, {"done", 3}, {"failed", 4}, {"stopped", 5}};
    const auto state = kStates.find(run.state);
    return state == kStates.end() ? 5 : state->second;
}

std::string digits_of(const std::string& text, std::size_t count) {
    std::string digits;
    for (const char c : sha256(text)) {
        digits += static_cast<char>('0' + c % 10);
    }
    digits.front() = '1';
    return digits.substr(0, count);
}

// The time of a run, over which its episodes are spread evenly: the tables have no times.
struct Span {
    std::int64_t begin = 0;
    std::int64_t end = 0;

    [[nodiscard]] std::int64_t at(double episode, double last) const {
        const double share = last > 0 ? episode / last : 1;
        return begin +
               static_cast<std::int64_t>(std::llround(share * static_cast<double>(end - begin)));
    }
};

// Writes the metrics of a table, a line for each row: time, value and episode.
void write_metrics(const report::StatisticsTable& table, const fs::path& folder, const Span& span) {
    const std::vector<double>& episodes = table.columns.front();
    for (std::size_t i = 0; i < table.names.size(); ++i) {
        if (report::is_place(table.names[i])) {
            continue;
        }
        std::string lines;
        for (std::size_t row = 0; row < table.row_count(); ++row) {
            const double value = table.columns[i][row];
            lines += fmt::format("{} {} {:.0f}\n", span.at(episodes[row], episodes.back()),
                                 std::isnan(value) ? "nan" : exact_text(value), episodes[row]);
        }
        const fs::path file = folder / allowed(table.set + "/" + table.names[i]);
        fs::create_directories(file.parent_path());
        replace_file(file, lines);
    }
}

void write_texts(const fs::path& folder, const std::map<std::string, std::string>& texts) {
    for (const auto& [name, text] : texts) {
        const fs::path file = folder / name;
        fs::create_directories(file.parent_path());
        replace_file(file, text);
    }
}

std::string meta_of(const Run& run, const std::string& experiment, const std::string& id,
                    const Span& span) {
    const std::string name = run.folder.filename().string();
    return fmt::format(
        "artifact_uri: {}\nend_time: {}\nentry_point_name: ''\nexperiment_id: '{}'\n"
        "lifecycle_stage: active\nrun_id: {}\nrun_name: {}\nsource_name: ''\nsource_type: 4\n"
        "source_version: ''\nstart_time: {}\nstatus: {}\ntags: []\nuser_id: ''\n",
        quoted("file://" + fs::absolute(run.folder).lexically_normal().string()),
        run.ended.empty() ? "null" : fmt::format("{}", span.end), experiment, id, quoted(name),
        span.begin, status_of(run));
}

// A file store of MLflow: a folder for each experiment, in it one for each run, with a file for
// each parameter, metric and tag. The format is that of mlflow/store/tracking/file_store.py.
class Store {
public:
    // Opens or creates the store. Throws RunError if the folder cannot be written.
    explicit Store(std::filesystem::path folder);

    // Writes a run, in place of what was written of it before: its settings as parameters, its
    // statistics as metrics by episode, and its tags. Its artifacts are the folder of the run,
    // which is not copied. Returns why parts of it are left out, with their places. Throws
    // RunError.
    std::vector<std::string> write(const run::Run& run);

private:
    // Returns the folder of the experiment of this name, a new one if there is none.
    std::filesystem::path experiment(const std::string& name);

    std::filesystem::path folder_;
};

Store::Store(fs::path folder) : folder_(std::move(folder)) {
    fs::create_directories(folder_ / ".trash");
}

fs::path Store::experiment(const std::string& name) {
    const std::string line = "name: " + quoted(name);
    for (const auto& entry : fs::directory_iterator(folder_)) {
        const fs::path meta = entry.path() / kMetaFile;
        if (!fs::is_regular_file(meta)) {
            continue;
        }
        std::istringstream lines(read_text(meta, 1U << 20U));
        for (std::string one; std::getline(lines, one);) {
            if (one == line || one == "name: " + name || one == "name: '" + name + "'") {
                return entry.path();
            }
        }
    }
    const fs::path made = folder_ / digits_of(name, kExperimentDigits);
    fs::create_directories(made);
    const std::int64_t now = static_cast<std::int64_t>(std::time(nullptr)) * kMilliseconds;
    replace_file(made / kMetaFile,
                 fmt::format("artifact_location: {}\ncreation_time: {}\nexperiment_id: '{}'\n"
                             "last_update_time: {}\nlifecycle_stage: active\n{}\n",
                             quoted("file://" + fs::absolute(made).lexically_normal().string()),
                             now, made.filename().string(), now, line));
    return made;
}

std::vector<std::string> Store::write(const Run& run) {
    std::vector<std::string> problems;
    if (!run.problem.empty()) {
        problems.push_back(run.problem);
    }
    const fs::path parent = experiment(run.experiment.empty() ? "unnamed" : run.experiment);
    const std::string place = fs::weakly_canonical(run.folder).string();
    const std::string id = sha256(place + "\n" + run.began).substr(0, kRunDigits);
    const Span span{milliseconds_of(run.began),
                    milliseconds_of(run.ended.empty() ? now_text() : run.ended)};
    const fs::path unfinished = parent / (id + ".unfinished");
    fs::remove_all(unfinished);
    for (const char* part : {"metrics", "params", "tags", "artifacts"}) {
        fs::create_directories(unfinished / part);
    }
    std::map<std::string, std::string> parameters;
    for (const auto& [key, value] : schema::flat(run.settings)) {
        std::string text = value.is_string() ? value.as_string() : inline_toml(value);
        if (text.size() > kMaxParameter) {
            problems.push_back(
                fmt::format("{}: {} is cut to {} characters, the longest that MLflow takes",
                            run.folder.string(), key, kMaxParameter));
            std::size_t end = kMaxParameter;
            while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
                --end;  // not within a character
            }
            text.resize(end);
        }
        parameters.emplace(allowed(key), std::move(text));
    }
    write_texts(unfinished / "params", parameters);
    std::map<std::string, std::string> tags = {{"mlflow.runName", run.folder.filename().string()},
                                               {"mlflow.source.type", "LOCAL"},
                                               {"mlflow.source.name", "ptprun"}};
    if (!run.note.empty()) {
        tags.emplace("mlflow.note.content", run.note);
    }
    for (const std::string& tag : run.tags) {
        tags.emplace(allowed(tag), "");
    }
    write_texts(unfinished / "tags", tags);
    for (const report::StatisticsTable& table : report::statistics_of(run.folder)) {
        if (!table.problem.empty()) {
            problems.push_back(table.problem);
        }
        if (table.row_count() > 0) {
            write_metrics(table, unfinished / "metrics", span);
        }
    }
    replace_file(unfinished / kMetaFile, meta_of(run, parent.filename().string(), id, span));
    fs::remove_all(parent / id);
    fs::rename(unfinished, parent / id);
    return problems;
}

constexpr std::size_t kMaxRuns = 10000;
constexpr const char* kUsualFolder = "mlruns";

int run_mlflow(const Given& given) {
    const std::string folder = given.has("output") ? given.text("output") : kUsualFolder;
    const std::vector<run::Run> runs = ptprun::run_operands(given.operands());
    std::size_t written = 0;
    try {
        Store store(folder);
        for (const run::Run& run : runs) {
            for (const std::string& problem : store.write(run)) {
                ptprun::show_warning(problem);
            }
            ++written;
        }
    } catch (const fs::filesystem_error& error) {
        throw RunError(kTrainingError, fmt::format("cannot write {}: {}", error.path1().string(),
                                                   error.code().message()));
    }
    tools::print(
        fmt::format("{} in {}\n  MLFLOW_ALLOW_FILE_STORE=true mlflow ui --backend-store-uri {}\n",
                    counted(written, "run"), folder, folder));
    return kDone;
}

tools::Command mlflow_command() {
    return {
        .summary = "writes runs into a folder of MLflow",
        .details =
            "Settings become parameters, statistics metrics by episode, tags and notes tags. The\n"
            "artifacts of a run are its own folder, which is not copied. What was written of a\n"
            "run before is replaced.\n",
        .operands = {{.name = "RUN",
                      .what = "a run folder, or a folder of runs",
                      .min = 1,
                      .max = kMaxRuns,
                      .completions = {tools::kFolders}}},
        .options = {{.name = "output,o",
                     .value = "DIR",
                     .help = fmt::format("the folder of MLflow (default: {})", kUsualFolder),
                     .completions = {tools::kFolders}},
                    {.name = "version", .help = "print the version"}},
        .example = "ptprun mlflow runs -o mlruns",
        .keeps_results = true,
        .run = run_mlflow};
}

}  // namespace

int run_program(const tools::Strings& words) {
    const tools::Command command = mlflow_command();
    return tools::run_program({"ptp-mlflow", command, "0 done, 2 wrong input, 5 writing failed"},
                              words);
}

}  // namespace ptp::mlflow

int main(int argc, char** argv) {
    return ptp::mlflow::run_program({argv + 1, argv + argc});
}
