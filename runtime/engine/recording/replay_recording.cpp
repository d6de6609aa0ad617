#include "engine/recording/replay_recording.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/output_file.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "engine/recording/recorded_pipeline.hpp"
#include "engine/recording/recording_file.hpp"
#include "engine/recording/replayed_component.hpp"
#include "engine/swap/trial.hpp"
#include "engine/train/process_setup.hpp"
#include "plugin/loader.hpp"

#include <ATen/Parallel.h>
#include <fmt/core.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

// The report from one process to the other.
constexpr const char* kReportFile = "report.toml";
constexpr std::int64_t kMaxThreads = 1024;

// The current call of the other process, in shared memory, which outlives a crash.
class SharedPlace {
public:
    SharedPlace()
        : memory_(
              ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
        if (memory_ == MAP_FAILED) {
            throw std::system_error(errno, std::generic_category(), "no memory for a replay");
        }
    }
    ~SharedPlace() { ::munmap(memory_, kSize); }
    SharedPlace(const SharedPlace&) = delete;
    SharedPlace& operator=(const SharedPlace&) = delete;

    void set(const std::string& place) {
        const std::size_t size = std::min(place.size(), kSize - 1);
        std::memcpy(memory_, place.data(), size);
        static_cast<char*>(memory_)[size] = '\0';
    }
    [[nodiscard]] std::string get() const { return static_cast<const char*>(memory_); }

private:
    static constexpr std::size_t kSize = 4096;
    void* memory_;
};

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

Value replayed(const Recording& recording, const ReplayRequest& request, SharedPlace& place) {
    const RecordedPipeline pipeline(recording, request.plugin, request.home);
    const plugin::Generation plugin =
        plugin::Loader(request.folder / "copies").load(request.plugin);
    // Sums are split over threads: another number of threads rounds differently.
    const std::int64_t threads = recording.record.find("threads")->as_integer();
    at::set_num_threads(static_cast<int>(std::clamp<std::int64_t>(threads, 1, kMaxThreads)));
    bind_blas_threads();
    const ptp_component_info& info = *plugin.component(recording.record.find("type")->as_string());
    ReplayReport report(request.tolerance, [&](const std::string& call) { place.set(call); });
    place.set("create()");
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

// Returns the report. Errors reach the other process with their exit codes.
Value report_of(const ReplayRequest& request, SharedPlace& place) {
    try {
        const Recording recording = read_recording(request.recording);
        try {
            return replayed(recording, request, place);
        } catch (const RecordingError&) {
            throw;
        } catch (const std::exception& error) {  // any error is due to this build
            return error_report(kPluginError, error.what());
        }
    } catch (const RunError& error) {
        return error_report(error.code(), error.what());
    }
}

}  // namespace

void replay_recording(const ReplayRequest& request, ReplayResult& result) {
    const fs::path file = request.folder / kReportFile;
    const TrialLimit limit(request.time_limit_s);
    SharedPlace place;
    const auto begin = std::chrono::steady_clock::now();
    try {
        try_in_process(limit, request.folder,
                       [&] { replace_file(file, to_toml(report_of(request, place))); });
    } catch (const std::exception& error) {  // a crash, or the time limit
        Explanation why = explanation_of(error);
        if (std::chrono::steady_clock::now() - begin >= limit) {
            why.fix = "give it more time with --time-limit";
        }
        const std::string call = place.get();
        result.exit_code = kPluginError;
        result.error = (call.empty() ? "" : call + ": ") + why.text();
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
