// The words for the enumerations of a manifest in manifests, messages and listings.
#pragma once

#include "plugin/manifest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ptp::plugin {

// The words in the order of the numbers, which begin with 1 and have no gaps.
template <class Enumeration>
constexpr void* kWords = nullptr;
template <>
inline constexpr std::array kWords<Kind> = std::to_array<std::string_view>(
    {"task", "model", "loss", "transform", "statistic", "publisher", "viewer"});
template <>
inline constexpr std::array kWords<Element> = std::to_array<std::string_view>(
    {"float", "integer", "bool", "byte", "string", "tokens", "tensor_list", "any"});
template <>
inline constexpr std::array kWords<SettingType> = std::to_array<std::string_view>(
    {"bool", "integer", "real", "string", "path", "enumeration", "table", "any", "layers"});
template <>
inline constexpr std::array kWords<Direction> = std::to_array<std::string_view>({"input",
                                                                                 "output"});
template <>
inline constexpr std::array kWords<GlobalAccess> = std::to_array<std::string_view>(
    {"read", "read_if_named", "write", "read_if_published", "write_if_named"});
template <>
inline constexpr std::array kWords<Aggregation> = std::to_array<std::string_view>({"mean", "sum",
                                                                                   "computed"});
template <>
inline constexpr std::array kWords<Purpose> = std::to_array<std::string_view>(
    {"data_folder", "table_format", "separator", "split", "label_column", "value_columns",
     "unlisted_rows", "missing_classes", "class_names", "vocabulary", "unknown_words",
     "class_count", "score_count", "ignored_target", "targets", "files"});

template <class T>
concept HasWords = requires {
    kWords<T>.size();
};

// Returns an empty text for a number that is not in the enumeration.
template <HasWords T>
constexpr std::string_view to_string(T value) {
    const auto place = static_cast<std::size_t>(static_cast<std::int64_t>(value) - 1);
    return place < kWords<T>.size() ? kWords<T>[place] : std::string_view();
}

// Returns an empty text for nothing.
template <HasWords T>
constexpr std::string_view to_string(const std::optional<T>& value) {
    return value ? to_string(*value) : std::string_view();
}

// Sets `value` and returns true if `text` is a word for it.
template <HasWords T>
constexpr bool parse(std::string_view text, T& value) {
    const auto found = std::ranges::find(kWords<T>, text);
    if (found == kWords<T>.end()) {
        return false;
    }
    value = static_cast<T>(found - kWords<T>.begin() + 1);
    return true;
}

}  // namespace ptp::plugin
