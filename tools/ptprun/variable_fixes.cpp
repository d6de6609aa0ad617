// Finds the variables of fixes in the layers of an experiment, before these are replaced.

#include "ptprun/variable_fixes.hpp"

#include "base/paths.hpp"
#include "base/ranges.hpp"
#include "base/shell_words.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "experiment/load/load.hpp"
#include "experiment/load/override.hpp"
#include "ptprun/report.hpp"
#include "schema/key_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

namespace ptp::ptprun {

namespace {

using KeyPath = std::vector<std::string>;

constexpr std::string_view kSet = "--set ";
constexpr std::string_view kWrite = "write ";

const Value* value_at(const Value& tree, const KeyPath& path) {
    const Value* value = &tree;
    for (const std::string& part : path) {
        value = value == nullptr ? nullptr : value->find(part);
    }
    return value;
}

// A value that sets a variable.
struct OfVariable {
    std::string name;
    Value value;
    SourceLocation place;  // of the variable
};

// Returns the value of a fix "write KEY = VALUE" or "write VALUE"; nullopt for another one.
std::optional<Value> value_of(const std::string& fix, const std::string& key) {
    const std::string text = fix.substr(std::min(kWrite.size(), fix.size()));
    if (auto value = read_toml_value(text)) {
        return value;
    }
    const auto line = read_toml_value(fmt::format("{{{}}}", text));
    const Value* const value = line && line->members().size() == 1 ? line->find(key) : nullptr;
    return value == nullptr ? std::nullopt : std::optional(*value);
}

}  // namespace

// The files and options of an experiment, with the variables in them.
class VariableFixes::Written {
public:
    explicit Written(const host::Request& request) {
        Diagnostics reported_before;
        static_cast<void>(experiment::load_experiment(
            {request.file, request.overrides, home_folder(), request.text, request.over},
            reported_before, &layers_));
    }

    // Returns what sets the variable in place of the value of a key; nullopt where the key is
    // written with no variable, or with others, or the value lacks the text around it.
    [[nodiscard]] std::optional<OfVariable> of(const KeyPath& key, const Value& value) const {
        // Sections take a value in common; a component may be meant by itself.
        const Value* const written = key.front() == "pipeline" ? nullptr : find(key);
        if (written == nullptr || !written->is_string()) {
            return std::nullopt;
        }
        const std::string& text = written->as_string();
        const std::size_t begin = text.find("${");
        const std::size_t end = begin == text.npos ? begin : text.find('}', begin);
        if (end == text.npos || text.find("${", end) != text.npos) {
            return std::nullopt;
        }
        OfVariable set{text.substr(begin + 2, end - begin - 2), value, {}};
        const Value* const variable = find({"vars", set.name});
        const std::string before = text.substr(0, begin);
        const std::string after = text.substr(end + 1);
        if (variable == nullptr) {
            return std::nullopt;
        }
        set.place = variable->place();
        if (!before.empty() || !after.empty()) {
            const std::string whole = value.is_string() ? value.as_string() : "";
            if (whole.size() <= before.size() + after.size() || !whole.starts_with(before) ||
                !whole.ends_with(after)) {
                return std::nullopt;
            }
            set.value =
                Value(whole.substr(before.size(), whole.size() - before.size() - after.size()));
        }
        return set;
    }

    // Returns the options with those of keys replaced by those of their variables, each once.
    [[nodiscard]] std::string options(std::string_view options) const;

    [[nodiscard]] std::string replaced(const std::string& fix, const std::string& key) const {
        if (fix.starts_with(kSet)) {
            return options(fix);
        }
        const auto path = experiment::read_key_path(key);
        const auto value = path ? value_of(fix, path->back()) : std::nullopt;
        const auto set = value ? of(*path, *value) : std::nullopt;
        return set ? fmt::format("write {} = {} in [vars], at {}", set->name,
                                 inline_toml(set->value), set->place.text())
                   : fix;
    }

private:
    // Returns the value of the last layer that has it; nullptr where a table above it was emptied
    // since.
    [[nodiscard]] const Value* find(const KeyPath& key) const {
        for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
            if (const Value* value = value_at(layer->tree, key)) {
                return value;
            }
            if (experiment::empties(*layer, key)) {
                return nullptr;
            }
        }
        return nullptr;
    }

    experiment::Layers layers_;
};

std::string VariableFixes::Written::options(std::string_view options) const {
    std::vector<std::string> words;
    while (options.starts_with(kSet)) {
        options.remove_prefix(kSet.size());
        std::string word = take_shell_word(options);
        Diagnostics unused;
        const auto override = experiment::read_override(word, 1, unused);
        // "none" removes the key of one section: the variable is also of the others.
        const bool is_set = override && override->value != Value("none");
        if (const auto set = is_set ? of(override->path, override->value) : std::nullopt) {
            word = experiment::override_text(schema::below("vars", set->name), set->value);
        }
        if (!contains(words, word)) {
            words.push_back(std::move(word));
        }
    }
    std::string text;
    for (const std::string& word : words) {
        text += fmt::format("{}{}{}", text.empty() ? "" : " ", kSet, shell_word(word));
    }
    return text + (options.empty() ? "" : " ") + std::string(options);
}

VariableFixes::VariableFixes(const host::Request& request) : request_(request) {}

VariableFixes::~VariableFixes() = default;

std::string VariableFixes::with_variables(const std::string& fix, const std::string& key) {
    if (!fix.starts_with(kSet) && !fix.starts_with(kWrite)) {
        return fix;
    }
    if (written_ == nullptr) {
        written_ = std::make_unique<Written>(request_);
    }
    std::vector<std::string> lines;  // what may be meant, where that is several
    for (const std::string& one : fix_lines(fix)) {
        std::string line = written_->replaced(one, key);
        if (!contains(lines, line)) {
            lines.push_back(std::move(line));
        }
    }
    return join(lines, kNextFix);
}

std::string VariableFixes::with_variables_in(const std::string& error, const pipeline::Plan& plan) {
    constexpr std::string_view kFix = "fix: ";
    std::istringstream lines(error);
    std::string text;
    for (std::string line; std::getline(lines, line);) {
        if (const std::string typed(trimmed(line)); typed.starts_with(kFix)) {
            const std::string fix = typed.substr(kFix.size());
            const std::size_t name = fix.find(' ') + 1;
            const std::string key = schema::below(table_of_error(error, plan, ""),
                                                  fix.substr(name, fix.find(' ', name) - name));
            line = "    fix: " + with_variables(fix, key);
        }
        text += (text.empty() ? "" : "\n") + line;
    }
    return text;
}

}  // namespace ptp::ptprun
