// What the file of a recording looks like, for those that write it.

#pragma once

#include "base/value.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

// Tensors whose names begin so are no part of the recording: what lies between the others where the
// file was recorded in place.
inline constexpr std::string_view kPartsPrefix = "parts/";

// The metadata of the safetensors file. The sums are those of all its tensors.
std::map<std::string, std::string> recording_metadata(Value record, std::vector<Member> sums);

// What every record has. Throws RunError with kDataError, which names the file and what is missing.
void require_facts(const Value& record, const std::filesystem::path& file);

// The whole file has this name on the disk when it returns; another file of the name is replaced.
// Throws RunError.
void rename_recording(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace ptp::engine
