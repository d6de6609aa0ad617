#include "engine/entry/replay_warnings.hpp"

#include "engine/train/run_record.hpp"
#include "engine/train/system_info.hpp"

#include <fmt/core.h>

#include <string>

namespace ptp::engine {

void warn_of_replay(const RunRequest& request, const experiment::Experiment& experiment,
                    at::Device device, spdlog::logger& log) {
    if (request.replayed_run.empty()) {
        return;
    }
    if (first_epoch(request.replayed_run) == 0) {
        log.warn(
            "the run was begun by an older ptp, in which all components drew from one random "
            "generator: the replay draws other numbers");
    }
    for (const experiment::Experiment& stage : request.stages) {
        if (stage.device != experiment.device) {
            log.warn(fmt::format(
                "the replayed run continued on {}; the replay stays on {}, and draws other "
                "random numbers from there on",
                stage.device, experiment.device));
        }
    }
    for (const std::string& difference : differences_from(request.replayed_run, device)) {
        log.warn(fmt::format("the numbers may differ in their last bits from the replayed run: {}",
                             difference));
    }
}

}  // namespace ptp::engine
