// The argument of create(): ptp_setup, built from a node of the plan.

#pragma once

#include "engine/component/data_tree.hpp"
#include "pipeline/plan.hpp"

#include <ptp/abi.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace ptp::engine {

// The argument, which owns everything that it points to; its sizes are those known when it is
// built. The plan's names must outlive it.
class Setup {
public:
    Setup(const pipeline::Plan& plan, const pipeline::Node& node, std::string device);
    ~Setup() = default;
    Setup(const Setup&) = delete;
    Setup& operator=(const Setup&) = delete;

    [[nodiscard]] const ptp_setup* get() const { return &setup_; }

private:
    void add_bindings(const pipeline::Plan& plan, const pipeline::Node& node,
                      const std::vector<pipeline::Binding>& bindings,
                      std::vector<const ptp_binding*>& out);

    std::string section_;  // the role: "validation" for a task of [validation.hard]
    std::string device_;
    std::deque<DataTree> values_;
    std::deque<ptp_binding> bindings_;
    std::deque<std::vector<std::int64_t>> dimensions_;
    std::vector<const ptp_data*> settings_;
    std::vector<const ptp_binding*> inputs_;
    std::vector<const ptp_binding*> outputs_;
    ptp_setup setup_;
};

}  // namespace ptp::engine
