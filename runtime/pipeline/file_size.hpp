// The size of a file of data, known without reading the file.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ptp::pipeline {

// Bytes of folder/name or, if there is none, of folder/name.gz when it is unpacked (below 4 GiB,
// and packed at once); nullopt if there is neither.
std::optional<std::int64_t> size_of_file(const std::filesystem::path& folder,
                                         const std::string& name);

}  // namespace ptp::pipeline
