// Opens the engine, and with it libtorch, only when something is to be computed.

#pragma once

#include "engine/embedding.hpp"
#include "engine/request.hpp"

#include <filesystem>

namespace ptp::host {

// Begins to open the engine while the caller prepares what it is to do: call it before any other
// thread is started, and end the process with leave() from then on. What continues a run is to
// compute with the kernels of that run. Throws RunError. [main]
void prepare_engine(const std::filesystem::path& continued_run = {});

// Has OpenBLAS compute with the kernels that a run computed with, where they run here: before the
// engine is opened. Nothing if the path is empty. [main]
void use_kernels_of(const std::filesystem::path& run);

// Looks beside the executable and where it is installed. An engine that cannot be opened is a
// result with a plugin error's code.
engine::RunResult run_in_engine(const engine::RunRequest& request);
engine::RunResult process_in_engine(const engine::ProcessRequest& request);
engine::RunResult predict_in_engine(const engine::PredictRequest& request);

// The same in a program that embeds the engine.
engine::RunResult train_in_engine(const engine::RunRequest& request,
                                  const engine::Embedding& embedding);
engine::RunResult feed_in_engine(const engine::FeedRequest& request,
                                 const engine::Embedding& embedding);

// Ends what is computed, as a signal would. Nothing where the engine cannot be opened. [any]
void stop_engine() noexcept;

}  // namespace ptp::host
