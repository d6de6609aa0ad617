// tags.json in the folder of a run, {"format": 1, "tags": ["baseline"], "note": "..."}: what people call it, and say of it. It may be written at any
// time, also while the run continues, which never looks at it.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::control {

struct RunTags {
    std::vector<std::string> tags;
    std::string note;
};

// Why a text cannot be a tag, for a person; "" if it can: at most 100 bytes of UTF-8 without commas,
// line breaks and spaces at its ends.
std::string refuse_tag(const std::string& text);

// What the file says; nothing where there is none. Throws RunError with kDataError for a broken one.
RunTags read_run_tags(const std::filesystem::path& run);

// Throws RunError with kTrainingError.
void write_run_tags(const std::filesystem::path& run, const RunTags& tags);

}  // namespace ptp::control
