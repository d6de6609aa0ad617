#include "training_job.hpp"

#include "base/counted.hpp"
#include "console_options.hpp"
#include "launch.hpp"
#include "threads_option.hpp"

#include <fmt/core.h>

namespace ptp::ptprun {

engine::RunRequest training_job(const Given& given, const host::Prepared& prepared,
                                GitStateQuery& git) {
    engine::RunRequest request{prepared.experiment, *prepared.plan, {}};
    if (const std::filesystem::path made = launched_run_folder(); !made.empty()) {
        request.run_folder = made;
    } else if (given.has("run-dir")) {
        request.run_folder = given.text("run-dir");
    }
    apply_console_options(given, request);
    request.tags = given.texts("tag");
    request.is_profiled = given.has("profile");
    request.is_fast_dev_run = given.has("fast-dev-run");
    if (request.is_fast_dev_run) {
        request.trial = "a fast development run: one batch of each set";
        request.trial_kind = "fast_dev_run";
    } else if (given.has("overfit")) {
        const std::int64_t batches = *given.integer("overfit");
        request.trial = fmt::format("overfitting: training and validation are the first {}",
                                    batches == 1 ? "batch" : fmt::format("{} batches", batches));
        request.trial_kind = "overfit";
    }
    request.command_line = {"ptprun"};
    request.command_line.insert(request.command_line.end(), given.words().begin(),
                                given.words().end());
    request.adapts_threads = adapts_threads(given);
    request.git = git.answer();
    return request;
}

}  // namespace ptp::ptprun
