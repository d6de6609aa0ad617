#include "experiment/experiment_fields.hpp"
#include "experiment/number_list.hpp"
#include "experiment/read_section.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace ptp::experiment {

namespace {

std::optional<Indices> read_indices(const Scope& scope, const Value& value) {
    const auto numbers = read_numbers<std::int64_t>(scope, "indices", value);
    if (!numbers) {
        return std::nullopt;
    }
    const bool is_range = numbers->size() == 2;
    if (is_range && numbers->front() >= numbers->back()) {
        scope.problems.error(value, scope.key("indices"),
                             "two numbers are the range [begin, end), so begin must be below end");
        return std::nullopt;
    }
    return Indices{.place = value.place(), .is_range = is_range, .values = *numbers};
}

std::optional<PerSample<double>> read_weights(const Scope& scope, const Value& value) {
    const auto numbers = read_numbers<double>(scope, "weights", value);
    if (!numbers) {
        return std::nullopt;
    }
    const double sum = std::accumulate(numbers->begin(), numbers->end(), 0.0);
    if (sum <= 0 || !std::isfinite(sum)) {
        scope.problems.error(value, scope.key("weights"),
                             sum <= 0 ? "at least one weight must be above 0"
                                      : "the weights must have a finite sum");
        return std::nullopt;
    }
    return PerSample<double>{value.place(), *numbers};
}

std::optional<PerSample<std::int64_t>> read_labels(const Scope& scope, const Value& value) {
    if (const Value* stream = scope.table.find("label_stream")) {
        scope.problems.error(*stream, scope.key("label_stream"),
                             "is not used beside 'labels'; give one of them");
    }
    const auto numbers = read_numbers<std::int64_t>(scope, "labels", value);
    if (!numbers) {
        return std::nullopt;
    }
    return PerSample<std::int64_t>{value.place(), *numbers};
}

}  // namespace

std::vector<Field> SamplerKeys::fields() {
    const std::vector<std::string> k_fold = {"kFoldRandomSampler", "kFoldWeightedRandomSampler"};
    const std::vector<std::string> weighted = {"WeightedRandomSampler",
                                               "kFoldWeightedRandomSampler"};
    const std::vector<std::string> with_classes = {"ClassBalancedSampler",
                                                   "StratifiedSplitSampler"};
    const std::vector<std::string> split = {"RandomSplitSampler", "StratifiedSplitSampler"};
    return {
        {.name = "type", .into = &sampler.type, .choices = sampler_types()},
        {.name = "indices",
         .into = &indices,
         .only_for = {"SubsetRandomSampler", "SubsetSequentialSampler"},
         .is_required = true},
        {.name = "weights", .into = &weights, .only_for = weighted, .is_required = true},
        {.name = "folds",
         .into = &sampler.folds,
         .range = "[2, inf)",
         .only_for = k_fold,
         .is_required = true},
        {.name = "fold",
         .into = &sampler.fold,
         .range = "[0, inf)",
         .only_for = k_fold,
         .is_required = true},
        {.name = "part",
         .into = &sampler.part,
         .choices = {"training", "validation"},
         .only_for = k_fold},
        {.name = "fold_seed", .into = &sampler.fold_seed, .range = "[0, inf)", .only_for = k_fold},
        {.name = "share",
         .into = &sampler.share,
         .range = "[0, 1]",
         .only_for = split,
         .is_required = true},
        {.name = "seed", .into = &sampler.split_seed, .range = "[0, inf)", .only_for = split},
        {.name = "label_stream", .into = &sampler.label_stream, .only_for = with_classes},
        {.name = "labels", .into = &labels, .only_for = with_classes},
        {.name = "samples",
         .into = &sampler.samples,
         .range = "[1, inf)",
         .only_for = {"WeightedRandomSampler", "kFoldWeightedRandomSampler",
                      "ClassBalancedSampler"}},
    };
}

Sampler read_sampler(const Scope& scope, bool is_training) {
    Sampler sampler;
    sampler.type = read_type(scope, sampler_types());
    sampler.place = scope.table.place();
    sampler.part = is_training ? "training" : "validation";
    SamplerKeys keys{sampler};
    read_all_fields(scope, keys.fields(), sampler.type);
    if (keys.indices != nullptr) {
        sampler.indices = read_indices(scope, *keys.indices);
    }
    if (keys.weights != nullptr) {
        sampler.weights = read_weights(scope, *keys.weights);
    }
    if (keys.labels != nullptr) {
        sampler.labels = read_labels(scope, *keys.labels);
    }
    const Value* share = scope.table.find("share");
    const bool has_share = share != nullptr && share->is_list() && share->items().size() == 2 &&
                           std::ranges::all_of(share->items(), &Value::is_number);
    if (has_share && share->items()[0].as_real() >= share->items()[1].as_real()) {
        scope.problems.error(*share, scope.key("share"),
                             "must be [begin, end] with begin below end, such as [0.0, 0.8]");
    }
    const Value* fold = scope.table.find("fold");
    if (fold != nullptr && sampler.folds > 0 && sampler.fold >= sampler.folds) {
        scope.problems.error(
            *fold, scope.key("fold"),
            fmt::format("must be below the number of folds, which is {}", sampler.folds));
    }
    return sampler;
}

Value sampler_tree(const Sampler& sampler) {
    Sampler copy = sampler;
    SamplerKeys keys{copy};
    Value table = write_fields(keys.fields(), sampler.type);
    const auto set_list = [&table](const char* key, const auto& values) {
        table.set(key, Value::list({values.begin(), values.end()}));
    };
    if (sampler.indices) {
        set_list("indices", sampler.indices->values);
    }
    if (sampler.weights) {
        set_list("weights", sampler.weights->values);
    }
    if (sampler.labels) {
        table.erase("label_stream");
        set_list("labels", sampler.labels->values);
    }
    return table;
}

}  // namespace ptp::experiment
