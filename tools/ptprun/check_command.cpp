// `ptprun check`: reports what is wrong with an experiment, or with all experiments of a sweep. The
// checks are those of host::prepare(); with --data the engine creates all components, too.
#include "base/exit_code.hpp"
#include "base/memory.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "check_search.hpp"
#include "commands.hpp"
#include "downloads.hpp"
#include "host/engine_library.hpp"
#include "host/prepare.hpp"
#include "picture_file.hpp"
#include "report.hpp"
#include "request_options.hpp"
#include "run_operand.hpp"
#include "sweep_points.hpp"

#include <fmt/core.h>

#include <cstdio>

namespace ptp::ptprun {

namespace {

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
    const int code = check_sweep(request, points, nullptr);
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

// Creates all components as a training would, which reads the data as far as the tasks do at the
// start, and trains nothing. Shows what they warn of, and adds its number to `warnings`.
int create_components(const host::Prepared& prepared, const host::Request& request,
                      std::size_t& warnings) {
    engine::RunResult result = host::summarize_in_engine(
        {prepared.experiment, *prepared.plan, false, /*reads_texts=*/true});
    for (const std::string& warning : result.warnings) {
        fmt::print(stderr, "warning: {}\n", warning);
    }
    warnings += result.warnings.size();
    advise_fetching(result, prepared, request);
    return result.exit_code == kDone ? kDone : report(result);
}

// Draws the pipeline, with each error at the component that it is about.
void draw_checked(const host::Prepared& prepared, const Diagnostics& problems,
                  const PictureTarget& target) {
    write_picture(prepared.plan ? pipeline::picture_of(*prepared.plan)
                                : pipeline::picture_of(prepared.experiment, prepared.catalog,
                                                       host::home_folder(), problems),
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
        code = create_components(prepared, request, warnings);
        if (code != kDone) {
            return code;
        }
    }
    fmt::print("{}: {}\n", request.file,
               verdict(warnings, given.has("data"), prepared.experiment.device));
    fmt::print("  name        {}\n", prepared.experiment.name);
    fmt::print("  tasks       {}\n", node_list(prepared.plan->tasks));
    fmt::print("  components  {}\n", node_list(prepared.plan->nodes));
    fmt::print("  streams     {}\n", prepared.plan->streams.size());
    if (!given.has("data")) {
        print_unread(*prepared.plan, request.file);
    }
    return code;
}

}  // namespace

Command check_command() {
    return {
        .name = "check",
        .summary = "reports all errors, without running anything",
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
             request_options()}),
        .example = "ptprun check net.toml --set pipeline.model.dropout_rate=0.2",
        .run = run_check};
}

}  // namespace ptp::ptprun
