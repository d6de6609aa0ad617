// Values that an option of another program sets, and the --set that does so here.

#include "other_options.hpp"

#include "base/diagnostics.hpp"
#include "base/shell_words.hpp"
#include "base/value.hpp"
#include "experiment/familiar_names.hpp"
#include "experiment/load/load.hpp"
#include "experiment/load/override.hpp"
#include "sweep_points.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

namespace ptp::ptprun {

namespace {

// Returns what the file of the experiment states; nullopt where none is named, or it is unreadable.
std::optional<Value> stated_in(const Strings& arguments) {
    const auto found = std::ranges::find_if(arguments, [](const std::string& word) {
        std::error_code ignored;
        return word.ends_with(".toml") && std::filesystem::exists(word, ignored);
    });
    Diagnostics reported_elsewhere;
    return found == arguments.end()
               ? std::nullopt
               : experiment::load_experiment({.file = *found}, reported_elsewhere);
}

}  // namespace

bool is_read(const std::string& text, const Command& command) {
    const bool trains_nothing = command.name == "predict" || command.name == "process";
    return !trains_nothing || std::ranges::none_of(set_options(text), [](const std::string& word) {
        Diagnostics unsaid;
        const auto set = experiment::read_override(word, 1, unsaid);
        const auto is_at = [&](std::size_t i, std::string_view name) {
            return set && i < set->path.size() && set->path[i] == name;
        };
        return is_at(0, "checkpoint") || (is_at(0, "training") && !is_at(1, "task"));
    });
}

std::string set_text(const std::string& key, const std::string& value, const Strings& arguments) {
    Diagnostics unsaid;
    const auto read = experiment::read_override("value=" + value, 1, unsaid);
    const std::size_t dot = key.rfind('.');
    const std::string table = key.substr(0, dot == key.npos ? 0 : dot);
    const Member member{key.substr(dot + 1), SourceLocation(std::string(kCommandLine), 1, 1),
                        read ? read->value : Value(value)};
    const auto root = arguments.empty() ? std::nullopt : stated_in(arguments);
    const auto meant = experiment::familiar_key_in({member, table, root ? &*root : nullptr});
    if (meant && root &&
        (meant->fix.starts_with("--set ") || meant->fix.starts_with("leave it out"))) {
        return meant->fix;  // for several keys, or for none
    }
    if (meant && !meant->fix.empty() && meant->keys == Strings{key}) {  // which has no meaning here
        return meant->fix.starts_with("leave it out") ? meant->fix : "";
    }
    if (key == "data") {  // files or a section, as of `ptprun predict`, and no type of a task
        return "";
    }
    if (!meant || meant->keys.size() != 1 || (!value.empty() && !meant->expected.empty()) ||
        meant->keys.front().starts_with("pipeline.")) {  // whose components have other names here
        return "";
    }
    const std::string written = value.empty() ? "..." : meant->value.empty() ? value : meant->value;
    return "--set " + shell_word(meant->keys.front() + "=" + written);
}

std::string sweep_set_text(const std::string& key, const std::string& values,
                           const Strings& arguments) {
    Diagnostics unsaid;
    const auto each = alternatives("value=" + values, 0, unsaid);
    if (each.size() < 2 || !unsaid.ok()) {
        return set_text(key, values, arguments);
    }
    const std::string first = set_text(key, each.front().substr(each.front().find('=') + 1), {});
    const std::size_t begin = first.find(' ') + 1;
    const bool is_quoted = first.find('\'') != first.npos;  // as another value than the given one
    return first.empty() || is_quoted
               ? ""
               : "--set " + shell_word(first.substr(begin, first.find('=') + 1 - begin) + values);
}

std::string familiar_setting(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    return equals != word.npos && experiment::familiar_key(key.substr(key.rfind('.') + 1))
               ? set_text(key, word.substr(equals + 1), {})
               : "";
}

}  // namespace ptp::ptprun
