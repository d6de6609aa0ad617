// Writes run.json, and finds what differs when a run is continued or repeated.

#include "engine/train/run_record.hpp"

#include "base/duration.hpp"
#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/text.hpp"
#include "bundle/history.hpp"
#include "engine/train/stages.hpp"
#include "engine/train/system_info.hpp"
#include "run/paths.hpp"
#include "run/record.hpp"

#include <fmt/core.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <sstream>
#include <utility>

namespace ptp::engine {

namespace {

Value process_value(const RunRecord& record) {
    utsname system{};
    uname(&system);
    run::ProcessRecord made;
    made.began = now_text();
    made.command_line = record.request.command_line;
    made.pid = getpid();
    made.host = system.nodename;
    made.kernel = fmt::format("{} {}", system.sysname, system.release);
    made.device = record.device.str();
    made.ranks = record.request.place.size;
    made.launcher = record.request.place.launcher;
    made.restart = record.request.place.restart;
    made.restart_reason = record.request.place.restart_reason;
    return run::value_of(made);
}

std::vector<std::string> differences_between(const run::Record& before, at::Device device,
                                             const BlasKernels& kernels) {
    auto texts = system_differences(before.machine, system_info(device, kernels));
    if (kernels.is_recorded_impossible) {
        texts.push_back(
            fmt::format("OpenBLAS cannot compute with its kernels for {} here", kernels.recorded));
    }
    return texts;
}

}  // namespace

std::vector<std::string> write_run_record(const std::filesystem::path& run,
                                          const RunRecord& record) {
    run::Record made;
    made.experiment = record.experiment;
    made.experiment_sha256 = record.experiment_hash;
    made.seed = record.seed;
    made.device = record.device.str();
    made.plugins = record.plugins;
    made.trial = record.request.trial_kind;
    made.git = run::value_of(record.request.git);
    made.machine = system_info(record.device, record.request.kernels);
    bundle::Beginning beginning = bundle::beginning_of(record.request.experiment);
    made.lineage = std::move(beginning.table);
    made.processes = Value::list({process_value(record)});
    run::write_record(run / run::kRecordFile, made);
    return std::move(beginning.warnings);
}

std::vector<std::string> extend_run_record(const std::filesystem::path& run,
                                           const RunRecord& record) {
    run::Record old = run::read_record(run / run::kRecordFile);
    if (old.experiment_sha256 != record.experiment_hash) {
        throw RunError(
            kConfigurationError,
            fmt::format("{} has changed since the run began; a run continues as it began",
                        first_experiment(run).string()));
    }
    auto differences = differences_between(old, record.device, record.request.kernels);
    old.processes.items().push_back(process_value(record));
    run::write_record(run / run::kRecordFile, old);
    return differences;
}

std::vector<std::string> differences_from(const std::filesystem::path& run, at::Device device,
                                          const BlasKernels& kernels) {
    return differences_between(run::read_record(run / run::kRecordFile), device, kernels);
}

std::uint64_t first_epoch(const std::filesystem::path& run) {
    return run::read_record(run / run::kRecordFile).format > 1 ? 1 : 0;
}

void refuse_unreadable(const std::string& experiment) {
    std::istringstream lines(experiment);
    for (std::string line; std::getline(lines, line);) {
        if (!is_utf8(line)) {
            throw WithFix<RunError>(
                kConfigurationError,
                {fmt::format("the experiment cannot be recorded: not UTF-8 text: {}", line),
                 "rename the folder or the file that is named there"});
        }
    }
}

}  // namespace ptp::engine
