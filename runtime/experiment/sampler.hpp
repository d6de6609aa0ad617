// The list of samplers, which select and order the samples of a section's task. Their
// implementations are in engine/data.

#pragma once

#include "base/source_location.hpp"
#include "experiment/samplers.hpp"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ptp::experiment {

struct Section;

using AnySampler = std::variant<RandomSampler,               //
                                SequentialSampler,           //
                                SubsetRandomSampler,         //
                                SubsetSequentialSampler,     //
                                WeightedRandomSampler,       //
                                KFoldRandomSampler,          //
                                KFoldWeightedRandomSampler,  //
                                KFoldStratifiedSampler,      //
                                KFoldGroupSampler,           //
                                ClassBalancedSampler,        //
                                RandomSplitSampler,          //
                                StratifiedSplitSampler,      //
                                LengthGroupedSampler,        //
                                KFoldLengthGroupedSampler,   //
                                LengthGroupedSplitSampler>;

struct Sampler {
    AnySampler options = {};
    SourceLocation place = {};  // of the table
    bool is_each_once = false;  // not written: draws each allowed sample once, in order

    // Returns the options that several samplers share, such as Folds, or that one has; nullptr if
    // this sampler does not have them.
    template <class Part>
    [[nodiscard]] const Part* get() const {
        return part_of<const Part>(options);
    }
    template <class Part>
    [[nodiscard]] Part* get() {
        return part_of<Part>(options);
    }

    // Returns "RandomSampler" and the like.
    [[nodiscard]] std::string_view type() const;

    // Returns whether an epoch has each sample that may be drawn once, in order.
    [[nodiscard]] bool is_in_order() const;

    // Returns whether the drawn samples depend on the classes, or on the groups.
    [[nodiscard]] bool needs_labels() const;

    // Returns the type that has the same options but for those of classes; "" if this one does not
    // need classes.
    [[nodiscard]] std::string_view type_without_classes() const;

    // Returns whether the drawn samples depend on the lengths.
    [[nodiscard]] bool needs_lengths() const;

private:
    template <class Part>
    static Part* part_of(auto& options) {
        return std::visit(
            []<class One>(One& one) -> Part* {
                if constexpr (std::convertible_to<One*, Part*>) {
                    return &one;
                } else {
                    return nullptr;
                }
            },
            options);
    }
};

struct SamplerProblem {
    SourceLocation place;
    std::string key;  // "training.sampler.indices"
    std::string message;
    bool is_warning = false;
};

// The most samples that can be put in an order, which takes 8 bytes for each.
inline constexpr std::int64_t kMaxSamples = 10'000'000'000;

// Returns why a section's sampler does not fit the number of samples of its task; nullopt if it
// fits, or if there is no sampler. REQUIRES: task_size > 0.
std::optional<SamplerProblem> sampler_problem(const Section& section, std::int64_t task_size);

// Returns why folds do not fit the classes or groups of the samples, one for each sample: an error
// where there are fewer groups than folds, or no class has a sample for each fold; a warning where
// the smallest class has not.
std::optional<SamplerProblem> stratification_problem(const Section& section,
                                                     const std::vector<std::int64_t>& labels);

// Returns how many of `count` samples come before a share of them. `shift` in [0, 1) decides to
// which side a sample goes that the share cuts. Shares that meet get the same number.
inline constexpr double kToTheNearest = 0.5;
std::int64_t samples_before(double share, std::int64_t count, double shift = kToTheNearest);

}  // namespace ptp::experiment
