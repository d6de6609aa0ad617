// Compares plugins, their components, globals, statistics, requirements, abilities and versions.
// Ports and settings have their own files.

#include "plugin/compare.hpp"

#include "base/text.hpp"
#include "plugin/compare_parts.hpp"
#include "plugin/enum_names.hpp"

#include <ptp/ext/parameters.h>
#include <ptp/ext/state.h>

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <system_error>

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

void judge_global(const Global& older, const Global& newer, Judgement& judgement) {
    judgement.add_text(change_of_access(older.access, newer.access), "access",
                       to_string(older.access), to_string(newer.access));
    // Another formula may result in the same size, which is checked when the pipeline is assembled.
    judgement.add_text(older.value.empty()   ? Change::kWidened
                       : newer.value.empty() ? Change::kNarrowed
                                             : Change::kBreaking,
                       "value", older.value, newer.value, OnSwap::kNoted);
    judgement.add_text(Change::kWidened, "purpose", to_string(older.purpose),
                       to_string(newer.purpose), OnSwap::kNoted);
    judgement.add_condition(older.when, newer.when, newer.access == GlobalAccess::kRead);
}

void judge_new_global(const Global& global, Judgement& judgement) {
    switch (global.access) {
        case GlobalAccess::kRead:
            judgement.add(global.when.empty() ? Change::kBreaking : Change::kNarrowed,
                          "is new, and must be published");
            return;
        case GlobalAccess::kReadIfPublished:
            judgement.add(Change::kNarrowed, "is new, and must fit where it is published");
            return;
        case GlobalAccess::kWrite:
            judgement.add(Change::kNarrowed, "is new, and nothing else can publish it");
            return;
        case GlobalAccess::kReadIfNamed:
        case GlobalAccess::kWriteIfNamed:
            judgement.add(Change::kWidened, "is new");
            return;
    }
}

void judge_gone_global(const Global& global, Judgement& judgement) {
    judgement.add(global.is_written() ? Change::kBreaking : Change::kNarrowed,
                  global.is_written() ? "is no longer published" : "is no longer read");
}

std::string_view better_value(const Statistic& statistic) {
    return statistic.is_larger_better    ? "the larger one"
           : statistic.is_smaller_better ? "the smaller one"
                                         : "";
}

void judge_statistic(const Statistic& older, const Statistic& newer, Judgement& judgement) {
    judgement.add_text(Change::kBreaking, "aggregation", to_string(older.aggregation),
                       to_string(newer.aggregation));
    judgement.add_text(Change::kBreaking, "weight", older.weight, newer.weight);
    judgement.add_text(Change::kIdentical, "number of decimals", std::to_string(older.decimals),
                       std::to_string(newer.decimals), OnSwap::kNoted);
    judgement.add_flag({.set = Change::kBreaking, .unset = Change::kWidened}, older.is_hidden,
                       newer.is_hidden, "hidden");
    judgement.add_flag({.set = Change::kBreaking, .unset = Change::kBreaking}, older.is_integer,
                       newer.is_integer, "a whole number");
    judgement.add_flag({.set = Change::kWidened, .unset = Change::kNarrowed}, older.has_spread,
                       newer.has_spread, "recorded with minimum, maximum and deviation");
    judgement.add_flag({.set = Change::kNarrowed, .unset = Change::kWidened}, older.is_set_only,
                       newer.is_set_only, "without a value for a single batch");
    judgement.add_text(Change::kIdentical, "better value", better_value(older), better_value(newer),
                       OnSwap::kNoted);
    judgement.add_condition(older.when, newer.when, false);
}

void judge_new_statistic(const Statistic& /*statistic*/, Judgement& judgement) {
    judgement.add(Change::kWidened, "is new");
}

constexpr Rules<Global> kGlobalRules = {"global", OnSwap::kRefused, judge_global, judge_new_global,
                                        judge_gone_global};
constexpr Rules<Statistic> kStatisticRules = {"statistic", OnSwap::kRefused, judge_statistic,
                                              judge_new_statistic};

// Compares requirements, which are the same or not.
void compare_requirements(const Component& older, const Component& newer,
                          std::vector<Compared>& all) {
    const auto has = [](const Component& component, const Requirement& wanted) {
        return std::ranges::any_of(component.requirements, [&](const Requirement& one) {
            return one.relation == wanted.relation && one.when == wanted.when;
        });
    };
    for (const Requirement& one : older.requirements) {
        Judgement judgement("requirement", one.relation);
        if (!has(newer, one)) {
            judgement.add(Change::kWidened, "need not hold any more");
        }
        all.push_back(judgement.take());
    }
    for (const Requirement& one : newer.requirements) {
        if (!has(older, one)) {
            Judgement judgement("requirement", one.relation);
            judgement.add(Change::kNarrowed, "must hold now");
            all.push_back(judgement.take());
        }
    }
}

void compare_abilities(const Component& older, const Component& newer, std::vector<Compared>& all) {
    if (!older.abilities || !newer.abilities) {
        return;
    }
    const auto has = [](const Component& component, const std::string& id) {
        return std::ranges::find(*component.abilities, id) != component.abilities->end();
    };
    for (const std::string& id : *older.abilities) {
        Judgement judgement("ability", id);
        if (!has(newer, id)) {
            judgement.add(Change::kBreaking, "is no longer offered");
        }
        all.push_back(judgement.take());
    }
    for (const std::string& id : *newer.abilities) {
        if (has(older, id)) {
            continue;
        }
        const bool is_saved = id == PTP_EXTENSION_STATE || id == PTP_EXTENSION_PARAMETERS;
        Judgement judgement("ability", id);
        judgement.add(is_saved ? Change::kNarrowed : Change::kWidened,
                      is_saved ? "is new, and checkpoints of before have nothing of it" : "is new");
        all.push_back(judgement.take());
    }
}

// A component gets its ports by their places, and files have their columns so.
template <class Item>
void judge_order(std::string_view noun, const std::vector<Item>& older,
                 const std::vector<Item>& newer, Judgement& judgement) {
    std::vector<Pair<Item>> kept = matched(older, newer);
    std::erase_if(kept, [](const Pair<Item>& pair) { return !pair.first || !pair.second; });
    const auto names = [&] {
        std::vector<std::string> all;
        for (const auto& [one, partner] : kept) {
            all.push_back(one->name);
        }
        return join(all, ", ");
    };
    const std::string before = names();
    std::ranges::sort(kept, {}, &Pair<Item>::second);  // they are in one list
    judgement.add_text(Change::kIdentical, fmt::format("order of {}", noun), before, names());
}

std::string_view or_none(std::string_view text) {
    return text.empty() ? "none" : text;
}

}  // namespace

std::string_view to_string(Change change) {
    constexpr std::string_view kWords[] = {"identical", "widened", "narrowed", "breaking"};
    return kWords[static_cast<std::size_t>(change) - 1];
}

void Judgement::add(Change change, const std::string& reason, std::optional<OnSwap> on_swap,
                    std::string_view more) {
    if (change != Change::kIdentical) {
        compared_.change = std::max(compared_.change, change);
        compared_.reasons.push_back(reason);
    }
    const OnSwap effect = on_swap.value_or(usual_);
    if (effect != OnSwap::kNothing) {
        const bool is_whole = compared_.kind == "component";
        const std::string label =
            is_whole ? "" : fmt::format("{} '{}': ", compared_.kind, compared_.name);
        compared_.on_swap.push_back(
            {fmt::format("{}{}{}", label, reason, more), effect == OnSwap::kRefused});
    }
}

void Judgement::add_text(Change change, std::string_view what, std::string_view older,
                         std::string_view newer, std::optional<OnSwap> on_swap) {
    if (older != newer) {
        add(change, fmt::format("{} was {}, is {}", what, or_none(older), or_none(newer)), on_swap);
    }
}

void Judgement::add_flag(Ways ways, bool older, bool newer, std::string_view what,
                         std::optional<OnSwap> on_swap) {
    if (older != newer) {
        add(newer ? ways.set : ways.unset,
            fmt::format("{} {}", newer ? "is now" : "is no longer", what), on_swap);
    }
}

void Judgement::add_condition(const std::string& older, const std::string& newer, bool is_demand) {
    const Change change = older.empty()   ? (is_demand ? Change::kWidened : Change::kNarrowed)
                          : newer.empty() ? (is_demand ? Change::kNarrowed : Change::kWidened)
                                          : Change::kBreaking;
    add_text(change, "condition", older, newer);
}

std::vector<Compared> compare_components(const Component& older, const Component& newer) {
    Judgement whole("component", older.name, OnSwap::kRefused);
    whole.add_text(Change::kBreaking, "kind", to_string(older.kind), to_string(newer.kind));
    const Change samples = older.sample_count.empty()   ? Change::kWidened
                           : newer.sample_count.empty() ? Change::kNarrowed
                                                        : Change::kBreaking;
    whole.add_text(samples, "number of samples", older.sample_count, newer.sample_count,
                   OnSwap::kNothing);
    judge_order("ports", older.ports, newer.ports, whole);
    judge_order("statistics", older.statistics, newer.statistics, whole);
    std::vector<Compared> all = {whole.take()};
    compare_items(older.settings, newer.settings, kSettingRules, all);
    compare_items(older.ports, newer.ports, kPortRules, all);
    compare_items(older.globals, newer.globals, kGlobalRules, all);
    compare_items(older.statistics, newer.statistics, kStatisticRules, all);
    compare_requirements(older, newer, all);
    compare_abilities(older, newer, all);
    for (Compared& one : all) {
        one.component = older.name;
    }
    return all;
}

std::vector<Compared> compare_manifests(const Manifest& older, const Manifest& newer) {
    Judgement whole("plugin", older.name);
    whole.add_text(Change::kBreaking, "name", older.name, newer.name);
    std::vector<Compared> all = {whole.take()};
    for (const auto& [before, now] : matched(older.components, newer.components)) {
        if (before != nullptr && now != nullptr) {
            std::ranges::move(compare_components(*before, *now), std::back_inserter(all));
        } else if (before != nullptr) {
            all.push_back(
                {before->name, "component", before->name, Change::kBreaking, {"is gone"}});
        } else {
            all.push_back({now->name, "component", now->name, Change::kWidened, {"is new"}});
        }
    }
    return all;
}

Change most(const std::vector<Compared>& compared) {
    Change change = Change::kIdentical;
    for (const Compared& one : compared) {
        change = std::max(change, one.change);
    }
    return change;
}

std::optional<VersionNumber> VersionNumber::parse(std::string_view text) {
    VersionNumber version;
    for (std::uint64_t* const number : {&version.major, &version.minor, &version.patch}) {
        if (number != &version.major) {
            if (!text.starts_with('.')) {
                return std::nullopt;
            }
            text.remove_prefix(1);
        }
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
        if (error != std::errc()) {
            return std::nullopt;
        }
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    const bool is_whole = text.empty() || text.front() == '-' || text.front() == '+';
    return is_whole ? std::optional(version) : std::nullopt;
}

std::string VersionNumber::text() const {
    return fmt::format("{}.{}.{}", major, minor, patch);
}

VersionNumber VersionNumber::after(Change change) const {
    if (change == Change::kIdentical) {
        return *this;
    }
    const bool is_compatible = change == Change::kWidened;
    if (major > 0) {
        return is_compatible ? VersionNumber{major, minor + 1, 0} : VersionNumber{major + 1, 0, 0};
    }
    if (minor > 0 && !is_compatible) {
        return {0, minor + 1, 0};
    }
    return {0, minor, patch + 1};
}

}  // namespace ptp::plugin
