// Finds the sections that the names on a command line mean.

#include "host/section_names.hpp"

#include "base/suggest.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::host {

namespace {

using SectionNames = std::vector<std::string>;

// Returns "hard" for [validation.hard].
std::string short_name(const experiment::Section& section) {
    return section.name.substr(section.name.find('.') + 1);
}

}  // namespace

SectionNames section_names(const experiment::Experiment& experiment) {
    SectionNames names;
    for (const experiment::Section* section : experiment::all_sections(experiment)) {
        const std::string name = short_name(*section);
        names.push_back(sections_named(name, experiment).size() == 1 ? name : section->name);
    }
    return names;
}

SectionNames sections_named(const std::string& name, const experiment::Experiment& experiment) {
    if (experiment::find_section(experiment, name) != nullptr) {
        return {name};
    }
    if (name == "validation" && experiment.validation) {
        return {experiment.validation->name};
    }
    SectionNames found;
    for (const experiment::Section* section : experiment::all_sections(experiment)) {
        if (short_name(*section) == name) {
            found.push_back(section->name);
        }
    }
    return found;
}

const std::string& default_section(const experiment::Experiment& experiment) {
    const auto& section = experiment.test ? experiment.test : experiment.validation;
    return section ? section->name : experiment.training.name;
}

SectionNames sections_of(const SectionNames& asked_for, const std::string& option,
                         const experiment::Experiment& experiment, Diagnostics& problems) {
    if (asked_for.empty()) {
        return {default_section(experiment)};
    }
    const SourceLocation place(option, 0, 0);
    SectionNames found;
    for (const std::string& name : asked_for) {
        const SectionNames meant = sections_named(name, experiment);
        if (meant.empty()) {
            problems.error(
                place, name,
                "the experiment has no such section" + hint(name, section_names(experiment)));
        } else if (meant.size() > 1) {
            problems.error(place, name,
                           Explanation{fmt::format("means {}", joined(meant, "or")),
                                       fmt::format("{} {}", option, meant.front())});
        } else if (std::ranges::find(found, meant.front()) != found.end()) {
            problems.error(place, name, "is asked for more than once");
        }
        if (!meant.empty()) {
            found.push_back(meant.front());
        }
    }
    return found;
}

}  // namespace ptp::host
