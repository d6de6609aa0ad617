// The recording of one component during a training.

#pragma once

#include "engine/component/recorder.hpp"
#include "engine/recording/unfinished_recording.hpp"
#include "engine/request.hpp"

#include <spdlog/logger.h>

#include <functional>
#include <optional>
#include <string>

namespace ptp::engine {

// [main] Must outlive the components of the training. Not movable.
class ComponentRecording {
public:
    ComponentRecording(const RecordingRequest& request, spdlog::logger& log);
    ~ComponentRecording() = default;
    ComponentRecording(const ComponentRecording&) = delete;
    ComponentRecording& operator=(const ComponentRecording&) = delete;

    // Returns the recorder for ComponentContext.
    [[nodiscard]] Recorder* recorder() { return &recorder_; }

    // Trains. The recording is appended to FILE.unfinished while it proceeds; FILE is written when
    // all batches are complete, or otherwise at the end of the training, even of one that fails.
    // Throws RunError, also if FILE cannot be written.
    int keep(const std::function<int()>& train);

    // Returns "recorded 10 batches of pipeline.model in FILE".
    [[nodiscard]] std::string summary() const;

private:
    void keep(const SavedState& part);
    void write(const SavedState& whole);

    const RecordingRequest request_;
    spdlog::logger& log_;
    std::optional<UnfinishedRecording> unfinished_;  // while it is being recorded
    bool is_begun_ = false;
    bool leaves_file_ = false;  // this process's FILE.unfinished exists
    Recorder recorder_;
};

}  // namespace ptp::engine
