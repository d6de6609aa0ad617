// The streams with texts that a section's components write: what a person reads of a prediction, in
// place of the scores of all words.

#pragma once

#include "pipeline/plan.hpp"

#include <vector>

namespace ptp::pipeline {

// Whether the section's task, or a component that runs, writes a stream. The plan has one task.
bool is_written(const Plan& plan, int stream);

// These streams, but in place of scores of words, which have more dimensions than samples and
// classes, the texts that transforms make of them, or of the words that their model has chosen.
std::vector<int> with_texts(const Plan& plan, const std::vector<int>& streams);

}  // namespace ptp::pipeline
