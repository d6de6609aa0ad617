// The file of a recording: tensors in a safetensors file, and the record of the calls in its
// metadata. docs/authoring/recorded-streams.md is its reference.

#pragma once

#include "base/error.hpp"
#include "base/value.hpp"
#include "engine/component/saved_state.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace ptp::solo {

using engine::SavedState;
using engine::TensorsByName;

inline constexpr std::int64_t kRecordingFormat = 1;

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

// Writes the whole file or none; replaces an existing one. Throws RunError.
void write_recording(const std::filesystem::path& file, const SavedState& recording);

// Refuses a recording that this host is too old for.
[[noreturn]] void refuse_newer_recording(const std::filesystem::path& file, std::int64_t format);

// Reads a recording, or the content of an unfinished one: see unfinished_recording.hpp. Throws
// RunError: kDataError for a file that is not a recording, or damaged, naming the damage;
// kConfigurationError for one of a newer format.
Recording read_recording(const std::filesystem::path& file);

}  // namespace ptp::solo
