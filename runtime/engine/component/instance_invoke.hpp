// The templates through which an Instance calls the functions of its component. They catch every
// exception, check the status, and restore floating-point settings. Only for the .cpp files that
// define members of Instance.

#pragma once

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "engine/component/instance.hpp"
#include "engine/component/own_generator.hpp"
#include "plugin/float_environment.hpp"

#include <c10/util/Type.h>
#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <typeinfo>

namespace ptp::engine {

// Describes the exception that is being handled, in one line: "std::runtime_error: WHAT".
inline std::string current_exception_text() {
    try {
        throw;
    } catch (const std::exception& error) {
        const std::string text = error.what();
        return fmt::format("{}: {}", c10::demangle(typeid(error).name()),
                           text.substr(0, text.find('\n')));
    } catch (...) {
        return "of an unknown type";
    }
}

// Makes a call, on any thread. Catches everything: an exception that a plugin throws may have a
// type that only the plugin knows.
template <class Function>
void Instance::invoke_in_any_thread(const CallValues& values, const char* work, Function function) {
    Call call({blamed_.c_str(), work}, values);
    const std::uint32_t arithmetic = plugin::arithmetic();
    ptp_status status = PTP_OK;
    std::string escaped;
    try {
        status = function();
        const bool is_good = status == PTP_OK && !call.has_failed();
        if (is_good && plugin::arithmetic() == arithmetic) [[likely]] {
            return;
        }
    } catch (...) {
        escaped = let_out(work);
    }
    if (const std::string change = plugin::restore_arithmetic(arithmetic); !change.empty()) {
        throw WithFix<RunError>(
            kPluginError,
            {fmt::format("{}: {} changes how the host calculates ({}) and does not put it back",
                         blamed_, work, change),
             "put it back as it was"});
    }
    if (!escaped.empty()) {
        throw RunError(kPluginError, escaped);
    }
    if (status == PTP_OK) {
        throw RunError(kPluginError, fmt::format("{}: {} called fail() and returned PTP_OK: {}",
                                                 blamed_, work, call.message()));
    }
    report(status, call);
}

// Makes a call that only one thread at a time makes. During the call, libtorch's default generators
// are the component's own.
template <class Function>
void Instance::invoke(const CallValues& values, const char* work, Function function) {
    if (draws_from_libtorch_) {
        invoke_in_any_thread(values, work, function);
        return;
    }
    const OwnGenerator own(host_.bit_generator(), host_.generator());
    invoke_in_any_thread(values, work, function);
}

}  // namespace ptp::engine
