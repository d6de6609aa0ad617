// Reads members of JSON that may be anything: what is of another type counts as missing. Writes
// numbers, of which JSON has no nan.
#pragma once

#include "base/json.hpp"
#include "base/text.hpp"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::report {

// Returns the member of an object, or null.
inline const Json& member_of(const Json& json, const char* key) {
    static const Json kNone = nullptr;
    const auto found = json.is_object() ? json.find(key) : json.end();
    return json.is_object() && found != json.end() ? *found : kNone;
}

// Returns a text that is safe to show; "" for anything else.
inline std::string text_in(const Json& json) {
    return json.is_string() ? harmless(json.get_ref<const std::string&>()) : std::string();
}
inline std::string text_in(const Json& json, const char* key) {
    return text_in(member_of(json, key));
}

// Returns a number as it is; null for anything else, also for one that is not finite.
inline Json finite_in(const Json& json) {
    return json.is_number() && std::isfinite(json.get<double>()) ? json : Json(nullptr);
}
inline Json finite_in(const Json& json, const char* key) {
    return finite_in(member_of(json, key));
}

// Returns the object in a file of a run. Throws FileError for one that is damaged, or of a format
// above `newest`.
Json read_numbered_json(const std::filesystem::path& file, std::int64_t newest);

// Returns the elements of a list; none of anything else.
inline const Json& list_in(const Json& json, const char* key) {
    static const Json kEmpty = Json::array();
    const Json& list = member_of(json, key);
    return list.is_array() ? list : kEmpty;
}

// Returns a list of what is made of each element.
template <class Make>
Json each_of(const Json& list, const Make& make) {
    Json made = Json::array();
    for (const Json& one : list) {
        made.push_back(make(one));
    }
    return made;
}

// Returns the texts of a list, safe to show, "" for each other element; none of anything else.
inline Json texts_in(const Json& list) {
    return list.is_array() ? each_of(list, [](const Json& one) { return text_in(one); })
                           : Json::array();
}

// Returns the object in a file of a run; nullopt where there is no such file, and where it cannot
// be read: then a sentence that ends with `rest` is added to the problems.
std::optional<Json> json_in_run(const std::filesystem::path& file, std::int64_t newest,
                                std::string_view rest, std::vector<std::string>& problems);

// Makes room for the members that an object will get. One that grows copies those that it has.
void reserve_members(Json& object);

// Return a number for JSON: six significant digits, or all. null for one that is not finite.
Json rounded(double value);
Json exact(double value);
// Returns all of them, rounded.
Json rounded(const std::vector<double>& values);

}  // namespace ptp::report
