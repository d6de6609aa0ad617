// The unfinished form of a recording: a file beside it, to which each part is appended as it is
// recorded. A process that ends early, for any reason, leaves it behind; it can be replayed.
//
// It has a line with the number of the format, room for the header of the finished file, then each
// part as the bytes of a safetensors file, after their number. When everything is there, the header
// is written into the room, and the parts are the data after it: so a recording needs its size on
// the disk only once. docs/authoring/recorded-streams.md is its reference.

#pragma once

#include "base/output_file.hpp"
#include "engine/component/saved_state.hpp"
#include "engine/request.hpp"
#include "solo/recording_file.hpp"

#include <ATen/core/Tensor.h>
#include <spdlog/logger.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace ptp::solo {

// Returns FILE.unfinished.
std::filesystem::path unfinished_path(const std::filesystem::path& recording);

// Throws RunError if the file cannot be written.
class UnfinishedRecording {
public:
    // A new file, created with the first call; an earlier process's file is replaced.
    explicit UnfinishedRecording(std::filesystem::path file) : file_(std::move(file)) {}

    // Adds a part from RecordingWriter::keep().
    void add(const SavedState& part);

    // Makes it the finished recording with this record, whose tensors are in its parts, and renames
    // it; a file of that name is replaced. Returns false, with nothing changed, if that is useless,
    // because there is little in it, or impossible, because the header has no room.
    bool finish(const std::filesystem::path& recording, const SavedState& whole);

    // Returns whether there is a file.
    [[nodiscard]] bool is_begun() const { return out_.has_value(); }

private:
    struct Written {
        at::Tensor tensor;        // kept, so that no other gets its memory
        std::uint64_t begin = 0;  // in the file
        std::uint64_t end = 0;
        std::int64_t sum = 0;
    };

    void begin(const SavedState& call);
    void append(const SavedState& part);
    [[nodiscard]] std::optional<std::string> header_of(const SavedState& whole) const;

    std::filesystem::path file_;
    std::optional<SavedState> facts_;  // the first part
    std::optional<OutputFile> out_;
    std::uint64_t room_ = 0;                                 // for the header and its length
    std::multimap<const at::TensorImpl*, Written> written_;  // by tensor
};

// Returns whether the file begins like such files.
bool is_unfinished(const std::filesystem::path& file);

// Returns everything that is complete, in calls as in a finished recording, and
// Recording::unfinished. Throws RunError as read_recording() does.
Recording read_unfinished(const std::filesystem::path& file);

// The file of a recording while a training is recorded. It is appended to FILE.unfinished part by
// part, and FILE is written when everything is there.
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
