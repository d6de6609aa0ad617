// Collects the files of a bundle, and the facts in its manifest, from the folder of a run.

#include "ptp-bundle/contents.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/ranges.hpp"
#include "base/sha256.hpp"
#include "base/suggest.hpp"
#include "base/temporary_path.hpp"
#include "base/toml_writer.hpp"
#include "bundle/history.hpp"
#include "experiment/libtorch_version.hpp"
#include "experiment/load/load.hpp"
#include "experiment/weights_file.hpp"
#include "host/engine_library.hpp"
#include "host/run_plugins.hpp"
#include "pipeline/sizes.hpp"
#include "plugin/enum_names.hpp"
#include "run/paths.hpp"
#include "run/record.hpp"
#include "run/status.hpp"
#include "run/training_record.hpp"
#include "schema/key_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <system_error>
#include <utility>

namespace ptp::bundling {

namespace fs = std::filesystem;

namespace {

using bundle::BundledStream;
using bundle::Content;

// Other libtorches and processors compute sums in another order.
constexpr double kTolerance = 1e-4;

}  // namespace

Pipelines pipelines_of(const Source& source, Diagnostics& problems) {
    host::Request request;
    request.file = (source.run / run::kExperimentFile).string();
    request.plugins = source.plugins;
    request.run_plugins = host::plugins_of(source.run, source.checkpoint, problems, source.plugins);
    request.uses_search_path = true;
    request.processed = std::vector<std::string>();
    request.is_predicted = true;
    request.change = [](experiment::Experiment& experiment, Diagnostics&) {
        host::allow_missing_inputs(experiment);
    };
    Pipelines made;
    made.prepared = host::prepare(request, problems, pipeline::NeededFiles::kIgnored);
    made.predicting = made.prepared.plan;
    if (made.predicting) {
        made.prediction = pipeline::find_prediction(*made.predicting, {}, problems);
    }
    return made;
}

namespace {

BundledStream described(const pipeline::Plan& plan, int index, const char* direction,
                        const std::string& meaning) {
    const pipeline::Stream& stream = plan.stream(index);
    return {.direction = direction,
            .name = stream.name,
            .element = std::string(plugin::to_string(stream.element)),
            .shape = stream.has_shape ? pipeline::shape_text(plan, stream.shape) : "",
            .meaning = meaning};
}

std::vector<BundledStream> streams_of(const pipeline::Plan& plan,
                                      const pipeline::Prediction& prediction) {
    std::vector<BundledStream> streams;
    for (const int stream : pipeline::needed_streams(plan, prediction)) {
        if (plan.stream(stream).producer < 0) {
            streams.push_back(described(plan, stream, "input", ""));
        }
    }
    for (const pipeline::PredictedStream& one : prediction.streams) {
        const char* const meaning = one.is_class_scores ? "a score for each class"
                                    : one.has_several_classes
                                        ? "a score for each of several classes"
                                    : one.is_yes_or_no ? "one score for yes or no"
                                                       : "";
        streams.push_back(described(plan, one.stream, "output", meaning));
    }
    return streams;
}

// Makes run.json and status.json of a run without history.
void add_records(const Source& source, const std::string& experiment, run::Record record,
                 std::map<std::string, Content>& files) {
    const TemporaryPath folder = TemporaryPath::new_folder();
    const auto add = [&](const char* name) {
        files.emplace(name, Content{.text = read_text(folder.path() / name)});
    };
    record.experiment_sha256 = sha256(experiment);
    record.processes = Value::list({});
    record.machine.erase("git");
    run::write_record(folder.path() / run::kRecordFile, record);
    add(run::kRecordFile);
    std::error_code ignored;
    if (fs::exists(source.run / run::kStatusFile, ignored)) {
        run::Status status = run::read_status(source.run / run::kStatusFile);
        status.state = "done";
        status.process.reset();
        run::write_status(folder.path() / run::kStatusFile, status);
        add(run::kStatusFile);
    }
}

// Adds the checkpoint, with the weights that the run was judged by and of the state of its training
// the part of its components.
void add_checkpoint(const fs::path& checkpoint, std::map<std::string, Content>& files) {
    const TemporaryPath folder = TemporaryPath::new_folder();
    const Value training = run::read_training(checkpoint);
    Value kept = Value::table();
    if (const Value* const states = training.find(run::kComponentsPart)) {
        kept.set(run::kComponentsPart, *states);
    }
    run::write_training(folder.path(), kept);
    std::map<std::string, Content> made = {
        {run::kCheckpointFile, {.text = read_text(checkpoint / run::kCheckpointFile)}},
        {run::kTrainingFile, {.text = read_text(folder.path() / run::kTrainingFile)}},
        {run::kWeightsFile, {.file = experiment::weights_file(checkpoint)}}};
    std::string hashes;
    for (const auto& [name, content] : made) {
        hashes += fmt::format(
            "{}  {}\n", content.file.empty() ? sha256(content.text) : sha256_of_file(content.file),
            name);
    }
    made.emplace(run::kHashFile, Content{.text = hashes});
    for (auto& [name, content] : made) {
        files.emplace(bundle::checkpoint_path(name), std::move(content));
    }
}

// Warns of an older ptp, which has not recorded with which weights a run began: what `load` names
// may have become something else.
void warn_of_unknown_parents(const Source& source, const experiment::Experiment& experiment,
                             const bundle::Lineage& lineage, Diagnostics& problems) {
    if (lineage.parents.empty() && bundle::begins_with_others(experiment)) {
        problems.warning(SourceLocation((source.run / run::kRecordFile).string(), 0, 0), "",
                         Explanation{"does not record with which weights the training began, and "
                                     "the bundle names none",
                                     "train it again: ptprun EXPERIMENT.toml"});
    }
}

void add_keys(const std::string& path, const plugin::Component& component,
              std::vector<std::string>& keys) {
    for (const plugin::Setting& setting : component.settings) {
        keys.push_back(schema::below(path, setting.name));
    }
}

// Reports parameters that are no settings of components that predict, or of tasks.
void check_parameters(const std::vector<std::string>& parameters, const Pipelines& made,
                      Diagnostics& problems) {
    std::vector<std::string> known;
    for (const pipeline::Node& node : made.predicting->nodes) {
        add_keys(node.path, *node.component, known);
    }
    for (const experiment::Section* section : experiment::all_sections(made.prepared.experiment)) {
        for (const plugin::Found& task : made.prepared.catalog.find(section->task.type)) {
            add_keys(section->task.path, *task.component, known);
        }
    }
    for (const std::string& parameter : parameters) {
        if (!contains(known, parameter)) {
            problems.error(SourceLocation("--parameter", 0, 0), parameter,
                           "no component that predicts has this setting, and no task" +
                               hint(parameter, known));
        }
    }
}

double megabytes(std::uint64_t bytes) {
    return static_cast<double>(bytes) / 1e6;
}

// Has the engine compute samples of the section that is measured by default.
void add_samples(const Pipelines& made, const Source& source, const Samples& samples,
                 Contents& contents) {
    const TemporaryPath folder = TemporaryPath::new_folder();
    const engine::SamplesRequest request{
        {{made.prepared.experiment, *made.predicting, source.checkpoint},
         made.prediction,
         made.prepared.processed.front()},
        samples.count,
        folder.path() / bundle::kSamplesFile};
    std::int64_t stored = 0;
    const engine::RunResult result = host::store_samples_in_engine(request, stored);
    if (result.exit_code != kDone && samples.are_demanded) {
        throw WithFix<RunError>(static_cast<ExitCode>(result.exit_code),
                                {"--samples: " + result.error, "--samples 0 stores none"});
    }
    if (result.exit_code != kDone) {
        contents.why_no_samples = Explanation{result.error};
        return;
    }
    if (const std::uint64_t size = fs::file_size(request.file); size > bundle::kMaxTextBytes) {
        const std::string why = fmt::format(
            "{} samples with their outputs take {:.1f} MB, and a bundle stores at most {:.1f} MB",
            stored, megabytes(size), megabytes(bundle::kMaxTextBytes));
        const std::string fewer =
            fmt::format("--samples {}",
                        static_cast<std::uint64_t>(stored) * bundle::kMaxTextBytes / size * 9 / 10);
        if (samples.are_demanded) {
            throw WithFix<RunError>(kConfigurationError,
                                    {"--samples: " + why, fewer + " stores fewer"});
        }
        contents.why_no_samples = Explanation{why, fewer + " stores fewer"};
        return;
    }
    contents.files.emplace(bundle::kSamplesFile, Content{.text = read_text(request.file)});
    contents.manifest.samples = {stored, request.section, kTolerance};
}

// The sizes that became known while the components of the training were created.
void learn_sizes(const Value& globals, pipeline::Plan& plan) {
    if (!globals.is_table()) {
        return;
    }
    for (const Member& global : globals.members()) {
        const auto symbol = plan.global_symbols.find(global.key);
        if (symbol != plan.global_symbols.end() && global.value.is_integer()) {
            static_cast<void>(pipeline::learn_size(plan, symbol->second, global.value.as_integer(),
                                                   "published by the training"));
        }
    }
}

// Warns of weights that have not been trained with all data.
void warn_of_fold(const Source& source, const std::optional<experiment::Sampler>& sampler,
                  Diagnostics& problems) {
    const auto* const folds = sampler ? sampler->get<experiment::Folds>() : nullptr;
    if (folds != nullptr && folds->folds && folds->fold) {
        problems.warning(SourceLocation(source.run.string(), 0, 0), "",
                         Explanation{fmt::format("is fold {} of {} of a cross-validation, trained "
                                                 "without the samples of the fold",
                                                 *folds->fold, *folds->folds),
                                     "train the experiment, ptprun EXPERIMENT.toml, and bundle "
                                     "that run"});
    }
}

}  // namespace

Contents contents_of(const Source& source, Pipelines& made, const Statements& statements,
                     const Samples& samples, Diagnostics& problems) {
    assert(made.predicting);
    Contents contents;
    auto tree = experiment::load_experiment({source.run / run::kExperimentFile}, problems);
    check_parameters(statements.parameters, made, problems);
    if (!tree || !problems.ok()) {
        return contents;
    }
    warn_of_fold(source, made.prepared.experiment.training.sampler, problems);
    const run::CheckpointRecord checkpoint = run::read_checkpoint_record(source.checkpoint);
    if (samples.count > 0) {
        add_samples(made, source, samples, contents);
    }
    learn_sizes(checkpoint.globals, *made.predicting);
    const run::Record record = run::read_record(source.run / run::kRecordFile);
    bundle::BundleManifest& manifest = contents.manifest;
    manifest.name = made.prepared.experiment.name;
    manifest.license = statements.license;
    manifest.author = statements.author;
    manifest.summary = statements.summary;
    manifest.parameters = statements.parameters;
    manifest.made_by = "ptp " PTP_VERSION;
    manifest.libtorch = experiment::libtorch_version();
    bundle::History history = bundle::history_of(source.run, source.checkpoint);
    warn_of_unknown_parents(source, made.prepared.experiment, history.lineage, problems);
    manifest.lineage = std::move(history.lineage);
    manifest.data = std::move(history.data);
    manifest.ancestors = std::move(history.ancestors);
    manifest.metrics = metrics_of(source, checkpoint);
    manifest.plugins = plugins_of(checkpoint, made.prepared.catalog);
    if (source.with_plugins) {
        add_builds(manifest.plugins, made.prepared.catalog, contents.files);
    }
    manifest.streams = streams_of(*made.predicting, made.prediction);
    add_checkpoint(source.checkpoint, contents.files);
    ComponentFiles files(*tree, contents.files);
    for (const pipeline::Node& node : made.prepared.plan->nodes) {
        files.add(node);
    }
    tree->erase("plugins");  // folders of this machine
    const std::string experiment = to_toml(*tree);
    add_records(source, experiment, record, contents.files);
    contents.files.emplace(run::kExperimentFile, Content{.text = experiment});
    contents.files.emplace(bundle::kCardFile, Content{.text = card_of(manifest)});
    return contents;
}

}  // namespace ptp::bundling
