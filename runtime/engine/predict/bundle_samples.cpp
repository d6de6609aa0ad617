// Stores samples of a section with their outputs, those that come out again; and computes them
// again where the bundle is used.

#include "engine/predict/bundle_samples.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/ranges.hpp"
#include "base/text.hpp"
#include "bundle/bundle.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "engine/predict/computed_samples.hpp"
#include "engine/train/failure.hpp"
#include "engine/train/process_setup.hpp"
#include "engine/train/system_info.hpp"
#include "pipeline/prediction.hpp"
#include "run/paths.hpp"
#include "run/record.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace fs = std::filesystem;

namespace {

class Recording : private TrainedEvaluation {
public:
    explicit Recording(const SamplesRequest& request)
        : TrainedEvaluation(request, "cpu", {.verbosity = Verbosity::kQuiet}),
          request_(request),
          pipeline_(parts(false)) {}

    std::int64_t write() {
        fetch();
        std::vector<std::string> outputs;
        for (const pipeline::PredictedStream& one : request_.prediction.streams) {
            outputs.push_back(plan_.stream(one.stream).name);
        }
        ValuesByStream values = computed(pipeline_, batch_, outputs);
        const ValuesByStream again = computed(pipeline_, batch_, outputs);
        pipeline_.require_unchanged_weights();
        std::erase_if(values, [&](const auto& one) {
            const auto& [name, value] = one;
            return !is_storable(value) || difference_from_stored(value, again.at(name), 0);
        });
        if (values.empty()) {
            throw RunError(kConfigurationError,
                           "no output is a tensor or a text that is the same each time");
        }
        TensorsByName tensors;
        store_values(kInputSide, batch_.inputs, tensors);
        store_values(kOutputSide, values, tensors);
        write_safetensors(request_.file, tensors, {});
        return static_cast<std::int64_t>(batch_.count);
    }

private:
    static bool is_storable(const KeptValue& value) {
        return value.element == PTP_STRING || value.tensor.defined();
    }

    // Reads the first samples as the task delivers them, without the transforms in its threads.
    void fetch() {
        experiment::Section section =
            each_once(experiment::find_section(experiment_, request_.section));
        section.task.batch_size = request_.count;
        BatchSource source(section, plan_, *pipeline_.components.task(request_.section),
                           pipeline_.context.seed);
        PassPlan pass = source.plan_pass(0, false);
        const auto count =
            std::min<std::size_t>(pass.order.size(), static_cast<std::size_t>(request_.count));
        pass.order.resize(count);
        batch_ = {.section = request_.section, .count = count};
        Batch fetched = source.new_batch();
        source.fetch(pass, 0, fetched);
        pipeline_.frame.clear();
        source.exchange(fetched, pipeline_.frame);
        std::set<int> wanted;
        for (const pipeline::PredictedStream& one : request_.prediction.streams) {
            wanted.insert(one.stream);
        }
        for (const int stream : pipeline::needed_streams(plan_, wanted)) {
            if (plan_.stream(stream).producer < 0) {
                keep_input(stream);
            }
        }
    }

    void keep_input(int stream) {
        KeptValue value = kept(pipeline_.frame[stream]);
        const std::string& name = plan_.stream(stream).name;
        if (!is_storable(value)) {
            throw RunError(
                kConfigurationError,
                fmt::format("the stream '{}' is a list, and only tensors and texts are stored",
                            name));
        }
        value.tensor = value.tensor.defined() ? value.tensor.clone() : value.tensor;
        batch_.inputs.emplace(name, std::move(value));
    }

    const SamplesRequest& request_;
    EvaluatedPipeline pipeline_;
    SampleBatch batch_;
};

[[noreturn]] void refuse_model(const std::string& model, const std::string& why) {
    throw WithFix<RunError>(
        kDataError,
        {fmt::format(
             "{}: fails its self-test: {}; it can be used without, and ptp-inspect shows the "
             "builds of plugins and libtorch that it was trained with",
             model, why),
         fmt::format("--no-self-test\n         ptp-inspect {}", shell_word(model))});
}

// Returns the facts of a machine on which the last digits of a result depend most.
Value main_facts(const Value& machine) {
    Value facts = Value::table();
    for (const char* key : {"libtorch", "cpu", "instructions", "device"}) {
        if (const Value* const fact = machine.find(key)) {
            facts.set(key, *fact);
        }
    }
    return facts;
}

// Returns the machine of the training; std::nullopt where the run has no record that can be read.
std::optional<Value> machine_of(const fs::path& run) {
    try {
        return run::read_record(run / run::kRecordFile).machine;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

// Returns what differs here from the training, behind "; ": "libtorch is ..., was ...; 'losses' is
// another build". "" where that is not known.
std::string differences_here(const fs::path& run, const bundle::BundleManifest& manifest,
                             const EvaluatedPipeline& pipeline) {
    const std::optional<Value> machine = machine_of(run);
    if (!machine) {
        return "";
    }
    std::vector<std::string> texts = system_differences(
        main_facts(*machine), main_facts(system_info(pipeline.context.device, {})));
    for (const Plugins::Loaded& loaded : pipeline.plugins.loaded()) {
        const std::string& name = loaded.generation.manifest().name;
        const auto needed = std::ranges::find(manifest.plugins, name, &bundle::NeededPlugin::name);
        if (needed == manifest.plugins.end() || needed->sha256 != loaded.generation.hash()) {
            texts.push_back(fmt::format("'{}' is another build", name));
        }
    }
    return texts.empty() ? "; libtorch, processor, device and plugins are those of the training"
                         : "; other than in the training, " + join(texts, "; ");
}

// Returns whether a component of the plan computes one of these streams.
bool computes_any(const pipeline::Plan& plan, const std::vector<std::string>& names) {
    return std::ranges::any_of(plan.streams, [&](const pipeline::Stream& stream) {
        return stream.producer >= 0 && contains(names, stream.name);
    });
}

}  // namespace

std::int64_t record_samples(const SamplesRequest& request) {
    set_up_process();
    return Recording(request).write();
}

void test_samples(EvaluatedPipeline& pipeline, const fs::path& checkpoint) {
    const fs::path run = checkpoint.parent_path().parent_path();
    std::error_code ignored;  // what is not there is not tested
    if (!fs::exists(run / bundle::kSamplesFile, ignored)) {
        return;
    }
    const auto model = bundle::laid_out_bundle(run);
    if (!model || !model->manifest.samples) {
        return;
    }
    const bundle::StoredSamples& facts = *model->manifest.samples;
    const Safetensors file = read_safetensors(run / bundle::kSamplesFile);
    const SampleBatch batch{.section = facts.section,
                            .count = static_cast<std::uint64_t>(facts.count),
                            .inputs = stored_values(kInputSide, file.tensors)};
    const ValuesByStream stored = stored_values(kOutputSide, file.tensors);
    std::vector<std::string> outputs;
    for (const auto& [name, value] : stored) {
        outputs.push_back(name);
    }
    std::string problem = stored.empty() ? "its samples have no outputs" : "";
    bool is_compared = false;
    try {
        for (const auto& [name, value] : computed(pipeline, batch, outputs)) {
            is_compared = true;
            const auto difference = difference_from_stored(stored.at(name), value, facts.tolerance);
            if (difference && problem.empty()) {
                problem = fmt::format("'{}' {} (tolerance {})", name, *difference, facts.tolerance);
            }
        }
    } catch (const std::exception& error) {
        problem = as_run_error(error).what();
    }
    pipeline.frame.clear();
    if (!problem.empty()) {
        refuse_model(
            model->file.string(),
            stored.empty() ? problem : problem + differences_here(run, model->manifest, pipeline));
    }
    if (!is_compared && computes_any(pipeline.context.plan, outputs)) {
        pipeline.context.log->warn(
            fmt::format("{}: is used without its self-test, since its stored samples do not fit "
                        "the streams of the task",
                        model->file.string()));
    }
}

}  // namespace ptp::engine
