#include "base/exit_code.hpp"
#include "base/suggest.hpp"
#include "checkpoint_check.hpp"
#include "commands.hpp"
#include "console_options.hpp"
#include "engine_library.hpp"
#include "pipeline/prediction.hpp"
#include "pipeline/unlabeled.hpp"
#include "pipeline/unlabeled_advice.hpp"
#include "prepare.hpp"
#include "run_operand.hpp"
#include "run_plugins.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace ptp::ptprun {

namespace fs = std::filesystem;
namespace po = boost::program_options;

namespace {

using Strings = std::vector<std::string>;

constexpr std::array<std::string_view, 3> kSections = {"test", "validation", "training"};

// What predicts, and on what.
struct Job {
    Subject subject;
    std::optional<fs::path> checkpoint;
    std::string section;         // whose task reads the data; "": the experiment's usual one
    std::vector<fs::path> data;  // without targets; empty: the section's own
};

const experiment::Section* find_section(const experiment::Experiment& experiment,
                                        std::string_view name) {
    if (name == "training") {
        return &experiment.training;
    }
    const auto& section = name == "validation" ? experiment.validation : experiment.test;
    return section ? &*section : nullptr;
}

experiment::Section& section_of(experiment::Experiment& experiment, std::string_view name) {
    if (name == "training") {
        return experiment.training;
    }
    return name == "validation" ? *experiment.validation : *experiment.test;
}

bool is_section(const std::string& word) {
    return std::ranges::find(kSections, word) != kSections.end();
}

void read_data(const po::variables_map& map, Job& job) {
    const Strings words = map.count("data") > 0 ? map["data"].as<Strings>() : Strings();
    if (words.empty()) {
        throw po::error(
            "--data is needed: a folder, files, or a section: training, validation or "
            "test");
    }
    const bool has_section = map.count("section") > 0;
    if (has_section) {
        job.section = map["section"].as<std::string>();
    }
    if (has_section && !is_section(job.section)) {
        throw po::error(
            fmt::format("--section {}: must be training, validation or test", job.section));
    }
    if (words.size() == 1 && is_section(words.front())) {
        if (has_section) {
            throw po::error(
                fmt::format("--section goes with files and folders; --data {0} is the "
                            "section itself (a folder of this name is ./{0})",
                            words.front()));
        }
        job.section = words.front();
        return;
    }
    for (const std::string& word : words) {
        std::error_code ignored;
        if (!fs::exists(word, ignored)) {
            throw po::error(
                fmt::format("--data {}: there is no such file or folder, and no such "
                            "section (training, validation, test)",
                            word));
        }
        job.data.emplace_back(word);
    }
}

Job job_from(const po::variables_map& map) {
    Job job;
    job.subject = subject_operand(map["experiment"].as<std::string>());
    job.checkpoint = checkpoint_operand(map, job.subject);
    read_data(map, job);
    return job;
}

template <class Number>
std::optional<Number> count_from(const po::variables_map& map, const char* name) {
    if (map.count(name) == 0) {
        return std::nullopt;
    }
    const auto count = map[name].as<std::int64_t>();
    if (count < 1) {
        throw po::error(fmt::format("--{} {}: must be 1 or more", name, count));
    }
    return static_cast<Number>(count);
}

// Components without what they read, such as a loss without targets, are inactive.
void allow_missing_inputs(experiment::Experiment& experiment) {
    for (experiment::ComponentEntry& entry : experiment.pipeline.components) {
        entry.skip_if_missing = true;
    }
}

// Chooses the section, and gives its task the data.
void adapt(Job& job, Request& request) {
    request.change = [](experiment::Experiment& experiment, Diagnostics&) {
        allow_missing_inputs(experiment);
    };
    request.adapt = [&job, &request](experiment::Experiment& experiment,
                                     const plugin::Catalog& catalog, Diagnostics& problems) {
        for (const std::string_view name : kSections) {
            if (job.section.empty() && find_section(experiment, name) != nullptr) {
                job.section = name;
            }
        }
        request.processed = {job.section};
        if (!job.data.empty() && find_section(experiment, job.section) != nullptr) {
            pipeline::give_unlabeled(section_of(experiment, job.section), job.data, catalog,
                                     problems);
        }
    };
}

void report_inactive(const pipeline::Prediction& prediction,
                     const engine::PredictRequest& request) {
    if (request.verbosity == engine::Verbosity::kQuiet) {
        return;
    }
    if (!prediction.without_targets.empty()) {
        fmt::print(stderr, "inactive, because these samples lack what they read: {}\n",
                   joined(prediction.without_targets));
    }
    if (!prediction.not_needed.empty() && request.verbosity == engine::Verbosity::kVerbose) {
        fmt::print(stderr, "not needed to predict: {}\n", joined(prediction.not_needed));
    }
}

fs::path output_from(const po::variables_map& map) {
    const fs::path output = map["output"].as<std::string>();
    std::error_code ignored;
    if (fs::is_directory(output, ignored)) {
        throw po::error(fmt::format("-o {}: is a folder; name a file", output.string()));
    }
    const fs::path folder = fs::absolute(output).parent_path();
    if (!fs::is_directory(folder, ignored)) {
        throw po::error(
            fmt::format("-o {}: there is no folder {}", output.string(), folder.string()));
    }
    return output;
}

}  // namespace

Options predict_options() {
    Options description("Options of predict");
    description.add_options()  //
        ("data", po::value<Strings>()->composing()->multitoken()->value_name("DATA..."),
         "what to predict: a folder, files, or a section of the experiment (training, validation, "
         "test)")  //
        ("output,o", po::value<std::string>()->value_name("FILE"),
         "where the table goes (default: the standard output)")  //
        ("json", "write JSON lines instead of CSV")              //
        ("top-k", po::value<std::int64_t>()->value_name("N"),
         "the N most likely classes with their scores (default: 1)")  //
        ("worst", po::value<std::int64_t>()->value_name("N"),
         "only the N samples with the highest loss, the worst first")  //
        ("stream", po::value<Strings>()->composing()->value_name("NAME"),
         "the stream to predict; may be given several times (default: those that the losses "
         "read)")  //
        ("classes", po::value<std::string>()->value_name("GLOBAL"),
         "the global with the names of the classes")  //
        ("checkpoint", po::value<std::string>()->value_name("NAME"),
         "best (the default) or last of the run, or the folder of a checkpoint")  //
        ("section", po::value<std::string>()->value_name("NAME"),
         "whose task reads the files, with its settings (default: test, else validation, else "
         "training)")  //
        ("device", po::value<std::string>()->value_name("NAME"), "cpu, cuda or cuda:N");
    add_console_options(description);
    add_request_options(description);
    return description;
}

int predict_command(const Arguments& arguments) {
    const po::variables_map map =
        parse(arguments, predict_options(), {}, "a run folder or an experiment file");
    if (map.count("help") > 0) {
        fmt::print("ptprun predict RUN --data DATA... [-o FILE]\n\n{}",
                   options_text(predict_options()));
        return kDone;
    }
    if (map.count("quiet") > 0 && map.count("verbose") > 0) {
        throw po::error("--quiet and --verbose exclude each other");
    }
    Job job = job_from(map);
    Request request = request_from(map);
    request.file = job.subject.experiment;
    add_device(map, request);
    request.processed = Strings();
    adapt(job, request);
    Diagnostics problems;
    request.uses_search_path = true;  // for what --set adds
    if (job.subject.run) {
        request.run_plugins = plugins_of(*job.subject.run, job.checkpoint.value_or(""), problems);
    }
    Prepared prepared = prepare(
        request, problems,
        job.checkpoint ? pipeline::NeededFiles::without_weights : pipeline::NeededFiles::checked);
    std::optional<pipeline::Prediction> prediction;
    if (prepared.plan) {
        prediction = pipeline::find_prediction(
            *prepared.plan, map.count("stream") > 0 ? map["stream"].as<Strings>() : Strings(),
            problems);
        if (job.checkpoint) {
            check_checkpoint(*job.checkpoint, *prepared.plan, problems);
        }
    }
    const int code = report(problems, prepared.catalog);
    if (!prepared.plan || !problems.ok()) {
        return code;
    }
    engine::PredictRequest predicted{prepared.experiment, *prepared.plan, *prediction, job.section,
                                     job.checkpoint};
    if (map.count("output") > 0) {
        predicted.output = output_from(map);
    }
    predicted.is_json = map.count("json") > 0;
    predicted.top_k = count_from<std::int64_t>(map, "top-k").value_or(1);
    predicted.worst = count_from<std::uint64_t>(map, "worst");
    if (map.count("classes") > 0) {
        predicted.classes = map["classes"].as<std::string>();
    }
    apply_console_options(map, predicted);
    report_inactive(*prediction, predicted);
    engine::RunResult result = predict_in_engine(predicted);
    if (result.exit_code == kDataError && !job.data.empty()) {
        result.error += pipeline::unlabeled_advice(*prepared.plan, job.section, prepared.catalog);
    }
    return report(result);
}

}  // namespace ptp::ptprun
