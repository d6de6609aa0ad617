// The file of a recording: tensors in a safetensors file, and the record of the calls in its
// metadata; and FILE.unfinished, to which each part is appended as it is recorded. A process that
// ends early, for any reason, leaves that one behind, and it can be replayed.
// docs/authoring/recorded-streams.md is the reference of both.

#pragma once

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/value.hpp"
#include "engine/component/saved_state.hpp"

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::solo {

using engine::SavedState;
using engine::TensorsByName;

// The error of a recording that is not damaged but incomplete; kDataError.
class RecordingError : public RunError {
public:
    explicit RecordingError(const std::string& problem)
        : RunError(kDataError, "the recording " + problem) {}
};

struct Recording {
    Value record;
    std::map<std::string, at::Tensor> tensors;  // on the CPU; "3/input/images" is of call 3
    std::string unfinished = {};  // how far it came, if the recording process was killed

    // Returns nullptr if there is none of this name.
    [[nodiscard]] const at::Tensor* tensor(const std::string& name) const;

    [[nodiscard]] const std::vector<Value>& calls() const { return record.find("calls")->items(); }
};

// Reads a recording, or everything that is complete in an unfinished one, in calls as in a finished
// one. Throws RunError: kDataError for a file that is not a recording, or damaged, naming the
// damage; kConfigurationError for one of a newer format.
Recording read_recording(const std::filesystem::path& file);

// Writes the whole file or none; replaces an existing one. Throws RunError.
void write_recording(const std::filesystem::path& file, const SavedState& recording);

// Returns FILE.unfinished.
std::filesystem::path unfinished_path(const std::filesystem::path& recording);

class UnfinishedRecording {
public:
    // The file is created by the first add(); an earlier process's file is replaced.
    explicit UnfinishedRecording(std::filesystem::path file) : file_(std::move(file)) {}

    // Adds a part: first the facts, and the number of batches `asked` for, then parts of the calls.
    // Throws RunError if it cannot be written.
    void add(const SavedState& part);

    // Returns whether there is a file.
    [[nodiscard]] bool is_begun() const { return out_.has_value(); }

private:
    std::filesystem::path file_;
    std::optional<OutputFile> out_;
};

}  // namespace ptp::solo
