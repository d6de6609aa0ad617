// Derives options from the declared keys of explanations, and reads them as the keys are read.

#include "explain_options.hpp"

#include "base/diagnostics.hpp"
#include "base/toml_writer.hpp"
#include "schema/fields.hpp"
#include "schema/key.hpp"
#include "schema/range.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace ptp::ptprun {

namespace {

using schema::Field;
using schema::Form;
using schema::Key;

std::string option_name(const Key& key) {
    std::string name = key.name;
    std::ranges::replace(name, '_', '-');
    if (key.form == Form::kBool) {
        return "without-" + name;
    }
    return key.list_depth > 0 ? name.substr(0, name.size() - 1) : name;
}

std::string value_name(const Key& key) {
    switch (key.form) {
        case Form::kBool:
            return "";
        case Form::kInteger:
            return "N";
        case Form::kReal:
            return "NUMBER";
        default:
            return key.list_depth > 0 ? "METHOD..." : key.name == "classes" ? "GLOBAL" : "NAME";
    }
}

std::string option_help(const Key& key) {
    if (key.form == Form::kBool) {
        return "do not " + key.help;
    }
    std::string help = key.help;
    for (std::size_t i = 0; i < key.choices.size(); ++i) {
        help += (i == 0 ? ": " : i + 1 < key.choices.size() ? ", " : " or ") + key.choices[i];
    }
    if (!key.default_value) {
        return help;
    }
    std::string usual;
    const Value& value = *key.default_value;
    for (std::size_t i = 0; value.is_list() && i < value.items().size(); ++i) {
        usual += (i == 0 ? "" : ", ") + value.items()[i].as_string();
    }
    return fmt::format("{} (default: {})", help,
                       value.is_list()     ? usual
                       : value.is_string() ? value.as_string()
                                           : inline_toml(value));
}

Value given_value(const Key& key, const std::string& text) {
    double number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = read.ec == std::errc() && read.ptr == text.data() + text.size();
    return key.form == Form::kReal && is_number ? Value(number) : Value(text);
}

// Returns nullopt for an option that is not given.
std::optional<Value> given_value(const Key& key, const Given& given) {
    const std::string name = option_name(key);
    if (!given.has(name)) {
        return std::nullopt;
    }
    if (key.form == Form::kBool) {
        return Value(false);
    }
    if (key.form == Form::kInteger) {
        return Value(*given.integer(name));
    }
    if (key.list_depth == 0) {
        return given_value(key, given.text(name));
    }
    std::vector<Value> items;
    for (const std::string& text : given.texts(name)) {
        items.push_back(given_value(key, text));
    }
    return Value::list(std::move(items));
}

void read(const Field& field, const Key& key, const Given& given) {
    const std::optional<Value> value = given_value(key, given);
    if (!value) {
        return;
    }
    Value table;
    table.set(key.name, *value);
    Diagnostics problems;
    const schema::ReadOptions options;
    read_all_fields(schema::Scope{table, "", options, problems}, {field});
    if (!problems.ok()) {
        const Problem& problem = problems.reported().front();
        std::string text = problem.value;
        std::erase(text, '"');
        throw UsageError(fmt::format("--{} {}: {}", option_name(key), text, problem.explanation()));
    }
}

}  // namespace

std::vector<Option> explain_options() {
    experiment::Explanations usual;
    std::vector<Option> options;
    for (const Field& field : usual.fields()) {
        const Key key = key_of(field);
        Option option{.name = option_name(key), .value = value_name(key), .help = option_help(key)};
        if (key.form == Form::kInteger) {
            const auto range = schema::Range::parse(key.range);
            option.integers =
                tools::Integers{.min = static_cast<std::int64_t>(range ? range->low() : 0)};
        }
        option.completions = key.choices;
        option.is_repeatable = option.takes_several = key.list_depth > 0;
        options.push_back(std::move(option));
    }
    return options;
}

experiment::Explanations explanations_from(const Given& given) {
    experiment::Explanations explanations;
    for (const Field& field : explanations.fields()) {
        read(field, key_of(field), given);
    }
    explanations.order_methods();
    return explanations;
}

Strings explain_words(experiment::Explanations explanations) {
    experiment::Explanations usual;
    const Value defaults = write_fields(usual.fields());
    const std::vector<Field> fields = explanations.fields();
    const Value values = write_fields(fields);
    Strings words;
    for (const Field& field : fields) {
        const Value* const value = values.find(field.name);
        const Value* const before = defaults.find(field.name);
        if (value == nullptr || (before != nullptr && *value == *before)) {
            continue;
        }
        words.push_back("--" + option_name(key_of(field)));
        if (value->is_list()) {
            std::ranges::transform(value->items(), std::back_inserter(words), &Value::as_string);
        } else if (!value->is_bool()) {
            words.push_back(value->is_string() ? value->as_string() : inline_toml(*value));
        }
    }
    return words;
}

}  // namespace ptp::ptprun
