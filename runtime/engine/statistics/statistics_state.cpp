// Saves and restores statistics that were collected for a part of an epoch.

#include "base/error.hpp"
#include "base/ranges.hpp"
#include "engine/statistics/statistics.hpp"

#include <ATen/ops/empty.h>
#include <fmt/core.h>

#include <algorithm>

namespace ptp::engine {

namespace {

constexpr const char* kSums = "sums";
constexpr const char* kLastLoss = "last_loss";

// Returns a tensor, which keeps the bits of doubles, even of a NaN.
at::Tensor saved_tensor(std::span<const double> numbers) {
    at::Tensor tensor = at::empty({static_cast<std::int64_t>(numbers.size())}, at::kDouble);
    std::copy(numbers.begin(), numbers.end(), tensor.data_ptr<double>());
    return tensor;
}

std::string names_text(const Value& names) {
    std::string text;
    for (const Value& name : names.items()) {
        text += (text.empty() ? "" : ", ") + name.as_string();
    }
    return text.empty() ? "none" : text;
}

bool are_names(const Value* value) {
    return value != nullptr && value->is_list() &&
           std::all_of(value->items().begin(), value->items().end(),
                       [](const Value& name) { return name.is_string(); });
}

std::span<const double> numbers_of(const SavedState& saved, const char* name) {
    for (const auto& [key, tensor] : saved.tensors) {
        if (key == name && tensor.scalar_type() == at::kDouble && tensor.is_contiguous()) {
            return {tensor.data_ptr<double>(), static_cast<std::size_t>(tensor.numel())};
        }
    }
    return {};
}

}  // namespace

SavedState Statistics::save() const {
    std::vector<Value> names = transformed<Value>(columns_, &Column::name);
    SavedState saved;
    saved.record.set("columns", Value::list(std::move(names)));
    saved.record.set("batches", batch_counts_[kTrainingSet]);
    saved.tensors.emplace_back(kSums, saved_tensor(sets_[kTrainingSet].save()));
    saved.tensors.emplace_back(kLastLoss, saved_tensor(std::array{last_loss_}));
    return saved;
}

void Statistics::restore(const SavedState& saved) {
    const Value expected = *save().record.find("columns");
    const Value* found = saved.record.find("columns");
    if (are_names(found) && *found != expected) {
        throw RunError(kDataError, fmt::format("the saved statistics are {}; this pipeline has {}",
                                               names_text(*found), names_text(expected)));
    }
    const Value* batches = saved.record.find("batches");
    const std::span<const double> last_loss = numbers_of(saved, kLastLoss);
    if (!are_names(found) || batches == nullptr || !batches->is_integer() ||
        batches->as_integer() < 0 || last_loss.size() != 1 ||
        !sets_[kTrainingSet].restore(numbers_of(saved, kSums))) {
        throw RunError(kDataError, "the saved statistics are incomplete or damaged");
    }
    batch_counts_[kTrainingSet] = static_cast<std::uint64_t>(batches->as_integer());
    last_loss_ = last_loss[0];
}

}  // namespace ptp::engine
