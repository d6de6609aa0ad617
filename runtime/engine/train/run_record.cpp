// Writes run.json, and finds what differs when a run is continued or repeated.

#include "engine/train/run_record.hpp"

#include "base/duration.hpp"
#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/text.hpp"
#include "bundle/history.hpp"
#include "engine/train/stages.hpp"
#include "engine/train/system_info.hpp"
#include "engine/train/training_session.hpp"
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

// Adds those of all other processes. Throws RunError, and changes nothing, if one is lost.
void add_others(std::vector<TriedCount>& counts, Collective& processes) {
    std::vector<double> numbers;
    for (const TriedCount& count : counts) {
        numbers.push_back(static_cast<double>(count.taken));
        numbers.push_back(static_cast<double>(count.refused));
    }
    processes.sum(numbers, "the samples that components took");
    for (std::size_t i = 0; i < counts.size(); ++i) {
        counts[i].taken = static_cast<std::uint64_t>(numbers[2 * i]);
        counts[i].refused = static_cast<std::uint64_t>(numbers[2 * i + 1]);
    }
}

void record_tried(const std::filesystem::path& run, const std::vector<TriedCount>& counts) {
    run::Record record = run::read_record(run / run::kRecordFile);
    if (record.processes.items().empty() || !record.processes.items().back().is_table()) {
        return;  // It was changed by hand.
    }
    Value sections = Value::table();
    for (const TriedCount& count : counts) {
        const Value* const known = sections.find(count.section);
        Value section = known == nullptr ? Value::table() : *known;
        section.set(count.component,
                    Value::table({{"taken", static_cast<std::int64_t>(count.taken)},
                                  {"refused", static_cast<std::int64_t>(count.refused)}}));
        sections.set(count.section, std::move(section));
    }
    record.processes.items().back().set("tried", std::move(sections));
    run::write_record(run / run::kRecordFile, record);
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

void finish_tried(TrainingSession& session, const std::filesystem::path& run) {
    std::vector<TriedCount> counts = session.tried.counts(session.executor.plan());
    if (counts.empty()) {
        return;
    }
    try {
        add_others(counts, session.collective);
    } catch (const RunError& error) {
        session.log.warn(
            fmt::format("the log has the samples that components took in this process alone: {}",
                        error.what()));
        return session.tried.finish(counts);
    }
    session.tried.finish(counts);
    try {
        session.collective.on_first([&] { record_tried(run, counts); });
    } catch (const RunError& error) {
        session.log.warn(
            fmt::format("{}: the log alone has the samples that components took", error.what()));
    }
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
