// The recording of one component beside a training.

#pragma once

#include "engine/component/recorder.hpp"
#include "engine/recording/unfinished_recording.hpp"
#include "engine/request.hpp"

#include <spdlog/logger.h>

#include <functional>
#include <optional>
#include <string>

namespace ptp::engine {

// [main] Must outlive the components of the training. Does not move.
class ComponentRecording {
public:
    ComponentRecording(const RecordingRequest& request, spdlog::logger& log);
    ~ComponentRecording() = default;
    ComponentRecording(const ComponentRecording&) = delete;
    ComponentRecording& operator=(const ComponentRecording&) = delete;

    // For ComponentContext.
    [[nodiscard]] Recorder* recorder() { return &recorder_; }

    // Trains. What is recorded is appended to FILE.unfinished as it goes; FILE is written as soon
    // as all batches are there, or else at the end of the training, also of one that fails. Throws
    // RunError, also where FILE cannot be written.
    int keep(const std::function<int()>& train);

    // "recorded 10 batches of pipeline.model in FILE".
    [[nodiscard]] std::string summary() const;

private:
    void keep(const SavedState& part);
    void write(const SavedState& whole);

    const RecordingRequest request_;
    spdlog::logger& log_;
    std::optional<UnfinishedRecording> unfinished_;  // what there is while it is recorded
    bool is_begun_ = false;
    bool leaves_file_ = false;  // FILE.unfinished is there, of this process
    Recorder recorder_;
};

}  // namespace ptp::engine
