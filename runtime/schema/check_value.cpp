// Checks values against declarations, and advises what to write instead.

#include "schema/check_value.hpp"

#include "base/duration.hpp"
#include "base/paths.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "schema/key_path.hpp"
#include "schema/pattern.hpp"
#include "schema/range.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace ptp::schema {

namespace {

constexpr double kMaxReal = std::numeric_limits<float>::max();

// A member that is not given is as in the table's own default, or else as in the member's.
Value over_default(const Key& key, const Value& given) {
    if (!key.default_value || !key.default_value->is_table() || key.list_depth > 0) {
        return given;
    }
    Value whole = *key.default_value;
    for (const Member& member : given.members()) {
        whole.set(member.key, member.value, member.key_place);
    }
    return whole.at(given.place());
}

std::optional<Value> check_at(const Key& key, const Value& value, const KeyPath& path,
                              const CheckContext& context);

class Checker {
public:
    Checker(const Key& key, const KeyPath& path, const CheckContext& context,
            std::optional<std::uint32_t> item_depth = {})
        : key_(key), path_(path), context_(context), item_depth_(item_depth) {}

    std::optional<Value> list(const Value& value, std::uint32_t depth) const {
        if (depth == 0) {
            return single(value);
        }
        if (!value.is_list()) {
            return refuse_type(value, &Value::is_list,
                               item_depth_ || !context_.has_advice ? "" : advice_on_list(value));
        }
        if (const auto shares = depth == 1 ? shares_of(key_, value) : std::nullopt) {
            const std::string wanted = "each must be " + Range::parse(key_.range)->words();
            return refuse(value, wanted, typed(value, inline_toml(*shares)));
        }
        std::vector<Value> items;
        items.reserve(value.items().size());
        for (std::size_t i = 0; i < value.items().size(); ++i) {
            const KeyPath path(path_, i);
            const Checker inner(key_, path, context_, depth - 1);
            if (key_.is_unique && contains(std::span(value.items()).first(i), value.items()[i])) {
                inner.refuse(value.items()[i], "is there twice");
            } else if (auto item = inner.list(value.items()[i], depth - 1)) {
                items.push_back(std::move(*item));
            }
        }
        if (items.size() < value.items().size()) {
            return std::nullopt;
        }
        return Value::list(std::move(items)).at(value.place());
    }

    // Checks a table whose keys the user chooses: the members that are right.
    std::optional<Value> map(const Value& value) const {
        if (!value.is_table()) {
            return refuse_type(value, &Value::is_table);
        }
        Key item = key_;
        item.is_map = false;
        Value table = Value().at(value.place());
        for (const Member& member : value.members()) {
            item.name = member.key;
            const KeyPath path(path_, member.key);
            if (auto checked = check_at(item, member.value, path, context_)) {
                table.set(member.key, std::move(*checked), member.key_place);
            }
        }
        return table;
    }

    bool has_length(const Value& value) const {
        const bool has_items = value.is_list() && key_.list_depth > 0;
        const auto length = has_items ? Range::parse(key_.length) : std::nullopt;
        if (!length || length->contains(static_cast<double>(value.items().size()))) {
            return true;
        }
        refuse(value, fmt::format("must have {}, has {}", length->items(), value.items().size()));
        return false;
    }

    std::optional<Value> single(const Value& value) const {
        switch (key_.form) {
            case Form::kAny:
                return value.is_string() ? text(value) : value;
            case Form::kIntegers:
            case Form::kReals:  // number_list.cpp reads all other forms
                return value.is_list() || value.is_string() ? value
                                                            : refuse_type(value, &Value::is_list);
            case Form::kInteger:
            case Form::kReal:
                return number(value);
            case Form::kBool:
                return value.is_bool() ? value : refuse_type(value, &Value::is_bool);
            case Form::kTable:
                return value.is_table() ? table(value) : refuse_type(value, &Value::is_table);
            case Form::kDuration:
                return duration(value);
            case Form::kString:
            case Form::kPath:
                break;
        }
        return value.is_string() ? text(value) : refuse_type(value, &Value::is_string);
    }

private:
    std::optional<Value> refuse(const Value& value, std::string message,
                                std::string fix = {}) const {
        if (!context_.has_advice) {
            context_.problems.error(value, path_.text(), std::move(message));
            return std::nullopt;
        }
        const std::string here =
            context_.familiar == nullptr ? "" : context_.familiar->value(path_.text(), value);
        // A setting of a plugin may have the name of a known key, and take other values.
        const auto meant = read_toml_value(here.substr(0, here.find(", or ")));
        if (meant && accepts(key_, *meant)) {
            const bool is_set = value.place().file() == kCommandLine;
            fix = typed(value, is_set ? inline_toml(*meant) : here);
            message += is_set ? other_meaning(here) : "";
        }
        context_.problems.error(value, path_.text(),
                                Explanation{std::move(message), std::move(fix)});
        return std::nullopt;
    }

    std::optional<Value> refuse_type(const Value& value, bool (Value::*is_wanted)() const,
                                     std::string advice = {}) const {
        if (advice.empty() && context_.has_advice) {
            advice = is_wanted == &Value::is_table ? advice_on_table(value)
                                                   : advice_on_quotes(value, is_wanted);
        }
        if (advice.empty() && context_.has_advice) {
            const auto meant = meant_value(one_key(), value);
            advice = !meant ? advice_on_sweep(one_key(), value, path_.text())
                     : item_depth_ || value.place().file() != kCommandLine
                         ? "write " + inline_toml(*meant)
                         : typed(value, inline_toml(*meant));
        }
        // true switches nothing on where a name is wanted: what of, is in the help.
        const bool is_switch = value == Value(true) && key_.form == Form::kString &&
                               key_.choices.empty() && !item_depth_;
        const std::string help =
            is_switch && !key_.help.empty() ? fmt::format(" ({})", key_.help) : "";
        return refuse(value,
                      fmt::format("must be {}, not {}{}", wanted(), type_name(value.type()), help),
                      advice);
    }

    [[nodiscard]] std::string wanted() const { return expected_text(one_key()); }

    // Returns what to type so that the key has another value in place of this one.
    [[nodiscard]] std::string typed(const Value& value, const std::string& text) const {
        return key_.name.empty() || item_depth_ ? "write " + text
                                                : typed_value(value.place(), path_.text(), text);
    }

    // Returns the key, or what it declares of the item that is checked.
    [[nodiscard]] Key one_key() const {
        Key item = key_;
        if (item_depth_) {
            item.list_depth = *item_depth_;
            item.takes_one = item.takes_one && item.list_depth > 0;
            item.expected.clear();
            item.or_else.clear();
        }
        return item;
    }

    // Returns the list to write in place of one value: of the value, or of two equal whole numbers,
    // such as height and width.
    [[nodiscard]] std::string advice_on_list(const Value& value) const {
        if (const auto meant = meant_value(key_, value); meant && meant->is_list()) {
            return typed(value, inline_toml(*meant));
        }
        const std::size_t most = value == Value("*") ? 0 : value.is_integer() ? 2 : 1;
        for (std::size_t count = 1; count <= most; ++count) {
            const Value list = Value::list(std::vector<Value>(count, value));
            if (accepts(key_, list)) {
                return typed(value, inline_toml(list));
            }
        }
        return most == 0 && accepts(key_, Value::list({value})) ? "list them by their names" : "";
    }

    // Checks a name where a table is wanted, as in scheduler = "cosine".
    std::string advice_on_table(const Value& value) const {
        // true switches on what has defaults for all of its options.
        if (value.is_bool() && value.as_bool() && accepts(key_, Value())) {
            return typed(value, "{}");
        }
        if (context_.familiar == nullptr || !value.is_string()) {
            return "";
        }
        const std::string table = context_.familiar->table(path_.text(), value.as_string());
        return table.empty() ? "" : typed(value, table);
    }

    std::optional<Value> number(const Value& value) const {
        const bool wants_integer = key_.form == Form::kInteger;
        if (wants_integer ? !value.is_integer() : !value.is_number()) {
            return refuse_type(value, wants_integer ? &Value::is_integer : &Value::is_number);
        }
        const double number = value.as_real();
        const auto range = Range::parse(key_.range);
        if (range ? !range->contains(number) : !std::isfinite(number)) {
            const auto share = share_of_percent(key_, value);
            const bool is_whole = key_.is_required && !item_depth_ && context_.familiar;
            const std::string meant = share      ? inline_toml(*share)
                                      : is_whole ? context_.familiar->example(path_.text())
                                                 : "";
            return refuse(value, range ? "must be " + range->words() : "must be finite",
                          meant.empty() ? "" : typed(value, meant));
        }
        if (!wants_integer && std::isfinite(number) && std::abs(number) > kMaxReal) {
            return refuse(value, fmt::format("must be at most {:.8g} in size, the largest number "
                                             "of 32 bits, with which components compute",
                                             kMaxReal));
        }
        return wants_integer ? value : Value(number).at(value.place());
    }

    std::optional<Value> duration(const Value& value) const {
        const std::string wanted = "must be " + expected_text(key_);
        if (!value.is_string()) {
            return refuse(value, fmt::format("{}, not {}", wanted, type_name(value.type())),
                          advice_on_duration(value));
        }
        if (duration_from(value.as_string())) {
            return value;
        }
        const std::string meant = duration_in_words(value.as_string());
        return refuse(value, wanted, meant.empty() ? "" : typed(value, meant));
    }

    std::optional<Value> text(const Value& value) const {
        const std::string& given = value.as_string();
        if (key_.is_filled && given.empty()) {
            return refuse(value, key_.expected.empty() || item_depth_
                                     ? "must not be empty"
                                     : fmt::format("must be {}, not empty", key_.expected));
        }
        if (key_.form == Form::kPath) {
            return path(value);
        }
        if (!key_.pattern.empty() && !matches(given, key_.pattern)) {
            const std::string last = given.substr(given.rfind('.') + 1);  // of torch.nn.NLLLoss
            const bool is_meant = last != given && matches(last, key_.pattern);
            return refuse(value, "must be " + wanted(),
                          is_meant ? "write " + inline_toml(Value(last)) : "");
        }
        if (key_.choices.empty() || contains(key_.choices, given)) {
            return value;
        }
        constexpr std::string_view kNoSlips = "median";  // is near to "mean", and another thing
        const std::string meant =
            has_word(kNoSlips, folded(given)) ? "" : hint(given, key_.choices);
        return refuse(value, fmt::format("must be one of {}{}", join(key_.choices, ", "),
                                         meant.starts_with("; did") ? meant : ""));
    }

    std::optional<Value> path(const Value& value) const {
        if (value.as_string().empty()) {
            return is_empty_default(value)
                       ? std::optional(value)
                       : refuse(value, "must not be empty",
                                "name a file or folder; \".\" is the folder of the experiment");
        }
        const auto path = path_from(value.as_string(), value.place(), context_.home);
        return path ? std::optional(Value(absolute_text(*path)).at(value.place()))
                    : refuse(value, "'~' is not known here: use an absolute path");
    }

    // Returns whether the empty path, as a default, has a meaning of its own, "none" for example.
    [[nodiscard]] bool is_empty_default(const Value& value) const {
        const bool is_default = key_.default_value && *key_.default_value == value;
        return is_default || value.place() == SourceLocation();
    }

    std::optional<Value> table(const Value& value) const {
        if (key_.members.empty()) {
            return value;
        }
        const std::size_t errors_before = context_.problems.error_count();
        const Value whole = over_default(key_, value);
        const std::string table = path_.text();
        std::string hints;
        for (const Member& member : whole.members()) {
            if (std::ranges::find(key_.members, member.key, &Key::name) == key_.members.end()) {
                Explanation unknown =
                    unknown_member({member, table, nullptr, context_.familiar}, key_.members);
                hints += unknown.reason;
                context_.problems.error(member.key_place, below(table, member.key),
                                        std::move(unknown));
            }
        }
        Value checked_table = Value().at(value.place());
        for (const Key& member : key_.members) {
            const Value* given = whole.find(member.name);
            if (given == nullptr && member.is_required &&
                hints.find(fmt::format("did you mean '{}'?", member.name)) != std::string::npos) {
                continue;  // it is reported as misspelled
            }
            const KeyPath path(path_, member.name);
            auto checked = given == nullptr
                               ? check_absent(member, value.place(), path.text(), context_)
                               : check_at(member, *given, path, context_);
            if (checked) {
                checked_table.set(member.name, std::move(*checked));
            }
        }
        return context_.problems.error_count() > errors_before
                   ? std::nullopt
                   : std::optional(std::move(checked_table));
    }

    const Key& key_;
    const KeyPath& path_;
    const CheckContext& context_;
    const std::optional<std::uint32_t> item_depth_;  // of an item: lists around its form
};

std::optional<Value> check_at(const Key& key, const Value& value, const KeyPath& path,
                              const CheckContext& context) {
    const Checker checker(key, path, context);
    if ((key.can_be_none && value == Value("none")) || key.is_map) {
        return key.is_map ? checker.map(value) : std::nullopt;
    }
    if (key.takes_one && !value.is_list()) {
        auto one = checker.single(value);
        return one ? check_at(key, Value::list({std::move(*one)}).at(value.place()), path, context)
                   : std::nullopt;
    }
    return checker.has_length(value) ? checker.list(value, key.list_depth) : std::nullopt;
}

}  // namespace

std::optional<Value> check_value(const Key& key, const Value& value, const std::string& path,
                                 const CheckContext& context) {
    return check_at(key, value, KeyPath(path), context);
}

bool accepts(const Key& key, const Value& value) {
    if (key.can_be_none && value == Value("none")) {
        return true;
    }
    const std::filesystem::path home("/");
    Diagnostics quiet;
    if (check_value(key, value, "", {home, quiet, nullptr, false}) && quiet.ok()) {
        return true;
    }
    return std::ranges::any_of(key.or_else,
                               [&](const Key& other) { return accepts(other, value); });
}

std::optional<Value> check_absent(const Key& key, const SourceLocation& place,
                                  const std::string& path, const CheckContext& context) {
    if (key.is_required) {
        const std::string help = key.help.empty() ? "" : fmt::format(" ({})", key.help);
        const std::string example = context.familiar ? context.familiar->example(path) : "";
        context.problems.error(
            place, path,
            Explanation{fmt::format("required, but missing: {}{}", expected_text(key), help),
                        example.empty() ? "" : typed_value(place, path, example)});
        return std::nullopt;
    }
    if (!key.default_value) {
        return std::nullopt;
    }
    const auto checked = check_value(key, *key.default_value, path, context);
    return checked ? std::optional(checked->at(SourceLocation())) : std::nullopt;
}

}  // namespace ptp::schema
