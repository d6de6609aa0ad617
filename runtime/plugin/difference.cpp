#include "plugin/difference.hpp"

#include "plugin/manifest_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>

namespace ptp::plugin {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxShown = 60;

std::string shown(const Json* value) {
    if (value == nullptr) {
        return "nothing";
    }
    const bool ascii_only = true;  // so that it can be cut at any byte
    const std::string text = value->dump(-1, ' ', ascii_only);
    return text.size() <= kMaxShown ? text : text.substr(0, kMaxShown) + "...";
}

std::string joined_place(const std::string& place, const std::string& name) {
    return place.empty() ? name : place + "." + name;
}

std::optional<Difference> compare_tables(const std::string& place, const Json* left,
                                         const Json* right);

std::optional<Difference> compare_objects(const std::string& place, const Json& left,
                                          const Json& right) {
    const auto member = [](const Json& object, const std::string& key) {
        const auto found = object.find(key);
        return found != object.end() ? &*found : nullptr;
    };
    for (const Json* object : {&left, &right}) {
        for (const auto& [key, value] : object->items()) {
            // The names of components suffice to identify them.
            const std::string field = key == "components" ? place : joined_place(place, key);
            if (auto found = compare_tables(field, member(left, key), member(right, key))) {
                return found;
            }
        }
    }
    return std::nullopt;
}

std::optional<Difference> compare_lists(const std::string& place, const Json& left,
                                        const Json& right) {
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
        const bool has_name = left[i].is_object() && left[i].contains("name");
        const std::string label =
            has_name ? left[i]["name"].get<std::string>() : fmt::format("{}", i);
        if (auto found = compare_tables(joined_place(place, label), &left[i], &right[i])) {
            return found;
        }
    }
    if (left.size() != right.size()) {
        return Difference{fmt::format("number of {}", place.empty() ? "components" : place),
                          fmt::format("{}", left.size()), fmt::format("{}", right.size())};
    }
    return std::nullopt;
}

std::optional<Difference> compare_tables(const std::string& place, const Json* left,
                                         const Json* right) {
    if (left != nullptr && right != nullptr) {
        if (*left == *right) {
            return std::nullopt;
        }
        if (left->is_object() && right->is_object()) {
            return compare_objects(place, *left, *right);
        }
        if (left->is_array() && right->is_array()) {
            return compare_lists(place, *left, *right);
        }
    }
    return Difference{place, shown(left), shown(right)};
}

}  // namespace

std::optional<Difference> first_difference(const Manifest& left, const Manifest& right) {
    if (left == right) {
        return std::nullopt;
    }
    const Json left_json = to_json(left);
    const Json right_json = to_json(right);
    return compare_tables("", &left_json, &right_json);
}

}  // namespace ptp::plugin
