// The file of a recording: tensors in a safetensors file, and the record of the calls in its
// metadata. docs/authoring/recorded-streams.md is its reference.

#pragma once

#include "base/error.hpp"
#include "base/value.hpp"
#include "engine/component/saved_state.hpp"

#include <ATen/core/Tensor.h>

#include <boost/crc.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

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

// The prefix of tensors that are not part of the recording: the bytes between the others if the
// file was recorded in place.
inline constexpr std::string_view kPartsPrefix = "parts/";

// Returns the metadata of the safetensors file. The sums are those of all its tensors.
std::map<std::string, std::string> recording_metadata(Value record, std::vector<Member> sums);

// Requires the facts of every record. Throws RunError with kDataError, which names the file and
// what is missing.
void require_facts(const Value& record, const std::filesystem::path& file);

// Renames the file, which is complete on the disk when it returns; replaces another file of the
// name. Throws RunError.
void rename_recording(const std::filesystem::path& from, const std::filesystem::path& to);

// Returns the CRC-32C of the bytes.
inline std::int64_t checksum_of(const at::Tensor& tensor) {
    boost::crc_optimal<32, 0x1EDC6F41, ~0U, ~0U, true, true> crc;
    crc.process_bytes(tensor.data_ptr(), tensor.nbytes());
    return crc.checksum();
}

// The beginning of the first line: the mark, the number of the format, and the place of the first
// part.
inline constexpr std::string_view kUnfinishedMark = "ptp_recording unfinished ";
inline constexpr std::string_view kPartsBegin = " parts at ";
inline constexpr std::uint64_t kMaxUnfinishedRoom = std::uint64_t{16} << 20U;

// The key in the metadata of a part.
inline constexpr const char* kUnfinishedPart = "part";
inline constexpr const char* kUnfinishedPartHash = "part_sha256";
inline constexpr const char* kUnfinishedPartSums = "checksums";

// Returns the number of zeros after a part of this size, so that the next begins at a multiple of
// 8.
constexpr std::uint64_t filling_behind(std::uint64_t size) {
    return (8 - size % 8) % 8;
}

}  // namespace ptp::solo
