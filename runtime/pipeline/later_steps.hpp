// Models that would see their answers if the target of each step is the next step of what they
// read, as in a language model: a component lets steps depend on later ones.

#pragma once

#include "pipeline/plan.hpp"

#include <string>
#include <vector>

namespace ptp::pipeline {

struct SeenAnswers {
    int inputs = -1;   // the stream of integers, [B, length], that a model reads
    int targets = -1;  // the stream of as many integers that the loss compares it with
    const Node* loss = nullptr;
    const Node* mixer = nullptr;  // (optional) of the steps: a component, or one of its layers
    std::string fix;              // of the mixer, "set pipeline.net.bidirectional = false"
};

// Returns those of a plan that is trained. Whether targets are the inputs, or with a mixer the next
// ones, is for the caller to find out from a batch.
std::vector<SeenAnswers> seen_answers(const Plan& plan);

// Returns whether a setting of a component or layer lets each step depend on later ones.
bool mixes_steps(const Node& node);

}  // namespace ptp::pipeline
