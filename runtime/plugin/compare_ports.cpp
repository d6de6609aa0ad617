#include "base/text.hpp"
#include "plugin/compare_parts.hpp"
#include "plugin/enum_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace ptp::plugin {

namespace {

constexpr std::string_view kAnyShape = "...";
constexpr std::string_view kAnySize = "*";

// Splits a shape into dimensions, keeping parentheses and brackets together.
std::vector<std::string> dimensions_of(std::string_view shape) {
    std::vector<std::string> dimensions;
    std::string current;
    int depth = 0;
    for (const char character : shape) {
        depth += character == '(' || character == '[' ? 1 : 0;
        depth -= character == ')' || character == ']' ? 1 : 0;
        if (character == ',' && depth == 0) {
            dimensions.emplace_back(trimmed(current));
            current.clear();
        } else {
            current += character;
        }
    }
    if (!trimmed(current).empty()) {
        dimensions.emplace_back(trimmed(current));
    }
    return dimensions;
}

// Returns whether it can be more than one dimension.
bool is_several(const std::string& dimension) {
    return dimension.find_first_of("^$:") != std::string::npos || dimension == kAnyShape;
}

// Compares the shapes that the older and the newer input accept.
Change change_of_shape(const std::string& older, const std::string& newer) {
    const auto before = dimensions_of(older);
    const auto now = dimensions_of(newer);
    if (before == now) {
        return Change::kIdentical;
    }
    if (newer == kAnyShape) {
        return Change::kWidened;
    }
    if (older == kAnyShape) {
        return Change::kNarrowed;
    }
    if (before.size() != now.size() || std::ranges::any_of(before, is_several) ||
        std::ranges::any_of(now, is_several)) {
        return Change::kBreaking;
    }
    Change change = Change::kIdentical;
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (before[i] != now[i]) {
            change = std::max(change, now[i] == kAnySize      ? Change::kWidened
                                      : before[i] == kAnySize ? Change::kNarrowed
                                                              : Change::kBreaking);
        }
    }
    return change;
}

// Returns the change for the readers of an output: one that promises less is like an input that
// accepts less.
Change seen_by_readers(Change change) {
    return change == Change::kWidened    ? Change::kNarrowed
           : change == Change::kNarrowed ? Change::kWidened
                                         : change;
}

std::string shape_text_of(const std::string& shape) {
    return fmt::format("[{}]", shape);
}

void judge_element(const Port& older, const Port& newer, Judgement& judgement) {
    const Change change = newer.element == Element::kAny   ? Change::kWidened
                          : older.element == Element::kAny ? Change::kNarrowed
                                                           : Change::kBreaking;
    judgement.add_text(change, "element", std::string(to_string(older.element)),
                       std::string(to_string(newer.element)));
}

Judgement judge_port(const Port& older, const Port& newer) {
    Judgement judgement;
    const bool is_input = newer.direction == Direction::kInput;
    judgement.add_text(Change::kBreaking, "direction", std::string(to_string(older.direction)),
                       std::string(to_string(newer.direction)));
    if (older.direction != newer.direction) {
        return judgement;
    }
    judge_element(older, newer, judgement);
    if (older.element != Element::kAny && newer.element != Element::kAny) {
        const Change shape = change_of_shape(older.shape, newer.shape);
        if (shape != Change::kIdentical) {
            judgement.add_text(is_input ? shape : seen_by_readers(shape), "shape",
                               shape_text_of(older.shape), shape_text_of(newer.shape));
        }
    }
    judgement.add_flag({.set = Change::kWidened, .unset = Change::kNarrowed}, older.is_optional,
                       newer.is_optional, "optional");
    judgement.add_flag({.set = Change::kBreaking, .unset = Change::kBreaking}, older.is_loss,
                       newer.is_loss, "a loss that is minimized");
    judgement.add_flag({.set = Change::kWidened, .unset = Change::kNarrowed}, older.is_reshaped,
                       newer.is_reshaped, "the first input in another shape");
    judgement.add_text(newer.meaning.empty() ? Change::kWidened : Change::kNarrowed, "meaning",
                       older.meaning, newer.meaning);
    judgement.add_condition(older.when, newer.when, is_input && !newer.is_optional);
    judgement.add_text(Change::kBreaking, "setting that names its streams", older.streams_setting,
                       newer.streams_setting);
    return judgement;
}

void add_fresh_port(const Port& port, Comparison& comparison) {
    const bool is_input = port.direction == Direction::kInput;
    if (is_input && !port.is_optional) {
        comparison.add(
            "stream", port.name, port.when.empty() ? Change::kBreaking : Change::kNarrowed,
            port.when.empty() ? "is a new input that is required"
                              : fmt::format("is a new input that is required if {}", port.when));
    } else if (port.is_loss) {
        comparison.add("stream", port.name, Change::kBreaking, "is a new loss that is minimized");
    } else {
        comparison.add("stream", port.name, Change::kWidened,
                       is_input ? "is a new input that is optional" : "is a new output");
    }
}

}  // namespace

void compare_ports(const Component& older, const Component& newer, Comparison& comparison) {
    match_by_name(
        older.ports, newer.ports,
        [&](const Port& before, const Port& now) {
            comparison.add("stream", before.name, judge_port(before, now));
        },
        [&](const Port& gone) {
            comparison.add("stream", gone.name, Change::kBreaking, "is gone");
        },
        [&](const Port& fresh) { add_fresh_port(fresh, comparison); });
}

}  // namespace ptp::plugin
