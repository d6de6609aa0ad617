#include "plugin/enum_names.hpp"

#include <array>
#include <cstddef>

namespace ptp::plugin {

namespace {

// The enumerations are numbered from 1 without gaps, so the place in the list is the number.
template <std::size_t count>
using Words = std::array<std::string_view, count>;

constexpr Words<7> kKinds = {"task",      "model",     "loss",  "transform",
                             "statistic", "publisher", "viewer"};
constexpr Words<8> kElements = {"float",  "integer", "bool",        "byte",
                                "string", "tokens",  "tensor_list", "any"};
constexpr Words<8> kSettingTypes = {"bool", "integer",     "real",  "string",
                                    "path", "enumeration", "table", "any"};
constexpr Words<2> kDirections = {"input", "output"};
constexpr Words<5> kGlobalAccesses = {"read", "read_if_named", "write", "read_if_published",
                                      "write_if_named"};
constexpr Words<3> kAggregations = {"mean", "sum", "computed"};

template <std::size_t count, class Enumeration>
std::string_view find_word(const Words<count>& words, Enumeration value) {
    const auto number = static_cast<std::int64_t>(value);
    const bool is_known = number >= 1 && number <= static_cast<std::int64_t>(count);
    return is_known ? words[static_cast<std::size_t>(number - 1)] : std::string_view();
}

template <std::size_t count, class Enumeration>
bool find_value(const Words<count>& words, std::string_view text, Enumeration& value) {
    for (std::size_t i = 0; i < count; ++i) {
        if (words[i] == text) {
            value = static_cast<Enumeration>(i + 1);
            return true;
        }
    }
    return false;
}

}  // namespace

std::string_view to_string(Kind value) {
    return find_word(kKinds, value);
}
std::string_view to_string(Element value) {
    return find_word(kElements, value);
}
std::string_view to_string(SettingType value) {
    return find_word(kSettingTypes, value);
}
std::string_view to_string(Direction value) {
    return find_word(kDirections, value);
}
std::string_view to_string(GlobalAccess value) {
    return find_word(kGlobalAccesses, value);
}
std::string_view to_string(Aggregation value) {
    return find_word(kAggregations, value);
}

bool parse(std::string_view text, Kind& value) {
    return find_value(kKinds, text, value);
}
bool parse(std::string_view text, Element& value) {
    return find_value(kElements, text, value);
}
bool parse(std::string_view text, SettingType& value) {
    return find_value(kSettingTypes, text, value);
}
bool parse(std::string_view text, Direction& value) {
    return find_value(kDirections, text, value);
}
bool parse(std::string_view text, GlobalAccess& value) {
    return find_value(kGlobalAccesses, text, value);
}
bool parse(std::string_view text, Aggregation& value) {
    return find_value(kAggregations, text, value);
}

}  // namespace ptp::plugin
