// Opens the engine, and with it libtorch, only when they are needed.

#pragma once

#include "engine/data_request.hpp"
#include "engine/embedding.hpp"
#include "engine/explain_request.hpp"
#include "engine/export_request.hpp"
#include "engine/request.hpp"

#include <cstdint>
#include <filesystem>

namespace ptp::host {

// Begins to open the engine while the caller prepares its request: call it before any other thread
// is started, and end the process with leave() from then on. A continued run computes with the
// kernels of that run. Throws RunError. [main]
void prepare_engine(const std::filesystem::path& continued_run = {});

// Selects the kernels of a run in OpenBLAS, if they run here: before the engine is opened. Does
// nothing if the path is empty. [main]
void use_kernels_of(const std::filesystem::path& run);

// Searches beside the executable and where it is installed. If the engine cannot be opened, returns
// a result with the code of a plugin error.
engine::RunResult run_in_engine(const engine::RunRequest& request);
engine::RunResult summarize_in_engine(const engine::SummaryRequest& request);
engine::RunResult process_in_engine(const engine::ProcessRequest& request);
engine::RunResult predict_in_engine(const engine::PredictRequest& request);
engine::RunResult explain_in_engine(const engine::ExplainRequest& request);
engine::RunResult survey_in_engine(const engine::DataRequest& request);
engine::RunResult export_in_engine(const engine::ExportRequest& request);
// Sets `stored` to the number of samples in the file.
engine::RunResult store_samples_in_engine(const engine::SamplesRequest& request,
                                          std::int64_t& stored);

// Does the same in a program that embeds the engine.
engine::RunResult train_in_engine(const engine::RunRequest& request,
                                  const engine::Embedding& embedding);
engine::RunResult feed_in_engine(const engine::FeedRequest& request,
                                 const engine::Embedding& embedding);

// Ends the current work, like a signal. Does nothing if the engine cannot be opened. [any]
void stop_engine() noexcept;

}  // namespace ptp::host
