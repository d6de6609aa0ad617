#include "engine_library.hpp"

#include "config/place.hpp"
#include "engine/exit_code.hpp"
#include "plugin/search_path.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <boost/dll/shared_library.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <type_traits>

namespace ptp::ptprun {

namespace fs = std::filesystem;

namespace {

// Boost.DLL passes the mode on to dlopen() as it is. RTLD_NODELETE makes its unloading do nothing:
// libtorch's threads and the plugins live on.
constexpr auto kMode = static_cast<boost::dll::load_mode::type>(
    static_cast<unsigned>(boost::dll::load_mode::rtld_now) |
    static_cast<unsigned>(boost::dll::load_mode::rtld_local) | RTLD_NODELETE);

fs::path engine_file() {
    const fs::path folder = plugin::executable_path().parent_path();
    for (const char* relative : {"../lib", PTP_LIBRARY_FOLDER}) {
        fs::path file = folder / relative / engine::kLibraryName;
        if (fs::exists(file)) {
            return file;
        }
    }
    return folder / PTP_LIBRARY_FOLDER / engine::kLibraryName;
}

template <class Function, class Request>
engine::RunResult call_engine(const char* symbol, const Request& request) {
    // What libtorch's logging library has to say at start-up is of use to nobody.
    setenv("GLOG_minloglevel", "2", 0);
    engine::RunResult result;
    try {
        const boost::dll::shared_library library(engine_file().string(), kMode);
        library.get<std::remove_pointer_t<Function>>(symbol)(request, result);
    } catch (const boost::system::system_error& error) {
        result.exit_code = engine::kPluginError;
        result.error = fmt::format("the engine cannot be opened: {}", error.what());
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

int report(const engine::RunResult& result) {
    if (!result.error.empty()) {
        const bool has_place = config::Place::begins(result.error);
        fmt::print(stderr, "{}{}\n", has_place ? "" : "ptprun: ", result.error);
    }
    return result.exit_code;
}

}  // namespace ptp::ptprun
