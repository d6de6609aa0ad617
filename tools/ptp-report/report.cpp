// ptp-report: writes reports of runs, and draws their curves, for `ptprun report` and `ptprun
// plot`. A report gathers runs, and is made coarser until it is small enough.

#include "ptp-report/report.hpp"

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/file_error.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "common/program.hpp"
#include "experiment/explanations.hpp"
#include "ptp-report/explanations_section.hpp"
#include "ptp-report/model_section.hpp"
#include "ptp-report/page.hpp"
#include "ptp-runs/columns.hpp"
#include "ptp-runs/groups.hpp"
#include "ptprun/command_line.hpp"
#include "ptprun/report.hpp"
#include "ptprun/run_operand.hpp"
#include "run/read_run.hpp"
#include "schema/fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

namespace ptp::report {

namespace fs = std::filesystem;
using run::Run;

namespace {

constexpr const char* kUsualFile = "report.html";
constexpr std::size_t kFewestBuckets = 30;
constexpr int kFormat = 1;  // of the page's data

// Sorts the best first, by what their experiments judge; runs without a value last.
void sort_by_judge(std::vector<Run>& runs) {
    const auto key = [](const Run& run) {
        const run::Judged judge = run::judged(run);
        return judge.value ? judge.comparable() : std::numeric_limits<double>::infinity();
    };
    std::ranges::stable_sort(runs, {}, key);
}

Json samples_of(const Run& run) {
    const Value* size = run.settings.find_path("training.task.batch_size");
    return size != nullptr && size->is_integer() && size->as_integer() > 0
               ? Json(size->as_integer())
               : Json(nullptr);
}

// Returns for each run the number of its group: of runs that differ in seed or fold alone.
std::vector<std::size_t> groups_of(const std::vector<Run>& runs) {
    std::vector<runs::Column> keys = {{"experiment"}};
    for (runs::Column& column : runs::varied_settings(runs)) {
        if (!runs::is_seed_or_fold(column)) {
            keys.push_back(std::move(column));
        }
    }
    const runs::Groups groups = runs::groups_of(runs, keys);
    std::vector<std::size_t> numbers(runs.size());
    for (std::size_t group = 0; group < groups.size(); ++group) {
        for (const Run& run : groups[group]) {
            const auto at = std::ranges::find(runs, run.folder, &Run::folder);
            numbers[static_cast<std::size_t>(at - runs.begin())] = group;
        }
    }
    return numbers;
}

Json data_of(const std::vector<Run>& runs, const Detail& detail, tools::Strings& problems) {
    const fs::path common = run::common_folder(runs);
    const std::vector<std::size_t> groups = groups_of(runs);
    Json list = Json::array();
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const Run& run = runs[i];
        const run::Judged judge = run::judged(run);
        tools::Strings own;
        if (!run.problem.empty()) {
            own.push_back(run.problem);
        }
        Json sections = sections_of(run, detail, own);
        list.push_back(
            {{"name", run::plain(run::name_below(common, run.folder))},
             {"group", groups[i]},
             {"judge", {{"name", run::plain(judge.name)}, {"larger", judge.is_larger_better}}},
             {"batch_size", samples_of(run)},
             {"problems", own},
             {"sections", std::move(sections)}});
        problems.insert(problems.end(), own.begin(), own.end());
    }
    Json data = {{"format", kFormat},
                 {"buckets", detail.buckets},
                 {"note", ""},
                 {"listing", runs::listing_of(runs)},
                 {"runs", std::move(list)}};
    return data;
}

std::string title_of(const std::vector<Run>& runs) {
    return runs.size() == 1 ? "ptp: " + run::plain(runs.front().folder.string())
                            : fmt::format("ptp: {} runs", runs.size());
}

// Returns the page with as many points and images as its size allows.
std::string fitted_page(const std::vector<Run>& runs, std::size_t max_bytes,
                        tools::Strings& problems) {
    Detail detail;
    while (true) {
        problems.clear();
        Json data = data_of(runs, detail, problems);
        if (detail.buckets != Detail().buckets) {
            data["note"] = fmt::format(
                "curves are thinned to {} buckets of four points, images to {} KiB a run, and lists "
                "of samples to {}, to keep the file below {} MB",
                detail.buckets, detail.image_bytes / 1024, detail.samples.rows,
                max_bytes / 1000000);
        }
        std::string page = page_of(data, title_of(runs));
        if (page.size() <= max_bytes || detail.buckets <= kFewestBuckets) {
            return page;
        }
        detail.buckets /= 2;
        detail.image_bytes /= 2;
        detail.samples.rows /= 2;
        detail.samples.curve_points /= 2;
        detail.samples.example_bytes /= 2;
    }
}

constexpr int kSignals = 128;  // exit codes above it are of programs that a signal has ended

// Returns [report.explanations] of a run, or the defaults; with the methods that are given.
experiment::Explanations explanations_of(const Run& run, const ptprun::Given& given) {
    experiment::Explanations explanations;
    const Value* const table = run.settings.find_path("report.explanations");
    if (table != nullptr && table->is_table()) {
        Diagnostics of_newer_ptp;  // what is unknown stays at its default
        const schema::ReadOptions options;
        read_fields(schema::Scope{*table, "", options, of_newer_ptp}, explanations.fields());
    }
    explanations.methods = given.texts("explain");
    return explanations;
}

// Explains predictions of each run; what fails is a warning. Returns the exit code of the first
// that fails.
int explain(const std::vector<Run>& runs, const ptprun::Given& given) {
    int code = kDone;
    const std::string data = given.has("explain-data") ? given.text("explain-data") : "validation";
    for (const Run& run : runs) {
        const ExplainResult made = explain_run(run.folder, explanations_of(run, given), data);
        if (made.exit_code > kSignals) {
            return made.exit_code;
        }
        if (!made.problem.empty()) {
            fmt::print(stderr, "ptprun: warning: {}: predictions are not explained: {}\n",
                       run::plain(run.folder.string()), harmless(made.problem));
            code = code == kDone ? made.exit_code : code;
        }
    }
    return code;
}

// Writes the vectors of the best run, the first; a failure is a warning. Returns the exit code.
int project(const std::vector<Run>& runs, const fs::path& folder) {
    const Run& run = runs.front();
    const auto warn = [&](const std::string& what) {
        fmt::print(stderr, "ptprun: warning: {}: no vectors are written: {}\n",
                   run::plain(run.folder.string()), harmless(what));
        return static_cast<int>(kDataError);
    };
    try {
        Projector projector(folder);
        project_embeddings(run.folder, projector);
        project_samples(run.folder, projector);
        if (projector.count() == 0) {
            return warn(
                "its models look nothing up in an embedding, and it has no vectors of samples\n"
                "    fix: train with --set 'records.sample_values.streams=[\"STREAM\"]'");
        }
        projector.finish();
        fmt::print("vectors in {}; to look: tensorboard --logdir {}\n", folder.string(),
                   folder.string());
        return kDone;
    } catch (const FileError& error) {
        return warn(error.what());
    } catch (const RunError& error) {
        return warn(error.what());
    }
}

fs::path html_file(const std::string& named) {
    const std::string ending = fs::path(named).extension().string();
    if (!ending.empty() && ending != ".html" && ending != ".htm") {
        throw tools::UsageError(
            fmt::format("-o {}: a report is HTML, which a browser prints as PDF\n"
                        "    fix: -o {}",
                        named, shell_word(fs::path(named).replace_extension(".html").string())));
    }
    return tools::output_file(named, "html htm");
}

}  // namespace

int write_report(const ptprun::Given& given) {
    const fs::path file = html_file(given.has("output") ? given.text("output") : kUsualFile);
    std::vector<Run> runs = ptprun::run_operands(given.operands());
    sort_by_judge(runs);
    int code = given.has("explain") ? explain(runs, given) : kDone;
    if (code > kSignals) {
        return code;
    }
    if (given.has("projector")) {
        const int projected = project(runs, given.text("projector"));
        code = code == kDone ? projected : code;
    }
    tools::Strings problems;
    const auto max_bytes = static_cast<std::size_t>(*given.integer("max-size")) * 1000000;
    const std::string page = fitted_page(runs, max_bytes, problems);
    for (const std::string& problem : problems) {
        fmt::print(stderr, "ptprun: warning: {}\n", harmless(problem));
    }
    if (page.size() > max_bytes) {
        fmt::print(stderr,
                   "ptprun: warning: {}: has {:.1f} MB, more than --max-size {}\n"
                   "    fix: name fewer runs\n",
                   file.string(), static_cast<double>(page.size()) / 1e6, max_bytes / 1000000);
    }
    replace_file(file, page);
    fmt::print("{} of {} in {} ({:.1f} MB)\n", runs.size() == 1 ? "report" : "comparison",
               runs.size() == 1 ? run::plain(runs.front().folder.string())
                                : fmt::format("{} runs", runs.size()),
               file.string(), static_cast<double>(page.size()) / 1e6);
    return code;
}

}  // namespace ptp::report

int main(int argc, char** argv) {
    using namespace ptp::ptprun;
    return run_beside_ptprun(kReportProgram,
                             {run_by(report_command(), ptp::report::write_report),
                              run_by(plot_command(), ptp::report::plot)},
                             {argv + 1, argv + argc});
}
