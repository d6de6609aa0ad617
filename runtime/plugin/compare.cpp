#include "plugin/compare.hpp"

#include "plugin/compare_parts.hpp"
#include "plugin/enum_names.hpp"

#include <ptp/ext/parameters.h>
#include <ptp/ext/state.h>

#include <fmt/format.h>

#include <iterator>

namespace ptp::plugin {

namespace {

constexpr const char* kNone = "none";

std::string shown_text(const std::string& text) {
    return text.empty() ? kNone : text;
}

void compare_requirements(const Component& older, const Component& newer, Comparison& comparison) {
    const auto has = [](const Component& component, const Requirement& wanted) {
        return std::ranges::any_of(component.requirements, [&](const Requirement& one) {
            return one.relation == wanted.relation && one.when == wanted.when;
        });
    };
    for (const Requirement& one : older.requirements) {
        const bool is_kept = has(newer, one);
        Judgement judgement;
        if (!is_kept) {
            judgement.add(Change::kWidened, "need not hold any more");
        }
        comparison.add("requirement", one.relation, judgement);
    }
    for (const Requirement& one : newer.requirements) {
        if (!has(older, one)) {
            comparison.add("requirement", one.relation, Change::kNarrowed, "must hold now");
        }
    }
}

std::vector<Compared> compare_components(const Component& older, const Component& newer) {
    Comparison comparison(older.name);
    Judgement whole;
    whole.add_text(Change::kBreaking, "kind", std::string(to_string(older.kind)),
                   std::string(to_string(newer.kind)));
    const Change samples = older.sample_count.empty()   ? Change::kWidened
                           : newer.sample_count.empty() ? Change::kNarrowed
                                                        : Change::kBreaking;
    whole.add_text(samples, "number of samples", older.sample_count, newer.sample_count);
    comparison.add("component", older.name, whole);
    compare_settings(older.settings, newer.settings, "", comparison);
    compare_ports(older, newer, comparison);
    compare_globals(older, newer, comparison);
    compare_statistics(older, newer, comparison);
    compare_requirements(older, newer, comparison);
    compare_abilities(older, newer, comparison);
    return comparison.take();
}

}  // namespace

std::string_view to_string(Change change) {
    switch (change) {
        case Change::kIdentical:
            return "identical";
        case Change::kWidened:
            return "widened";
        case Change::kNarrowed:
            return "narrowed";
        case Change::kBreaking:
            return "breaking";
    }
    return "";
}

void Judgement::add(Change change, std::string reason) {
    change_ = std::max(change_, change);
    reasons_.push_back(std::move(reason));
}

void Judgement::add_text(Change change, std::string_view what, const std::string& older,
                         const std::string& newer) {
    if (older != newer) {
        add(change, fmt::format("{} was {}, is {}", what, shown_text(older), shown_text(newer)));
    }
}

void Judgement::add_flag(Ways ways, bool older, bool newer, std::string_view what) {
    if (older != newer) {
        add(newer ? ways.set : ways.unset,
            fmt::format("{} {}", newer ? "is now" : "is no longer", what));
    }
}

void Judgement::add_condition(const std::string& older, const std::string& newer, bool is_demand) {
    const Change change = older.empty()   ? (is_demand ? Change::kWidened : Change::kNarrowed)
                          : newer.empty() ? (is_demand ? Change::kNarrowed : Change::kWidened)
                                          : Change::kBreaking;
    add_text(change, "condition", older, newer);
}

void Comparison::add(std::string kind, std::string name, const Judgement& judgement) {
    compared_.push_back(
        {component_, std::move(kind), std::move(name), judgement.change(), judgement.reasons()});
}

void Comparison::add(std::string kind, std::string name, Change change, std::string reason) {
    Judgement judgement;
    judgement.add(change, std::move(reason));
    add(std::move(kind), std::move(name), judgement);
}

void compare_abilities(const Component& older, const Component& newer, Comparison& comparison) {
    if (!older.abilities || !newer.abilities) {
        return;
    }
    const auto has = [](const Component& component, const std::string& id) {
        return std::ranges::find(*component.abilities, id) != component.abilities->end();
    };
    for (const std::string& id : *older.abilities) {
        Judgement judgement;
        if (!has(newer, id)) {
            judgement.add(Change::kBreaking, "is no longer offered");
        }
        comparison.add("ability", id, judgement);
    }
    for (const std::string& id : *newer.abilities) {
        if (has(older, id)) {
            continue;
        }
        const bool is_saved = id == PTP_EXTENSION_STATE || id == PTP_EXTENSION_PARAMETERS;
        comparison.add(
            "ability", id, is_saved ? Change::kNarrowed : Change::kWidened,
            is_saved ? "is new, and checkpoints of before have nothing of it" : "is new");
    }
}

std::vector<Compared> compare_builds(const Manifest& older, const Manifest& newer) {
    Judgement whole;
    whole.add_text(Change::kBreaking, "name", older.name, newer.name);
    Comparison comparison("");
    comparison.add("plugin", older.name, whole);
    std::vector<Compared> all = comparison.take();
    const auto append = [&](std::vector<Compared> more) {
        std::ranges::move(more, std::back_inserter(all));
    };
    const auto alone = [&](const Component& component, Change change, const char* reason) {
        Comparison one(component.name);
        one.add("component", component.name, change, reason);
        append(one.take());
    };
    match_by_name(
        older.components, newer.components,
        [&](const Component& before, const Component& now) {
            append(compare_components(before, now));
        },
        [&](const Component& gone) { alone(gone, Change::kBreaking, "is gone"); },
        [&](const Component& fresh) { alone(fresh, Change::kWidened, "is new"); });
    return all;
}

Change most(const std::vector<Compared>& compared) {
    Change change = Change::kIdentical;
    for (const Compared& one : compared) {
        change = std::max(change, one.change);
    }
    return change;
}

}  // namespace ptp::plugin
