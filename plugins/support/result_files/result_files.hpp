// Files with results, in the run's folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace ptp::support {

// Files are opened below a folder that the user has chosen, such as that of the run: `name` is the
// path from there, without "..", and no link is followed on it, so what somebody else has put into
// the folder cannot lead a write out of it. Folders that are missing are made. All throw
// ptp::SystemError with the file's name and the system's words.

// Opens a file with these flags of open(2). Negative, with the reason in errno, where the file
// itself cannot be opened. The caller closes it.
int open_below(const std::filesystem::path& folder, const std::filesystem::path& name, int flags);

// Writes a whole file: under another name first, so a reader sees what was there or all that is
// new.
void write_file(const std::filesystem::path& folder, const std::filesystem::path& name,
                std::string_view bytes);

// Throws where write_file() of this name would have to fail, as far as that is known by now: on a
// link, or in a folder where this process may not write. Makes nothing.
void require_writable(const std::filesystem::path& folder, const std::filesystem::path& name);

// "SECTION_000123.SUFFIX": the name of a file that a component writes of this section and episode.
std::string result_name(std::string_view section, std::uint64_t episode, std::string_view suffix);

// A cell of a table as RFC 4180 has it: in quotes, with quotes in it doubled, if that is needed.
std::string csv_cell(const std::string& text, char separator);

}  // namespace ptp::support
