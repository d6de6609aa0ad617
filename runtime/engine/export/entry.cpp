// The symbol of libptp-engine.so that exports trained components.

#include "engine/export/export.hpp"
#include "engine/train/failure.hpp"

#include <ptp/abi.h>

extern "C" PTP_EXPORT void ptp_engine_export(const ptp::engine::ExportRequest& request,
                                             ptp::engine::RunResult& result) noexcept {
    ptp::engine::report_into(result, [&] { ptp::engine::export_forward(request); });
}
