#include "experiment/sampler_fit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ptp::experiment {

namespace {

template <class Number>
std::optional<SamplerProblem> count_problem(const Section& section,
                                            const std::optional<PerSample<Number>>& list,
                                            const char* key, std::int64_t task_size) {
    if (!list || std::ssize(list->values) == task_size) {
        return std::nullopt;
    }
    return SamplerProblem{
        list->place, fmt::format("{}.sampler.{}", section.name, key),
        fmt::format("has {} numbers, but {} has {} samples; there must be one for each",
                    list->values.size(), section.task.type, task_size)};
}

}  // namespace

std::int64_t samples_before(double share, std::int64_t count, double shift) {
    constexpr double kSlack = 1e-9;  // 0.7 * 10 is a little less than 7
    const double before = std::floor(share * static_cast<double>(count) + shift + kSlack);
    return std::min(static_cast<std::int64_t>(before), count);
}

std::optional<SamplerProblem> sampler_problem(const Section& section, std::int64_t task_size) {
    if (!section.sampler) {
        return std::nullopt;
    }
    const Sampler& sampler = *section.sampler;
    const std::string& type = section.task.type;
    if (sampler.folds > 0 && task_size < sampler.folds) {
        return SamplerProblem{sampler.place,
                              fmt::format("{}.sampler.folds = {}", section.name, sampler.folds),
                              fmt::format("{} has only {} samples", type, task_size)};
    }
    if (sampler.indices && sampler.indices->largest() >= task_size) {
        return SamplerProblem{
            sampler.indices->place, section.name + ".sampler.indices",
            fmt::format("there is no sample {}; {} has {}, from 0 to {}",
                        sampler.indices->largest(), type, task_size, task_size - 1)};
    }
    // Of a stratified split it depends on the labels.
    if (sampler.is_split() && !sampler.is_stratified() &&
        samples_before(sampler.share[0], task_size) ==
            samples_before(sampler.share[1], task_size)) {
        return SamplerProblem{sampler.place, section.name + ".sampler.share",
                              fmt::format("[{}, {}] of the {} samples of {} is none",
                                          sampler.share[0], sampler.share[1], task_size, type)};
    }
    if (const auto problem = count_problem(section, sampler.weights, "weights", task_size)) {
        return problem;
    }
    return count_problem(section, sampler.labels, "labels", task_size);
}

}  // namespace ptp::experiment
