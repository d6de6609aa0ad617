// Calls the engine with requests, once the plugins that they need have been tried.

#include "host/engine_library.hpp"

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "host/blas_kernels.hpp"
#include "host/open_engine.hpp"
#include "host/plugin_trials.hpp"

#include <exception>
#include <stdexcept>

namespace ptp::host {

namespace fs = std::filesystem;

namespace {

// Ignores the thread that opens the engine: it has ended when plugins are tried.
bool& was_alone_when_prepared() {
    static bool was_alone = false;
    return was_alone;
}

engine::RunRequest completed(engine::RunRequest request) {
    request.kernels = blas_kernels();
    request.try_build = try_build;
    return request;
}

template <class Function, class Request, class... Arguments>
engine::RunResult call_engine(const char* symbol, const Request& request, Arguments&... arguments) {
    engine::RunResult result;
    try {
        const bool is_alone = was_alone_when_prepared() || has_one_thread();
        const auto function = reinterpret_cast<Function>(engine_symbol(symbol));
        result.error = try_new_plugins(request.plan, is_alone);
        if (!result.error.empty()) {
            result.exit_code = kPluginError;
            return result;
        }
        function(request, arguments..., result);
    } catch (const RunError& error) {
        result.exit_code = error.code();
        result.error = error.what();
    } catch (const std::runtime_error& error) {
        result.exit_code = kPluginError;
        result.error = error.what();
    }
    return result;
}

}  // namespace

void prepare_engine(const fs::path& continued_run) {
    was_alone_when_prepared() = has_one_thread();
    use_kernels_of(continued_run);
    open_engine_ahead();
}

void use_kernels_of(const fs::path& run) {
    if (!run.empty()) {
        blas_kernels(recorded_kernels(run));
    }
}

engine::RunResult run_in_engine(const engine::RunRequest& request) {
    return call_engine<engine::RunFunction>(
        request.recording ? engine::kRecordSymbol : engine::kRunSymbol, completed(request));
}

engine::RunResult summarize_in_engine(const engine::SummaryRequest& request) {
    return call_engine<engine::SummaryFunction>(engine::kSummarySymbol, request);
}

engine::RunResult process_in_engine(const engine::ProcessRequest& request) {
    return call_engine<engine::ProcessFunction>(engine::kProcessSymbol, request);
}

engine::RunResult predict_in_engine(const engine::PredictRequest& request) {
    return call_engine<engine::PredictFunction>(engine::kPredictSymbol, request);
}

engine::RunResult explain_in_engine(const engine::ExplainRequest& request) {
    return call_engine<engine::ExplainFunction>(engine::kExplainSymbol, request);
}

engine::RunResult survey_in_engine(const engine::DataRequest& request) {
    return call_engine<engine::DataFunction>(engine::kDataSymbol, request);
}

engine::RunResult export_in_engine(const engine::ExportRequest& request) {
    return call_engine<engine::ExportFunction>(engine::kExportSymbol, request);
}

engine::RunResult store_samples_in_engine(const engine::SamplesRequest& request,
                                          std::int64_t& stored) {
    return call_engine<engine::SamplesFunction>(engine::kSamplesSymbol, request, stored);
}

engine::RunResult train_in_engine(const engine::RunRequest& request,
                                  const engine::Embedding& embedding) {
    return call_engine<engine::TrainFunction>(engine::kTrainSymbol, completed(request), embedding);
}

engine::RunResult feed_in_engine(const engine::FeedRequest& request,
                                 const engine::Embedding& embedding) {
    return call_engine<engine::FeedFunction>(engine::kFeedSymbol, request, embedding);
}

void stop_engine() noexcept {
    try {
        reinterpret_cast<engine::StopFunction>(engine_symbol(engine::kStopSymbol))();
    } catch (const std::exception&) {  // then it computes nothing
    }
}

}  // namespace ptp::host
