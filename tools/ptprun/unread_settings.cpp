// Refuses values of --set that process and predict do not read, and names the section that they do.

#include "unread_settings.hpp"
#include "base/ranges.hpp"

#include "base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace ptp::ptprun {

namespace {

constexpr std::array<std::string_view, 4> kSectionKeys = {".task", ".sampler", ".dataloader",
                                                          ".batch_limit"};

// Returns whether a key is this one, or below it.
bool is_within(std::string_view key, std::string_view table) {
    return key.starts_with(table) && (key.size() == table.size() || key[table.size()] == '.');
}

// Returns the section whose task, sampler, data loader or limit a key is of; nullptr if it is
// another key.
const experiment::Section* section_of(std::string_view key,
                                      const std::vector<const experiment::Section*>& sections) {
    for (const experiment::Section* section : sections) {
        for (const std::string_view own : kSectionKeys) {
            if (is_within(key, section->name + std::string(own))) {
                return section;
            }
        }
    }
    return nullptr;
}

}  // namespace

void refuse_unread(const std::vector<std::string>& overrides, const host::Prepared& prepared,
                   const std::string& also_read, Diagnostics& problems) {
    if (!prepared.plan || prepared.processed.empty()) {
        return;
    }
    const auto is_read = [&](const std::string& name) {
        return name == also_read || contains(prepared.processed, name) ||
               std::ranges::find(prepared.plan->tasks, name, &pipeline::Node::section) !=
                   prepared.plan->tasks.end();
    };
    const std::string& right = also_read.empty() ? prepared.processed.front() : also_read;
    const auto sections = experiment::all_sections(prepared.experiment);
    for (const std::string& text : overrides) {
        const std::string key(trimmed(text.substr(0, text.find('='))));
        const experiment::Section* section = section_of(key, sections);
        const SourceLocation place(std::string(kCommandLine), 0, 0);
        if (section != nullptr && !is_read(section->name)) {
            problems.error(
                place, key,
                Explanation{
                    fmt::format("has no effect: [{}] is not read here, but {}", section->name,
                                "[" + join(prepared.processed, "], [") + "]"),
                    "--set " + shell_word(right + text.substr(section->name.size()))});
        } else if (section == nullptr && is_within(key, "training") &&
                   !is_within(key, "training.loss_weights")) {
            problems.error(place, key,
                           Explanation{"has no effect: nothing is trained here", "leave it out"});
        }
    }
}

}  // namespace ptp::ptprun
