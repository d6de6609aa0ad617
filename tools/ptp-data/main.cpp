// ptp-data: shows what the tasks of an experiment deliver. `ptprun data` starts it.

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/memory.hpp"
#include "base/output_file.hpp"
#include "base/terminal.hpp"
#include "common/program.hpp"
#include "host/engine_library.hpp"
#include "host/open_engine.hpp"
#include "host/prepare.hpp"
#include "host/section_names.hpp"
#include "pipeline/component_stages.hpp"
#include "ptp-data/pages.hpp"
#include "ptprun/missing_downloads.hpp"
#include "ptprun/report.hpp"
#include "ptprun/request_options.hpp"
#include "ptprun/run_operand.hpp"
#include "ptprun/training_options.hpp"
#include "run/format.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

namespace ptp::data {

namespace {

using tools::Given;

constexpr std::int64_t kUsualSamples = 3;
constexpr std::int64_t kUsualSamplesOfPage = 24;
constexpr std::int64_t kUsualVersions = 5;
constexpr std::size_t kPictureColumns = 48;
constexpr std::size_t kMaxErrors = 20;

// Returns the file of --html, or nullopt. Throws UsageError for one that cannot be written.
std::optional<std::filesystem::path> page_file(const Given& given) {
    if (!given.has("html")) {
        return std::nullopt;
    }
    try {
        return tools::output_file(given.text("html"), "html htm");
    } catch (const tools::UsageError& error) {
        const std::string text = error.what();
        throw tools::UsageError(text.starts_with("-o") ? "--html" + text.substr(2) : text);
    }
}

// Returns the file of --record in the run's folder, or nullopt. Throws UsageError for an experiment
// or a bundle, whose folder goes with the program.
std::optional<std::filesystem::path> recorded_file(const Given& given) {
    if (!given.has("record")) {
        return std::nullopt;
    }
    const std::string& named = given.operands().front();
    const ptprun::Subject subject = ptprun::subject_operand(named);
    if (subject.bundle) {
        throw tools::UsageError(
            fmt::format("--record: '{0}' is a bundle, which stays as it is\n"
                        "    fix: ptprun data {0} --json >data.json",
                        named));
    }
    if (!subject.run) {
        throw tools::UsageError(
            fmt::format("--record: '{}' is not a run\n    fix: name the folder of a run", named));
    }
    return *subject.run / run::kDataFile;
}

// Returns the sections that are asked for; empty: all of a training. Reports names that mean none.
std::vector<std::string> asked_sections(const Given& given, const host::Prepared& prepared,
                                        Diagnostics& problems) {
    const std::vector<std::string> asked = given.texts("section");
    return asked.empty() ? std::vector<std::string>()
                         : host::sections_of(asked, "--section", prepared.experiment, problems);
}

// Returns whether all sections have a task in the plan: those of [process] have none in that of a
// training.
bool has_all(const pipeline::Plan& plan, const std::vector<std::string>& sections) {
    return std::ranges::all_of(
        sections, [&](const std::string& name) { return find_named(plan.tasks, name) != nullptr; });
}

// Shows why sections and samples cannot be read. Returns the exit code.
int report_errors(const std::vector<SectionFacts>& sections, const host::Prepared& prepared,
                  const host::Request& request) {
    int code = kDone;
    for (const SectionFacts& section : sections) {
        if (!section.error.empty()) {
            engine::RunResult result{.exit_code = section.exit_code, .error = section.error};
            ptprun::complete_fix(result, prepared, request);
            ptprun::show_error(result.error, prepared.overrides);
            code = code == kDone ? section.exit_code : code;
        }
        for (std::size_t i = 0; i < std::min(section.broken.size(), kMaxErrors); ++i) {
            ptprun::show_error(fmt::format("{}: sample {}: {}", section.name,
                                           section.broken[i].index, section.broken[i].error));
        }
        if (section.broken.size() > kMaxErrors) {
            ptprun::show_error(fmt::format("{}: {} more are broken", section.name,
                                           section.broken.size() - kMaxErrors));
        }
        code = code == kDone && !section.broken.empty() ? kDataError : code;
    }
    return code;
}

// The files that are written besides what is printed.
struct Files {
    std::optional<std::filesystem::path> page;
    std::optional<std::filesystem::path> record;
};

// The record has no samples, whatever the page or the JSON show.
void write_record(const std::filesystem::path& file, Findings findings) {
    findings.format = run::kDataFormat;
    for (SectionFacts& section : findings.sections) {
        section.shown.clear();
    }
    replace_file(file, json_page(findings));
}

void show_findings(const Given& given, const Findings& findings, const Files& files) {
    std::string written;
    if (files.record) {
        write_record(*files.record, findings);
        written += fmt::format("{}: written\n", files.record->string());
    }
    if (files.page) {
        replace_file(*files.page, html_page(findings));
        written += fmt::format("{}: written\n", given.text("html"));
    }
    if (given.has("json")) {
        tools::print(json_page(findings));
    } else if (!written.empty()) {
        tools::print(written);
    } else {
        tools::print(text_page(findings, {has_color(STDOUT_FILENO), kPictureColumns}));
    }
}

// Returns the number of versions of a sample; a record has some unless the user wants none.
std::uint64_t versions_for(const Given& given, const Files& files) {
    return static_cast<std::uint64_t>(
        given.integer("versions").value_or(files.record ? kUsualVersions : 0));
}

int run_data(const Given& given) {
    const Files files{page_file(given), recorded_file(given)};
    ptprun::use_threads(given);
    keep_freed_memory();
    Diagnostics problems;
    host::Request request = ptprun::subject_request(given, problems);
    constexpr auto kFiles = pipeline::NeededFiles::kWithoutWeights;
    // Never destroyed: the program ends.
    static auto& prepared = *new host::Prepared(host::prepare(request, problems, kFiles));
    std::vector<std::string> sections;
    if (prepared.plan) {
        sections = asked_sections(given, prepared, problems);
    }
    if (prepared.plan && problems.ok() && !has_all(*prepared.plan, sections)) {
        request.processed = given.texts("section");
        problems = Diagnostics();
        prepared = host::prepare(request, problems, kFiles);
    }
    const int code = ptprun::report(problems, prepared, request);
    if (!prepared.plan || !problems.ok()) {
        return code;
    }
    Findings findings;
    findings.experiment = prepared.experiment.name;
    findings.hashed = pipeline::model_inputs(*prepared.plan);
    const std::int64_t shown =
        given.integer("samples").value_or(files.page                          ? kUsualSamplesOfPage
                                          : given.has("json") || files.record ? 0
                                                                              : kUsualSamples);
    engine::RunResult result = host::survey_in_engine(
        {prepared.experiment, *prepared.plan, sections, findings.hashed,
         static_cast<std::uint64_t>(given.integer("limit").value_or(0)),
         static_cast<std::uint64_t>(shown), versions_for(given, files), findings.sections});
    if (result.exit_code != kDone) {
        ptprun::complete_fix(result, prepared, request);
        return ptprun::report(result, prepared.overrides);
    }
    findings.duplicates = find_duplicates(findings.sections);
    if (given.has("compare") || files.record) {
        findings.compared = compare_classes(findings.sections);
    }
    show_findings(given, findings, files);
    return report_errors(findings.sections, prepared, request);
}

tools::Command data_command() {
    tools::Option section = ptprun::section_option(
        "training, validation, test, or the name of a set of [validation] or of a section of "
        "[process]; may be given several times (default: all of a training)");
    section.is_repeatable = true;
    return {
        .summary = "shows the samples, classes and duplicates of an experiment's data",
        .details =
            "Reads all samples of the sections once, as in an evaluation, and trains nothing.\n"
            "Two samples are equal if all streams that models see are. Images are drawn with\n"
            "characters, and as they are on the page of --html.\n" +
            std::string(ptprun::kTakesInput),
        .operands = {ptprun::declared_subject()},
        .options = tools::concat(
            {{section,
              {.name = "limit",
               .value = "N",
               .help = "read N samples of each section, evenly spaced (default: all)",
               .integers = tools::Integers{.min = 1}},
              {.name = "samples",
               .value = "N",
               .help = "show N samples of each section, evenly spaced (default: 3; of --html 24)",
               .integers = tools::Integers{.min = 0, .max = 10000}},
              {.name = "compare",
               .help = "show the sections side by side: shares of classes, and missing ones"},
              {.name = "html",
               .value = "FILE",
               .help = "write a page for a browser, with its pictures in it",
               .completions = {tools::kFiles}},
              {.name = "versions",
               .value = "N",
               .help = "add 8 samples of the training to the JSON, as each of its first N epochs "
                       "gets them (default: of --record 5)",
               .integers = tools::Integers{.min = 0, .max = 32}},
              {.name = "json", .help = "print everything as JSON"},
              {.name = "record",
               .help = "write it into the folder of the run, for the reports of the run"}},
             {ptprun::threads_option()},
             ptprun::subject_options(),
             {{.name = "version", .help = "print the version"}}}),
        .example = "ptprun data net.toml --compare --html data.html",
        .run = run_data};
}

}  // namespace

int run_program(const tools::Strings& words) {
    const tools::Command command = data_command();
    return tools::run_program(
        {"ptp-data", command, "0 done, 2 wrong input, 3 plugin, 4 data, 5 reading failed"}, words);
}

}  // namespace ptp::data

int main(int argc, char** argv) {
    ptp::host::leave(ptp::data::run_program({argv + 1, argv + argc}));
}
