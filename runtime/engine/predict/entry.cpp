// The symbols of libptp-engine.so that are about trained weights, and about data alone. Nothing
// that trains refers to them.

#include "engine/data_request.hpp"
#include "engine/embedding.hpp"
#include "engine/predict/bundle_samples.hpp"
#include "engine/predict/predict.hpp"
#include "engine/request.hpp"
#include "engine/train/failure.hpp"

#include <ptp/abi.h>

#include <cstdint>

using ptp::engine::PredictRequest;
using ptp::engine::ProcessRequest;
using ptp::engine::report_into;
using ptp::engine::RunResult;

extern "C" PTP_EXPORT void ptp_engine_data(const ptp::engine::DataRequest& request,
                                           RunResult& result) noexcept {
    report_into(result, [&] { ptp::engine::survey_data(request); });
}

extern "C" PTP_EXPORT void ptp_engine_feed(const ptp::engine::FeedRequest& request,
                                           const ptp::engine::Embedding& embedding,
                                           RunResult& result) noexcept {
    report_into(result, [&] { ptp::engine::feed(request, embedding); });
}

extern "C" PTP_EXPORT void ptp_engine_process(const ProcessRequest& request,
                                              RunResult& result) noexcept {
    report_into(result, [&] { return ptp::engine::process(request); });
}

extern "C" PTP_EXPORT void ptp_engine_samples(const ptp::engine::SamplesRequest& request,
                                              std::int64_t& stored, RunResult& result) noexcept {
    report_into(result, [&] { stored = ptp::engine::record_samples(request); });
}

extern "C" PTP_EXPORT void ptp_engine_predict(const PredictRequest& request,
                                              RunResult& result) noexcept {
    report_into(result, [&] { return ptp::engine::predict(request); });
}
