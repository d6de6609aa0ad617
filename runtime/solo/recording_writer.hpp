// The file of a recording while a training is recorded. It is appended to FILE.unfinished part by
// part, and FILE is written when everything is there.

#pragma once

#include "engine/request.hpp"
#include "solo/unfinished_recording.hpp"

#include <spdlog/logger.h>

#include <memory>
#include <optional>
#include <utility>

namespace ptp::solo {

class RecordingWriter {
public:
    explicit RecordingWriter(engine::RecordingRequest request) : request_(std::move(request)) {}

    [[nodiscard]] const engine::RecordingRequest& request() const { return request_; }

    // The log of the run, before anything is written.
    void set_log(std::shared_ptr<spdlog::logger> log) { log_ = std::move(log); }

    // Keeps a part of the record, in case the process is killed: first the facts, and the number of
    // batches `asked` for; then the inputs of each call, before the call, and the rest, after it. A
    // full disk does not end the training here: the recording is still in memory.
    void keep(const SavedState& part);

    // Writes the whole recording, whose tensors have all been kept before. Throws RunError.
    void write(const SavedState& whole);

    // Logs that write() has failed after another error.
    void log_unfinished(const char* problem);

private:
    const engine::RecordingRequest request_;
    std::shared_ptr<spdlog::logger> log_;
    std::optional<UnfinishedRecording> unfinished_;  // while it is being recorded
    bool is_begun_ = false;
    bool leaves_file_ = false;  // this process's FILE.unfinished exists
};

}  // namespace ptp::solo
