// tags.json, {"format": 1, "tags": ["baseline"], "note": "..."}: the names that people attach to a
// run, and their remarks on it. It may be written at any time, also while the run continues, which
// never looks at it.

#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ptp::run {

struct Tags {
    std::vector<std::string> tags;
    std::string note;
};

// Why a text cannot be a tag, for a person; "" if it can: at most 100 bytes of UTF-8 without
// commas, line breaks and spaces at its ends.
std::string refuse_tag(const std::string& text);

// The content of the file's text; `file` is for errors. Throws NewerFormat, and RunError with
// kDataError for what has no list of tags.
Tags tags_from(const std::string& text, const std::filesystem::path& file);

// Nothing where there is no file. Throws RunError, with kDataError for a broken one.
Tags read_tags(const std::filesystem::path& run);

// Reads the tags, has `change` change them and writes them, with no other process in between.
// Returns what was written. Throws RunError, with kTrainingError where they cannot be written, and
// what `change` throws.
Tags change_tags(const std::filesystem::path& run, const std::function<void(Tags&)>& change);

}  // namespace ptp::run
