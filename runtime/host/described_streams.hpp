// The streams with which an experiment predicts, as programs that embed ptp see them.

#pragma once

#include "pipeline/plan.hpp"
#include "pipeline/prediction.hpp"

#include <string>
#include <vector>

namespace ptp::host {

// A stream that can be fed or is predicted, as ptp_stream of <ptp/host.h> states it.
struct DescribedStream {
    std::string name;
    std::string element;
    std::string shape;
    std::string help;
    bool is_fed = false;
    bool is_needed = false;
    bool is_predicted = false;
};

// Returns the streams that a program can feed, and then those that are predicted. The plan is made
// to process one section.
std::vector<DescribedStream> described_streams(const pipeline::Plan& plan,
                                               const pipeline::Prediction& prediction);

}  // namespace ptp::host
