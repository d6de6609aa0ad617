#include "experiment/fields.hpp"
#include "experiment/read_section.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::experiment {

namespace {

// What is read of a sampler, and the lists of numbers as they were given.
struct SamplerKeys {
    Sampler sampler = {};
    std::optional<NumberList<std::int64_t>> indices = {};
    std::optional<NumberList<double>> weights = {};
    std::optional<NumberList<std::int64_t>> labels = {};

    // The targets lie in this object.
    Kinds kinds();

private:
    Field indices_field();
    Field weights_field();
    Field samples_field();
    std::vector<Field> fold_fields(std::vector<Field> more);
    std::vector<Field> split_fields(std::vector<Field> more);
    std::vector<Field> class_fields(std::vector<Field> more);
};

Field SamplerKeys::indices_field() {
    return {.name = "indices",
            .into = &indices,
            .help = "of the samples; two numbers are the range [begin, end)",
            .is_required = true};
}

Field SamplerKeys::weights_field() {
    return {.name = "weights",
            .into = &weights,
            .help = "a number for each sample of the task",
            .is_required = true};
}

Field SamplerKeys::samples_field() {
    return {.name = "samples",
            .into = &sampler.samples,
            .help = "how many an epoch has; by default as many as there are",
            .range = "[1, inf)"};
}

std::vector<Field> SamplerKeys::fold_fields(std::vector<Field> more) {
    std::vector<Field> fields = {{.name = "folds",
                                  .into = &sampler.folds,
                                  .help = "into how many parts the samples are cut",
                                  .range = "[2, inf)",
                                  .is_required = true},
                                 {.name = "fold",
                                  .into = &sampler.fold,
                                  .help = "the part that is held out, from 0",
                                  .range = "[0, inf)",
                                  .is_required = true},
                                 {.name = "part",
                                  .into = &sampler.part,
                                  .help = "training: all but the fold; validation: the fold",
                                  .choices = {"training", "validation"}},
                                 {.name = "fold_seed",
                                  .into = &sampler.fold_seed,
                                  .help = "which samples are in which fold",
                                  .range = "[0, inf)"}};
    std::ranges::move(more, std::back_inserter(fields));
    return fields;
}

std::vector<Field> SamplerKeys::split_fields(std::vector<Field> more) {
    std::vector<Field> fields = {
        {.name = "share",
         .into = &sampler.share,
         .help = "[begin, end) of the samples in the split's order, as parts of 1",
         .range = "[0, 1]",
         .is_required = true},
        {.name = "seed",
         .into = &sampler.split_seed,
         .help = "which samples are in which share",
         .range = "[0, inf)"}};
    std::ranges::move(more, std::back_inserter(fields));
    return fields;
}

std::vector<Field> SamplerKeys::class_fields(std::vector<Field> more) {
    std::vector<Field> fields = {
        {.name = "label_stream",
         .into = &sampler.label_stream,
         .help = "the stream of the task with the classes"},
        {.name = "labels", .into = &labels, .help = "the class of each sample"}};
    std::ranges::move(more, std::back_inserter(fields));
    return fields;
}

Kinds SamplerKeys::kinds() {
    return {.list = {{.name = "RandomSampler", .help = "all samples, in a new order each epoch"},
                     {.name = "SequentialSampler", .help = "all samples, in order"},
                     {.name = "SubsetRandomSampler",
                      .help = "some samples, in a new order each epoch",
                      .fields = {indices_field()}},
                     {.name = "SubsetSequentialSampler",
                      .help = "some samples, in order",
                      .fields = {indices_field()}},
                     {.name = "WeightedRandomSampler",
                      .help = "samples as often as their weights say, with replacement",
                      .fields = {weights_field(), samples_field()}},
                     {.name = "kFoldRandomSampler",
                      .help = "the folds of a cross-validation",
                      .fields = fold_fields({})},
                     {.name = "kFoldWeightedRandomSampler",
                      .help = "the folds of a cross-validation, drawn by weights in training",
                      .fields = fold_fields({weights_field(), samples_field()})},
                     {.name = "ClassBalancedSampler",
                      .help = "as many samples of each class, with replacement",
                      .fields = class_fields({samples_field()})},
                     {.name = "RandomSplitSampler",
                      .help = "a share of the samples, split at random",
                      .fields = split_fields({})},
                     {.name = "StratifiedSplitSampler",
                      .help = "a share of the samples, with the classes in the same proportions",
                      .fields = split_fields(class_fields({}))}},
            .help = "the kind of sampler"};
}

void take_indices(const Scope& scope, const NumberList<std::int64_t>& read, Sampler& sampler) {
    const auto& numbers = read.values;
    const bool is_range = numbers.size() == 2;
    if (is_range && numbers.front() >= numbers.back()) {
        scope.problems.error(*scope.table.find("indices"), scope.key("indices"),
                             "two numbers are the range [begin, end), so begin must be below end");
        return;
    }
    sampler.indices = Indices{.place = read.place, .is_range = is_range, .values = numbers};
}

void take_weights(const Scope& scope, const NumberList<double>& read, Sampler& sampler) {
    const double sum = std::accumulate(read.values.begin(), read.values.end(), 0.0);
    if (sum <= 0 || !std::isfinite(sum)) {
        scope.problems.error(*scope.table.find("weights"), scope.key("weights"),
                             sum <= 0 ? "at least one weight must be above 0"
                                      : "the weights must have a finite sum");
        return;
    }
    sampler.weights = PerSample<double>{read.place, read.values};
}

void check_labels(const Scope& scope) {
    const Value* stream = scope.table.find("label_stream");
    if (stream != nullptr && scope.table.find("labels") != nullptr) {
        scope.problems.error(*stream, scope.key("label_stream"),
                             "is not used beside 'labels'; give one of them");
    }
}

void check_share(const Scope& scope) {
    const Value* share = scope.table.find("share");
    const bool has_share = share != nullptr && share->is_list() && share->items().size() == 2 &&
                           std::ranges::all_of(share->items(), &Value::is_number);
    if (has_share && share->items()[0].as_real() >= share->items()[1].as_real()) {
        scope.problems.error(*share, scope.key("share"),
                             "must be [begin, end] with begin below end, such as [0.0, 0.8]");
    }
}

void check_fold(const Scope& scope, const Sampler& sampler) {
    const Value* fold = scope.table.find("fold");
    if (fold != nullptr && sampler.folds > 0 && sampler.fold >= sampler.folds) {
        scope.problems.error(
            *fold, scope.key("fold"),
            fmt::format("must be below the number of folds, which is {}", sampler.folds));
    }
}

}  // namespace

Sampler read_sampler(const Scope& scope, bool is_training) {
    SamplerKeys keys;
    Sampler& sampler = keys.sampler;
    sampler.place = scope.table.place();
    sampler.part = is_training ? "training" : "validation";
    const Kinds kinds = keys.kinds();
    if (const auto chosen = read_kind(scope, kinds)) {
        sampler.type = kinds.list[*chosen].name;
    }
    if (keys.indices) {
        take_indices(scope, *keys.indices, sampler);
    }
    if (keys.weights) {
        take_weights(scope, *keys.weights, sampler);
    }
    if (keys.labels) {
        sampler.labels = PerSample<std::int64_t>{keys.labels->place, keys.labels->values};
    }
    check_labels(scope);
    check_share(scope);
    check_fold(scope, sampler);
    return sampler;
}

Value sampler_tree(const Sampler& sampler) {
    SamplerKeys keys{.sampler = sampler};
    if (sampler.indices) {
        keys.indices = {sampler.indices->values, sampler.indices->place};
    }
    if (sampler.weights) {
        keys.weights = {sampler.weights->values, sampler.weights->place};
    }
    if (sampler.labels) {
        keys.labels = {sampler.labels->values, sampler.labels->place};
    }
    const Kinds kinds = keys.kinds();
    const auto kind = std::ranges::find(kinds.list, sampler.type, &Kind::name);
    Value table = write_kind(kinds, static_cast<std::size_t>(kind - kinds.list.begin()));
    if (sampler.labels) {
        table.erase("label_stream");
    }
    return table;
}

}  // namespace ptp::experiment
