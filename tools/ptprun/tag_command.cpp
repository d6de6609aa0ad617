// `ptprun tag`: shows and changes the tags and the note of a run.

#include "base/exit_code.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "run/tags.hpp"
#include "run_operand.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

namespace ptp::ptprun {

namespace {

constexpr std::size_t kMaxTags = 1000;

void print_tags(const run::Tags& tags) {
    fmt::print("tags  {}\nnote  {}\n", join(tags.tags, ", "), tags.note);
}

void remove_tags(const Strings& unwanted, run::Tags& tags) {
    for (const std::string& tag : unwanted) {
        if (std::erase(tags.tags, tag) == 0) {
            throw UsageError(fmt::format("--remove {}: the run has no such tag; it has {}", tag,
                                         tags.tags.empty() ? "none" : join(tags.tags, ", ")));
        }
    }
}

int run_tag(const Given& given) {
    const Strings& words = given.operands();
    const std::filesystem::path run = run_operand(words.front());
    for (auto tag = words.begin() + 1; tag != words.end(); ++tag) {
        if (const std::string why = run::refuse_tag(*tag); !why.empty()) {
            throw UsageError(fmt::format("'{}': {}", *tag, why));
        }
    }
    if (words.size() == 1 && !given.has("remove") && !given.has("note")) {
        print_tags(run::read_tags(run));
        return kDone;
    }
    run::TagsChange change(run);
    run::Tags& tags = change.tags;
    for (auto tag = words.begin() + 1; tag != words.end(); ++tag) {
        if (std::ranges::find(tags.tags, *tag) == tags.tags.end()) {
            tags.tags.push_back(*tag);
        }
    }
    if (given.has("remove")) {
        remove_tags(given.texts("remove"), tags);
    }
    if (given.has("note")) {
        tags.note = given.text("note");
    }
    change.write();
    print_tags(tags);
    return kDone;
}

}  // namespace

Command tag_command() {
    return {
        .name = "tag",
        .summary = "adds tags and a note to a run",
        .details = "Without tags or options it shows the tags of the run.\n",
        .operands = {declared_run(), {.name = "TAG", .what = "a tag", .min = 0, .max = kMaxTags}},
        .options = {{.name = "remove",
                     .value = "TAG",
                     .help = "remove this tag; may be given several times",
                     .is_repeatable = true},
                    {.name = "note",
                     .value = "TEXT",
                     .help = "a note about the run; \"\" removes it"}},
        .example = "ptprun tag last baseline",
        .run = run_tag};
}

}  // namespace ptp::ptprun
