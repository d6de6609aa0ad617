// Decides which episodes are recorded, and writes their rows.

#include "engine/output/layer_values.hpp"

#include "base/number.hpp"
#include "base/text.hpp"
#include "run/paths.hpp"

#include <ptp/ext/parameters.h>

#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <utility>

namespace ptp::engine {

namespace {

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
    const Value* are_due = saved.find(kParametersDue);
    are_parameters_due_ = are_due != nullptr && are_due->is_bool() && are_due->as_bool();
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
