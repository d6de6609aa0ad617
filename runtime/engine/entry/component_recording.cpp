#include "engine/entry/component_recording.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "engine/recording/recording_file.hpp"

#include <fmt/core.h>

#include <exception>

namespace ptp::engine {

ComponentRecording::ComponentRecording(const RecordingRequest& request, spdlog::logger& log)
    : request_(request),
      log_(log),
      recorder_({request.component, request.batches, Value::table({{"ptp", PTP_VERSION}}),
                 [this](const SavedState& whole) { write(whole); },
                 [this](const SavedState& part) { keep(part); }}) {}

// A full disk does not end the training here: the recording is still in memory.
void ComponentRecording::keep(const SavedState& part) {
    try {
        if (!is_begun_) {
            is_begun_ = true;
            unfinished_.emplace(unfinished_path(request_.file));
        }
        if (unfinished_) {
            unfinished_->add(part);
            leaves_file_ = unfinished_->is_begun();
        }
    } catch (const RunError& error) {
        log_.warn(fmt::format("if this process ends early, what it {} is lost: {}",
                              leaves_file_ ? "records from here on" : "has recorded",
                              error.what()));
        unfinished_.reset();
    }
}

void ComponentRecording::write(const SavedState& whole) {
    try {
        if (!unfinished_ || !unfinished_->finish(request_.file, whole)) {
            write_recording(request_.file, whole);
            remove_unfinished(request_.file);
        }
    } catch (const RunError& error) {
        if (!leaves_file_) {
            throw;
        }
        throw WithFix<RunError>(
            error.code(),
            {explanation_of(error).reason,
             fmt::format("make room and record again; {} has the batches that were written before, "
                         "and ptp-inspect replay reads it",
                         unfinished_path(request_.file).string())});
    }
    unfinished_.reset();
    log_.info(fmt::format("the recording is in {}", request_.file.string()));
}

int ComponentRecording::keep(const std::function<int()>& train) {
    int code = 0;
    try {
        code = train();
    } catch (...) {
        try {
            recorder_.finish();
        } catch (const std::exception& error) {  // only the first error is reported
            log_.error(fmt::format("the recording is not finished: {}", error.what()));
        }
        throw;
    }
    recorder_.finish();
    return code;
}

std::string ComponentRecording::summary() const {
    const std::uint64_t batches = recorder_.batches();
    std::string text =
        fmt::format("recorded {} batch{} of {} in {}", batches, batches == 1 ? "" : "es",
                    request_.component, request_.file.string());
    if (recorder_.is_cut()) {
        text += fmt::format(": {} were asked for, but they have more than 4 GiB", request_.batches);
    } else if (batches < request_.batches) {
        text += fmt::format(": {} were asked for, the training had no more", request_.batches);
    }
    if (recorder_.lacks_state()) {
        text += "; without the state at the end, because loader threads make its batches";
    }
    return text;
}

}  // namespace ptp::engine
