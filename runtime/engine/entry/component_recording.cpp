#include "engine/entry/component_recording.hpp"

#include "engine/recording/recording_file.hpp"

#include <fmt/core.h>

#include <exception>

namespace ptp::engine {

ComponentRecording::ComponentRecording(const RecordingRequest& request, spdlog::logger& log)
    : request_(request),
      log_(log),
      recorder_({request.component, request.batches, Value::table({{"ptp", PTP_VERSION}}),
                 [this](const SavedState& state) {
                     write_recording(request_.file, state);
                     log_.info(fmt::format("the recording is in {}", request_.file.string()));
                 }}) {}

int ComponentRecording::keep(const std::function<int()>& train) {
    int code = 0;
    try {
        code = train();
    } catch (...) {
        try {
            recorder_.finish();
        } catch (const std::exception& error) {  // The first error is the one that is reported.
            log_.error(fmt::format("nothing was recorded: {}", error.what()));
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
    return text;
}

}  // namespace ptp::engine
