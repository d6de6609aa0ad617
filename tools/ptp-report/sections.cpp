// Reads the sections of a run from its folder. Nothing of it is trusted: what cannot be read
// becomes a problem, and the rest is shown.

#include "ptp-report/sections.hpp"

#include "base/base64.hpp"
#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "ptp-report/checked_json.hpp"
#include "ptp-report/explanations_section.hpp"
#include "ptp-report/model_section.hpp"
#include "ptp-report/report.hpp"
#include "ptp-report/samples_section.hpp"
#include "ptp-report/thinning.hpp"
#include "run/paths.hpp"
#include "run/read_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

namespace ptp::report {

namespace fs = std::filesystem;
using run::Run;

namespace {

constexpr std::uint64_t kMaxText = 256U << 10U;  // of a log or a record
constexpr std::uint64_t kMaxCells = 10000;       // of a table
constexpr std::uint64_t kMaxTables = 40;

// Returns the differences of the numbers, which compress better than they.
Json differences(const std::vector<double>& numbers, const std::vector<std::size_t>& rows) {
    Json list = Json::array();
    std::int64_t before = 0;
    for (const std::size_t row : rows) {
        const auto now =
            std::isfinite(numbers[row]) ? static_cast<std::int64_t>(numbers[row]) : before;
        list.push_back(now - before);
        before = now;
    }
    return list;
}

Json curve_of(const std::string& name, const StatisticsTable& table,
              const std::vector<double>& values, std::size_t buckets) {
    const std::vector<double>& episodes = table.columns.front();
    const ThinCurve thin = thinned(values, buckets);
    Json points = Json::array();
    for (const std::size_t row : thin.rows) {
        points.push_back(rounded(values[row]));
    }
    Json curve = {
        {"set", table.set},
        {"statistic", name},
        {"rows", values.size()},
        {"nan", std::ranges::count_if(values, [](double v) { return !std::isfinite(v); })},
        {"episodes", differences(episodes, thin.rows)},
        {"values", std::move(points)}};
    if (!thin.means.empty()) {
        curve["mean_episodes"] = differences(episodes, thin.mean_rows);
        curve["means"] = rounded(thin.means);
    }
    return curve;
}

// Returns [episodes done, epoch] of the ends of epochs, by which episodes are shown as epochs.
Json epoch_ends(const std::vector<StatisticsTable>& tables, double first_epoch) {
    Json ends = Json::array();
    for (const StatisticsTable& table : tables) {
        const std::vector<double>* epochs = table.find("epoch");
        if (epochs == nullptr || table.set + run::kTableEnding != run::kTrainingEpochsTable) {
            continue;
        }
        for (std::size_t row = 0; row < table.row_count(); ++row) {
            ends.push_back(
                {exact(table.columns[0][row] + 1), exact((*epochs)[row] + 1 - first_epoch)});
        }
    }
    return ends;
}

std::string last_part(const fs::path& file, std::string& note) {
    const InputFile input(file);
    const std::uint64_t begin = input.size() > kMaxText ? input.size() - kMaxText : 0;
    note = begin == 0 ? "" : fmt::format("only the last {} KiB", kMaxText / 1024);
    return input.read(begin, kMaxText);
}

void add_text(Json& sections, const char* kind, const char* title, const fs::path& file,
              std::vector<std::string>& problems) {
    std::error_code ignored;
    if (!fs::exists(file, ignored)) {
        return;
    }
    try {
        std::string note;
        const std::string text = last_part(file, note);
        sections.push_back({{"kind", kind},
                            {"title", title},
                            {"file", file.filename().string()},
                            {"note", note},
                            {"text", harmless(text)}});
    } catch (const FileError& error) {
        problems.push_back(
            fmt::format("{}: {}\n    fix: make it readable", file.string(), error.what()));
    }
}

// Returns the newest file of each set and kind: SECTION_EPISODE.KIND.csv.
std::map<std::string, fs::path> newest_tables(const fs::path& folder) {
    std::map<std::string, fs::path> newest;
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : entries_of(folder)) {
        if (entry.path().extension() == run::kTableEnding) {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    for (const fs::path& file : files) {
        const std::string name = file.filename().string();
        const std::size_t dot = std::min(name.find('.'), name.size());
        newest[name.substr(0, std::min(name.rfind('_', dot), dot)) + name.substr(dot)] = file;
    }
    return newest;
}

Json table_of(const std::string& title, const fs::path& file) {
    const std::string text = InputFile(file).read(0, kMaxText);
    Json rows = Json::array();
    std::size_t cells = 0;
    for (std::size_t begin = 0; begin < text.size() && cells < kMaxCells;) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        Json row = Json::array();
        for (const std::string& cell :
             cells_of(std::string_view(text).substr(begin, end - begin))) {
            row.push_back(harmless(cell));
            ++cells;
        }
        rows.push_back(std::move(row));
        begin = end + 1;
    }
    return {{"kind", "table"},
            {"title", harmless(title)},
            {"file", harmless(file.filename().string())},
            {"note", cells < kMaxCells ? "" : fmt::format("only the first {} cells", kMaxCells)},
            {"rows", std::move(rows)}};
}

void add_tables(Json& sections, const Run& run, std::vector<std::string>& problems) {
    const fs::path root = run.folder / "tables";
    std::error_code ignored;
    if (!fs::is_directory(root, ignored)) {
        return;
    }
    std::size_t count = 0;
    for (const fs::directory_entry& component : entries_of(root)) {
        if (!component.is_directory(ignored)) {
            continue;
        }
        for (const auto& [kind, file] : newest_tables(component.path())) {
            try {
                if (++count <= kMaxTables) {
                    sections.push_back(
                        table_of(component.path().filename().string() + ": " + kind, file));
                }
            } catch (const FileError& error) {
                problems.push_back(
                    fmt::format("{}: {}\n    fix: make it readable", file.string(), error.what()));
            }
        }
    }
}

// Adds the newest images, as many as there is room for.
void add_images(Json& sections, const Run& run, const Detail& detail,
                std::vector<std::string>& problems) {
    const fs::path root = run.folder / "images";
    std::error_code ignored;
    if (!fs::is_directory(root, ignored)) {
        return;
    }
    std::vector<fs::path> files;
    for (fs::recursive_directory_iterator it(root, ignored), end; !ignored && it != end;
         it.increment(ignored)) {
        if (it->path().extension() == ".png") {
            files.push_back(it->path());
        }
    }
    std::ranges::sort(files, std::greater());
    Json images = Json::array();
    std::size_t room = detail.image_bytes;
    for (const fs::path& file : files) {
        try {
            const InputFile input(file);
            if (images.size() >= detail.images || input.size() > room) {
                break;
            }
            room -= input.size();
            images.push_back({{"name", harmless(file.lexically_relative(root).string())},
                              {"png", base64(input.read(0, input.size()))}});
        } catch (const FileError& error) {
            problems.push_back(
                fmt::format("{}: {}\n    fix: make it readable", file.string(), error.what()));
        }
    }
    sections.push_back(
        {{"kind", "images"},
         {"title", "Images"},
         {"note", images.size() == files.size()
                      ? ""
                      : fmt::format("the newest {} of {}", images.size(), files.size())},
         {"images", std::move(images)}});
}

}  // namespace

Json sections_of(const Run& run, const Detail& detail, std::vector<std::string>& problems) {
    Json sections = Json::array();
    std::string problem;
    const std::optional<run::Record> record = run::read_record(run.folder, problem);
    const std::vector<StatisticsTable> tables = statistics_of(run.folder);
    Json curves = Json::array();
    for (const StatisticsTable& table : tables) {
        for (std::size_t i = 0; i < table.names.size(); ++i) {
            if (!is_place(table.names[i])) {
                curves.push_back(
                    curve_of(harmless(table.names[i]), table, table.columns[i], detail.buckets));
            }
        }
        if (!table.problem.empty()) {
            problems.push_back(table.problem);
        }
    }
    const bool is_first_zero = record && record->format < 2;
    sections.push_back({{"kind", "curves"},
                        {"epochs", epoch_ends(tables, is_first_zero ? 0 : 1)},
                        {"curves", std::move(curves)}});
    std::vector<std::string> ignored;  // add_text() below reports it
    Json log = Json::array();
    add_text(log, "log", "Log", run.folder / run::kLogFile, ignored);
    sections.push_back(events_section(run, tables, record, problems));
    add_find_lr(sections, run.folder, problems);
    add_samples(sections, run.folder, detail.samples, problems);
    add_data(sections, run.folder, detail.image_bytes, problems);
    add_model(sections, run.folder, problems);
    add_kernels(sections, run.folder, detail.image_bytes, problems);
    add_embeddings(sections, run.folder, problems);
    add_layers(sections, run.folder, problems);
    add_explanations(sections, run.folder, detail.image_bytes, problems);
    add_tables(sections, run, problems);
    add_images(sections, run, detail, problems);
    sections.push_back(origin_section(run, record));
    add_text(sections, "text", "Experiment", run.folder / run::kExperimentFile, problems);
    add_text(sections, "text", "Components and data", run.folder / run::kSummaryFile, problems);
    add_text(sections, "text", "Environment", run.folder / run::kRecordFile, problems);
    add_text(sections, "log", "Log", run.folder / run::kLogFile, problems);
    if (!problem.empty()) {
        problems.push_back(problem);
    }
    return sections;
}

}  // namespace ptp::report
