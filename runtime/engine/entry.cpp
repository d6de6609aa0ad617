// The one symbol of libptp-engine.so.

#include "engine/error.hpp"
#include "engine/request.hpp"
#include "engine/train/run.hpp"

#include <ptp/abi.h>

#include <c10/util/Exception.h>

#include <new>

using ptp::engine::RunRequest;
using ptp::engine::RunResult;

// No exception may leave: whoever opened the library need not know its exceptions.
extern "C" PTP_EXPORT void ptp_engine_run(const RunRequest& request, RunResult& result) noexcept {
    try {
        result.exit_code = ptp::engine::run(request);
        return;
    } catch (const ptp::engine::RunError& error) {
        result.exit_code = error.code();
        result.error = error.what();
        return;
    } catch (const c10::Error& error) {
        result.error = error.what_without_backtrace();
    } catch (const std::bad_alloc&) {
        result.error = "out of memory";
    } catch (const std::exception& error) {
        result.error = error.what();
    }
    result.exit_code = ptp::engine::kTrainingError;
}
