// The answers of samplers about themselves, and whether one fits the samples of its task.

#include "experiment/sampler.hpp"

#include "base/explanation.hpp"
#include "base/number.hpp"
#include "experiment/experiment.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <map>
#include <ranges>
#include <utility>

namespace ptp::experiment {

namespace {

template <class Number>
std::optional<SamplerProblem> count_problem(const Section& section,
                                            const std::optional<schema::NumberList<Number>>& list,
                                            const char* key, std::int64_t task_size) {
    if (!list || !list->source.empty() || std::ssize(list->values) == task_size) {
        return std::nullopt;
    }
    return SamplerProblem{list->place, fmt::format("{}.sampler.{}", section.name, key),
                          fmt::format("has {}, but {} has {}; there must be one for each",
                                      counted(list->values.size(), "number"), section.task.type,
                                      counted(task_size, "sample"))};
}

// A fix that proposes the usual number of folds, and not those of one sample each.
std::string fewer_folds(std::int64_t most, bool is_from_option) {
    constexpr std::int64_t kUsualFolds = 5;
    constexpr std::int64_t kMany = 100;
    if (most < 2) {
        return "add samples: folds need two at least";
    }
    const std::int64_t folds = most < kMany ? std::min(most, kUsualFolds) : 2 * kUsualFolds;
    return is_from_option
               ? fmt::format("--folds {0} of ptprun cv, or --fold 0/{0}", folds)
               : fmt::format("set folds = {}{}", folds, most <= kUsualFolds ? ", or fewer" : "");
}

SamplerProblem fold_problem(const Section& section, std::string reason, std::int64_t most) {
    const Folds& folds = *section.sampler->get<Folds>();
    const std::string message =
        Explanation{std::move(reason), fewer_folds(most, folds.is_from_option)}.text();
    if (folds.is_from_option) {
        return {{},
                fmt::format("--fold {}/{} (ptprun cv: --folds {})", *folds.fold, *folds.folds,
                            *folds.folds),
                message};
    }
    return {section.sampler->place,
            fmt::format("{}.sampler.folds = {}", section.name, *folds.folds), message};
}

}  // namespace

std::optional<SamplerProblem> stratification_problem(const Section& section,
                                                     const std::vector<std::int64_t>& labels) {
    const auto* folds = section.sampler ? section.sampler->get<Folds>() : nullptr;
    if (folds == nullptr || labels.empty()) {
        return std::nullopt;
    }
    std::map<std::int64_t, std::int64_t> sizes;
    for (const std::int64_t label : labels) {
        ++sizes[label];
    }
    if (section.sampler->get<KFoldGroupSampler>() != nullptr) {
        const auto groups = std::ssize(sizes);
        return groups >= *folds->folds
                   ? std::nullopt
                   : std::optional(fold_problem(
                         section, fmt::format("there are only {}", counted(groups, "group")),
                         groups));
    }
    const auto [smallest, largest] = std::ranges::minmax(sizes | std::views::values);
    if (largest < *folds->folds) {
        return fold_problem(section,
                            fmt::format("no class has a sample for each fold; the largest has {}",
                                        counted(largest, "sample")),
                            smallest < 2 ? largest : smallest);
    }
    if (smallest < *folds->folds) {
        SamplerProblem problem = fold_problem(
            section,
            fmt::format("the smallest class has {}, so that {} of {} folds have none of it",
                        counted(smallest, "sample"), *folds->folds - smallest, *folds->folds),
            smallest < 2 ? largest : smallest);
        problem.is_warning = true;
        return problem;
    }
    return std::nullopt;
}

std::string_view Sampler::type() const {
    return std::visit([](const auto& one) { return one.kName; }, options);
}

bool Sampler::is_in_order() const {
    return is_each_once || std::visit(
                               [](const auto& one) {
                                   if constexpr (requires { one.is_in_order(); }) {
                                       return one.is_in_order();
                                   } else {
                                       return false;
                                   }
                               },
                               options);
}

bool Sampler::needs_labels() const {
    return get<StratifiedSplitSampler>() != nullptr || get<KFoldStratifiedSampler>() != nullptr ||
           get<KFoldGroupSampler>() != nullptr || (get<Classes>() != nullptr && !is_in_order());
}

std::string_view Sampler::type_without_classes() const {
    if (get<Classes>() == nullptr || !needs_labels()) {
        return "";
    }
    return get<Folds>() != nullptr   ? KFoldRandomSampler::kName
           : get<Split>() != nullptr ? RandomSplitSampler::kName
                                     : RandomSampler::kName;
}

bool Sampler::needs_lengths() const {
    return get<Lengths>() != nullptr && !is_in_order();
}

std::int64_t samples_before(double share, std::int64_t count, double shift) {
    constexpr double kSlack = 1e-9;  // 0.7 * 10 is a little less than 7
    const double before = std::floor(share * static_cast<double>(count) + shift + kSlack);
    return std::min(static_cast<std::int64_t>(before), count);
}

std::optional<SamplerProblem> sampler_problem(const Section& section, std::int64_t task_size) {
    assert(task_size > 0);
    if (task_size > kMaxSamples) {
        return SamplerProblem{section.task.place, section.task.path,
                              fmt::format("{} has {} samples; an epoch can have {} at most",
                                          section.task.type, task_size, kMaxSamples)};
    }
    if (!section.sampler) {
        return std::nullopt;
    }
    const Sampler& sampler = *section.sampler;
    const std::string& type = section.task.type;
    const auto* folds = sampler.get<Folds>();
    if (folds != nullptr && task_size < folds->folds) {
        return fold_problem(
            section, fmt::format("{} has only {}", type, counted(task_size, "sample")), task_size);
    }
    const auto* subset = sampler.get<Subset>();
    if (subset != nullptr && subset->indices && subset->largest() >= task_size) {
        return SamplerProblem{subset->indices->place, section.name + ".sampler.indices",
                              fmt::format("there is no sample {}; {} has {}, from 0 to {}",
                                          subset->largest(), type, task_size, task_size - 1)};
    }
    // The share of a stratified split depends on the labels.
    const auto* split = sampler.get<Classes>() == nullptr ? sampler.get<Split>() : nullptr;
    if (split != nullptr &&
        samples_before(split->share[0], task_size) == samples_before(split->share[1], task_size)) {
        return SamplerProblem{sampler.place, section.name + ".sampler.share",
                              fmt::format("[{}, {}] of the {} samples of {} is empty",
                                          split->share[0], split->share[1], task_size, type)};
    }
    const auto* random = sampler.get<RandomSampler>();
    if (random != nullptr && !random->replacement && random->samples.value_or(0) > task_size) {
        return SamplerProblem{
            sampler.place, fmt::format("{}.sampler.samples = {}", section.name, *random->samples),
            fmt::format("{} has only {} samples; with replacement = true a sample may come again",
                        type, task_size)};
    }
    if (const auto* weights = sampler.get<Weights>()) {
        return count_problem(section, weights->weights, "weights", task_size);
    }
    const auto* classes = sampler.get<Classes>();
    return classes != nullptr ? count_problem(section, classes->labels, "labels", task_size)
                              : std::nullopt;
}

}  // namespace ptp::experiment
