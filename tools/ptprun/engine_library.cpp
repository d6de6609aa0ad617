#include "engine_library.hpp"

#include "base/exit_code.hpp"
#include "open_engine.hpp"
#include "show_error.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <stdexcept>

namespace ptp::ptprun {

namespace {

template <class Function, class Request>
engine::RunResult call_engine(const char* symbol, const Request& request) {
    engine::RunResult result;
    try {
        reinterpret_cast<Function>(tools::engine_symbol(symbol))(request, result);
    } catch (const std::runtime_error& error) {
        result.exit_code = kPluginError;
        result.error = error.what();
    }
    return result;
}

}  // namespace

engine::RunResult run_in_engine(const engine::RunRequest& request) {
    return call_engine<engine::RunFunction>(engine::kRunSymbol, request);
}

engine::RunResult process_in_engine(const engine::ProcessRequest& request) {
    return call_engine<engine::ProcessFunction>(engine::kProcessSymbol, request);
}

engine::RunResult predict_in_engine(const engine::PredictRequest& request) {
    return call_engine<engine::PredictFunction>(engine::kPredictSymbol, request);
}

int report(const engine::RunResult& result, const std::vector<std::string>& overrides) {
    if (!result.error.empty()) {
        show_error(result.error, overrides);
    }
    return result.exit_code;
}

}  // namespace ptp::ptprun
