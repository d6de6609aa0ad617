// The symbol of libptp-engine.so that explains predictions.

#include "engine/explain/explain.hpp"
#include "engine/train/failure.hpp"

#include <ptp/abi.h>

extern "C" PTP_EXPORT void ptp_engine_explain(const ptp::engine::ExplainRequest& request,
                                              ptp::engine::RunResult& result) noexcept {
    ptp::engine::report_into(result, [&] { return ptp::engine::explain(request); });
}
