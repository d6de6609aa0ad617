// Targets that are padded: sequences become as long as a setting states, or as the longest of their
// batch, with an index that is no word.

#pragma once

#include "base/explanation.hpp"
#include "pipeline/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ptp::pipeline {

// A loss or a statistic that may count padding as right answers: no mask for each step leaves it
// out, and neither does an ignored target that is known to be the padding.
struct CountedPadding {
    const Node* reader = nullptr;
    const Node* writer = nullptr;  // of the padding
    int targets = -1;              // the stream that the reader reads
    // All are as long as the experiment states, and no target is ignored: `ptprun check` warns.
    bool is_certain = false;
    std::string fix = {};
};

// Returns those of a plan. A writer of padding publishes the target of what does not count.
std::vector<CountedPadding> counted_padding(const Plan& plan);

// Returns whether it is a loss that compares each step of what may be padded, and ignores none: no
// padding is among its targets, unless warned of.
bool counts_all_steps(const Node& node);

// "counts the padding of 'target_indices' by 'indexer' (SentenceIndexer) as right answers".
std::string text_of_padding(const Plan& plan, const CountedPadding& one);

// Returns whether the component may choose the size: neither a setting, another of its ports, a
// global nor a formula states it.
bool is_free(const Node& node, const Binding& binding, std::size_t dimension);

// A tensor of a component. Its sizes may be others than the pipeline needs there, although the
// component may choose them.
struct OtherLength {
    const Node& node;
    const Binding& binding;
    std::span<const std::int64_t> actual;
};

// Explains such a tensor whose size is known from elsewhere; nullopt where it is the component's
// own fault.
std::optional<Explanation> other_length(const Plan& plan, const OtherLength& of,
                                        std::int64_t batch_size);

// Another stream of the batch, with its tensor, that has another size than the tensor above.
struct LengthOfOther {
    int stream = -1;
    std::span<const std::int64_t> actual;
    std::size_t dimension = 0;  // of the tensor above
};
// Explains such a size; nullopt where it is the component's own fault.
std::optional<Explanation> other_length(const Plan& plan, const OtherLength& of,
                                        const LengthOfOther& other);

}  // namespace ptp::pipeline
