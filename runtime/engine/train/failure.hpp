// Converts whatever ends a run to the engine's own exception, or to a result for a program.

#pragma once

#include "base/error.hpp"
#include "engine/request.hpp"

#include <c10/util/Exception.h>

#include <exception>
#include <string>
#include <type_traits>

namespace ptp::engine {

// Returns libtorch's message, with a fix if memory was refused.
std::string torch_text(const c10::Error& error);

// Returns a RunError unchanged, anything else with kTrainingError and a sentence for users.
RunError as_run_error(const std::exception& error);

// Does the work, which may return an exit code. An exception, which must not cross the boundary of
// the engine, becomes the result.
template <class Work>
void report_into(RunResult& result, Work work) noexcept {
    try {
        if constexpr (std::is_void_v<decltype(work())>) {
            work();
            result.exit_code = kDone;
        } else {
            result.exit_code = work();
        }
    } catch (const std::exception& error) {
        const RunError reason = as_run_error(error);
        result.exit_code = reason.code();
        result.error = reason.what();
    }
}

}  // namespace ptp::engine
