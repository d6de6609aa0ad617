// Calls across the boundary of the engine: no exception may cross it.

#pragma once

#include "base/error.hpp"
#include "engine/request.hpp"
#include "engine/train/failure.hpp"

#include <exception>

namespace ptp::engine {

// Does the work; an exception becomes the result.
template <class Work>
void report_into(RunResult& result, Work work) noexcept {
    try {
        work();
        result.exit_code = kDone;
    } catch (const std::exception& error) {
        const RunError reason = as_run_error(error);
        result.exit_code = reason.code();
        result.error = reason.what();
    }
}

}  // namespace ptp::engine
