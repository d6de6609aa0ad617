#include "engine/train/run_finisher.hpp"

#include "engine/distributed/signals.hpp"

#include <fmt/core.h>

namespace ptp::engine {

int RunFinisher::done(const std::string& reason) {
    status_.end("done", reason, kDone);
    sinks_.end({"done", reason, kDone});
    return kDone;
}

int RunFinisher::stopped(int signal) {
    const int code = Signals::exit_code(signal);
    const std::string name = Signals::name(signal);
    status_.end("stopped", name, code);
    sinks_.end({"stopped", name, code});
    log_.info(fmt::format("stopped by {}", name));
    return code;
}

// The cause may also prevent its status from being written: a full disk.
void RunFinisher::failed(const RunError& reason) {
    log_.log(spdlog::level::critical, spdlog::string_view_t(reason.what()));
    sinks_.end({"failed", reason.what(), reason.code()});
    try {
        status_.end("failed", reason.what(), reason.code());
    } catch (const std::exception& second) {
        const std::string why = as_run_error(second).what();
        if (why != reason.what()) {
            log_.error("the status could not be written: " + why);
        }
    }
}

}  // namespace ptp::engine
