// The number of words of a sample that no vocabulary of the pipeline has.

#pragma once

#include "engine/component/frame.hpp"
#include "engine/component/globals.hpp"
#include "engine/predict/prediction_file.hpp"
#include "pipeline/plan.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace ptp::engine {

// Returns whether the component replaces words that its vocabulary lacks by another one.
bool replaces_unknown_words(const pipeline::Node& node);

// Counts the words of a sample that are in no vocabulary, where components replace such words by
// another one: what is predicted from them alone is no evidence. [step] The plan must outlive it.
class UnknownWordCounts {
public:
    // By convention such components have a setting `unknown`; their vocabulary is a global table.
    UnknownWordCounts(const pipeline::Plan& plan, const Globals& globals);

    [[nodiscard]] bool empty() const { return known_.empty(); }
    [[nodiscard]] Cell of_sample(const Frame& frame, std::uint64_t sample) const;

private:
    std::map<int, std::set<std::string, std::less<>>> known_;  // by the stream of the words
};

}  // namespace ptp::engine
