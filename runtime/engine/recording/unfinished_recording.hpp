// What a recording has before it is finished: a file beside it, to which each part is appended as
// it is recorded. A process that ends in the middle, whatever ends it, leaves it behind; it can be
// replayed.
//
// A line with the number of the format, room for the header of the finished file, then each part as
// the bytes of a safetensors file, with their number before it. When all is there the header is
// written into the room, and the parts are the data behind it: so a recording needs its size on the
// disk once. docs/authoring/recorded-streams.md is its reference.

#pragma once

#include "base/output_file.hpp"
#include "engine/component/saved_state.hpp"
#include "engine/recording/recording_file.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace ptp::engine {

// FILE.unfinished
std::filesystem::path unfinished_path(const std::filesystem::path& recording);

// Throws RunError where the file cannot be written.
class UnfinishedRecording {
public:
    // A new file, made with the first call; what an earlier process has left there is replaced.
    explicit UnfinishedRecording(std::filesystem::path file) : file_(std::move(file)) {}

    // A part from Recorder::Options::keep.
    void add(const SavedState& part);

    // Makes it the finished recording with this record, whose tensors are in its parts, and names
    // it so; a file of that name is replaced. False, and nothing has changed, where that is of no
    // use, because there is little in it, or not possible, because the header has no room.
    bool finish(const std::filesystem::path& recording, const SavedState& whole);

    // Whether there is a file.
    [[nodiscard]] bool is_begun() const { return out_.has_value(); }

private:
    struct Written {
        at::Tensor tensor;        // so that no other one has its place in memory
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
    std::uint64_t room_ = 0;                                 // for the header, with its length
    std::multimap<const at::TensorImpl*, Written> written_;  // by their tensors
};

// The recording is finished.
void remove_unfinished(const std::filesystem::path& recording);

// Whether the file begins as such files do.
bool is_unfinished(const std::filesystem::path& file);

// All that is whole, in calls as a finished recording has them, and Recording::unfinished. Throws
// RunError as read_recording() does.
Recording read_unfinished(const std::filesystem::path& file);

}  // namespace ptp::engine
