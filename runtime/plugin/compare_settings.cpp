// Compares settings: what they accept, and what they are without a value.

#include "base/ranges.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "plugin/compare_parts.hpp"
#include "plugin/enum_names.hpp"
#include "schema/range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ptp::plugin {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Both ends of an interval; an interval of integers includes both.
struct Ends {
    double low = -kInfinity;
    double high = kInfinity;
    bool includes_low = false;
    bool includes_high = false;

    [[nodiscard]] bool holds(const Ends& other) const {
        const bool is_low =
            low < other.low || (low == other.low && (includes_low || !other.includes_low));
        const bool is_high =
            high > other.high || (high == other.high && (includes_high || !other.includes_high));
        return is_low && is_high;
    }
    [[nodiscard]] bool meets(const Ends& other) const {
        const auto begins_before_end = [](const Ends& left, const Ends& right) {
            return left.low < right.high ||
                   (left.low == right.high && left.includes_low && right.includes_high);
        };
        return begins_before_end(*this, other) && begins_before_end(other, *this);
    }
};

Ends ends_of(const std::string& text, bool is_whole) {
    const auto range = schema::Range::parse(text);
    if (!range) {
        return {};
    }
    Ends ends{range->low(), range->high(), range->includes_low(), range->includes_high()};
    if (is_whole && std::isfinite(ends.low)) {
        ends.low = ends.includes_low ? std::ceil(ends.low) : std::floor(ends.low) + 1;
        ends.includes_low = true;
    }
    if (is_whole && std::isfinite(ends.high)) {
        ends.high = ends.includes_high ? std::floor(ends.high) : std::ceil(ends.high) - 1;
        ends.includes_high = true;
    }
    return ends;
}

void judge_interval(const char* what, const Ends& older, const Ends& newer,
                    const std::string& before, const std::string& now, Judgement& judgement) {
    const bool is_wider = newer.holds(older);
    if (is_wider && older.holds(newer)) {
        return;
    }
    judgement.add_text(is_wider             ? Change::kWidened
                       : newer.meets(older) ? Change::kNarrowed
                                            : Change::kBreaking,
                       what, before, now);
}

void judge_type(const Setting& older, const Setting& newer, Judgement& judgement) {
    using enum SettingType;
    if (older.type == newer.type) {
        return;
    }
    const auto is = [&](SettingType before, SettingType now) {
        return older.type == before && newer.type == now;
    };
    Change change = Change::kBreaking;
    if (newer.type == kAny || is(kInteger, kReal) || is(kEnumeration, kString)) {
        change = Change::kWidened;
    } else if (older.type == kAny || is(kReal, kInteger) || is(kString, kEnumeration)) {
        change = Change::kNarrowed;
    }
    judgement.add_text(change, "type", to_string(older.type), to_string(newer.type));
}

std::string list_form(const Setting& setting) {
    if (setting.takes_list_or_one) {
        return "a list, or one value";
    }
    return setting.list_depth == 0   ? "a value"
           : setting.list_depth == 1 ? "a list"
                                     : "a list of lists";
}

void judge_form(const Setting& older, const Setting& newer, Judgement& judgement) {
    const std::string before = list_form(older);
    const std::string now = list_form(newer);
    const bool is_list_or_one = older.takes_list_or_one || newer.takes_list_or_one;
    const bool is_deep = older.list_depth > 1 || newer.list_depth > 1;
    if (before != now) {
        judgement.add(!is_list_or_one || is_deep ? Change::kBreaking
                      : newer.takes_list_or_one  ? Change::kWidened
                                                 : Change::kNarrowed,
                      fmt::format("took {}, takes {}", before, now));
    }
}

bool is_part(const std::vector<std::string>& part, const std::vector<std::string>& whole) {
    return std::ranges::all_of(part, [&](const std::string& one) { return contains(whole, one); });
}

void judge_choices(const Setting& older, const Setting& newer, Judgement& judgement) {
    if (older.choices.empty() || newer.choices.empty()) {
        return;
    }
    const bool is_kept = is_part(older.choices, newer.choices);
    if (is_kept && is_part(newer.choices, older.choices)) {
        return;
    }
    const bool has_common = std::ranges::any_of(
        older.choices, [&](const std::string& one) { return is_part({one}, newer.choices); });
    judgement.add(is_kept      ? Change::kWidened
                  : has_common ? Change::kNarrowed
                               : Change::kBreaking,
                  fmt::format("choices were {}, are {}", join(older.choices, " | "),
                              join(newer.choices, " | ")));
}

// Returns whether the values are equal; 1 and 1.0 are the same number.
bool is_same(const Value& left, const Value& right) {
    if (left.is_number() && right.is_number()) {
        return left.as_real() == right.as_real();
    }
    if (left.is_list() && right.is_list()) {
        return std::ranges::equal(left.items(), right.items(), is_same);
    }
    return left == right;
}

void judge_default(const Setting& older, const Setting& newer, Judgement& judgement) {
    if (older.is_required != newer.is_required) {
        judgement.add_flag({.set = Change::kNarrowed, .unset = Change::kWidened}, older.is_required,
                           newer.is_required, "required");
        return;
    }
    const std::string before = older.default_value.value_or("none");
    const std::string now = newer.default_value.value_or("none");
    const auto before_value = read_toml_value(before);
    const auto now_value = read_toml_value(now);
    const bool is_kept =
        before == now || (before_value && now_value && is_same(*before_value, *now_value));
    if (!is_kept) {  // an experiment without the setting would compute something else
        judgement.add(Change::kBreaking, fmt::format("default was {}, is {}", before, now), {},
                      "; the running component keeps its value");
    }
}

void judge_setting(const Setting& older, const Setting& newer, Judgement& judgement) {
    judge_type(older, newer, judgement);
    judge_form(older, newer, judgement);
    judge_choices(older, newer, judgement);
    const bool is_whole = older.type == SettingType::kInteger && newer.type == older.type;
    judge_interval("range", ends_of(older.range, is_whole), ends_of(newer.range, is_whole),
                   older.range, newer.range, judgement);
    const auto length_of = [](const Setting& setting) {
        return ends_of(setting.length.empty() ? "[0, inf)" : setting.length, true);
    };
    judge_interval("length", length_of(older), length_of(newer), older.length, newer.length,
                   judgement);
    judge_default(older, newer, judgement);
    judgement.add_text(Change::kWidened, "purpose", to_string(older.purpose),
                       to_string(newer.purpose));
    judgement.add_flag({.set = Change::kNarrowed, .unset = Change::kWidened}, older.is_output_file,
                       newer.is_output_file, "a file that no other component writes");
    judgement.add_flag({.set = Change::kWidened, .unset = Change::kWidened}, older.is_preparation,
                       newer.is_preparation, "a preparation of samples");
    judgement.add_flag({.set = Change::kWidened, .unset = Change::kBreaking}, older.takes_unlabeled,
                       newer.takes_unlabeled, "what `ptprun predict --data` sets");
    judgement.add_flag({.set = Change::kNarrowed, .unset = Change::kWidened}, !older.obtain.empty(),
                       !newer.obtain.empty(), "a path that must exist");
}

void judge_new_setting(const Setting& setting, Judgement& judgement) {
    if (setting.is_required) {
        judgement.add(Change::kBreaking, "is new and required");
    } else {
        judgement.add(Change::kWidened, "is new", {},
                      setting.default_value
                          ? fmt::format("; it takes its default, {}", *setting.default_value)
                          : "; it stays without a value");
    }
}

}  // namespace

constexpr Rules<Setting> kSettingRules = {"setting", OnSwap::kNoted, judge_setting,
                                          judge_new_setting};

}  // namespace ptp::plugin
