// Files with results, in the run's folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace ptp::support {

// Writes a whole file, with the folders that it is in: under another name first, which is this call's
// alone, so that a reader sees what was there or all that is new, and several processes may write the
// same file at once. Throws ptp::SystemError with the file's name and the system's
// words.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// "SECTION_000123.SUFFIX": the name of a file that a component writes of this section and episode.
std::string result_name(std::string_view section, std::uint64_t episode, std::string_view suffix);

// A cell of a table as RFC 4180 has it: in quotes, with quotes in it doubled, if that is needed.
std::string csv_cell(const std::string& text, char separator);

}  // namespace ptp::support
