#include "control/run_tags.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "run/read_run.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::control {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxBytes = 100;

}  // namespace

std::string refuse_tag(const std::string& text) {
    if (text.empty() || text.front() == ' ' || text.back() == ' ') {
        return "a tag must not be empty, nor begin or end with a space";
    }
    if (text.size() > kMaxBytes) {
        return fmt::format("a tag must have at most {} bytes, this one has {}", kMaxBytes,
                           text.size());
    }
    if (!is_utf8(text) || run::plain(text) != text || text.find(',') != text.npos) {
        return "a tag must be UTF-8 text without commas and control characters";
    }
    return "";
}

RunTags read_run_tags(const fs::path& run) {
    const fs::path file = run / run::kTagsFile;
    if (!fs::exists(fs::symlink_status(file))) {
        return {};
    }
    std::string problem;
    const auto json = run::read_json(file, problem);
    const auto list = json ? json->find("tags") : run::Json::const_iterator();
    if (!json || list == json->end() || !list->is_array()) {
        throw RunError(kDataError, fmt::format("{}: {}; correct it, or remove it", file.string(),
                                               problem.empty() ? "has no list of tags" : problem));
    }
    RunTags tags{.tags = {}, .note = run::text_at(*json, "note")};
    for (const run::Json& tag : *list) {
        if (tag.is_string()) {
            tags.tags.push_back(tag.get<std::string>());
        }
    }
    return tags;
}

void write_run_tags(const fs::path& run, const RunTags& tags) {
    const run::Json json = {{"format", 1}, {"tags", tags.tags}, {"note", tags.note}};
    replace_file(run / run::kTagsFile,
                 json.dump(2, ' ', false, run::Json::error_handler_t::replace) + "\n");
}

}  // namespace ptp::control
