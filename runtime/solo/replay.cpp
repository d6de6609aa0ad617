// `ptp-inspect replay`: runs a build of a component on a recording, in a child process.

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "engine/train/process_setup.hpp"
#include "plugin/loader.hpp"
#include "solo/child.hpp"
#include "solo/recorded_values.hpp"
#include "solo/solo.hpp"

#include <ATen/Parallel.h>
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

namespace ptp::solo {

namespace {

using engine::ReplayRequest;
using engine::ReplayResult;

constexpr std::int64_t kMaxThreads = 1024;

void add_titles(const Recording& recording, const plugin::CatalogEntry& plugin, Value& report) {
    for (const char* name : {"type", "path", "batches", "run", "device"}) {
        report.set(name, *recording.record.find(name));
    }
    if (!recording.unfinished.empty()) {
        report.set("unfinished", recording.unfinished);
    }
    report.set("recorded_plugin", *recording.record.find("plugin"));
    report.set("recorded_version", *recording.record.find("version"));
    report.set("plugin", plugin.manifest.name);
    report.set("version", plugin.manifest.version);
}

Value replayed(const Recording& recording, const ReplayRequest& request, SharedText& place) {
    const auto plan = recorded_plan(recording, request.plugin, request.home);
    const plugin::Generation plugin =
        plugin::Loader(request.folder / "copies").load(request.plugin);
    // Sums are split over threads: another number of threads rounds differently.
    const std::int64_t threads = recording.record.find("threads")->as_integer();
    at::set_num_threads(static_cast<int>(std::clamp<std::int64_t>(threads, 1, kMaxThreads)));
    engine::bind_blas_threads();
    const ptp_component_info& info = *plugin.component(recording.record.find("type")->as_string());
    ReplayReport report(request.tolerance, place);
    place.set("create()");
    for (std::int64_t repeat = 1; repeat <= request.repeats; ++repeat) {
        report.begin_repeat(repeat);
        replay_calls({recording, *plan, info, request.folder / fmt::format("written_{}", repeat)},
                     report);
    }
    Value made = report.value();
    add_titles(recording, request.plugin, made);
    made.set("repeats", request.repeats);
    return made;
}

// Replays the recording and returns the report, or an error with its exit code, for the process
// that waits.
Value report_of(const ReplayRequest& request, SharedText& place) {
    try {
        const Recording recording = read_recording(request.recording);
        try {
            return replayed(recording, request, place);
        } catch (const RecordingError&) {
            throw;
        } catch (const std::exception& error) {  // any error is due to this build
            return Value::table(
                {{"exit_code", static_cast<int>(kPluginError)}, {"error", error.what()}});
        }
    } catch (const RunError& error) {
        return Value::table(
            {{"exit_code", static_cast<int>(error.code())}, {"error", error.what()}});
    }
}

}  // namespace

void replay_recording(const ReplayRequest& request, ReplayResult& result) {
    SharedText place;
    ChildResult child = run_in_child(engine::TrialLimit(request.time_limit_s), request.folder,
                                     [&] { return report_of(request, place); });
    if (child.end) {  // a crash, or the time limit
        const std::string call = place.get();
        const std::string fix =
            child.is_late ? "give it more time with --time-limit" : child.end->fix;
        result.exit_code = kPluginError;
        result.error =
            (call.empty() ? "" : call + ": ") + Explanation{child.end->reason, fix}.text();
    } else if (const Value* const error = child.value.find("error")) {
        result.exit_code = static_cast<int>(child.value.find("exit_code")->as_integer());
        result.error = error->as_string();
    } else {
        result.report = std::move(child.value);
    }
}

}  // namespace ptp::solo
