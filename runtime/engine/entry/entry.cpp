// The symbols of libptp-engine.so, except those about one component alone: solo/entry.cpp.

#include "engine/distributed/signals.hpp"
#include "engine/embedding.hpp"
#include "engine/entry/run.hpp"
#include "engine/entry/summary.hpp"
#include "engine/predict/predict.hpp"
#include "engine/request.hpp"
#include "engine/train/failure.hpp"

#include <ptp/abi.h>

using ptp::engine::PredictRequest;
using ptp::engine::ProcessRequest;
using ptp::engine::report_into;
using ptp::engine::RunRequest;
using ptp::engine::RunResult;

extern "C" PTP_EXPORT void ptp_engine_run(const RunRequest& request, RunResult& result) noexcept {
    report_into(result, [&] { return ptp::engine::run(request); });
}

extern "C" PTP_EXPORT void ptp_engine_summary(const ptp::engine::SummaryRequest& request,
                                              RunResult& result) noexcept {
    report_into(result, [&] { ptp::engine::summarize(request, result); });
}

extern "C" PTP_EXPORT void ptp_engine_train(const RunRequest& request,
                                            const ptp::engine::Embedding& embedding,
                                            RunResult& result) noexcept {
    report_into(result, [&] { return ptp::engine::run(request, &embedding); });
}

extern "C" PTP_EXPORT void ptp_engine_feed(const ptp::engine::FeedRequest& request,
                                           const ptp::engine::Embedding& embedding,
                                           RunResult& result) noexcept {
    report_into(result, [&] { ptp::engine::feed(request, embedding); });
}

extern "C" PTP_EXPORT void ptp_engine_stop() noexcept {
    ptp::engine::Signals::stop();
}

extern "C" PTP_EXPORT void ptp_engine_process(const ProcessRequest& request,
                                              RunResult& result) noexcept {
    report_into(result, [&] { return ptp::engine::process(request); });
}

extern "C" PTP_EXPORT void ptp_engine_predict(const PredictRequest& request,
                                              RunResult& result) noexcept {
    report_into(result, [&] { return ptp::engine::predict(request); });
}
