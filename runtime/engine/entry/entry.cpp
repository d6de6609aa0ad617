// The symbols of libptp-engine.so.

#include "base/error.hpp"
#include "engine/check_request.hpp"
#include "engine/conformance/check_components.hpp"
#include "engine/conformance/layout.hpp"
#include "engine/distributed/signals.hpp"
#include "engine/embedding.hpp"
#include "engine/entry/run.hpp"
#include "engine/entry/summary.hpp"
#include "engine/predict/fed_pipeline.hpp"
#include "engine/predict/predict.hpp"
#include "engine/process/process.hpp"
#include "engine/recording/replay_recording.hpp"
#include "engine/request.hpp"

#include <ptp/abi.h>

#include <c10/util/Exception.h>

#include <new>

using ptp::engine::PredictRequest;
using ptp::engine::ProcessRequest;
using ptp::engine::RunRequest;
using ptp::engine::RunResult;

namespace {

// Lets no exception out: the program that opened the library need not know its exceptions.
template <class Function>
void guarded(RunResult& result, Function function) noexcept {
    try {
        result.exit_code = function();
        return;
    } catch (const ptp::RunError& error) {
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
    result.exit_code = ptp::kTrainingError;
}

}  // namespace

extern "C" PTP_EXPORT void ptp_engine_run(const RunRequest& request, RunResult& result) noexcept {
    guarded(result, [&] { return ptp::engine::run(request); });
}

extern "C" PTP_EXPORT void ptp_engine_summary(const ptp::engine::SummaryRequest& request,
                                              RunResult& result) noexcept {
    guarded(result, [&] {
        ptp::engine::summarize(request, result);
        return static_cast<int>(ptp::kDone);
    });
}

extern "C" PTP_EXPORT void ptp_engine_train(const RunRequest& request,
                                            const ptp::engine::Embedding& embedding,
                                            RunResult& result) noexcept {
    guarded(result, [&] { return ptp::engine::run(request, &embedding); });
}

extern "C" PTP_EXPORT void ptp_engine_feed(const ptp::engine::FeedRequest& request,
                                           const ptp::engine::Embedding& embedding,
                                           RunResult& result) noexcept {
    guarded(result, [&] {
        ptp::engine::feed(request, embedding);
        return static_cast<int>(ptp::kDone);
    });
}

extern "C" PTP_EXPORT void ptp_engine_stop() noexcept {
    ptp::engine::Signals::stop();
}

extern "C" PTP_EXPORT void ptp_engine_process(const ProcessRequest& request,
                                              RunResult& result) noexcept {
    guarded(result, [&] { return ptp::engine::process(request); });
}

extern "C" PTP_EXPORT void ptp_engine_predict(const PredictRequest& request,
                                              RunResult& result) noexcept {
    guarded(result, [&] { return ptp::engine::predict(request); });
}

extern "C" PTP_EXPORT void ptp_engine_check(const ptp::engine::CheckRequest& request,
                                            ptp::engine::CheckResult& result) noexcept {
    RunResult run;
    guarded(run, [&] {
        ptp::engine::check_components(request, result);
        return static_cast<int>(ptp::kDone);
    });
    result.error = run.error;
}

extern "C" PTP_EXPORT void ptp_engine_layout(const ptp::engine::LayoutRequest& request,
                                             ptp::engine::LayoutResult& result) noexcept {
    RunResult run;
    guarded(run, [&] {
        ptp::engine::find_layouts(request, result);
        return static_cast<int>(ptp::kDone);
    });
    result.error = run.error;
}

extern "C" PTP_EXPORT void ptp_engine_replay(const ptp::engine::ReplayRequest& request,
                                             ptp::engine::ReplayResult& result) noexcept {
    RunResult run;
    guarded(run, [&] {
        ptp::engine::replay_recording(request, result);
        return static_cast<int>(ptp::kDone);
    });
    if (run.exit_code != ptp::kDone) {
        result.exit_code = run.exit_code;
        result.error = run.error;
    }
}
