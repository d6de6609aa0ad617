// Reads batches, prepares them as the pipeline does, and changes their sizes.

#include "engine/export/stage_inputs.hpp"

#include "base/error.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "engine/statistics/statistics.hpp"
#include "pipeline/sizes.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <fmt/core.h>
#include <torch/types.h>

#include <algorithm>
#include <array>

namespace ptp::engine {

namespace {

constexpr const char* kBatch = "batch";

// Factors of real numbers: zeros, and numbers below the smallest normal one. No large ones: the
// exponents of attention turn their rounding into other results, in whatever order they are added.
constexpr std::array<double, 2> kExtremes = {0, 1e-40};
constexpr std::uint64_t kExtremeEvery = 8;

at::Tensor with_size(const at::Tensor& tensor, std::int64_t axis, std::int64_t size,
                     std::int64_t first) {
    const at::Tensor places = (torch::arange(size) + first).remainder(tensor.size(axis));
    return tensor.index_select(axis, places);
}

}  // namespace

std::vector<at::Tensor> varied(std::vector<at::Tensor> inputs, std::uint64_t seed) {
    const at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(seed);
    const double factor =
        seed % kExtremeEvery == 0 ? kExtremes[seed / kExtremeEvery % kExtremes.size()] : 1;
    for (at::Tensor& each : inputs) {
        if (each.dim() > 0) {
            const at::Tensor chances = torch::rand(each.sizes(), generator);
            each = each.is_floating_point()
                       ? each * (chances / 2 + 0.5).to(each.scalar_type()) * factor
                       : each.gather(0, chances.argsort(std::int64_t{0}));
        }
    }
    return inputs;
}

ptp_step evaluation_step(const EvaluatedSection& section, std::int64_t batch_size) {
    ptp_step step{};
    step.struct_size = sizeof(ptp_step);
    step.section = section.section.name.c_str();
    step.set = set_named(section.section.name);
    step.batch_size = static_cast<std::uint64_t>(batch_size);
    return step;
}

StageInputs::StageInputs(EvaluatedPipeline& pipeline, EvaluatedSection& section,
                         const ForwardStage& stage, const std::vector<std::string>& fixed)
    : pipeline_(pipeline), section_(section), stage_(stage), pass_(section.source, 0, false) {
    next();
    find_dimensions(fixed);
}

bool StageInputs::next() {
    Frame& frame = pipeline_.frame;
    if (!pass_.next(frame)) {
        if (batch_.empty()) {
            throw RunError(kDataError, fmt::format("{} has no samples, and one at least is traced",
                                                   section_.section.name));
        }
        return false;
    }
    const ptp_step step = evaluation_step(section_, static_cast<std::int64_t>(pass_.batch_size()));
    const auto& loaded = section_.source.stage();
    for (Instance* const instance : stage_.before) {
        if (std::ranges::find(loaded, instance) == loaded.end()) {
            call_with_others(pipeline_.components, *instance, frame, step);
        }
    }
    batch_ = transformed(stage_.inputs, [&](int stream) { return frame[stream].tensor.clone(); });
    return true;
}

void StageInputs::add(std::size_t input, std::size_t axis, const std::string& name) {
    auto known = std::ranges::find(dimensions_, name, &DynamicSize::name);
    if (known == dimensions_.end()) {
        dimensions_.push_back({name, input, axis});
        known = dimensions_.end() - 1;
    }
    axes_.push_back({input, axis, static_cast<std::size_t>(known - dimensions_.begin())});
}

void StageInputs::find_dimensions(const std::vector<std::string>& fixed) {
    const pipeline::Plan& plan = pipeline_.context.plan;
    std::vector<std::string> names;
    const auto visit = [&](bool is_batch) {
        for (std::size_t i = 0; i < stage_.inputs.size(); ++i) {
            const pipeline::Stream& stream = plan.stream(stage_.inputs[i]);
            for (std::size_t axis = 0; axis < stream.shape.size(); ++axis) {
                const pipeline::Dimension& dimension = stream.shape[axis];
                const bool is_of_batch = dimension.symbol == pipeline::kBatchSymbol;
                if (is_of_batch != is_batch || pipeline::size_of(plan, dimension)) {
                    continue;
                }
                std::string name = is_batch ? std::string(kBatch)
                                   : dimension.symbol >= 0
                                       ? plan.symbol(dimension.symbol).name
                                       : fmt::format("{}_{}", stream.name, axis);
                std::ranges::replace(name, '.', '_');
                if (!is_batch && !contains(names, name)) {
                    names.push_back(name);
                }
                if (is_batch || !contains(fixed, name)) {
                    add(i, axis, name);
                }
            }
        }
    };
    visit(true);
    visit(false);
    for (const std::string& name : fixed) {
        if (!contains(names, name)) {
            const std::string near = hint(name, names);
            throw RunError(kConfigurationError,
                           fmt::format("--fixed {}: no size of the inputs is unknown under this "
                                       "name{}",
                                       name,
                                       !near.empty()   ? near
                                       : names.empty() ? "; all but the batch are known"
                                                       : "; these are: " + join(names, ", ")));
        }
    }
    if (dimensions_.empty()) {
        throw RunError(kConfigurationError,
                       "there is nothing to export: no input of the forward stage is a batch");
    }
}

std::optional<DynamicSize> StageInputs::place_in(const std::string& name,
                                                 const std::vector<std::size_t>& inputs) const {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        for (const Axis& each : axes_) {
            if (each.input == inputs[i] && dimensions_[each.dimension].name == name) {
                return DynamicSize{name, i, each.axis};
            }
        }
    }
    return std::nullopt;
}

std::vector<std::int64_t> StageInputs::sizes() const {
    return transformed(dimensions_, [&](const DynamicSize& dimension) {
        const std::int64_t size =
            batch_[dimension.input].size(static_cast<std::int64_t>(dimension.axis));
        return std::max<std::int64_t>(size, 2);
    });
}

std::vector<at::Tensor> StageInputs::resized(const std::vector<std::int64_t>& sizes,
                                             std::int64_t first) const {
    std::vector<at::Tensor> tensors = batch_;
    for (const Axis& each : axes_) {
        at::Tensor& tensor = tensors[each.input];
        const auto axis = static_cast<std::int64_t>(each.axis);
        if (axis < tensor.dim()) {
            const bool is_batch = each.dimension == 0;
            tensor = with_size(tensor, axis, sizes[each.dimension], is_batch ? first : 0);
        }
    }
    for (at::Tensor& tensor : tensors) {
        tensor = tensor.contiguous();
    }
    return tensors;
}

}  // namespace ptp::engine
