// Creates components with trained weights, and sections with each sample once.

#include "engine/predict/evaluated.hpp"

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"
#include "bundle/bundle.hpp"
#include "engine/checkpoint/checkpoint_file.hpp"
#include "engine/checkpoint/load.hpp"
#include "engine/checkpoint/recorded_globals.hpp"
#include "engine/component/loader_stage.hpp"
#include "engine/component/sample_call.hpp"
#include "engine/predict/bundle_samples.hpp"
#include "engine/train/process_setup.hpp"
#include "pipeline/sizes.hpp"
#include "run/hashes.hpp"
#include "run/paths.hpp"

#include <ATen/Context.h>
#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ptp::engine {

namespace {

const experiment::Load* load_of(const experiment::Experiment& experiment,
                                const std::string& component) {
    const auto& entries = experiment.pipeline.components;
    const auto entry = std::ranges::find(entries, component, &experiment::ComponentEntry::name);
    return entry != entries.end() && entry->load ? &*entry->load : nullptr;
}

bool is_loaded(const experiment::Experiment& experiment, const std::string& component) {
    const auto& entries = experiment.pipeline.components;
    return experiment.pipeline.load || load_of(experiment, component) != nullptr ||
           std::ranges::find(entries, component, &experiment::ComponentEntry::name) ==
               entries.end();
}

// Returns whether parts of the component are to begin untrained.
bool leaves_out(const experiment::Load* load) {
    return load != nullptr && (!load->except.empty() || !load->only.empty());
}

[[noreturn]] void refuse_untrained(const std::vector<std::string>& unloaded) {
    throw WithFix<RunError>(
        kConfigurationError,
        Explanation{fmt::format("no trained weights for {}: this is an experiment, not a run",
                                join(unloaded, ", ")),
                    "name the folder of a run in place of the experiment; or of a checkpoint with "
                    "weights: --checkpoint FOLDER"});
}

void refuse_unloaded(const experiment::Experiment& experiment, const Components& components) {
    std::vector<std::string> unloaded;
    for (const std::shared_ptr<Instance>& node : components.nodes) {
        if (!is_loaded(experiment, node->node().name) && !node->tensors().empty()) {
            unloaded.push_back(node->title());
        }
    }
    if (!unloaded.empty()) {
        refuse_untrained(unloaded);
    }
}

// Refuses parameters that the `except` or `only` of a load has left as they were made.
void refuse_left_out(const experiment::Experiment& experiment, const Components& components,
                     const Loaded& loaded) {
    constexpr std::size_t kMaxNames = 4;
    std::set<const void*> filled;
    for (const Fit& fit : loaded.fits) {
        for (const auto& [to, from] : fit.copies) {
            filled.insert(to.data_ptr());
        }
    }
    std::vector<std::string> untrained;
    for (const std::shared_ptr<Instance>& node : components.nodes) {
        std::vector<std::string> names;
        for (const NamedTensor& own : node->tensors()) {
            if (own.role == PTP_PARAMETER && !filled.contains(own.tensor.data_ptr())) {
                names.push_back(own.name);
            }
        }
        const experiment::Load* const load = load_of(experiment, node->node().name);
        if (!names.empty() && leaves_out(load) && load->is_strict) {
            const std::size_t more = names.size() - std::min(names.size(), kMaxNames);
            names.resize(names.size() - more);
            untrained.push_back(fmt::format("{}{} of {}", join(names, ", "),
                                            more == 0 ? "" : fmt::format(" and {} more", more),
                                            node->title()));
        }
    }
    if (!untrained.empty()) {
        refuse_untrained(untrained);
    }
}

// Refuses models without weights, whose failure is often due to a size that a training records.
void refuse_models_without_weights(const EvaluatedPipeline::Parts& parts) {
    std::vector<std::string> unloaded;
    for (const pipeline::Node& node : parts.plan.nodes) {
        const bool is_partial = leaves_out(load_of(parts.experiment, node.name));
        if (node.component->kind == plugin::Kind::kModel &&
            (is_partial || !is_loaded(parts.experiment, node.name))) {
            unloaded.push_back((is_partial ? "all of " : "") + pipeline::node_text(node));
        }
    }
    if (!parts.checkpoint && !unloaded.empty()) {
        refuse_untrained(unloaded);
    }
}

// Returns the file whose memory the weights have; nullptr if they have their own.
std::shared_ptr<const MappedFile> load_evaluated_weights(const EvaluatedPipeline::Parts& parts,
                                                         const Components& components,
                                                         const Globals& globals) {
    if (parts.checkpoint) {
        run::check_hashes(*parts.checkpoint);
        auto mapped = use_evaluated_weights(*parts.checkpoint, components);
        parts.log->info(
            bundle::with_bundles_named(fmt::format("weights of {}", parts.checkpoint->string())));
        return mapped;
    }
    refuse_unloaded(parts.experiment, components);
    refuse_left_out(parts.experiment, components,
                    load_weights(parts.experiment.pipeline, components, globals, *parts.log));
    return nullptr;
}

Components evaluated_components(const EvaluatedPipeline::Parts& parts, const Plugins& plugins,
                                ComponentContext& context,
                                std::shared_ptr<const MappedFile>& mapped_weights) {
    at::manual_seed(context.seed);
    publish_recorded(context);
    Components components;
    try {
        components = create_components(context, plugins);
    } catch (const RunError& error) {
        if (error.code() == kConfigurationError) {
            refuse_models_without_weights(parts);
        }
        throw;
    }
    mapped_weights = load_evaluated_weights(parts, components, context.globals);
    if (mapped_weights != nullptr) {
        return_freed_memory();  // that the tensors had before
    }
    require_known_layers(components);
    components.set_training(false);
    return components;
}

}  // namespace

void call(Instance& instance, Frame& frame, const ptp_step& step) {
    const FrameValues values(instance.node(), frame);
    if (instance.node().passes_on(0)) {
        instance.pass_through(values.inputs.data(), values.outputs.data());
    } else if (instance.is_per_sample()) {
        instance.transform(frame.samples(), values.inputs.data(), values.outputs.data());
    } else {
        instance.forward(step, values.inputs.data(), values.outputs.data());
    }
}

void call_with_others(const Components& components, Instance& instance, Frame& frame,
                      const ptp_step& step) {
    const pipeline::Node& node = instance.node();
    if (node.tries.empty() || node.passes_on(0)) {
        if (!is_called_by_another(node)) {
            call(instance, frame, step);
        }
        return;
    }
    const FrameValues values(node, frame);
    call_of(instance, components.nodes)
        .run(frame.samples(), values.inputs.data(), values.outputs.data());
}

void write_strings(const std::vector<std::string>& strings, TextBuffer& to) {
    std::string bytes;
    std::vector<std::uint64_t> offsets = {0};
    for (const std::string& text : strings) {
        bytes += text;
        offsets.push_back(bytes.size());
    }
    to.assign({bytes.data(), offsets.data(), strings.size(), nullptr, 0});
}

experiment::Section each_once(const experiment::Section* found) {
    assert(found != nullptr);
    experiment::Section section = *found;
    section.dataloader.mode = "ordered";
    section.dataloader.shuffle = false;
    section.dataloader.drop_last = false;
    if (section.sampler) {
        section.sampler->is_each_once = true;
    }
    return section;
}

EvaluatedPipeline::EvaluatedPipeline(const Parts& parts)
    : crash(parts.handles_signals ? std::optional<CrashReport>(std::in_place, parts.folder)
                                  : std::optional<CrashReport>()),
      plugins(parts.plan, parts.folder / run::kPluginsFolder),
      signals(parts.handles_signals ? Signals::Handlers::kInstall : Signals::Handlers::kNone),
      saved(read_saved(parts.checkpoint)),
      context{parts.plan,   globals,
              parts.log,    parts.folder.string(),
              parts.device, static_cast<std::uint64_t>(*parts.experiment.seed),
              nullptr,      &saved},
      components(evaluated_components(parts, plugins, context, mapped_weights)),
      without_gradients(false),
      frame(parts.plan),
      tried(parts.log),
      executor(parts.plan, components, frame, parts.device) {
    if (parts.checkpoint) {
        test_samples(*this, *parts.checkpoint);
    }
    executor.count_tried(tried);
}

TrainedEvaluation::TrainedEvaluation(const TrainedRequest& request, const std::string& device,
                                     const ConsoleStyle& style, std::FILE* out)
    : checkpoint_(request.checkpoint),
      experiment_(with_seed(request.experiment)),
      plan_(request.plan),
      device_(usable_device(device, experiment_.is_deterministic)),
      folder_(TemporaryPath::new_folder()),
      console_(out, style),
      log_(new_log(folder_.path() / "evaluation.log", console_, style.verbosity)) {}

EvaluatedPipeline::Parts TrainedEvaluation::parts(bool handles_signals) {
    return {experiment_, plan_, checkpoint_, folder_.path(), log_, device_, handles_signals};
}

EvaluatedSection::EvaluatedSection(const experiment::Experiment& experiment,
                                   const std::string& name, const EvaluatedPipeline& pipeline,
                                   const Components& components)
    : section(each_once(experiment::find_section(experiment, name))),
      source(section, pipeline.context.plan, *components.task(name), pipeline.context.seed,
             BatchTransforms{loader_stage(components, *components.task(name)),
                             per_sample_stage(components, *components.task(name))}) {
    source.copy_ahead(CopyAhead::to(pipeline.context.device));
}

}  // namespace ptp::engine
