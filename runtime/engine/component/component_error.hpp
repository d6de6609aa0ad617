// The error of a failed component call, for users: its place in the experiment, the component and
// plugin, what it was doing, with which value, and the fix.

#pragma once

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "engine/component/call.hpp"
#include "pipeline/plan.hpp"

#include <ptp/abi.h>

#include <string>
#include <string_view>

namespace ptp::engine {

bool is_about_memory(std::string_view message);

inline constexpr std::string_view kMemoryFix =
    "there is not enough memory; a smaller batch_size (with training.accumulate for the same step "
    "of the optimizer), training.precision = \"bf16\" or smaller sizes need less";

// The system refused to write a file, which is not the component's fault.
class RefusedWrite : public WithFix<RunError> {
public:
    using WithFix::WithFix;
};

// Returns whether a call reports such a refusal by the system.
bool is_about_refused_write(const Call& call);

// A component refuses the value of one of its settings.
class WrongSetting : public WithFix<RunError> {
public:
    using WithFix::WithFix;
};

// Returns whether a call blames a declared setting.
bool is_about_setting(const pipeline::Node& node, const Call& call);

// Returns "e.toml:14:9: ", or nothing for a place that is nowhere.
std::string place_text(const SourceLocation& place);

// Returns the error for the reason that the component reported during `call`:
//
//   CONFIG    its own sentence. If it blames a declared setting, the place is that setting's.
//   DATA      its own sentence. If it misses a file that lies a folder above or below, that one.
//   INTERNAL  usually an unexpected exception, such as "std::invalid_argument: stof": with the
//             plugin, the call, the samples or the inputs, and a fix. If memory was refused,
//             also the step.
WithFix<RunError> component_error(const pipeline::Node& node, ptp_status status, const Call& call,
                                  bool is_creating);

}  // namespace ptp::engine
