// The symbols of libptp-engine.so that are about one component alone. Nothing that trains refers to
// them.

#include "engine/entry/run.hpp"
#include "engine/train/failure.hpp"
#include "solo/recorded_call.hpp"
#include "solo/solo.hpp"

#include <c10/util/FunctionRef.h>

#include <ptp/abi.h>

using ptp::engine::report_into;
using ptp::engine::RunResult;

namespace {

// Does work that has no result of a run; returns how it ended.
RunResult guarded(c10::function_ref<void()> work) {
    RunResult run;
    report_into(run, work);
    return run;
}

}  // namespace

extern "C" PTP_EXPORT void ptp_engine_check(const ptp::engine::CheckRequest& request,
                                            ptp::engine::CheckResult& result) noexcept {
    result.error = guarded([&] { ptp::solo::check_components(request, result); }).error;
}

extern "C" PTP_EXPORT void ptp_engine_layout(const ptp::engine::LayoutRequest& request,
                                             ptp::engine::LayoutResult& result) noexcept {
    result.error = guarded([&] { ptp::solo::find_layouts(request, result); }).error;
}

extern "C" PTP_EXPORT void ptp_engine_record(const ptp::engine::RunRequest& request,
                                             RunResult& result) noexcept {
    report_into(result, [&] {
        const auto recorder = ptp::solo::make_recorder(request.recording.value());
        return ptp::engine::run(request, nullptr, recorder.get());
    });
}

extern "C" PTP_EXPORT void ptp_engine_replay(const ptp::engine::ReplayRequest& request,
                                             ptp::engine::ReplayResult& result) noexcept {
    const RunResult run = guarded([&] { ptp::solo::replay_recording(request, result); });
    if (run.exit_code != ptp::kDone) {
        result.exit_code = run.exit_code;
        result.error = run.error;
    }
}
