// The forward stage of a pipeline: the components that compute on whole batches of numbers, from
// the streams that samples are prepared in to those that are predicted.

#pragma once

#include "engine/component/components.hpp"
#include "pipeline/plan.hpp"
#include "pipeline/prediction.hpp"

#include <string>
#include <vector>

namespace ptp::engine {

struct ForwardStage {
    std::vector<Instance*> before;  // transforms that prepare samples, in order
    std::vector<Instance*> forward;
    std::vector<std::string> after;  // "'words' (WordDecoder)": what makes texts of the outputs
    std::vector<int> inputs;         // streams, in the order of the plan
    std::vector<int> outputs;
};

// Finds the stage that leads to what is predicted. Components of the plan's pre stage come before
// it, and models that read nothing but texts of samples. Throws RunError where another model reads
// texts, or where nothing is computed.
ForwardStage find_forward_stage(const pipeline::Plan& plan, const Components& components,
                                const Instance& task, const pipeline::Prediction& prediction);

}  // namespace ptp::engine
