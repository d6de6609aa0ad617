// Runs the cases of a file.
#pragma once

#include "ptp-cases/difference.hpp"
#include "ptp-cases/instance.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptp::cases {

class CaseRunner {
public:
    // Creates components on the device, "cpu" or "cuda:0".
    CaseRunner(const testing::Plugin& plugin, std::string type, std::string device)
        : plugin_(plugin), type_(std::move(type)), device_(std::move(device)) {}

    // Returns each problem as a line, with the place of the case or of its step; empty if there are
    // none. Cases run in the order of the file, because one may name another.
    std::vector<std::string> run(const Case& one);

private:
    // Creates `instance` if it does not exist yet.
    Difference run_step(const Case& one, const Step& step, std::optional<Instance>& instance);

    const testing::Plugin& plugin_;
    std::string type_;
    std::string device_;
    std::map<std::string, Outcome> outcomes_;  // by the name of the case or step
};

// Checks, on the inputs of the case's only step with the second sample masked, that masked samples
// have no effect, even if nan; that a batch without unmasked samples has the loss, the weight and
// the gradients 0; and that the mean of two batches, weighted by their weights, is the loss of both
// as one. The component is a loss with use_masking = true, and at least four samples.
Difference counting_difference(Instance& loss, const Step& step);

}  // namespace ptp::cases
