// What a recording has before it is finished: a file beside it, to which each part is appended as
// it is recorded. A process that ends in the middle, whatever ends it, leaves it behind; it can be
// replayed.
//
// A line with the number of the format, then each part as the bytes of a safetensors file, with
// their number before it. docs/authoring/recorded-streams.md is its reference.

#pragma once

#include "base/output_file.hpp"
#include "engine/component/saved_state.hpp"
#include "engine/recording/recording_file.hpp"

#include <filesystem>

namespace ptp::engine {

// FILE.unfinished
std::filesystem::path unfinished_path(const std::filesystem::path& recording);

// Throws RunError where the file cannot be written.
class UnfinishedRecording {
public:
    // A new file; what an earlier process has left there is replaced.
    explicit UnfinishedRecording(const std::filesystem::path& file);

    // A part from Recorder::Options::keep.
    void add(const SavedState& part);

private:
    OutputFile out_;
};

// The recording is finished.
void remove_unfinished(const std::filesystem::path& recording);

// Whether the file begins as such files do.
bool is_unfinished(const std::filesystem::path& file);

// All that is whole, in calls as a finished recording has them, and Recording::unfinished. Throws
// RunError as read_recording() does.
Recording read_unfinished(const std::filesystem::path& file);

}  // namespace ptp::engine
