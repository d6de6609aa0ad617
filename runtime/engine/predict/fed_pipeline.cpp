// A pipeline whose task's streams a program feeds: checks what is fed, computes, and returns
// streams.

#include "engine/predict/predict.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "engine/component/compat.hpp"
#include "engine/component/crash.hpp"
#include "engine/component/stream_value.hpp"
#include "engine/predict/evaluated.hpp"
#include "engine/predict/fed_scales.hpp"
#include "engine/statistics/statistics.hpp"
#include "engine/train/failure.hpp"
#include "engine/train/process_setup.hpp"
#include "pipeline/sizes.hpp"

#include <ptp/abi.h>

#include <ATen/core/Tensor.h>
#include <ATen/dlpack.h>
#include <fmt/core.h>
#include <torch/types.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace ptp::engine {

namespace {

[[noreturn]] void refuse_fed(const std::string& stream, const std::string& why) {
    throw RunError(kDataError, fmt::format("cannot feed the stream '{}': {}", stream, why));
}

constexpr const char* kNoSamples = "it has no samples; feed one at least";

void refuse_without_data(const std::string& stream, const DLTensor& tensor) {
    if (tensor.ndim < 0 || (tensor.ndim > 0 && tensor.shape == nullptr)) {
        refuse_fed(stream, "its tensor has no shape; set 'ndim' and 'shape'");
    }
    const bool is_empty = std::any_of(tensor.shape, tensor.shape + tensor.ndim,
                                      [](std::int64_t size) { return size == 0; });
    if (tensor.data == nullptr && !is_empty) {
        refuse_fed(stream,
                   "its tensor has elements, but its 'data' is NULL; set it to where they are");
    }
}

// The distance from the first to the last element is in [0, kMaxBytes]. libtorch, which has no
// negative strides and computes with 64 bits, would end the program. It has a shape.
void refuse_layout(const std::string& stream, const DLTensor& tensor) {
    assert(tensor.ndim == 0 || tensor.shape != nullptr);
    constexpr double kMaxBytes = 0x1p62;
    const int bytes = (tensor.dtype.bits * std::max<int>(tensor.dtype.lanes, 1) + 7) / 8;
    double elements = 1;
    double last = 0;  // the element that lies farthest, in elements
    bool is_too_large = false;
    for (int i = 0; i < tensor.ndim; ++i) {
        const std::int64_t size = tensor.shape[i];
        if (size < 0) {
            refuse_fed(stream, fmt::format("shape[{}] is {}, must be 0 or more", i, size));
        }
        const std::int64_t stride = tensor.strides == nullptr ? 0 : tensor.strides[i];
        if (stride < 0) {
            refuse_fed(stream, fmt::format("strides[{}] is {}: a tensor has no negative strides; "
                                           "feed a copy (numpy: np.ascontiguousarray)",
                                           i, stride));
        }
        elements *= static_cast<double>(size);
        last +=
            static_cast<double>(std::max<std::int64_t>(size - 1, 0)) * static_cast<double>(stride);
        is_too_large = is_too_large || std::max(elements, last) * bytes > kMaxBytes;
    }
    if (is_too_large) {
        refuse_fed(stream, "its shape and strides reach beyond any memory");
    }
}

// Converts to the types of ptp's streams: reals to float32, integers to int64.
at::Tensor as_element(const std::string& stream, plugin::Element element,
                      const at::Tensor& tensor) {
    const at::ScalarType type = tensor.scalar_type();
    const auto converted = [&](bool fits, at::ScalarType to, const char* expected) {
        if (!fits) {
            refuse_fed(stream, fmt::format("it is a tensor of {} {}", expected, toString(type)));
        }
        return tensor.to(to);
    };
    switch (element) {
        case plugin::Element::kFloating:
            return converted(at::isFloatingType(type), at::kFloat, "reals, not of");
        case plugin::Element::kInteger:
            return converted(at::isIntegralType(type, false) && type != at::kByte, at::kLong,
                             "signed integers, not of");
        case plugin::Element::kBoolean:
            return converted(type == at::kByte || type == at::kBool, at::kBool,
                             "bool, which is fed as uint8, not");
        case plugin::Element::kByte:
            return converted(type == at::kByte, at::kByte, "uint8, not of");
        case plugin::Element::kString:
            refuse_fed(stream, "it has strings, not a tensor");
        default:
            refuse_fed(stream, "streams of this kind cannot be fed");
    }
}

std::size_t place_of_batch(const pipeline::Binding& binding) {
    const auto found =
        std::ranges::find(binding.shape, pipeline::kBatchSymbol, &pipeline::Dimension::symbol);
    return static_cast<std::size_t>(found - binding.shape.begin());
}

// Takes the first task out of a plan, and drops the others.
pipeline::Node taken_task(pipeline::Plan& plan) {
    pipeline::Node task = std::move(plan.tasks.front());
    plan.tasks.clear();
    return task;
}

class Fed : public FedPipeline, private TrainedEvaluation {
public:
    Fed(const FeedRequest& request, const Embedding& embedding)
        : TrainedEvaluation(request, request.experiment.device, {.verbosity = Verbosity::kQuiet},
                            embedding.output),
          task_(taken_task(plan_)),
          crash_(embedding.handles_signals
                     ? std::optional<CrashReport>(std::in_place, folder_.path())
                     : std::optional<CrashReport>()),
          // SIGINT and the like stay the program's: nothing here would end by them.
          pipeline_(parts(false)) {}

    void feed(const std::string& stream, const DLManagedTensor& tensor,
              RunResult& result) override {
        report_into(result, [&] {
            const pipeline::Binding& binding = fed_binding(stream);
            const auto index = static_cast<std::size_t>(binding.stream);
            refuse_without_data(stream, tensor.dl_tensor);
            refuse_layout(stream, tensor.dl_tensor);
            const at::Tensor copy =
                as_element(stream, plan_.streams[index].element, copy_of(tensor).to(at::kCPU));
            const std::size_t batch = place_of_batch(binding);
            const bool has_batch =
                binding.has_shape && batch < static_cast<std::size_t>(copy.dim());
            const std::int64_t count = has_batch ? copy.size(static_cast<std::int64_t>(batch)) : 0;
            const std::span<const std::int64_t> sizes(copy.sizes().data(), copy.sizes().size());
            if (pipeline::check_shape(plan_, task_, binding, sizes, count)) {
                refuse_fed(stream, fmt::format("it has the shape {}, and the value [{}]",
                                               pipeline::shape_text(plan_, binding.shape),
                                               join(sizes, ", ")));
            }
            if (has_batch && count == 0) {
                refuse_fed(stream, kNoSamples);
            }
            warn_of_scale(stream, copy, result);
            pipeline_.frame[binding.stream].tensor = copy.to(pipeline_.context.device);
            samples_[binding.stream] = static_cast<std::uint64_t>(count);
        });
    }

    void feed(const std::string& stream, const std::vector<std::string>& strings,
              RunResult& result) override {
        report_into(result, [&] {
            const pipeline::Binding& binding = fed_binding(stream);
            if (plan_.streams[static_cast<std::size_t>(binding.stream)].element !=
                plugin::Element::kString) {
                refuse_fed(stream, "it is not a stream of strings");
            }
            if (strings.empty()) {
                refuse_fed(stream, kNoSamples);
            }
            write_strings(strings, pipeline_.frame[binding.stream].text);
            samples_[binding.stream] = strings.size();
        });
    }

    void take_away(const std::string& stream, RunResult& result) override {
        report_into(result, [&] { samples_.erase(fed_binding(stream).stream); });
    }

    void compute(RunResult& result) override {
        report_into(result, [&] {
            // Other pipelines of the process may differ.
            compat::use_deterministic_algorithms(!pipeline_.context.device.is_cpu() &&
                                                 experiment_.is_deterministic);
            const std::uint64_t size = batch_size();
            pipeline_.require_unchanged_weights();
            BatchSamples& samples = pipeline_.frame.samples();
            samples.indices = torch::arange(static_cast<std::int64_t>(size));
            samples.seeds.assign(size, 0);
            std::set<int> fed;
            for (const auto& [stream, ignored] : samples_) {
                fed.insert(stream);
            }
            if (task_.indices_stream >= 0) {
                pipeline_.frame[task_.indices_stream].tensor = samples.indices;
                fed.insert(task_.indices_stream);
            }
            written_.clear();
            ptp_step step{};
            step.struct_size = sizeof(ptp_step);
            step.section = task_.section.c_str();
            step.set = set_named(task_.section);
            step.batch_size = size;
            std::set<int> written = pipeline_.executor.run_fed(step, std::move(fed));
            pipeline_.require_unchanged_weights();
            written_ = std::move(written);
        });
    }

    void read(const std::string& stream, StreamValue& value, RunResult& result) const override {
        report_into(result, [&] {
            const int index = stream_named(stream);
            if (!written_.contains(index)) {
                throw RunError(
                    kConfigurationError,
                    fmt::format("the stream '{}' has no value: what it is computed from was "
                                "not fed, or nothing was computed yet",
                                stream));
            }
            value = value_of(kept(pipeline_.frame[index]), stream);
        });
    }

private:
    // Warns once for each stream.
    void warn_of_scale(const std::string& stream, const at::Tensor& numbers, RunResult& result) {
        if (numbers.scalar_type() != at::kFloat || warned_.contains(stream)) {
            return;
        }
        std::string warning = warning_of_raw_numbers(stream, numbers, pipeline_.saved.globals);
        if (!warning.empty()) {
            warned_.insert(stream);
            result.warnings.push_back(std::move(warning));
        }
    }

    [[nodiscard]] const pipeline::Binding& fed_binding(const std::string& stream) const {
        std::vector<std::string> known;
        for (const pipeline::Binding& output : task_.outputs) {
            if (output.stream < 0) {
                continue;
            }
            known.push_back(plan_.streams[static_cast<std::size_t>(output.stream)].name);
            if (known.back() == stream) {
                return output;
            }
        }
        const std::string near = hint(stream, known);
        throw RunError(kConfigurationError,
                       fmt::format("cannot feed '{}': {} writes no such stream{}", stream,
                                   pipeline::node_text(task_),
                                   near.empty() ? "; it writes " + joined(known) : near));
    }

    [[nodiscard]] int stream_named(const std::string& name) const {
        const auto found = std::ranges::find(plan_.streams, name, &pipeline::Stream::name);
        if (found == plan_.streams.end()) {
            std::vector<std::string> known;
            for (const pipeline::Stream& stream : plan_.streams) {
                known.push_back(stream.name);
            }
            throw RunError(kConfigurationError,
                           fmt::format("unknown stream '{}'{}", name, hint(name, known)));
        }
        return static_cast<int>(found - plan_.streams.begin());
    }

    // Returns the number of samples of all fed streams.
    [[nodiscard]] std::uint64_t batch_size() const {
        const std::pair<const int, std::uint64_t>* first = nullptr;
        for (const auto& fed : samples_) {
            if (fed.second == 0) {
                continue;
            }
            if (first != nullptr && fed.second != first->second) {
                const auto& streams = plan_.streams;
                throw RunError(
                    kDataError,
                    fmt::format("the fed streams have different numbers of samples: '{}' "
                                "has {}, '{}' has {}",
                                streams[static_cast<std::size_t>(first->first)].name, first->second,
                                streams[static_cast<std::size_t>(fed.first)].name, fed.second));
            }
            first = &fed;
        }
        if (first == nullptr) {
            throw RunError(kConfigurationError, "nothing was fed");
        }
        return first->second;
    }

    const pipeline::Node task_;  // planned, but not created
    const std::optional<CrashReport> crash_;
    EvaluatedPipeline pipeline_;
    std::map<int, std::uint64_t> samples_;  // the number in each fed stream; 0: unknown
    std::set<std::string> warned_;          // streams
    std::set<int> written_;                 // the streams that the last compute() wrote
};

}  // namespace

namespace {

// Keeps the state of libtorch's generator, which the program may use: creating components seeds it.
class KeptGenerator {
public:
    KeptGenerator() {
        const std::lock_guard<std::mutex> lock(generator_.mutex());
        state_ = generator_.get_state();
    }
    ~KeptGenerator() {
        const std::lock_guard<std::mutex> lock(generator_.mutex());
        generator_.set_state(state_);
    }
    KeptGenerator(const KeptGenerator&) = delete;
    KeptGenerator& operator=(const KeptGenerator&) = delete;

private:
    at::Generator generator_ = compat::default_generator(at::kCPU);
    at::Tensor state_;
};

}  // namespace

void feed(const FeedRequest& request, const Embedding& embedding) {
    set_up_embedded();
    std::optional<KeptGenerator> kept(std::in_place);
    Fed pipeline(request, embedding);
    kept.reset();
    request.use(pipeline);
}

}  // namespace ptp::engine
