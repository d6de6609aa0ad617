// Compares streams: their directions, elements, shapes, flags and conditions.

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

void judge_element(const Port& older, const Port& newer, Judgement& judgement) {
    const Change change = newer.element == Element::kAny   ? Change::kWidened
                          : older.element == Element::kAny ? Change::kNarrowed
                                                           : Change::kBreaking;
    judgement.add_text(change, "element", to_string(older.element), to_string(newer.element));
}

void judge_shape(const Port& older, const Port& newer, Judgement& judgement) {
    const Change change = older.element == Element::kAny || newer.element == Element::kAny
                              ? Change::kIdentical
                              : change_of_shape(older.shape, newer.shape);
    if (older.shape != newer.shape) {
        judgement.add(newer.direction == Direction::kInput ? change : seen_by_readers(change),
                      fmt::format("shape was [{}], is [{}]", older.shape, newer.shape));
    }
}

void judge_port(const Port& older, const Port& newer, Judgement& judgement) {
    const bool is_input = newer.direction == Direction::kInput;
    judgement.add_text(Change::kBreaking, "direction", to_string(older.direction),
                       to_string(newer.direction));
    if (older.direction != newer.direction) {
        return;
    }
    judge_element(older, newer, judgement);
    judge_shape(older, newer, judgement);
    judgement.add_flag({.set = Change::kWidened, .unset = Change::kNarrowed}, older.is_optional,
                       newer.is_optional, "optional", OnSwap::kNoted);
    judgement.add_flag({.set = Change::kBreaking, .unset = Change::kBreaking}, older.is_loss,
                       newer.is_loss, "a loss that is minimized");
    judgement.add_flag({.set = Change::kWidened, .unset = Change::kNarrowed}, older.is_reshaped,
                       newer.is_reshaped, "the first input in another shape");
    // Another meaning may fit, which is checked when the pipeline is assembled.
    judgement.add_text(newer.meaning.empty() ? Change::kWidened : Change::kNarrowed, "meaning",
                       older.meaning, newer.meaning, OnSwap::kNoted);
    judgement.add_text(Change::kWidened, "purpose", to_string(older.purpose),
                       to_string(newer.purpose), OnSwap::kNoted);
    judgement.add_condition(older.when, newer.when, is_input && !newer.is_optional);
    judgement.add_text(Change::kBreaking, "setting of streams", older.streams_setting,
                       newer.streams_setting);
}

void judge_new_port(const Port& port, Judgement& judgement) {
    if (port.direction == Direction::kOutput) {
        judgement.add(port.is_loss ? Change::kBreaking : Change::kWidened,
                      port.is_loss ? "is a new loss that is minimized" : "is a new output");
    } else if (port.is_optional) {
        judgement.add(Change::kWidened, "is a new input that is optional", OnSwap::kNoted);
    } else {
        judgement.add(port.when.empty() ? Change::kBreaking : Change::kNarrowed,
                      port.when.empty()
                          ? "is a new input that is required"
                          : fmt::format("is a new input that is required if {}", port.when));
    }
}

}  // namespace

constexpr Rules<Port> kPortRules = {"stream", OnSwap::kRefused, judge_port, judge_new_port};

}  // namespace ptp::plugin
