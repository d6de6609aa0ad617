#include "plugin/compare_parts.hpp"
#include "plugin/enum_names.hpp"

#include <fmt/format.h>

#include <string>

namespace ptp::plugin {

namespace {

// Returns the change for a global whose access changes.
Change change_of_access(GlobalAccess older, GlobalAccess newer) {
    using enum GlobalAccess;
    if (older == kRead && newer == kReadIfPublished) {
        return Change::kWidened;
    }
    const bool was_free = older == kReadIfNamed || older == kReadIfPublished;
    if ((was_free && newer == kRead) || (older == kWriteIfNamed && newer == kWrite)) {
        return Change::kNarrowed;
    }
    return Change::kBreaking;
}

Judgement judge_global(const Global& older, const Global& newer) {
    Judgement judgement;
    if (older.access != newer.access) {
        judgement.add(
            change_of_access(older.access, newer.access),
            fmt::format("access was {}, is {}", to_string(older.access), to_string(newer.access)));
    }
    const Change value = older.value.empty()   ? Change::kWidened
                         : newer.value.empty() ? Change::kNarrowed
                                               : Change::kBreaking;
    judgement.add_text(value, "value", older.value, newer.value);
    judgement.add_condition(older.when, newer.when, newer.access == GlobalAccess::kRead);
    return judgement;
}

void add_fresh_global(const Global& global, Comparison& comparison) {
    switch (global.access) {
        case GlobalAccess::kRead:
            comparison.add("global", global.name,
                           global.when.empty() ? Change::kBreaking : Change::kNarrowed,
                           "is new, and must be published");
            return;
        case GlobalAccess::kReadIfPublished:
            comparison.add("global", global.name, Change::kNarrowed,
                           "is new, and must fit where it is published");
            return;
        case GlobalAccess::kWrite:
            comparison.add("global", global.name, Change::kNarrowed,
                           "is new, and nothing else can publish it");
            return;
        case GlobalAccess::kReadIfNamed:
        case GlobalAccess::kWriteIfNamed:
            comparison.add("global", global.name, Change::kWidened, "is new");
            return;
    }
}

Judgement judge_statistic(const Statistic& older, const Statistic& newer) {
    Judgement judgement;
    judgement.add_text(Change::kBreaking, "aggregation", std::string(to_string(older.aggregation)),
                       std::string(to_string(newer.aggregation)));
    judgement.add_text(Change::kBreaking, "weight", older.weight, newer.weight);
    judgement.add_flag({.set = Change::kBreaking, .unset = Change::kWidened}, older.is_hidden,
                       newer.is_hidden, "hidden");
    judgement.add_flag({.set = Change::kBreaking, .unset = Change::kBreaking}, older.is_integer,
                       newer.is_integer, "a whole number");
    judgement.add_flag({.set = Change::kWidened, .unset = Change::kNarrowed}, older.has_spread,
                       newer.has_spread, "recorded with minimum, maximum and deviation");
    judgement.add_flag({.set = Change::kNarrowed, .unset = Change::kWidened}, older.is_set_only,
                       newer.is_set_only, "without a value for a single batch");
    judgement.add_condition(older.when, newer.when, false);
    return judgement;
}

}  // namespace

void compare_globals(const Component& older, const Component& newer, Comparison& comparison) {
    match_by_name(
        older.globals, newer.globals,
        [&](const Global& before, const Global& now) {
            comparison.add("global", before.name, judge_global(before, now));
        },
        [&](const Global& gone) {
            comparison.add("global", gone.name,
                           gone.is_written() ? Change::kBreaking : Change::kNarrowed,
                           gone.is_written() ? "is no longer published" : "is no longer read");
        },
        [&](const Global& fresh) { add_fresh_global(fresh, comparison); });
}

void compare_statistics(const Component& older, const Component& newer, Comparison& comparison) {
    match_by_name(
        older.statistics, newer.statistics,
        [&](const Statistic& before, const Statistic& now) {
            comparison.add("statistic", before.name, judge_statistic(before, now));
        },
        [&](const Statistic& gone) {
            comparison.add("statistic", gone.name, Change::kBreaking, "is gone");
        },
        [&](const Statistic& fresh) {
            comparison.add("statistic", fresh.name, Change::kWidened, "is new");
        });
}

}  // namespace ptp::plugin
