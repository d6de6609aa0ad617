// Checks, reads and changes tags.json.

#include "run/tags.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/system_file.hpp"
#include "base/text.hpp"
#include "run/format.hpp"
#include "run/keys.hpp"
#include "run/paths.hpp"
#include "run/run.hpp"

#include <fmt/core.h>

#include <utility>

namespace ptp::run {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxTagBytes = 100;
constexpr const char* kTags = "tags";
constexpr const char* kNote = "note";

}  // namespace

std::string refuse_tag(const std::string& text) {
    if (text.empty() || text.front() == ' ' || text.back() == ' ') {
        return "a tag must not be empty, nor begin or end with a space";
    }
    if (text.size() > kMaxTagBytes) {
        return fmt::format("a tag must have at most {} bytes, this one has {}", kMaxTagBytes,
                           text.size());
    }
    if (!is_utf8(text) || plain(text) != text || text.find(',') != text.npos) {
        return "a tag must be UTF-8 text without commas and control characters";
    }
    return "";
}

Tags tags_from(const std::string& text, const fs::path& file) {
    const Value table = read_json_table(text, file, kTagsFormat);
    Tags tags;
    read_keys(table, {{kNote, &tags.note}});
    const Value* list = table.find(kTags);
    if (list == nullptr || !list->is_list()) {
        throw RunError(kDataError, fmt::format("{}: has no list of tags", file.string()));
    }
    for (const Value& tag : list->items()) {
        if (tag.is_string()) {
            tags.tags.push_back(tag.as_string());
        }
    }
    return tags;
}

Tags read_tags(const fs::path& run) {
    const fs::path file = run / kTagsFile;
    if (!fs::exists(fs::symlink_status(file))) {
        return {};
    }
    try {
        return tags_from(read_text(file, kMaxTableBytes), file);
    } catch (const NewerFormat&) {
        throw;
    } catch (const RunError& error) {
        throw RunError(error.code(), fmt::format("{}; correct it, or remove it", error.what()));
    }
}

TagsChange::TagsChange(fs::path run)
    : run_(std::move(run)), lock_(system::open_locked_folder(run_)) {
    tags = read_tags(run_);
}

void TagsChange::write() const {
    replace_file(run_ / kTagsFile,
                 json_text(Value::table({{kFormatKey, kTagsFormat},
                                         {kTags, Value::list({tags.tags.begin(), tags.tags.end()})},
                                         {kNote, tags.note}})));
}

}  // namespace ptp::run
