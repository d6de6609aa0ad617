// Computes samples in an evaluated pipeline: to store what comes of them in a bundle, and to
// compare it where the bundle is used.

#include "engine/predict/self_test.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/temporary_path.hpp"
#include "base/text.hpp"
#include "bundle/bundle.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "engine/output/console.hpp"
#include "engine/predict/stored_values.hpp"
#include "engine/statistics/statistics.hpp"
#include "engine/train/failure.hpp"
#include "engine/train/process_setup.hpp"
#include "pipeline/prediction.hpp"
#include "pipeline/sizes.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <fmt/core.h>
#include <torch/types.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace fs = std::filesystem;

namespace {

// Has libtorch's generator of random numbers begin anew, and restores it at the end.
class OwnRandomNumbers {
public:
    OwnRandomNumbers() : before_(state()) { at::manual_seed(0); }
    ~OwnRandomNumbers() {
        at::Generator generator = at::detail::getDefaultCPUGenerator();
        const std::scoped_lock lock(generator.mutex());
        generator.set_state(before_);
    }
    OwnRandomNumbers(const OwnRandomNumbers&) = delete;
    OwnRandomNumbers& operator=(const OwnRandomNumbers&) = delete;

private:
    static at::Tensor state() {
        at::Generator generator = at::detail::getDefaultCPUGenerator();
        const std::scoped_lock lock(generator.mutex());
        return generator.get_state();
    }

    at::Tensor before_;
};

std::optional<int> stream_named(const pipeline::Plan& plan, const std::string& name) {
    const auto found = std::ranges::find(plan.streams, name, &pipeline::Stream::name);
    return found == plan.streams.end()
               ? std::nullopt
               : std::optional(static_cast<int>(found - plan.streams.begin()));
}

// Samples of a section, which are computed as one batch.
struct SampleBatch {
    std::string section;
    std::uint64_t count = 0;
    ValuesByStream inputs = {};
};

// Returns whether a stored tensor is one that the task may write to this stream.
bool fits(const pipeline::Plan& plan, const pipeline::Stream& stream, const SampleBatch& batch,
          const KeptValue& value) {
    const auto element = static_cast<ptp_element>(stream.element);
    if (stream.producer >= 0 || element != value.element) {
        return false;
    }
    if (value.element == PTP_STRING) {
        return value.strings.size() == batch.count;
    }
    if (element == PTP_FLOAT && value.tensor.scalar_type() != at::kFloat) {
        return false;
    }
    const auto is_good = [&](const pipeline::Dimension& dimension, std::int64_t size) {
        const auto known = dimension.symbol == pipeline::kBatchSymbol
                               ? std::optional(static_cast<std::int64_t>(batch.count))
                               : pipeline::size_of(plan, dimension);
        return size > 0 && (!known || *known == size);
    };
    bool has_shape =
        !stream.has_shape || static_cast<std::size_t>(value.tensor.dim()) == stream.shape.size();
    for (std::size_t i = 0; stream.has_shape && has_shape && i < stream.shape.size(); ++i) {
        has_shape = is_good(stream.shape[i], value.tensor.size(static_cast<std::int64_t>(i)));
    }
    return has_shape;
}

void write_text(const std::vector<std::string>& strings, Slot& slot) {
    std::string bytes;
    std::vector<std::uint64_t> offsets = {0};
    for (const std::string& text : strings) {
        bytes += text;
        offsets.push_back(bytes.size());
    }
    ptp_text text{};
    text.bytes = bytes.data();
    text.offsets = offsets.data();
    text.string_count = strings.size();
    slot.text.assign(text);
}

// Puts the inputs into the frame. Returns their streams.
std::set<int> write_inputs(EvaluatedPipeline& pipeline, const SampleBatch& batch) {
    const pipeline::Plan& plan = pipeline.context.plan;
    Frame& frame = pipeline.frame;
    frame.clear();
    std::set<int> written;
    for (const auto& [name, value] : batch.inputs) {
        const std::optional<int> stream = stream_named(plan, name);
        if (!stream || !fits(plan, plan.stream(*stream), batch, value)) {
            continue;  // then what is computed from it has no value either
        }
        if (value.element == PTP_STRING) {
            write_text(value.strings, frame[*stream]);
        } else {
            frame[*stream].tensor = value.tensor.to(pipeline.context.device);
        }
        written.insert(*stream);
    }
    BatchSamples& samples = frame.samples();
    samples = {};
    samples.indices = torch::arange(static_cast<std::int64_t>(batch.count));
    samples.seeds.assign(batch.count, 0);
    return written;
}

void compute(Instance& instance, EvaluatedPipeline& pipeline, const ptp_step& step) {
    call(instance, pipeline.frame, step);
    if (instance.is_per_sample() && !pipeline.context.device.is_cpu()) {
        for (const int stream : instance.node().written_streams()) {
            at::Tensor& tensor = pipeline.frame[stream].tensor;
            tensor = tensor.defined() ? tensor.to(pipeline.context.device) : tensor;
        }
    }
}

// Computes these outputs of the batch, and no others: a component that writes a file does not run.
// Those that cannot be computed have no value.
ValuesByStream computed(EvaluatedPipeline& pipeline, const SampleBatch& batch,
                        const std::vector<std::string>& outputs) {
    const OwnRandomNumbers random_numbers;
    const pipeline::Plan& plan = pipeline.context.plan;
    std::set<int> written = write_inputs(pipeline, batch);
    std::set<int> wanted;
    for (const std::string& name : outputs) {
        if (const auto stream = stream_named(plan, name)) {
            wanted.insert(*stream);
        }
    }
    const std::set<int> needed = pipeline::needed_streams(plan, wanted);
    ptp_step step{};
    step.struct_size = sizeof(ptp_step);
    step.section = batch.section.c_str();
    step.set = set_named(batch.section);
    step.batch_size = batch.count;
    for (const std::shared_ptr<Instance>& instance : pipeline.components.nodes) {
        const pipeline::Node& node = instance->node();
        const auto is_needed = [&](int stream) { return needed.contains(stream); };
        const auto is_written = [&](int stream) { return written.contains(stream); };
        if (std::ranges::any_of(node.written_streams(), is_needed) &&
            std::ranges::all_of(node.read_streams(), is_written) && node.runs_on(0)) {
            compute(*instance, pipeline, step);
            std::ranges::copy(node.written_streams(), std::inserter(written, written.end()));
        }
    }
    ValuesByStream values;
    for (const int stream : wanted) {
        if (written.contains(stream) && plan.stream(stream).producer >= 0) {
            values.emplace(plan.stream(stream).name, kept(pipeline.frame[stream]));
        }
    }
    return values;
}

class Recording {
public:
    explicit Recording(const SamplesRequest& request)
        : request_(request),
          experiment_(with_seed(request.experiment)),
          plan_(request.plan),
          checkpoint_(request.checkpoint),
          console_(stderr, {.verbosity = Verbosity::kQuiet}),
          log_(new_log(folder_.path() / "bundle.log", console_, Verbosity::kQuiet)),
          pipeline_({experiment_, plan_, checkpoint_, folder_.path(), log_,
                     usable_device("cpu", experiment_.is_deterministic), false}) {}

    std::int64_t write() {
        fetch();
        std::vector<std::string> outputs;
        for (const pipeline::PredictedStream& one : request_.prediction.streams) {
            outputs.push_back(plan_.stream(one.stream).name);
        }
        ValuesByStream values = computed(pipeline_, batch_, outputs);
        const ValuesByStream again = computed(pipeline_, batch_, outputs);
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
    const experiment::Experiment experiment_;
    pipeline::Plan plan_;
    const std::optional<fs::path> checkpoint_;
    TemporaryPath folder_ = TemporaryPath::new_folder();
    Console console_;
    std::shared_ptr<spdlog::logger> log_;
    EvaluatedPipeline pipeline_;
    SampleBatch batch_;
};

[[noreturn]] void refuse_model(const std::string& model, const std::string& why) {
    throw WithFix<RunError>(
        kDataError,
        {fmt::format("{}: fails its self-test: {}", model, why),
         fmt::format("--no-self-test uses it in spite of that; ptp-inspect {} names the builds of "
                     "plugins and libtorch that it was trained with",
                     shell_word(model))});
}

}  // namespace

std::int64_t record_samples(const SamplesRequest& request) {
    set_up_process();
    try {
        return Recording(request).write();
    } catch (const std::exception& error) {
        throw as_run_error(error);
    }
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
    std::string problem;
    try {
        for (const auto& [name, value] : computed(pipeline, batch, outputs)) {
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
        refuse_model(model->file.string(), problem);
    }
}

}  // namespace ptp::engine
