// Advises what to write in place of a value that is refused, or of a key that is unknown.

#include "base/duration.hpp"
#include "base/shell_words.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "schema/check_value.hpp"
#include "schema/key_path.hpp"
#include "schema/range.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>

namespace ptp::schema {

std::optional<Value> meant_value(const Key& key, const Value& value) {
    constexpr double kMaxWhole = 1e15;  // up to which each whole real is one integer
    std::optional<Value> meant;
    if (value.is_string()) {
        const std::string word = folded(trimmed(value.as_string()));
        std::vector<std::string> meanings = meanings_of_commas(value.as_string());
        meanings.insert(meanings.begin(), number_meant(value.as_string()));
        for (const std::string& one : meanings) {
            auto read = read_toml_value(one);
            if (read && accepts(key, *read)) {
                return read;
            }
        }
        meant = word == "true" || word == "yes"   ? std::optional(Value(true))
                : word == "false" || word == "no" ? std::optional(Value(false))
                                                  : std::nullopt;
    } else if (value.is_list() && !value.items().empty() &&
               std::ranges::count(value.items(), value.items().front()) ==
                   std::ssize(value.items())) {
        meant = value.items().front();  // 5 for [5], and for [5, 5]
    } else if (value.is_integer() && (value.as_integer() == 0 || value.as_integer() == 1)) {
        meant = Value(value.as_integer() == 1);
    } else if (value.is_real() && std::trunc(value.as_real()) == value.as_real() &&
               std::abs(value.as_real()) < kMaxWhole) {
        meant = Value(static_cast<std::int64_t>(value.as_real()));
    }
    return meant && accepts(key, *meant) ? meant : std::nullopt;
}

namespace {

std::optional<Value> share_of(const Key& key, const Value& value, double least) {
    constexpr double kPercent = 100;
    const auto range = Range::parse(key.range);
    if (key.form != Form::kReal || !range || range->high() != 1 || !value.is_number() ||
        value.as_real() < least) {
        return std::nullopt;
    }
    const double share = value.as_real() / kPercent;
    return range->contains(share) ? std::optional(Value(share)) : std::nullopt;
}

}  // namespace

std::optional<Value> share_of_percent(const Key& key, const Value& value) {
    return share_of(key, value, 10);
}

namespace {

// Returns the shares of a whole for its parts, [0.8, 0.2] for [4, 1], of a key whose numbers are
// above 0 and below 1; nullopt for others.
std::optional<Value> shares_of_parts(const Key& key, const Value& list) {
    constexpr double kSteps = 10000;  // of the numbers that are written
    const auto range = Range::parse(key.range);
    const auto is_part = [](const Value& one) { return one.is_number() && one.as_real() >= 1; };
    if (key.form != Form::kReal || !range || range->contains(0) || range->contains(1) ||
        range->high() != 1 || list.items().size() < 2 ||
        !std::ranges::all_of(list.items(), is_part)) {
        return std::nullopt;
    }
    double whole = 0;
    for (const Value& part : list.items()) {
        whole += part.as_real();
    }
    std::vector<Value> shares;
    double rest = kSteps;  // for the first, so that their sum is 1
    for (const Value& part : list.items()) {
        const double steps = std::round(part.as_real() / whole * kSteps);
        rest -= &part == &list.items().front() ? 0 : steps;
        shares.emplace_back(steps / kSteps);
    }
    shares.front() = Value(rest / kSteps);
    const bool fits = std::ranges::all_of(
        shares, [&](const Value& share) { return range->contains(share.as_real()); });
    return fits ? std::optional(Value::list(std::move(shares))) : std::nullopt;
}

}  // namespace

std::optional<Value> shares_of(const Key& key, const Value& list) {
    constexpr double kMinSum = 0.5;
    constexpr double kMaxSum = 1 + 1e-9;
    double sum = 0;
    std::vector<Value> shares;
    for (const Value& one : list.items()) {
        const auto share = share_of(key, one, 1);
        if (!share) {
            return shares_of_parts(key, list);
        }
        sum += share->as_real();
        shares.push_back(*share);
    }
    const bool is_whole = sum >= kMinSum && sum <= kMaxSum;
    return is_whole && shares.size() > 1 ? std::optional(Value::list(std::move(shares)))
                                         : shares_of_parts(key, list);
}

std::string hint_for(const Member& unknown, const std::vector<Key>& keys,
                     const std::vector<std::string>& more_known) {
    std::vector<std::string> known;
    std::vector<std::string> candidates = more_known;
    for (const Key& key : keys) {
        known.push_back(key.name);
        if (accepts(key, unknown.value)) {
            candidates.push_back(key.name);
        }
    }
    known.insert(known.end(), more_known.begin(), more_known.end());
    return hint_among(unknown.key, candidates, known);
}

std::string advice_on_quotes(const Value& value, bool (Value::*is_wanted)() const) {
    if (!value.is_string()) {
        return "";
    }
    const auto within = read_toml_value(value.as_string());
    if (!within || !((*within).*is_wanted)()) {
        return "";
    }
    return fmt::format("remove the quotes: {}", value.as_string());
}

std::string duration_in_words(const std::string& given) {
    const std::string text = folded(given);
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string unit(trimmed(std::string_view(text).substr(digits)));
    constexpr std::array<std::string_view, 4> kUnits = {"s sec secs second seconds",
                                                        "m min mins minute minutes",
                                                        "h hr hrs hour hours", "d day days"};
    const auto known =
        std::ranges::find_if(kUnits, [&](std::string_view words) { return has_word(words, unit); });
    const std::string meant =
        known == kUnits.end() ? "" : text.substr(0, digits) + std::string(1, known->front());
    return meant == given || !duration_from(meant) ? "" : fmt::format("\"{}\"", meant);
}

std::string advice_on_sweep(const Key& key, const Value& value, const std::string& path) {
    if (value.place().file() != kCommandLine || !value.is_list() || value.items().size() < 2) {
        return "";
    }
    std::vector<std::string> each;
    for (const Value& item : value.items()) {
        each.push_back(inline_toml(item));
        if (!accepts(key, item) || each.back().find(',') != std::string::npos) {
            return "";
        }
    }
    return fmt::format("{} trains with each", typed_value(value.place(), path, join(each, ",")));
}

std::string advice_on_duration(const Value& value) {
    if (!value.is_integer() || value.as_integer() < 1) {
        return "";
    }
    return fmt::format("write \"{0}s\", \"{0}m\" or \"{0}h\" for seconds, minutes or hours",
                       value.as_integer());
}

std::string typed_value(const SourceLocation& place, const std::string& key,
                        const std::string& value) {
    return place.file() == kCommandLine
               ? "--set " + shell_word(fmt::format("{}={}", key, value))
               : fmt::format("write {} = {}", key.substr(key.rfind('.') + 1), value);
}

Explanation unknown_member(const UnknownKey& unknown, const std::vector<Key>& members) {
    const Member& member = unknown.member;
    const auto meant = unknown.familiar == nullptr ? std::nullopt : unknown.familiar->key(unknown);
    const std::string key = meant && meant->keys.size() == 1 ? meant->keys.front() : "";
    const auto value = key.empty() || meant->value.empty() ? std::optional(member.value)
                                                           : read_toml_value(meant->value);
    const auto known = std::ranges::find_if(members, [&](const Key& one) {
        return below(unknown.table, one.name) == key && value && accepts(one, *value);
    });
    if (known == members.end()) {
        return {"unknown setting" + hint_for(member, members)};
    }
    return {fmt::format("unknown setting; did you mean '{}'?", known->name),
            typed_value(member.key_place, key, inline_toml(*value))};
}

std::string other_meaning(std::string_view meanings) {
    constexpr std::string_view kOr = ", or ";
    constexpr std::string_view kWith = " with ";
    const std::size_t other = meanings.find(kOr);
    const std::size_t with = other == meanings.npos ? other : meanings.find(kWith, other);
    if (with == meanings.npos) {
        return "";
    }
    const std::size_t begin = other + kOr.size();
    return fmt::format("; {} needs {}", meanings.substr(begin, with - begin),
                       meanings.substr(with + kWith.size()));
}

std::string fix_of_key(const UnknownKey& unknown, const std::string& key,
                       const std::string& value) {
    const SourceLocation& place = unknown.member.key_place;
    const Value& given = unknown.member.value;
    const bool is_list_of_tables =
        given.is_list() && std::ranges::any_of(given.items(), &Value::is_table);
    const bool has_members = (given.is_table() || is_list_of_tables) &&
                             unknown.familiar != nullptr && unknown.root != nullptr;
    return place.file() == kCommandLine && !has_members ? typed_value(place, key, value)
           : unknown.familiar == nullptr                ? ""
                                         : unknown.familiar->fix(unknown, key, value);
}

namespace {

// Returns "test.task.batch_size" for that of [training], where [test] is read in its place.
std::string in_section(const std::string& key, const std::string& section) {
    constexpr std::array<std::string_view, 4> kOfSections = {
        "training.task.", "training.sampler", "training.dataloader", "training.batch_limit"};
    constexpr std::string_view kTraining = "training";
    const bool is_of_section = std::ranges::any_of(
        kOfSections, [&](std::string_view table) { return key.starts_with(table); });
    return section.empty() || !is_of_section ? key : section + key.substr(kTraining.size());
}

// Returns the key as it is typed in the table; for --set it is whole, unless it is the table's own.
std::string typed_key(const UnknownKey& unknown, const std::string& key) {
    const std::string last = key.substr(key.rfind('.') + 1);
    const std::string before = unknown.table + ".";
    const bool is_within =
        key.starts_with(before) && unknown.member.key_place.file() != kCommandLine;
    return below(unknown.table, last) == key ? last : is_within ? key.substr(before.size()) : key;
}

}  // namespace

Explanation explained(const UnknownKey& unknown, const MeantKey& first_meant) {
    MeantKey meant = first_meant;
    for (std::string& key : meant.keys) {
        key = in_section(key, unknown.section);
    }
    const auto repeated = std::ranges::unique(meant.keys);
    meant.keys.erase(repeated.begin(), repeated.end());
    if (!meant.fix.empty()) {
        return {"unknown key" + meant.reason, meant.fix};
    }
    const std::string value = meant.value.empty() ? inline_toml(unknown.member.value) : meant.value;
    const bool is_typed = unknown.member.key_place.file() == kCommandLine;  // one may be chosen
    const bool has_fix = meant.expected.empty() && (meant.keys.size() == 1 || is_typed);
    std::string fix;
    std::vector<std::string> keys;
    for (const std::string& key : meant.keys) {
        const std::string_view between = fix.empty() ? "" : kNextFix;
        fix += has_fix ? std::string(between) + fix_of_key(unknown, key, value) : "";
        keys.push_back(fmt::format("'{}'", typed_key(unknown, key)));
    }
    if (!meant.value.empty()) {
        return {"unknown key",
                fix.empty()
                    ? fmt::format("write {} = {}", typed_key(unknown, meant.keys.front()), value)
                    : fix};
    }
    if (!meant.expected.empty()) {
        return {fmt::format("unknown key; here it is {}, which must be {}", keys.front(),
                            meant.expected)};
    }
    return {fmt::format("unknown key; did you mean {}?", joined(keys, "or")), std::move(fix)};
}

}  // namespace ptp::schema
