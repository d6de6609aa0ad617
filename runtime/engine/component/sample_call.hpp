// The call of a transform that treats each sample by itself: of one component, or of several that
// are tried in turn on each sample, `try` in the experiment. A component refuses a sample by an
// error about data; any other error ends the run.

#pragma once

#include "engine/component/frame.hpp"
#include "engine/component/instance.hpp"

#include <ptp/abi.h>

#include <vector>

namespace ptp::engine {

// The components must outlive it.
class SampleCall {
public:
    // `turns` are in the order in which they are tried; the last is the node that writes.
    explicit SampleCall(std::vector<Instance*> turns);

    // Returns the node whose streams are read and written.
    [[nodiscard]] const pipeline::Node& node() const { return turns_.back()->node(); }

    // Transforms a batch, and adds to `samples.tried` which component took how many of its samples.
    // The values are those of node(). Throws RunError, kDataError for a sample that all refuse.
    // [any], several threads at once.
    void run(BatchSamples& samples, const ptp_value* const* inputs,
             ptp_value* const* outputs) const;

    // Instance::pass_through() of node(). [any]
    void pass_through(const ptp_value* const* inputs, ptp_value* const* outputs) const {
        turns_.back()->pass_through(inputs, outputs);
    }

private:
    friend class TriedBatch;

    // For each port of a turn, its place among those of node(); -1: it has no stream.
    struct Ports {
        std::vector<int> inputs;
        std::vector<int> outputs;
    };

    std::vector<Instance*> turns_;
    std::vector<Ports> ports_;  // of each turn
};

// Returns whether a component is only called by another one, the last of those that are tried.
inline bool is_called_by_another(const pipeline::Node& node) {
    return !node.tried_in.empty() && node.tries.empty();
}

// Returns the call of a transform: with the others, among these components, that it tries.
template <class Instances>
SampleCall call_of(Instance& instance, const Instances& among) {
    std::vector<Instance*> turns;
    for (const std::string& name : instance.node().tries) {
        for (const auto& other : among) {
            if (other->node().name == name) {
                turns.push_back(&*other);
            }
        }
    }
    return SampleCall(turns.empty() ? std::vector<Instance*>{&instance} : std::move(turns));
}

}  // namespace ptp::engine
