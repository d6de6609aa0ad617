// The losses of single samples of a batch.

#pragma once

#include "engine/component/components.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/slot.hpp"
#include "engine/predict/prediction_file.hpp"
#include "experiment/optimization.hpp"
#include "pipeline/prediction.hpp"

#include <ptp/abi.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace ptp::engine {

// The losses of single samples: a loss component is run separately on each sample of a batch.
// [step] The components and the frame must outlive it.
class SampleLosses {
public:
    SampleLosses(const Components& components, Frame& frame, const pipeline::Prediction& prediction,
                 const std::vector<experiment::LossWeight>& weights);

    [[nodiscard]] bool empty() const { return losses_.empty(); }

    // Returns "loss"; for several losses, the names of their streams, and then of their weighted
    // sum.
    [[nodiscard]] std::vector<std::string> names() const;

    // After a batch was run: returns a cell for each name, empty for a sample that does not count,
    // such as a masked one.
    [[nodiscard]] std::vector<Cell> of_sample(const ptp_step& batch, std::int64_t sample);

    // Returns the last result of of_sample(), for sorting.
    [[nodiscard]] double last() const { return last_; }

private:
    struct Loss {
        std::string name;
        Instance* instance = nullptr;
        std::size_t output = 0;
        int weight = -1;    // the place of its weight's statistic; -1: none
        double factor = 1;  // in the sum
        std::deque<Slot> inputs;
        std::deque<Slot> outputs;
        std::vector<double> statistics;
    };

    void run(Loss& loss, const ptp_step& batch, std::int64_t sample);

    Frame& frame_;
    std::deque<Loss> losses_;  // a deque, so that their slots never move
    bool has_total_ = false;
    double last_ = 0;
};

}  // namespace ptp::engine
