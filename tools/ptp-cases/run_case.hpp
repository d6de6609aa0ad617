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
    // The components are on the device, "cpu" or "cuda:0".
    CaseRunner(const testing::Plugin& plugin, std::string type, std::string device)
        : plugin_(plugin), type_(std::move(type)), device_(std::move(device)) {}

    // Each problem as a line, with the place of the case or of its step; empty when all is as
    // expected. Cases run in the order of the file, because one may name another.
    std::vector<std::string> run(const Case& one);

private:
    // `instance` is created where it is not yet.
    Difference run_step(const Case& one, const Step& step, std::optional<Instance>& instance);

    const testing::Plugin& plugin_;
    std::string type_;
    std::string device_;
    std::map<std::string, Outcome> outcomes_;  // by the name of the case or step
};

}  // namespace ptp::cases
