// The format of a recording's file, for its writers.

#pragma once

#include "base/value.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

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

}  // namespace ptp::engine
