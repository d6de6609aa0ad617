// The comparison of the process's settings before and after a plugin's code has run.

#include "engine/swap/process_settings.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>
#include <fmt/core.h>

namespace ptp::engine {

namespace {

c10::ScalarType default_type() {
    return c10::typeMetaToScalarType(c10::get_default_dtype());
}

}  // namespace

ProcessSettings::ProcessSettings()
    : default_type_(default_type()),
      threads_(at::get_num_threads()),
      is_deterministic_(at::globalContext().deterministicAlgorithms()),
      has_gradients_(c10::GradMode::is_enabled()) {}

void ProcessSettings::check(SwapPhase phase, const std::string& culprit) const {
    const auto refuse = [&](const std::string& what) {
        throw SwapError(phase,
                        {fmt::format("{} changes {} and does not put it back", culprit, what),
                         "put it back as it was"});
    };
    if (const std::string change = float_environment_.change(); !change.empty()) {
        refuse("how the host calculates (" + change + ")");
    }
    if (default_type() != default_type_) {
        refuse("libtorch's default type");
    }
    if (at::get_num_threads() != threads_) {
        refuse("libtorch's number of threads");
    }
    if (at::globalContext().deterministicAlgorithms() != is_deterministic_) {
        refuse("whether libtorch is deterministic");
    }
    if (c10::GradMode::is_enabled() != has_gradients_) {
        refuse("whether libtorch keeps gradients");
    }
}

void ProcessSettings::restore() const {
    float_environment_.restore();
    c10::set_default_dtype(c10::scalarTypeToTypeMeta(default_type_));
    if (at::get_num_threads() != threads_) {
        at::set_num_threads(threads_);
    }
    at::globalContext().setDeterministicAlgorithms(
        is_deterministic_, at::globalContext().deterministicAlgorithmsWarnOnly());
    c10::GradMode::set_enabled(has_gradients_);
}

}  // namespace ptp::engine
