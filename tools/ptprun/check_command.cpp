// `ptprun check`, `draw` and `summary`: what is known of an experiment before it is trained.

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/memory.hpp"
#include "base/number.hpp"
#include "base/output_file.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "common/program.hpp"
#include "copied_samples.hpp"
#include "host/engine_library.hpp"
#include "host/prepare.hpp"
#include "missing_downloads.hpp"
#include "pipeline/component_stages.hpp"
#include "pipeline/draw/draw.hpp"
#include "report.hpp"
#include "request_options.hpp"
#include "run_operand.hpp"
#include "sweep_points.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace ptp::ptprun {

namespace {

int run_summary(const Given& given) {
    Diagnostics problems;
    const host::Request request = subject_request(given, problems);
    const host::Prepared prepared = host::prepare(request, problems);
    const int code = report(problems, prepared, request);
    if (!prepared.plan) {
        return code;
    }
    engine::RunResult result =
        host::summarize_in_engine({prepared.experiment, *prepared.plan, true});
    complete_fix(result, prepared, request);
    return report(result);
}

// The format is "text", "dot", or one of Graphviz's: "svg", "png" or "pdf".
struct PictureTarget {
    std::string format = "text";
    std::filesystem::path file = {};  // "": the standard output
};

constexpr std::array<std::string_view, 5> kFormats = {"text", "dot", "svg", "png", "pdf"};

// Returns "svg" for "picture.svg". Any name can be that of a text file, unless it is that of a
// picture in an unknown format.
std::string format_of(const std::string& file) {
    std::string suffix = std::filesystem::path(file).extension().string();
    if (suffix.empty() || suffix == ".txt") {
        return "text";
    }
    suffix.erase(0, 1);
    if (std::ranges::find(kFormats, suffix) == kFormats.end()) {
        throw UsageError(Explanation{
            fmt::format("{}: a file name must end with .txt, .dot, .svg, .png or .pdf, or --format "
                        "must be given",
                        file),
            "-o " + shell_word(std::filesystem::path(file).replace_extension(".png").string())}
                             .text());
    }
    return suffix;
}

std::string drawn(const pipeline::Picture& picture, const std::string& format) {
    if (format == "text") {
        return pipeline::draw_text(picture);
    }
    const std::string dot = pipeline::draw_dot(picture);
    return format == "dot" ? dot : pipeline::render_dot(dot, format);
}

// Returns the target by --output and the format; if that is "", it follows from the file's name,
// and is text by default. Throws UsageError, also for a file that cannot be written.
PictureTarget picture_target(const std::string& format, const Given& given) {
    const std::string file = given.text("output");
    if (!format.empty() && std::ranges::find(kFormats, format) == kFormats.end()) {
        throw UsageError(fmt::format("--format {}: must be {}", format, join(kFormats, ", ")));
    }
    const bool is_named = given.has("output") && file != "-";
    const std::string chosen = !format.empty() ? format : is_named ? format_of(file) : "text";
    return {.format = chosen,
            .file = is_named ? tools::output_file(file, "svg png pdf dot txt") : ""};
}

// Writes the picture. Throws pipeline::GraphvizError, RunError if the file cannot be written, and
// UsageError for pixels that would go to a terminal.
void write_picture(const pipeline::Picture& picture, const PictureTarget& target) {
    const bool is_binary = target.format == "png" || target.format == "pdf";
    if (is_binary && target.file.empty() && ::isatty(STDOUT_FILENO) != 0) {
        throw UsageError(
            fmt::format("a {} would go to the terminal; name a file with --output", target.format));
    }
    const std::string content = drawn(picture, target.format);
    if (target.file.empty()) {
        if (std::fwrite(content.data(), 1, content.size(), stdout) < content.size()) {
            throw RunError(kTrainingError, fmt::format("cannot write the standard output: {}",
                                                       std::generic_category().message(errno)));
        }
        return;
    }
    replace_file(target.file, content);
}

std::string node_list(const std::vector<pipeline::Node>& nodes) {
    std::vector<std::string> texts;
    for (const pipeline::Node& node : nodes) {
        texts.push_back(fmt::format("{} ({})", node.name, node.component->name));
    }
    return join(texts, ", ");
}

int check_all(const host::Request& request) {
    const auto points = points_of(request);
    if (points.empty()) {
        return kConfigurationError;
    }
    const int code = refuse_equal(points, check_sweep(request, points));
    if (code == kDone) {
        fmt::print("{}: nothing is wrong with any of {} experiments\n", request.file,
                   points.size());
    }
    return code;
}

// Returns what was found, and what was not looked at: the data, and a device that is no CPU.
std::string verdict(std::size_t warnings, bool has_read_data, const std::string& device) {
    const std::string found =
        warnings == 0 ? "nothing is wrong" : "no errors, " + counted(warnings, "warning");
    if (has_read_data) {
        return found;
    }
    return device == "cpu" ? found + "; the data were not read, --data does"
                           : fmt::format(
                                 "{}; the data were not read and {} was not looked for, "
                                 "--data does both",
                                 found, device);
}

// Prints the stages that are not empty.
void print_stages(const pipeline::Plan& plan) {
    for (const auto stage :
         {pipeline::Stage::kPre, pipeline::Stage::kForward, pipeline::Stage::kPost}) {
        const std::string names = pipeline::stage_text(plan, stage);
        if (!names.empty()) {
            fmt::print("  {:<10}  {}\n", pipeline::stage_name(stage), names);
        }
    }
}

// The sizes that only the data state, such as the number of classes, and how they are checked.
void print_unread(const pipeline::Plan& plan, const std::string& file) {
    std::vector<std::string> names;
    for (const auto& [name, symbol] : plan.global_symbols) {
        if (!plan.symbols[static_cast<std::size_t>(symbol)].size) {
            names.push_back(name);
        }
    }
    if (!names.empty()) {
        fmt::print("  not known   {}, before the data are read: ptprun check {} --data\n",
                   join(names, ", "), file);
    }
}

// Prints the keys with names of tensors and layers, which are those of components that are not
// created yet: the weights that are loaded, and what is frozen.
void print_unfitted(const experiment::Pipeline& pipeline, const std::string& file) {
    std::vector<std::string> keys;
    if (pipeline.load) {
        keys.emplace_back("pipeline.load");
    }
    for (const experiment::ComponentEntry& entry : pipeline.components) {
        if (entry.is_enabled && entry.load) {
            keys.push_back(entry.path + ".load");
        }
        if (entry.is_enabled && !entry.frozen_layers.empty()) {
            keys.push_back(entry.path + ".freeze");
        }
    }
    if (!keys.empty()) {
        fmt::print("  not fitted  {}, before components are created: ptprun check {} --data\n",
                   join(keys, ", "), file);
    }
}

// Prints the tasks that have looked at the beginning of each file alone, and how they read all.
void print_unread_files(const pipeline::Plan& plan, const std::string& file) {
    const Value all("all");
    std::vector<std::string> tasks;
    std::string options;
    for (const pipeline::Node& task : plan.tasks) {
        const auto& declared = task.component->settings;
        const auto check = std::ranges::find(declared, "check", &plugin::Setting::name);
        if (check == declared.end() || !contains(check->choices, all.as_string()) ||
            task.settings[static_cast<std::size_t>(check - declared.begin())] == all) {
            continue;
        }
        tasks.push_back(task.section);
        options += fmt::format(" --set {}.check=all", task.path);
    }
    if (!tasks.empty()) {
        fmt::print("  not read    the files of {} beyond their headers: ptprun check {} --data{}\n",
                   join(tasks, ", "), file, options);
    }
}

// Creates all components as a training would, which reads the data as far as the tasks do at the
// start, and trains nothing. Shows what they warn of, and adds its number to `warnings`.
int create_components(const host::Prepared& prepared, const host::Request& request,
                      const Diagnostics& problems, std::size_t& warnings) {
    engine::RunResult result = host::summarize_in_engine(
        {prepared.experiment, *prepared.plan, false, /*reads_texts=*/true});
    if (result.exit_code == kDone) {
        std::ranges::move(warnings_of_copies(prepared, problems),
                          std::back_inserter(result.warnings));
    }
    for (const std::string& warning : result.warnings) {
        fmt::print(stderr, "warning: {}\n", warning);
    }
    warnings += result.warnings.size();
    complete_fix(result, prepared, request);
    return result.exit_code == kDone ? kDone : report(result);
}

// Draws the pipeline, with each error at the component that it is about.
void draw_checked(const host::Prepared& prepared, const Diagnostics& problems,
                  const PictureTarget& target) {
    write_picture(prepared.plan ? pipeline::picture_of(*prepared.plan)
                                : pipeline::picture_of(prepared.experiment, prepared.catalog,
                                                       home_folder(), problems),
                  target);
}

int run_check(const Given& given) {
    const PictureTarget target = picture_target("", given);
    Diagnostics problems;
    const host::Request request = subject_request(given, problems);
    if (is_sweep(request) && given.has("data")) {
        throw UsageError(
            "--data reads the data of one experiment: give --set one value of each key");
    }
    if (is_sweep(request)) {
        return check_all(request);
    }
    keep_freed_memory();
    // Never destroyed: the program ends, and thousands of components take long to destroy.
    static const auto& prepared = *new host::Prepared(host::prepare(request, problems));
    if (prepared.plan && !request.run_plugins) {
        check_search(request, prepared, problems);
    }
    int code = report(problems, prepared, request);
    if (given.has("draw") || given.has("output")) {
        draw_checked(prepared, problems, target);
    }
    if (!prepared.plan || !problems.ok()) {
        return code;
    }
    std::size_t warnings = problems.sorted().size() - problems.error_count();
    if (given.has("data")) {
        code = create_components(prepared, request, problems, warnings);
        if (code != kDone) {
            return code;
        }
    }
    fmt::print("{}: {}\n", shown_file(request),
               verdict(warnings, given.has("data"), prepared.experiment.device));
    fmt::print("  name        {}\n", prepared.experiment.name);
    fmt::print("  tasks       {}\n", node_list(prepared.plan->tasks));
    fmt::print("  components  {}\n", node_list(prepared.plan->nodes));
    print_stages(*prepared.plan);
    fmt::print("  streams     {}\n", prepared.plan->streams.size());
    if (!given.has("data")) {
        print_unread(*prepared.plan, shown_file(request));
        print_unfitted(prepared.experiment.pipeline, shown_file(request));
    } else {
        print_unread_files(*prepared.plan, shown_file(request));
    }
    return code;
}

int run_draw(const Given& given) {
    const PictureTarget target = picture_target(given.text("format"), given);
    const bool is_counted = given.has("parameters");
    Diagnostics problems;
    const host::Request request = subject_request(given, problems);
    refuse_sweep(request);
    const host::Prepared prepared = host::prepare(
        request, problems,
        is_counted ? pipeline::NeededFiles::kWithoutWeights : pipeline::NeededFiles::kIgnored);
    const int code = report(problems, prepared, request);
    if (!prepared.plan) {
        return code;
    }
    engine::RunResult counted;
    if (is_counted) {
        counted = host::summarize_in_engine({prepared.experiment, *prepared.plan});
        complete_fix(counted, prepared, request);
        if (counted.exit_code != kDone) {
            return report(counted);
        }
    }
    write_picture(pipeline::picture_of(*prepared.plan, counted.parameters), target);
    return code;
}

}  // namespace

Command draw_command() {
    return {.name = "draw",
            .summary = "shows the pipeline as text or as a picture",
            .details = kTakesInput,
            .operands = {declared_subject()},
            .options =
                tools::concat({{{.name = "format",
                                 .value = "FORMAT",
                                 .help = "text (the default), dot (for Graphviz), svg, png or pdf",
                                 .completions = {"text", "dot", "svg", "png", "pdf"}},
                                {.name = "output,o",
                                 .value = "FILE",
                                 .help = "write the picture to FILE, in the format of its name: "
                                         "pipeline.svg",
                                 .completions = {tools::kFiles}},
                                {.name = "parameters",
                                 .help = "create the components, and show the number of their "
                                         "parameters; needs the data"}},
                               subject_options()}),
            .example = "ptprun draw net.toml --format svg > net.svg",
            .run = run_draw};
}

Command summary_command() {
    return {.name = "summary",
            .summary = "shows what would be trained, and on what",
            .details = kTakesInput,
            .operands = {declared_subject()},
            .options = subject_options(),
            .example = "ptprun summary net.toml",
            .run = run_summary};
}

Command check_command() {
    return {
        .name = "check",
        .summary = "reports all errors, without running anything",
        .details = kTakesInput,
        .operands = {declared_subject()},
        .options = tools::concat(
            {{{.name = "data",
               .help = "also read the data as a training does at its start, and create all "
                       "components: columns, classes, vocabularies and all texts are checked, too"},
              {.name = "draw", .help = "draw the pipeline with its errors at the components"},
              {.name = "output,o",
               .value = "FILE",
               .help = "write that picture to FILE, in the format of its name: pipeline.svg",
               .completions = {tools::kFiles}}},
             subject_options(/*takes_sweeps=*/true)}),
        .example = "ptprun check net.toml --set pipeline.model.dropout_rate=0.2",
        .run = run_check};
}

}  // namespace ptp::ptprun
