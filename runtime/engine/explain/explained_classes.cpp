// Finds the classes that options name, and the true class of a sample.

#include "engine/explain/explained_classes.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/suggest.hpp"
#include "engine/predict/prediction_columns.hpp"
#include "experiment/explanations.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace ptp::engine {

std::optional<std::int64_t> true_class(const Frame& frame,
                                       const pipeline::PredictedStream& predicted,
                                       std::int64_t sample, std::int64_t count) {
    if (predicted.targets < 0 || !(predicted.is_class_scores || predicted.is_yes_or_no)) {
        return std::nullopt;
    }
    const at::Tensor& targets = frame[predicted.targets].tensor;
    if (!targets.defined() || targets.dim() == 0 || targets[sample].numel() != 1) {
        return std::nullopt;
    }
    const auto target = targets[sample].item<std::int64_t>();
    return target >= 0 && target < count ? std::optional(target) : std::nullopt;
}

ExplainedClasses::ExplainedClasses(const Value& globals, const pipeline::PredictedStream& predicted,
                                   std::int64_t count, const std::string& global)
    : count_(count),
      names_(class_names(globals, predicted, count,
                         global.empty() ? std::nullopt : std::optional(global))) {}

std::optional<std::int64_t> ExplainedClasses::named(const std::string& name) const {
    if (!names_) {
        return std::nullopt;
    }
    const auto found = std::ranges::find(*names_, name);
    return found == names_->end() ? std::nullopt : std::optional(found - names_->begin());
}

std::string ExplainedClasses::name(std::int64_t number) const {
    return names_ ? (*names_)[static_cast<std::size_t>(number)] : std::to_string(number);
}

std::int64_t ExplainedClasses::number(const std::string& option, const std::string& asked) const {
    if (const auto known = named(asked)) {
        return *known;
    }
    std::int64_t number = -1;
    const char* const end = asked.data() + asked.size();
    const auto read = std::from_chars(asked.data(), end, number);
    if (read.ec == std::errc() && read.ptr == end && number >= 0 && number < count_) {
        return number;
    }
    throw RunError(
        kConfigurationError,
        names_ ? fmt::format("{} {}: unknown class{}", option, asked, hint(asked, *names_))
               : fmt::format("{} {}: unknown class; they have no names: take a number from 0 to {}",
                             option, asked, count_ - 1));
}

std::vector<std::int64_t> ExplainedClasses::asked(const std::string& target,
                                                  const SampleClasses& sample) const {
    const bool is_true = target == experiment::Explanations::kTrue;
    const bool is_both = target == experiment::Explanations::kBoth;
    if (target.empty()) {
        return {sample.predicted};
    }
    if ((!is_true && !is_both) || named(target)) {
        return {number("--target", target)};
    }
    if (!sample.target) {
        throw WithFix<RunError>(
            kDataError, Explanation{fmt::format("--target {}: sample {} has no true class", target,
                                                sample.index),
                                    "leave --target out, or name a class"});
    }
    if (is_true || sample.predicted == *sample.target) {
        return {*sample.target};
    }
    return {sample.predicted, *sample.target};
}

}  // namespace ptp::engine
