// Runs the components in order on a frame. All pointers are resolved once; a step looks nothing up.

#pragma once

#include "engine/step/instance.hpp"
#include "engine/step/output_check.hpp"
#include "engine/stream/frame.hpp"
#include "pipeline/plan.hpp"

#include <c10/core/Device.h>

#include <memory>
#include <vector>

namespace ptp::engine {

// [step] The plan, the instances and the frame must outlive it.
class Executor {
public:
    Executor(const pipeline::Plan& plan, const std::vector<std::unique_ptr<Instance>>& instances,
             Frame& frame, at::Device device);

    [[nodiscard]] at::Device device() const { return device_; }

    // One step on the batch that the task has written into the frame. A thorough one compares all
    // that components write with what they declare, the others only what differs from the last
    // step.
    void run(const Instance& task, const ptp_step& step, bool is_thorough);

private:
    struct Hop {
        Instance* instance = nullptr;
        std::vector<const ptp_value*> inputs;
        std::vector<ptp_value*> outputs;
        bool needs_gradients = true;
    };

    void move_batch(const pipeline::Node& task);

    Frame& frame_;
    at::Device device_;
    OutputCheck check_;
    std::vector<Hop> hops_;
};

}  // namespace ptp::engine
