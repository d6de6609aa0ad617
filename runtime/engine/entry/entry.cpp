// The symbols of libptp-engine.so, except those about one component alone: solo/entry.cpp.

#include "engine/distributed/signals.hpp"
#include "engine/embedding.hpp"
#include "engine/entry/call_guarded.hpp"
#include "engine/entry/run.hpp"
#include "engine/entry/summary.hpp"
#include "engine/predict/predict.hpp"
#include "engine/request.hpp"

#include <ptp/abi.h>

using ptp::engine::call_guarded;
using ptp::engine::PredictRequest;
using ptp::engine::ProcessRequest;
using ptp::engine::RunRequest;
using ptp::engine::RunResult;

extern "C" PTP_EXPORT void ptp_engine_run(const RunRequest& request, RunResult& result) noexcept {
    call_guarded(result, [&] { return ptp::engine::run(request); });
}

extern "C" PTP_EXPORT void ptp_engine_summary(const ptp::engine::SummaryRequest& request,
                                              RunResult& result) noexcept {
    call_guarded(result, [&] {
        ptp::engine::summarize(request, result);
        return static_cast<int>(ptp::kDone);
    });
}

extern "C" PTP_EXPORT void ptp_engine_train(const RunRequest& request,
                                            const ptp::engine::Embedding& embedding,
                                            RunResult& result) noexcept {
    call_guarded(result, [&] { return ptp::engine::run(request, &embedding); });
}

extern "C" PTP_EXPORT void ptp_engine_feed(const ptp::engine::FeedRequest& request,
                                           const ptp::engine::Embedding& embedding,
                                           RunResult& result) noexcept {
    call_guarded(result, [&] {
        ptp::engine::feed(request, embedding);
        return static_cast<int>(ptp::kDone);
    });
}

extern "C" PTP_EXPORT void ptp_engine_stop() noexcept {
    ptp::engine::Signals::stop();
}

extern "C" PTP_EXPORT void ptp_engine_process(const ProcessRequest& request,
                                              RunResult& result) noexcept {
    call_guarded(result, [&] { return ptp::engine::process(request); });
}

extern "C" PTP_EXPORT void ptp_engine_predict(const PredictRequest& request,
                                              RunResult& result) noexcept {
    call_guarded(result, [&] { return ptp::engine::predict(request); });
}
