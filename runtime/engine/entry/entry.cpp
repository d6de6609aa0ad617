// The symbols of libptp-engine.so, except those about trained weights, predict/entry.cpp,
// and about one component alone, solo/entry.cpp.

#include "engine/distributed/signals.hpp"
#include "engine/embedding.hpp"
#include "engine/entry/run.hpp"
#include "engine/entry/summary.hpp"
#include "engine/request.hpp"
#include "engine/train/failure.hpp"

#include <ptp/abi.h>

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

extern "C" PTP_EXPORT void ptp_engine_stop() noexcept {
    ptp::engine::Signals::stop();
}
