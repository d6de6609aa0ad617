// Computes outputs of samples, with the same random numbers each time.

#include "engine/predict/computed_samples.hpp"

#include "engine/statistics/statistics.hpp"
#include "pipeline/prediction.hpp"
#include "pipeline/sizes.hpp"

#include <ATen/Context.h>
#include <ATen/core/Generator.h>
#include <torch/types.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

namespace ptp::engine {

namespace {

// Seeds libtorch's generators of random numbers, that of the processor and that of the device, with
// 0, and restores their states at the end.
class OwnRandomNumbers {
public:
    explicit OwnRandomNumbers(at::Device device) {
        begin_anew(at::globalContext().defaultGenerator(at::kCPU));
        if (!device.is_cpu()) {
            begin_anew(at::globalContext().defaultGenerator(device));
        }
    }
    ~OwnRandomNumbers() {
        for (auto& [generator, state] : before_) {
            const std::scoped_lock lock(generator.mutex());
            generator.set_state(state);
        }
    }
    OwnRandomNumbers(const OwnRandomNumbers&) = delete;
    OwnRandomNumbers& operator=(const OwnRandomNumbers&) = delete;

private:
    void begin_anew(at::Generator generator) {
        const std::scoped_lock lock(generator.mutex());
        before_.emplace_back(generator, generator.get_state());
        generator.set_current_seed(0);
    }

    std::vector<std::pair<at::Generator, at::Tensor>> before_;
};

// Has the device compute with all digits of float32, and restores its ways at the end. The samples
// were computed on a processor; TF32 differs from that by more than the tolerance.
class WholeFloats {
public:
    WholeFloats() {
        at::globalContext().setAllowTF32CuDNN(false);
        at::globalContext().setAllowTF32CuBLAS(false);
    }
    ~WholeFloats() {
        at::globalContext().setAllowTF32CuDNN(in_convolutions_);
        at::globalContext().setAllowTF32CuBLAS(in_products_);
    }
    WholeFloats(const WholeFloats&) = delete;
    WholeFloats& operator=(const WholeFloats&) = delete;

private:
    const bool in_convolutions_ = at::globalContext().allowTF32CuDNN();
    const bool in_products_ = at::globalContext().allowTF32CuBLAS();
};

std::optional<int> stream_named(const pipeline::Plan& plan, const std::string& name) {
    const auto found = std::ranges::find(plan.streams, name, &pipeline::Stream::name);
    return found == plan.streams.end()
               ? std::nullopt
               : std::optional(static_cast<int>(found - plan.streams.begin()));
}

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

// Puts copies of the inputs, which components may change, into the frame. Returns their streams.
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
            write_strings(value.strings, frame[*stream].text);
        } else {
            frame[*stream].tensor =
                value.tensor.to(pipeline.context.device, value.tensor.scalar_type(),
                                /*non_blocking=*/false, /*copy=*/true);
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
    call_with_others(pipeline.components, instance, pipeline.frame, step);
    if (instance.is_per_sample() && !pipeline.context.device.is_cpu()) {
        for (const int stream : instance.node().written_streams()) {
            at::Tensor& tensor = pipeline.frame[stream].tensor;
            tensor = tensor.defined() ? tensor.to(pipeline.context.device) : tensor;
        }
    }
}

}  // namespace

ValuesByStream computed(EvaluatedPipeline& pipeline, const SampleBatch& batch,
                        const std::vector<std::string>& outputs) {
    const OwnRandomNumbers random_numbers(pipeline.context.device);
    const WholeFloats whole_floats;
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
            std::ranges::all_of(node.read_streams(), is_written) && node.writes_on(0)) {
            compute(*instance, pipeline, step);
            std::ranges::copy(node.written_streams(), std::inserter(written, written.end()));
        }
    }
    ValuesByStream values;
    for (const int stream : wanted) {
        if (written.contains(stream) && plan.stream(stream).producer >= 0) {
            KeptValue value = kept(pipeline.frame[stream]);
            value.tensor = value.tensor.defined() ? value.tensor.clone() : value.tensor;
            values.emplace(plan.stream(stream).name, std::move(value));
        }
    }
    return values;
}

}  // namespace ptp::engine
