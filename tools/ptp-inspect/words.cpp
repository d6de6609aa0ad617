#include "words.hpp"

#include "base/text.hpp"
#include "plugin/enum_names.hpp"
#include "plugin/library_file.hpp"

#include <fmt/core.h>

#include <vector>

namespace ptp::inspect {

namespace {

std::string joined_words(const std::vector<std::string>& parts, std::string_view separator) {
    return join(parts, separator);
}

}  // namespace

std::string default_text(const plugin::Setting& setting) {
    if (setting.default_value) {
        return "= " + *setting.default_value;
    }
    return setting.is_required ? "required" : "";
}

std::string reading_text(const plugin::Setting& setting) {
    if (setting.takes_unlabeled) {
        return "samples without targets";
    }
    if (setting.is_preparation) {
        return "alike in all sections";
    }
    return setting.obtain.empty() ? "" : "must exist";
}

std::string limits_text(const plugin::Setting& setting) {
    std::vector<std::string> parts;
    if (!setting.range.empty()) {
        parts.push_back(setting.range);
    }
    if (!setting.length.empty()) {
        parts.push_back("length " + setting.length);
    }
    return joined_words(parts, ", ");
}

std::string shape_text(const plugin::Port& port) {
    return port.element == plugin::Element::kAny ? "" : fmt::format("[{}]", port.shape);
}

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
    if (!port.when.empty()) {
        parts.push_back("if " + port.when);
    }
    if (!port.streams_setting.empty()) {
        parts.push_back("one for each name in " + port.streams_setting);
    }
    return joined_words(parts, "; ");
}

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
    if (statistic.is_hidden) {
        parts.emplace_back("hidden");
    }
    return joined_words(parts, ", ");
}

std::string with_note(const std::string& help, const std::string& note) {
    if (help.empty() || note.empty()) {
        return help + note;
    }
    return fmt::format("{} ({})", help, note);
}

std::vector<std::string> needed_libraries(const std::filesystem::path& plugin) {
    try {
        return plugin::read_library(plugin).needed;
    } catch (const FileError&) {
        return {};
    }
}

}  // namespace ptp::inspect
