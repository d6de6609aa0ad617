// Reads files with what they include, and lays trees over each other.

#include "experiment/load/steps.hpp"

#include "base/explanation.hpp"
#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/paths.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "experiment/familiar_names.hpp"
#include "experiment/fields.hpp"
#include "schema/check_value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::experiment {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxIncludesInARow = 64;

class IncludeReader {
public:
    IncludeReader(fs::path home, Diagnostics& problems, const std::optional<std::string>& text,
                  bool keeps_layers)
        : home_(std::move(home)), problems_(problems), text_(text), keeps_layers_(keeps_layers) {}

    // Reads a file and appends its layers to `layers`. `included_at` is the value that names the
    // file; nullptr for the experiment itself.
    std::optional<Value> read(const fs::path& file, const Value* included_at, Layers& layers);

private:
    // A file that was read: its tree and its layers.
    struct Reading {
        std::optional<Value> tree;
        Layers layers;
    };

    Reading read_new(const fs::path& file, const Value* included_at);
    std::optional<std::string> text_of(const fs::path& file, const Value* included_at);
    std::optional<std::vector<Value>> included_files(const Value& include);
    bool merge_included(const Value& include, Value& into, Layers& layers);
    bool is_allowed(const fs::path& id, const fs::path& file, const Value* included_at);
    void report(const fs::path& file, const Value* included_at, std::string message);

    fs::path home_;
    Diagnostics& problems_;
    const std::optional<std::string>& text_;               // of the experiment itself
    const bool keeps_layers_;                              // each layer is a copy of a file's tree
    std::vector<std::pair<fs::path, std::string>> chain_;  // files being read: identity, shown name
    std::map<fs::path, Reading> done_;                     // by identity
};

void append(const Layers& included, const Value* included_at, Layers& layers) {
    for (Layer layer : included) {
        if (included_at != nullptr) {
            layer.included_at.insert(layer.included_at.begin(), included_at->place());
        }
        layers.push_back(std::move(layer));
    }
}

std::optional<Value> IncludeReader::read(const fs::path& file, const Value* included_at,
                                         Layers& layers) {
    std::error_code error;
    fs::path id = fs::weakly_canonical(file, error);
    if (error) {
        id = fs::absolute(file);
    }
    if (const auto found = done_.find(id); found != done_.end()) {
        append(found->second.layers, included_at, layers);
        return found->second.tree;
    }
    if (!is_allowed(id, file, included_at)) {
        return std::nullopt;
    }
    chain_.emplace_back(id, shown_path(file));
    Reading reading = read_new(file, included_at);
    chain_.pop_back();
    if (included_at == nullptr) {  // no other file may include the experiment itself
        layers.insert(layers.end(), std::make_move_iterator(reading.layers.begin()),
                      std::make_move_iterator(reading.layers.end()));
        return std::move(reading.tree);
    }
    append(reading.layers, included_at, layers);
    return (done_[id] = std::move(reading)).tree;
}

bool IncludeReader::is_allowed(const fs::path& id, const fs::path& file, const Value* included_at) {
    const auto first = std::ranges::find(chain_, id, &std::pair<fs::path, std::string>::first);
    if (first != chain_.end()) {
        std::string circle;
        for (auto link = first; link != chain_.end(); ++link) {
            circle += link->second + " -> ";
        }
        report(file, included_at, "includes go in a circle: " + circle + first->second);
        return false;
    }
    if (chain_.size() >= kMaxIncludesInARow) {
        report(file, included_at, "more than 64 includes in a row");
        return false;
    }
    return true;
}

// Returns whether a line is "key:", "key: value", "- item" or "---".
bool is_line_of_yaml(std::string_view line) {
    const std::size_t end = line.find_first_of(":= ");
    return line.starts_with("---") || line.starts_with("- ") ||
           (end > 0 && end < line.size() && line[end] == ':' &&
            (end + 1 == line.size() || line[end + 1] == ' '));
}

struct Language {
    std::string_view name;
    int line = 0;  // at which the file's text begins; 0: the whole file is of it
};

constexpr std::string_view kBinary = "a binary file";

// Returns what to do with a file that is not TOML.
std::string advice_for(const Language& language, const fs::path& file) {
    if (language.name == kBinary) {
        return fmt::format(
            "name an experiment, the folder of a run or a bundle; weights alone are for an experiment "
            "whose [pipeline] has load = \"{}\"",
            file.string());
    }
    return language.line > 0
               ? "write lr = 0.1 for \"lr\": 0.1 or lr: 0.1, and [training] for training:"
               : fmt::format("ptp-import {} -o {}", shell_word(file.string()),
                             shell_word(fs::path(file).replace_extension(".toml").string()));
}

// Returns the language of a file that is not TOML; nullopt for others. The content decides: TOML is
// read whatever the file is named, and has its errors shown if it has a line with the name of a
// table, as [training].
std::optional<Language> other_language(const fs::path& file, std::string_view text) {
    Diagnostics unused;
    if (text.find('\0') != std::string_view::npos) {
        return Language{kBinary};
    }
    if (text.starts_with('[') || text.find("\n[") != std::string::npos ||
        read_toml(text, file.string(), unused)) {
        return std::nullopt;
    }
    if (file.extension() == ".yml" || file.extension() == ".yaml") {
        return Language{"YAML"};
    }
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!line.empty() && !line.starts_with('#')) {
            return line.starts_with('{')   ? std::optional(Language{"JSON", number})
                   : is_line_of_yaml(line) ? std::optional(Language{"YAML", number})
                                           : std::nullopt;
        }
    }
    return std::nullopt;
}

IncludeReader::Reading IncludeReader::read_new(const fs::path& file, const Value* included_at) {
    Reading reading;
    const auto text = text_of(file, included_at);
    if (!text) {
        return reading;
    }
    if (const auto other = other_language(file, *text)) {
        problems_.error(included_at == nullptr ? SourceLocation(shown_path(file), other->line,
                                                                std::min(other->line, 1))
                                               : included_at->place(),
                        "",
                        Explanation{fmt::format("is {}, and experiments are TOML{}", other->name,
                                                other->name == "YAML" && other->line == 0
                                                    ? "; one of PyTorchPipe can be converted"
                                                    : ""),
                                    advice_for(*other, file)});
        return reading;
    }
    std::optional<Value> own = read_toml(*text, shown_path(file), problems_, choose_for_key);
    if (!own) {
        return reading;
    }
    const Value* include = own->find("include");
    if (include == nullptr) {
        if (keeps_layers_) {
            reading.layers.push_back({*own, {}});
        }
        reading.tree = std::move(own);
        return reading;
    }
    Value result;
    result.set_place(own->place());
    const bool is_whole = merge_included(*include, result, reading.layers);
    own->erase("include");
    if (keeps_layers_) {
        reading.layers.push_back({*own, {}});
    }
    merge(result, *own, "", problems_);
    if (is_whole) {
        reading.tree = std::move(result);
    }
    return reading;
}

bool IncludeReader::merge_included(const Value& include, Value& into, Layers& layers) {
    const auto files = included_files(include);
    bool is_whole = files.has_value();
    for (const Value& file : files.value_or(std::vector<Value>())) {
        const auto path = path_from(file.as_string(), file.place(), home_);
        if (!path) {
            problems_.error(file, "include", "the home folder '~' is not known");
            is_whole = false;
            continue;
        }
        const std::optional<Value> tree = read(*path, &file, layers);
        if (tree) {
            merge(into, *tree, "", problems_);
        }
        is_whole = is_whole && tree;
    }
    return is_whole;
}

std::optional<std::vector<Value>> IncludeReader::included_files(const Value& include) {
    if (include.is_string()) {
        return std::vector{include};
    }
    const bool is_list_of_strings =
        include.is_list() && std::ranges::all_of(include.items(), &Value::is_string);
    if (is_list_of_strings) {
        return include.items();
    }
    problems_.error(include, "include", "must be a file name or a list of file names");
    return std::nullopt;
}

// Returns "; did you mean 'x.toml'?", from the files in the folder.
std::string near_text(const fs::path& file, bool lists_all) {
    constexpr std::size_t kMaxLookedAt = 1000;
    std::vector<std::string> names;
    std::error_code ignored;  // an unreadable folder has no suggestions
    for (fs::directory_iterator entry(file.has_parent_path() ? file.parent_path() : ".", ignored);
         entry != fs::directory_iterator() && names.size() < kMaxLookedAt;
         entry.increment(ignored)) {
        if (entry->path().extension() == ".toml") {
            names.push_back(entry->path().stem().string());
        }
    }
    if (ignored == std::errc::no_such_file_or_directory) {
        return fmt::format("; there is no folder {}", shown_path(file.parent_path()));
    }
    const auto shown = [&](const std::string& name) {
        return shown_path(file.parent_path() / (name + ".toml"));
    };
    if (const auto near = nearest(file.stem().string(), names)) {
        return fmt::format("; did you mean '{}'?", shown(*near));
    }
    std::ranges::sort(names);
    const bool has_none = names.empty() && !ignored;
    return !lists_all ? ""
           : has_none ? "; the experiments that come with ptp are in configs/ of its sources, and "
                        "in share/ptp/configs of an installation"
                      : hint("", transformed(names, shown));
}

std::optional<std::string> IncludeReader::text_of(const fs::path& file, const Value* included_at) {
    if (included_at == nullptr && text_) {
        return text_;
    }
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (status.type() == fs::file_type::not_found) {
        report(file, included_at, "no such file" + near_text(file, included_at == nullptr));
    } else if (error) {
        report(file, included_at, "cannot be read: " + error.message());
    } else {
        try {
            return read_written(file);
        } catch (const FileError& problem) {
            report(file, included_at, problem.what());
        }
    }
    return std::nullopt;
}

void IncludeReader::report(const fs::path& file, const Value* included_at, std::string message) {
    if (included_at == nullptr) {
        problems_.error(SourceLocation(shown_path(file), 0, 0), "", std::move(message));
    } else {
        const bool is_named_elsewhere =
            message.starts_with("includes") || message.starts_with("more");
        problems_.error(*included_at, "include",
                        is_named_elsewhere ? std::move(message)
                                           : fmt::format("{}: {}", shown_path(file), message));
    }
}

}  // namespace

std::optional<Value> read_with_includes(const fs::path& file, const fs::path& home,
                                        Diagnostics& problems, Layers* layers,
                                        const std::optional<std::string>& text) {
    Layers unused;
    return IncludeReader(home, problems, text, layers != nullptr)
        .read(file, nullptr, layers == nullptr ? unused : *layers);
}

namespace {

// Returns whether the tables have different types, so that their keys mean different things.
bool are_of_different_types(const Value& lower, const Value& upper) {
    const Value* below = lower.find("type");
    const Value* above = upper.find("type");
    return below != nullptr && above != nullptr && below->is_string() && above->is_string() &&
           below->as_string() != above->as_string();
}

// Returns whether the value has a variable. Its type is then unknown until variables are replaced.
bool has_variable(const Value& value) {
    return value.is_string() && value.as_string().find("${") != std::string::npos;
}

// Returns how the variable that a value is gets the other value.
std::string fix_of_variable(const Value& old, const Value& value) {
    const std::string variable = variable_of(old);
    return variable.empty() || value.place().file() != kCommandLine
               ? "set the variable, or write its value"
               : schema::typed_value(value.place(), below("vars", variable), inline_toml(value));
}

}  // namespace

std::string variable_of(const Value& value) {
    const std::string_view text = value.is_string() ? std::string_view(value.as_string()) : "";
    const bool is_one = text.starts_with("${") && text.find('}') == text.size() - 1;
    return is_one ? std::string(text.substr(2, text.size() - 3)) : "";
}

bool may_replace(const Value& lower, const Value& upper) {
    return lower.is_table() == upper.is_table() || (!has_variable(lower) && !has_variable(upper));
}

void merge(Value& lower, const Value& upper, const std::string& path, Diagnostics& problems) {
    for (const Member& member : upper.members()) {
        const std::string key = below(path, member.key);
        Value* old = lower.find(member.key);
        if (old != nullptr && old->is_table() && member.value.is_table() &&
            !are_of_different_types(*old, member.value)) {
            merge(*old, member.value, key, problems);
        } else if (old == nullptr || may_replace(*old, member.value)) {
            lower.set(member.key, member.value, member.key_place);
        } else {
            problems.error(member.value, key,
                           Explanation{fmt::format("{} here, but {} at {}; of a table and a "
                                                   "variable neither replaces the other",
                                                   type_name(member.value.type()),
                                                   type_name(old->type()), old->place().text()),
                                       fix_of_variable(*old, member.value)});
        }
    }
}

}  // namespace ptp::experiment
