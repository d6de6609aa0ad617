// The symbols of libptp-engine.so that are about one component alone. Nothing that trains refers to
// them.

#include "engine/entry/run.hpp"
#include "engine/train/failure.hpp"
#include "solo/recorder.hpp"
#include "solo/solo.hpp"

#include <ptp/abi.h>

using ptp::engine::report_into;
using ptp::engine::RunResult;

extern "C" PTP_EXPORT void ptp_engine_check(const ptp::engine::CheckRequest& request,
                                            ptp::engine::CheckResult& result) noexcept {
    RunResult run;
    report_into(run, [&] { ptp::solo::check_components(request, result); });
    result.error = run.error;
}

extern "C" PTP_EXPORT void ptp_engine_layout(const ptp::engine::LayoutRequest& request,
                                             ptp::engine::LayoutResult& result) noexcept {
    RunResult run;
    report_into(run, [&] { ptp::solo::find_layouts(request, result); });
    result.error = run.error;
}

extern "C" PTP_EXPORT void ptp_engine_record(const ptp::engine::RunRequest& request,
                                             RunResult& result) noexcept {
    report_into(result, [&] {
        ptp::solo::Recorder recorder(request.recording.value());
        return ptp::engine::run(request, nullptr, &recorder);
    });
}

extern "C" PTP_EXPORT void ptp_engine_replay(const ptp::engine::ReplayRequest& request,
                                             ptp::engine::ReplayResult& result) noexcept {
    RunResult run;
    report_into(run, [&] { ptp::solo::replay_recording(request, result); });
    if (run.exit_code != ptp::kDone) {
        result.exit_code = run.exit_code;
        result.error = run.error;
    }
}
