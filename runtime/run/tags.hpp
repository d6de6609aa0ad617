// tags.json, {"format": 1, "tags": ["baseline"], "note": "..."}: names that people attach to a run,
// and their remarks. It may be written at any time, also during the run, which never reads it.

#pragma once

#include "base/descriptor.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::run {

struct Tags {
    std::vector<std::string> tags;
    std::string note;
};

// Returns why a text is not a valid tag, for a person; "" if it is: at most 100 bytes of UTF-8
// without commas, line breaks and spaces at its ends.
std::string refuse_tag(const std::string& text);

// Parses the text of the file; `file` is for errors. Throws NewerFormat, and RunError with
// kDataError if there is no list of tags.
Tags tags_from(const std::string& text, const std::filesystem::path& file);

// Returns no tags if there is no file. Throws RunError, with kDataError for a broken file.
Tags read_tags(const std::filesystem::path& run);

// The tags of a run while this process changes them: no other one does so during its lifetime.
class TagsChange {
public:
    // Locks the folder and reads its tags; on a file system without locks nothing is locked. Throws
    // as read_tags() does.
    explicit TagsChange(std::filesystem::path run);

    // Replaces the file. Throws RunError with kTrainingError if that fails.
    void write() const;

    Tags tags;

private:
    std::filesystem::path run_;
    Descriptor lock_;
};

}  // namespace ptp::run
