#include "config/sampler_fit.hpp"

#include <fmt/core.h>

#include <iterator>

namespace ptp::config {

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
    if (const auto problem = count_problem(section, sampler.weights, "weights", task_size)) {
        return problem;
    }
    return count_problem(section, sampler.labels, "labels", task_size);
}

}  // namespace ptp::config
