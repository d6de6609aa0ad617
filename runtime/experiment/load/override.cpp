// Parses overrides of the command line, and applies them to a tree.

#include "experiment/load/override.hpp"

#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "experiment/familiar_names.hpp"
#include "experiment/fields.hpp"
#include "experiment/load/steps.hpp"
#include "schema/check_value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace ptp::experiment {

namespace {

constexpr std::size_t kMaxParts = 32;

// Returns the place of an offset in the text of an override, counted in characters.
SourceLocation place_in(std::string_view text, std::size_t offset, int number) {
    const std::size_t before =
        static_cast<std::size_t>(std::ranges::count_if(text.substr(0, offset), [](char c) {
            return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
        }));
    return {std::string(kCommandLine), number, static_cast<int>(before) + 1};
}

// Removes the first part of a path from `text` and returns it; nullopt if there is none.
std::optional<std::string> take_part(std::string_view& text) {
    text = trimmed(text);
    std::string part;
    if (text.starts_with('"') || text.starts_with('\'')) {
        const std::size_t end = text.find(text.front(), 1);
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        part = text.substr(1, end - 1);
        text.remove_prefix(end + 1);
    } else {
        std::size_t end = 0;
        while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) ||
                                     text[end] == '_' || text[end] == '-')) {
            ++end;
        }
        if (end == 0) {
            return std::nullopt;
        }
        part = text.substr(0, end);
        text.remove_prefix(end);
    }
    text = trimmed(text);
    return part;
}

struct Parts {
    std::vector<std::string> path;
    std::vector<std::size_t> offsets;  // of the parts in the text
    std::string_view value;
};

std::optional<Parts> split(const std::string_view whole) {
    Parts parts;
    std::string_view text = whole;
    while (parts.path.size() < kMaxParts) {
        text = trimmed(text);
        parts.offsets.push_back(static_cast<std::size_t>(text.data() - whole.data()));
        const auto part = take_part(text);
        if (!part) {
            return std::nullopt;
        }
        parts.path.push_back(*part);
        // An item of a list, as messages write it: layers[5].
        while (parts.path.size() < kMaxParts && text.starts_with('[')) {
            const std::size_t end = std::min(text.find(']'), text.size());
            const std::string_view number = text.substr(1, end - 1);
            if (end == text.size() || number.empty() ||
                number.find_first_not_of("0123456789") != number.npos) {
                return std::nullopt;
            }
            parts.offsets.push_back(static_cast<std::size_t>(number.data() - whole.data()));
            parts.path.emplace_back(number);
            text = trimmed(text.substr(end + 1));
        }
        if (text.empty()) {
            return std::nullopt;
        }
        const char separator = text.front();
        text.remove_prefix(1);
        if (separator == '=') {
            parts.value = trimmed(text);
            return parts;
        }
        if (separator != '.') {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

// A part of the path of an override.
struct Part {
    const std::string& name;
    const SourceLocation& place;
};

// Returns the item that a part of a path selects; nullptr after reporting that there is none.
Value* select_item(Value& list, const Part& part, const std::string& path, Diagnostics& problems) {
    std::size_t index = 0;
    const auto [end, error] =
        std::from_chars(part.name.data(), part.name.data() + part.name.size(), index);
    const bool is_number = error == std::errc() && end == part.name.data() + part.name.size();
    if (is_number && index < list.items().size()) {
        return &list.items()[index];
    }
    problems.error(part.place, below(path, part.name),
                   fmt::format("{} is a list of {} at {}, items count from 0", path,
                               list.items().size(), list.place().text()));
    return nullptr;
}

// Returns the item or member that a part of a path selects; a missing member is added.
Value* step_into(Value& target, const Part& part, const std::string& path, Diagnostics& problems) {
    if (target.is_list()) {
        return select_item(target, part, path, problems);
    }
    Value* member = target.find(part.name);
    return member != nullptr ? member : &target.set(part.name, Value().at(part.place), part.place);
}

// Returns the override that sets the same in a variable in place of the value before `part`; "" if
// that is no variable.
std::string fix_within_variable(const Override& override, std::size_t part,
                                const std::string& variable) {
    if (variable.empty()) {
        return "";
    }
    std::string key = below("vars", variable);
    for (; part < override.path.size(); ++part) {
        key = below(key, override.path[part]);
    }
    return schema::typed_value(override.places.front(), key, inline_toml(override.value));
}

// Returns whether the text is an integer that TOML can express in 64 bits; "007" is a text.
bool is_whole_number(std::string_view text) {
    if (text.starts_with('-') || text.starts_with('+')) {
        text.remove_prefix(1);
    }
    return !text.empty() && text.front() != '0' &&
           text.find_first_not_of("0123456789") == text.npos;
}

}  // namespace

void apply_override(const Override& override, Value& root, Diagnostics& problems) {
    const std::vector<std::string>& parts = override.path;
    Value* target = &root;
    std::string path;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        target = step_into(*target, {parts[i], override.places[i]}, path, problems);
        if (target == nullptr) {
            return;
        }
        path = below(path, parts[i]);
        if (!target->is_table() && !target->is_list()) {
            Value table = Value().at(override.places[i]);
            if (!may_replace(*target, table)) {
                const std::string variable = variable_of(*target);
                problems.error(
                    override.places[i + 1], below(path, parts[i + 1]),
                    {fmt::format("{} is {} at {}, so nothing can be set in it", path,
                                 variable.empty() ? std::string(type_name(target->type()))
                                                  : "\"${" + variable + "}\"",
                                 target->place().text()),
                     fix_within_variable(override, i + 1, variable)});
                return;
            }
            *target = std::move(table);  // the form of the key changes
        }
    }
    if (target->is_list()) {
        Value* item = select_item(*target, {parts.back(), override.places.back()}, path, problems);
        if (item != nullptr) {
            *item = override.value;
        }
        return;
    }
    const Value* const old = target->find(parts.back());
    if (old != nullptr && old->is_table() && override.value == Value()) {
        target->set(parts.back(), override.value, override.places.back());  // empties it
        return;
    }
    Value layer;
    layer.set(parts.back(), override.value, override.places.back());
    merge(*target, layer, path, problems);
}

namespace {

// Returns what to type in place of a text without "=": "--set training.optimizer.lr=0.1" for
// "lr:0.1".
std::string fix_of_form(const std::string& text) {
    const std::size_t bracket = text.find('[');
    if (bracket < text.find('=')) {
        return fmt::format("--set {}[0]=VALUE sets the first item of the list, --set {}=[...] all",
                           text.substr(0, bracket), text.substr(0, bracket));
    }
    const std::size_t colon = text.find(':');
    const auto key = colon == text.npos ? std::nullopt : read_key_path(text.substr(0, colon));
    if (!key) {
        return "";
    }
    const auto meant = key->size() == 1 ? familiar_key(key->front()) : std::nullopt;
    return fmt::format("--set {}={}", meant.value_or(std::string(trimmed(text.substr(0, colon)))),
                       trimmed(text.substr(colon + 1)));
}

// Returns the list that a text in parentheses means; nullopt if it means none.
std::optional<Value> list_in_parentheses(std::string_view text) {
    return text.starts_with('(') && text.ends_with(')')
               ? read_toml_value(fmt::format("[{}]", text.substr(1, text.size() - 2)))
               : std::nullopt;
}

}  // namespace

std::optional<Override> read_override(const std::string& text, int number, Diagnostics& problems) {
    const SourceLocation start = place_in(text, 0, number);
    if (!is_utf8(text)) {
        problems.error(start, "", "a value is set that is not UTF-8 text");
        return std::nullopt;
    }
    const auto parts = split(text);
    if (!parts) {
        problems.error(start, "",
                       Explanation{fmt::format("'{}' is not of the form key.path=value", text),
                                   fix_of_form(text)});
        return std::nullopt;
    }
    if (parts->path.front() == "include") {
        problems.error(start, "include", "cannot be set here; only files include files");
        return std::nullopt;
    }
    const auto offset = static_cast<std::size_t>(parts->value.data() - text.data());
    const SourceLocation place = place_in(text, offset, number);
    std::optional<Value> value = read_toml_value(parts->value, place);
    const bool looks_like_toml =
        !parts->value.empty() &&
        std::string_view("[{\"'").find(parts->value.front()) != std::string_view::npos;
    if (!value && looks_like_toml) {
        problems.error(place, "", fmt::format("'{}': the value is not valid TOML", text));
        return std::nullopt;
    }
    if (const auto list = value ? std::nullopt : list_in_parentheses(parts->value)) {
        problems.error(
            place, "",
            Explanation{fmt::format("'{}': a list is in [ ], not in ( )", text),
                        fmt::format("--set '{}={}'", join(parts->path, "."), inline_toml(*list))});
        return std::nullopt;
    }
    if (!value && is_whole_number(parts->value)) {
        problems.error(place, "",
                       fmt::format("'{}': the number is too large for an integer", text));
        return std::nullopt;
    }
    if (!value) {
        value = Value(std::string(parts->value)).at(place);
    }
    Override override{parts->path, {}, std::move(*value)};
    for (const std::size_t part : parts->offsets) {
        override.places.push_back(place_in(text, part, number));
    }
    return override;
}

Value tree_of(const Override& override) {
    Value tree = override.value;
    for (std::size_t i = override.path.size(); i-- > 0;) {
        Value table = Value().at(override.places[i]);
        table.set(override.path[i], std::move(tree), override.places[i]);
        tree = std::move(table);
    }
    return tree;
}

SourceLocation place_in_overrides(const std::vector<std::string>& overrides,
                                  std::string_view message) {
    const std::string_view key = message.substr(0, message.find_first_of(" :="));
    for (std::size_t i = overrides.size(); i-- > 0;) {
        const std::string_view text = overrides[i];
        const std::size_t equals = text.find('=');
        if (equals != text.npos && trimmed(text.substr(0, equals)) == key) {
            const auto value = trimmed(text.substr(equals + 1));
            const auto offset = static_cast<std::size_t>(value.data() - text.data());
            return place_in(text, offset, static_cast<int>(i) + 1);
        }
    }
    return {std::string(kCommandLine), 0, 0};
}

std::string override_text(const std::string& key, const Value& value) {
    return fmt::format("{}={}", key, inline_toml(value));
}

std::optional<std::vector<std::string>> read_key_path(std::string_view text) {
    const std::string with_end = std::string(text) + "=";
    const auto parts = split(with_end);
    return parts && parts->value.empty() ? std::optional(parts->path) : std::nullopt;
}

}  // namespace ptp::experiment
