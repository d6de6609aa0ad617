// Decides which episodes are recorded, summarizes their tensors as they are made, hooks the nodes
// of the graph for the gradients, and writes the rows.

#include "engine/output/layer_values.hpp"

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/instance.hpp"
#include "run/paths.hpp"

#include <ptp/ext/parameters.h>

#include <c10/core/GradMode.h>
#include <fmt/core.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>

#include <exception>
#include <utility>

namespace ptp::engine {

namespace {

// The most operations of a model that have a row: a recurrent network that is written as a loop
// has thousands.
constexpr std::size_t kMaxOperations = 100;

constexpr const char* kOperation = "operation";
constexpr const char* kStream = "stream";

// The first column is no episode: programs do not take it for a table of statistics.
constexpr const char* kHeader =
    "kind,name,episode,epoch,mean,deviation,zeros,norm,gradient_norm,update_ratio\n";

constexpr const char* kParametersDue = "are_parameters_due";

// Calls `use` with the name and the tensor of each parameter.
template <class Use>
void for_each_parameter(const Components& components, Use use) {
    for (const auto& node : components.nodes) {
        for (const NamedTensor& named : node->tensors()) {
            if (named.role == PTP_PARAMETER && named.tensor.is_floating_point()) {
                use(fmt::format("{}.{}", node->node().name, named.name), named.tensor);
            }
        }
    }
}

}  // namespace

// Measures the gradient of one result of a node. A hook of the node, not of the tensor, stays with
// the result that it was made for when the tensor is changed in place.
class LayerTap::GradientHook final : public torch::autograd::FunctionPreHook {
public:
    GradientHook(std::shared_ptr<Collected> collected, std::size_t row, std::size_t result)
        : collected_(std::move(collected)), row_(row), result_(result) {}

    torch::autograd::variable_list operator()(
        const torch::autograd::variable_list& gradients) override {
        try {
            if (result_ < gradients.size() && gradients[result_].defined()) {
                collected_->rows[row_].gradient_norm = norm_of_tensor(gradients[result_]);
            }
        } catch (const std::exception& error) {
            collected_->failure = error.what();
        }
        return gradients;
    }

private:
    const std::shared_ptr<Collected> collected_;
    const std::size_t row_;
    const std::size_t result_;
};

// A failure here must not fail the training: rows() throws it later.
template <class Work>
void LayerTap::guarded(Work work) noexcept {
    try {
        work();
    } catch (const std::exception& error) {
        collected_->failure = error.what();
    }
}

void LayerTap::enter(const Instance& instance) noexcept {
    guarded([&] {
        component_ = instance.node().name;
        operation_count_ = 0;
        if (has_operations_ && instance.node().component->kind == plugin::Kind::kModel) {
            watch_.emplace([this](std::string_view operation, const at::Tensor& result) {
                computed(operation, result);
            });
        }
    });
}

void LayerTap::leave(const Instance& instance, const Frame& frame) noexcept {
    watch_.reset();
    const plugin::Kind kind = instance.node().component->kind;
    if (kind != plugin::Kind::kModel && kind != plugin::Kind::kTransform) {
        return;
    }
    guarded([&] {
        for (const int stream : instance.node().written_streams()) {
            const at::Tensor& tensor = frame[stream].tensor;
            if (is_tensor(frame[stream].element) && tensor.defined() &&
                tensor.is_floating_point()) {
                add(kStream, plan_.stream(stream).name, tensor);
            }
        }
    });
}

void LayerTap::computed(std::string_view operation, const at::Tensor& result) noexcept {
    if (operation_count_ == kMaxOperations) {
        return;
    }
    guarded([&] {
        ++operation_count_;
        add(kOperation, fmt::format("{}.{}.{}", component_, operation_count_, operation), result);
    });
}

void LayerTap::add(const char* kind, std::string name, const at::Tensor& tensor) {
    std::vector<Row>& rows = collected_->rows;
    rows.push_back({.kind = kind, .name = std::move(name), .values = summary_of(tensor)});
    if (tensor.requires_grad() && tensor.grad_fn() != nullptr) {
        tensor.grad_fn()->add_pre_hook(std::make_unique<GradientHook>(
            collected_, rows.size() - 1, static_cast<std::size_t>(tensor.output_nr())));
    }
}

const std::vector<LayerTap::Row>& LayerTap::rows() const {
    if (!collected_->failure.empty()) {
        throw RunError(kTrainingError, collected_->failure);
    }
    return collected_->rows;
}

LayerValues::LayerValues(std::filesystem::path path, const experiment::LayerValues& settings)
    : SinkWithFile(std::move(path)), settings_(settings) {}

void LayerValues::begin(const RunInfo& facts) {
    plan_ = &facts.plan;
    first_epoch_ = facts.first_epoch;
    if (file() == nullptr) {
        new_file();
        file()->add(kHeader);
        file()->flush();
    }
}

ForwardObserver* LayerValues::observer(Position at, const Components& components) {
    const bool is_due = at.episode % static_cast<std::uint64_t>(settings_.every_episodes) == 0;
    if (is_due) {
        tap_.emplace(*plan_, settings_.has_operations);
        are_parameters_due_ = true;
    }
    if (are_parameters_due_ && before_.empty()) {
        const c10::AutoGradMode without_gradients(false);
        for_each_parameter(components, [this](std::string name, const at::Tensor& tensor) {
            before_.emplace(std::move(name), tensor.detach().clone());
        });
    }
    return is_due ? &*tap_ : nullptr;
}

void LayerValues::learned(Position at, const Components& components) {
    if (tap_) {
        for (const LayerTap::Row& row : tap_->rows()) {
            add(at, {row.kind, row.name, row.values, row.gradient_norm});
        }
        tap_.reset();
    }
    if (are_parameters_due_) {
        add_parameters(at, components);
    }
}

// Does nothing while gradients are accumulated, or if no step was made for another reason.
void LayerValues::add_parameters(Position at, const Components& components) {
    const c10::AutoGradMode without_gradients(false);
    bool has_gradients = false;
    for_each_parameter(components, [&](const std::string&, const at::Tensor& tensor) {
        has_gradients = has_gradients || tensor.grad().defined();
    });
    if (!has_gradients) {
        return;
    }
    for_each_parameter(components, [&](const std::string& name, const at::Tensor& tensor) {
        Row row = {.kind = "parameter", .name = name, .values = summary_of(tensor)};
        if (tensor.grad().defined()) {
            row.gradient_norm = norm_of_tensor(tensor.grad());
        }
        const auto old = before_.find(name);
        if (old != before_.end() && old->second.sizes() == tensor.sizes() &&
            old->second.device() == tensor.device()) {
            row.update_ratio =
                norm_of_tensor(tensor.detach() - old->second) / norm_of_tensor(old->second);
        }
        add(at, row);
    });
    before_.clear();
    are_parameters_due_ = false;
}

void LayerValues::add(Position at, const Row& row) {
    std::string text = fmt::format("{},{},{},{}", row.kind, csv_cell(row.name), at.episode,
                                   first_epoch_ + at.epoch);
    for (const double number : {row.values.mean, row.values.deviation, row.values.zeros,
                                row.values.norm, row.gradient_norm, row.update_ratio}) {
        text += ',' + exact_text(number);
    }
    text += '\n';
    file()->add(text);
}

Value LayerValues::save() const {
    Value saved = SinkWithFile::save();
    saved.set(kParametersDue, are_parameters_due_);
    return saved;
}

void LayerValues::restore(const Value& saved) {
    tap_.reset();
    before_.clear();
    are_parameters_due_ = saved.is_true_at(kParametersDue);
    if (saved.members().empty()) {
        std::filesystem::remove(path());
        return;
    }
    continue_file(saved);
}

std::unique_ptr<Sink> make_sink(const experiment::LayerValues& options,
                                const std::filesystem::path& run_folder) {
    return std::make_unique<LayerValues>(run_folder / run::kLayersTable, options);
}

}  // namespace ptp::engine
