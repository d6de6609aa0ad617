#include "engine/recording/replay_recording.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "engine/recording/recorded_pipeline.hpp"
#include "engine/recording/recording_file.hpp"
#include "engine/recording/replayed_component.hpp"
#include "engine/swap/trial.hpp"
#include "plugin/loader.hpp"

#include <ATen/Parallel.h>
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

// From one process to the other.
constexpr const char* kReportFile = "report.toml";
constexpr std::int64_t kMaxThreads = 1024;

void add_titles(const Recording& recording, const plugin::CatalogEntry& plugin, Value& report) {
    for (const char* name : {"type", "path", "batches", "run", "device"}) {
        report.set(name, *recording.record.find(name));
    }
    report.set("recorded_plugin", *recording.record.find("plugin"));
    report.set("recorded_version", *recording.record.find("version"));
    report.set("plugin", plugin.manifest.name);
    report.set("version", plugin.manifest.version);
}

Value replayed(const ReplayRequest& request) {
    const Recording recording = read_recording(request.recording);
    const RecordedPipeline pipeline(recording, request.plugin, request.home);
    const plugin::Generation plugin =
        plugin::Loader(request.folder / "copies").load(request.plugin);
    // Sums are split over threads: with another number of them they are rounded otherwise.
    const std::int64_t threads = recording.record.find("threads")->as_integer();
    at::set_num_threads(static_cast<int>(std::clamp<std::int64_t>(threads, 1, kMaxThreads)));
    const ptp_component_info& info = *plugin.component(recording.record.find("type")->as_string());
    ReplayReport report(request.tolerance);
    for (std::int64_t repeat = 1; repeat <= request.repeats; ++repeat) {
        report.begin_repeat(repeat);
        ReplayedComponent(
            {recording, pipeline, info, request.folder / fmt::format("written_{}", repeat)})
            .play(report);
    }
    Value made = report.value();
    add_titles(recording, request.plugin, made);
    made.set("repeats", request.repeats);
    return made;
}

Value error_report(int code, const std::string& text) {
    return Value::table({{"exit_code", code}, {"error", text}});
}

// Errors cross to the other process with their exit codes.
Value report_of(const ReplayRequest& request) {
    try {
        return replayed(request);
    } catch (const RunError& error) {
        return error_report(error.code(), error.what());
    } catch (const plugin::LoadError& error) {
        return error_report(kPluginError, error.what());
    }
}

}  // namespace

void replay_recording(const ReplayRequest& request, ReplayResult& result) {
    const fs::path file = request.folder / kReportFile;
    try {
        try_in_process(TrialLimit(request.time_limit_s), request.folder,
                       [&] { replace_file(file, to_toml(report_of(request))); });
    } catch (const std::exception& error) {  // a crash, or that it took too long
        result.exit_code = kPluginError;
        result.error = error.what();
        return;
    }
    Diagnostics problems;
    auto report = read_toml(read_text(file), file.string(), problems);
    if (!report) {
        throw RunError(kTrainingError, problems.text());
    }
    if (const Value* const error = report->find("error")) {
        result.exit_code = static_cast<int>(report->find("exit_code")->as_integer());
        result.error = error->as_string();
        return;
    }
    result.report = std::move(*report);
}

}  // namespace ptp::engine
