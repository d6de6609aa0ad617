// Why a call of a component has failed, in words for a person: where in the experiment it is,
// which component of which plugin it is, what it was doing, with which value, and how to fix it.

#pragma once

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "engine/component/call.hpp"
#include "pipeline/plan.hpp"

#include <ptp/abi.h>

#include <string>
#include <string_view>

namespace ptp::engine {

// The system has refused to write a file, which is not the component's fault.
class RefusedWrite : public WithFix<RunError> {
public:
    using WithFix::WithFix;
};

// Whether the message of a call reports such a refusal by the system.
bool is_about_refused_write(std::string_view message);

// The component has reported the reason by host->fail() during `call`.
//
//   CONFIG    its own sentence. If a declared setting comes first, "setting 'top_k': must ..." or
//             "top_k = 7: must be ...", the place is that setting's.
//   DATA      its own sentence.
//   INTERNAL  mostly an exception its author did not think of, such as "std::invalid_argument:
//             stof": with the plugin, the call, the samples or the inputs, and a fix. Where memory
//             was refused, the step too.
//
// REQUIRES: one of these three.
WithFix<RunError> component_error(const pipeline::Node& node, ptp_status status, const Call& call,
                                  bool is_creating);

}  // namespace ptp::engine
