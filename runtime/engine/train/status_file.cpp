// The status that a run leaves in its folder, whatever ends it.

#include "engine/train/status_file.hpp"

#include "base/duration.hpp"
#include "engine/component/crash.hpp"
#include "engine/distributed/signals.hpp"
#include "run/format.hpp"
#include "run/process.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace ptp::engine {

StatusFile::StatusFile(std::filesystem::path file) : file_(std::move(file)) {}

double StatusFile::begin() {
    run::Status before;
    try {
        before = run::read_status(file_);
    } catch (const run::NewerFormat&) {
        file_.clear();
        throw;
    } catch (const RunError&) {
        before = {};  // a new run has none
    }
    status_ = {};
    status_.state = "running";
    // An earlier process's values stay until this process has newer ones.
    status_.episode = std::max<std::int64_t>(before.episode, 0);
    status_.epoch = std::max<std::int64_t>(before.epoch, 0);
    status_.seconds = before.seconds.value_or(0);
    status_.last = before.last;
    status_.best = before.best;
    status_.began = now_text();
    status_.process = run::this_process();
    write();
    return *status_.seconds;
}

void StatusFile::progress(const TrainerProgress& state, double seconds,
                          const run::Measurement& last) {
    const auto known = [](const run::Measurement& measured) {
        return measured.set.empty() ? std::nullopt : std::optional(measured);
    };
    status_.episode = static_cast<std::int64_t>(state.episodes_done);
    status_.epoch = static_cast<std::int64_t>(state.epochs_begun());
    status_.seconds = seconds;
    status_.last = known(last);
    status_.best = known(state.best);
    write();
}

void StatusFile::end(std::string_view state, std::string_view reason, int exit_code) {
    status_.state = state;
    status_.reason = reason;
    status_.exit_code = exit_code;
    status_.ended = now_text();
    write();
}

void StatusFile::write() const {
    if (file_.empty()) {
        return;
    }
    run::write_status(file_, status_);
    remember_for_crash(run::crash_rest(status_));
}

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
    try {
        status_.end("failed", reason.what(), reason.code());
    } catch (const std::exception& second) {
        const std::string why = as_run_error(second).what();
        if (why != reason.what()) {
            log_.error("the status could not be written: " + why);
        }
    }
    sinks_.end({"failed", reason.what(), reason.code()});
}

}  // namespace ptp::engine
