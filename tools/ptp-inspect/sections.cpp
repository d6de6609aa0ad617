// The declaration of a component as rows of cells, which both listings show, and the table of
// columns.

#include "listing.hpp"

#include "base/characters.hpp"
#include "base/text.hpp"
#include "plugin/enum_names.hpp"
#include "plugin/library_file.hpp"
#include "plugin/setting_key.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::inspect {

namespace {

// Returns "purpose: separator", or "" without a purpose.
template <class Item>
std::string purpose_text(const Item& item) {
    return item.purpose ? fmt::format("purpose: {}", plugin::to_string(item.purpose)) : "";
}

// Returns how a task uses a path and what it is for: "must exist; purpose: data_folder", or "".
std::string use_text(const plugin::Setting& setting) {
    const std::string use = setting.takes_unlabeled  ? "samples without targets"
                            : setting.is_preparation ? "alike in all sections"
                            : setting.obtain.empty() ? ""
                                                     : "must exist";
    const std::string purpose = purpose_text(setting);
    return use + (use.empty() || purpose.empty() ? "" : "; ") + purpose;
}

// Returns range and length: "[0, 1), 1 to 2 of them".
std::string limits_text(const plugin::Setting& setting) {
    std::vector<std::string> parts;
    if (!setting.range.empty()) {
        parts.push_back(setting.range);
    }
    if (!setting.length.empty()) {
        parts.push_back("length " + setting.length);
    }
    return join(parts, ", ");
}

// Returns "optional; a loss; if use_bias; one for each name in extra_streams".
std::string conditions_text(const plugin::Port& port) {
    std::vector<std::string> parts;
    if (port.is_optional) {
        parts.emplace_back("optional");
    }
    if (port.is_loss) {
        parts.emplace_back("a loss");
    }
    if (port.is_reshaped) {
        parts.emplace_back("the first input's values");
    }
    if (!port.meaning.empty()) {
        parts.push_back("numbers: " + port.meaning);
    }
    if (port.purpose) {
        parts.push_back(purpose_text(port));
    }
    if (!port.when.empty()) {
        parts.push_back("if " + port.when);
    }
    if (!port.streams_setting.empty()) {
        parts.push_back("one for each name in " + port.streams_setting);
    }
    return join(parts, "; ");
}

// Returns "writes", "reads" or "reads if named".
std::string access_text(const plugin::Global& global) {
    switch (global.access) {
        case plugin::GlobalAccess::kRead:
            return "reads";
        case plugin::GlobalAccess::kReadIfNamed:
            return "reads if named";
        case plugin::GlobalAccess::kWrite:
            return "writes";
        case plugin::GlobalAccess::kReadIfPublished:
            return "reads if published";
        case plugin::GlobalAccess::kWriteIfNamed:
            return "writes if named";
    }
    return "";
}

// Returns "mean over samples, with minimum, maximum and deviation; whole numbers".
std::string aggregation_text(const plugin::Statistic& statistic) {
    std::string text(plugin::to_string(statistic.aggregation));
    if (statistic.aggregation == plugin::Aggregation::kMean) {
        text += " over " + (statistic.weight.empty() ? "samples" : statistic.weight);
    }
    std::vector<std::string> parts = {text};
    if (statistic.has_spread) {
        parts.emplace_back("with min, max and std");
    }
    if (statistic.is_set_only) {
        parts.emplace_back("for sets only");
    }
    if (statistic.is_larger_better || statistic.is_smaller_better) {
        parts.emplace_back(statistic.is_larger_better ? "larger is better" : "smaller is better");
    }
    if (statistic.is_hidden) {
        parts.emplace_back("hidden");
    }
    return join(parts, ", ");
}

// Returns "help (note)", "help" without a note, "note" without help.
std::string with_note(const std::string& help, const std::string& note) {
    if (help.empty() || note.empty()) {
        return help + note;
    }
    return fmt::format("{} ({})", help, note);
}

Cell code_cell(const std::string& text) {
    return {text, Cell::Kind::kCode};
}

Cell value_cell(const std::string& text) {
    return {text, Cell::Kind::kValue};
}

Cell help_cell(const std::string& text, const std::string& when, const std::string& purpose = "") {
    const std::string condition = when.empty() ? "" : "if " + when;
    return {with_note(text, condition + (when.empty() || purpose.empty() ? "" : "; ") + purpose)};
}

Section streams_of(const plugin::Component& component) {
    Section section{.title = "streams", .columns = {"", "stream", "shape", "element", ""}};
    for (const plugin::Port& port : component.ports) {
        const bool is_any = port.element == plugin::Element::kAny;
        section.rows.push_back({{port.direction == plugin::Direction::kInput ? "in" : "out"},
                                code_cell(port.name),
                                code_cell(is_any ? "" : fmt::format("[{}]", port.shape)),
                                {std::string(plugin::to_string(port.element))},
                                {with_note(port.help, conditions_text(port))}});
    }
    return section;
}

void add_settings(const std::vector<plugin::Setting>& settings, const std::string& prefix,
                  Section& section) {
    for (const plugin::Setting& setting : settings) {
        const std::string name = prefix + setting.name;
        section.rows.push_back({code_cell(name),
                                {plugin::type_text(setting)},
                                setting.default_value ? value_cell(*setting.default_value)
                                                      : Cell{setting.is_required ? "required" : ""},
                                {limits_text(setting)},
                                {with_note(setting.help, use_text(setting))}});
        add_settings(setting.members, name + ".", section);
    }
}

}  // namespace

std::vector<Section> sections_of(const plugin::Component& component) {
    Section settings{.title = "settings", .columns = {"setting", "type", "default", "limits", ""}};
    add_settings(component.settings, "", settings);
    Section globals{.title = "globals", .columns = {"global", "access", "value", ""}};
    for (const plugin::Global& global : component.globals) {
        globals.rows.push_back({code_cell(global.name),
                                {access_text(global)},
                                value_cell(global.value),
                                help_cell(global.help, global.when, purpose_text(global))});
    }
    Section statistics{.title = "statistics", .columns = {"statistic", "aggregation", ""}};
    for (const plugin::Statistic& statistic : component.statistics) {
        statistics.rows.push_back({code_cell(statistic.name),
                                   {aggregation_text(statistic)},
                                   help_cell(statistic.help, statistic.when)});
    }
    Section requirements{.title = "requirements", .columns = {"requirement", ""}};
    for (const plugin::Requirement& requirement : component.requirements) {
        requirements.rows.push_back(
            {code_cell(requirement.relation), help_cell("", requirement.when)});
    }
    return {streams_of(component), settings, globals, statistics, requirements};
}

std::vector<std::string> needed_libraries(const std::filesystem::path& plugin) {
    try {
        return plugin::read_library(plugin).needed;
    } catch (const FileError&) {
        return {};
    }
}

std::string Table::text(std::string_view indent) const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], display_width(row[i]));
        }
    }
    std::string out;
    for (const auto& row : rows_) {
        std::string line(indent);
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (widths[i] > 0) {
                line += row[i] + std::string(widths[i] - display_width(row[i]) + 2, ' ');
            }
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    }
    return out;
}

}  // namespace ptp::inspect
