// Compares the size of a batch with the number of samples that the task declares.

#include "large_batch.hpp"

#include "base/number.hpp"
#include "experiment/load/override.hpp"
#include "pipeline/sizes.hpp"
#include "schema/check_value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::ptprun {

namespace {

// Returns the number of samples in an epoch, or more where the sampler leaves some out; nullopt
// where only the data state it, or where a sample may come again.
std::optional<std::int64_t> most_samples(const experiment::Section& section,
                                         const pipeline::Node& task) {
    const auto count = pipeline::declared_sample_count(task);
    if (!count || !section.sampler) {
        return count;
    }
    if (const auto* subset = section.sampler->get<experiment::Subset>();
        subset != nullptr && subset->indices) {
        return static_cast<std::int64_t>(subset->expanded().size());
    }
    const auto* random = section.sampler->get<experiment::RandomSampler>();
    const bool may_repeat = random != nullptr
                                ? random->replacement
                                : section.sampler->get<experiment::Weights>() != nullptr;
    return may_repeat || section.sampler->needs_labels() ? std::nullopt : count;
}

// Returns the value that an override gives a key, whose first parts may be left out; nullptr if it
// gives it none.
const Value* value_for(const experiment::Override& override, const std::vector<std::string>& key) {
    const auto found = std::ranges::search(key, override.path);
    if (found.empty()) {
        return nullptr;
    }
    const Value* value = &override.value;
    for (auto part = found.end(); part != key.end() && value != nullptr; ++part) {
        value = value->is_table() ? value->find(*part) : nullptr;
    }
    return value;
}

// Returns where the last --set that gives the key a value has it; nullopt if none has.
std::optional<SourceLocation> typed_place(const std::vector<std::string>& overrides,
                                          const std::vector<std::string>& key) {
    for (std::size_t i = overrides.size(); i-- > 0;) {
        Diagnostics unused;
        const auto override =
            experiment::read_override(overrides[i], static_cast<int>(i + 1), unused);
        if (const Value* const value = override ? value_for(*override, key) : nullptr) {
            return value->place();
        }
    }
    return std::nullopt;
}

}  // namespace

void check_large_batch(const host::Prepared& prepared, Diagnostics& problems) {
    const experiment::Section& training = prepared.experiment.training;
    const auto& tasks = prepared.plan->tasks;
    const auto most = tasks.empty() ? std::nullopt : most_samples(training, tasks.front());
    if (!most || training.task.batch_size <= *most) {
        return;
    }
    const SourceLocation place = typed_place(prepared.overrides, {"training", "task", "batch_size"})
                                     .value_or(training.task.place);
    const std::string key = "training.task.batch_size";
    const std::string found = fmt::format(
        "{} is more than an epoch has, {}: ", training.task.batch_size, counted(*most, "sample"));
    const std::string fix =
        schema::typed_value(place, key, std::to_string(std::min<std::int64_t>(*most, 64)));
    if (training.dataloader.drop_last) {
        problems.error(place, key, Explanation{found + "with drop_last there is no batch", fix});
    } else {
        problems.warning(place, key,
                         Explanation{found + "it is one batch and one step of the optimizer", fix});
    }
}

}  // namespace ptp::ptprun
