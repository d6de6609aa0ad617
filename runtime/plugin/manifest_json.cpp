// Writes a manifest as JSON, reads it again, and finds the first difference of two. All three
// derive from the list of members in manifest_members.hpp.

#include "plugin/manifest_json.hpp"

#include "base/json.hpp"
#include "plugin/enum_names.hpp"
#include "plugin/fingerprint.hpp"
#include "plugin/manifest_members.hpp"

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

namespace ptp::plugin {

namespace {

[[noreturn]] void refuse_manifest(std::string_view what) {
    throw ManifestError(Explanation{fmt::format("its manifest is malformed: {}", what)});
}

// Reads the members of one description from an object of the JSON text. Every member of the object
// must be one of the description; done() reports the others.
class MemberReader {
public:
    // `depth` is the number of tables of settings around it.
    MemberReader(const Json& json, std::string where, int depth)
        : json_(json), where_(std::move(where)), depth_(depth) {
        if (!json.is_object()) {
            refuse_manifest(fmt::format("{} is not an object", whole()));
        }
    }

    // A member that is absent is empty, false or 0; an enumeration and the build cannot be absent.
    template <class Member, class Source>
    void operator()(const char* key, Member& member, const Source& /*source*/, unsigned rules = 0) {
        const std::string place = where_.empty() ? key : fmt::format("{}.{}", where_, key);
        if (const auto found = json_.find(key); found != json_.end()) {
            ++seen_;
            read(*found, place, rules, member);
        } else if constexpr (std::is_enum_v<Member>) {
            read("", place, rules, member);
        } else if constexpr (std::is_arithmetic_v<Member>) {
            member = Member();
        } else if constexpr (std::is_same_v<Member, Build>) {
            refuse_manifest(fmt::format("{} is missing", key));
        }
    }

    void done() const {
        if (seen_ != json_.size()) {
            refuse_manifest(fmt::format("{} has members that are unknown", whole()));
        }
    }

private:
    std::string whole() const { return where_.empty() ? "the manifest" : where_; }

    // The rule kShort is for names, which many messages and places contain: they are shorter than
    // other texts.
    void read(const Json& json, const std::string& place, unsigned rules, std::string& text) const {
        const std::size_t most = (rules & kShort) != 0 ? kMaxNameBytes : kMaxTextBytes;
        if (!json.is_string()) {
            refuse_manifest(fmt::format("{} is not a text", place));
        }
        text = json.get<std::string>();
        if (text.size() > most) {
            refuse_manifest(fmt::format("{} is longer than {} bytes", place, most));
        }
    }
    void read(const Json& json, const std::string& place, unsigned /*rules*/, bool& flag) const {
        if (!json.is_boolean()) {
            refuse_manifest(fmt::format("{} is not true or false", place));
        }
        flag = json.get<bool>();
    }
    template <std::integral Number>
    void read(const Json& json, const std::string& place, unsigned /*rules*/,
              Number& number) const {
        if (!json.is_number_unsigned() ||
            json.get<std::uint64_t>() > std::numeric_limits<std::int32_t>::max()) {
            refuse_manifest(fmt::format("{} is not a number of 31 bits", place));
        }
        number = json.get<Number>();
    }
    template <class Enumeration>
    requires std::is_enum_v<Enumeration>
    void read(const Json& json, const std::string& place, unsigned rules,
              Enumeration& value) const {
        std::string word;
        read(json, place, rules, word);
        if (!parse(word, value)) {
            refuse_manifest(fmt::format("{} = '{}' is not a known word", place, word));
        }
    }
    template <class T>
    void read(const Json& json, const std::string& place, unsigned rules,
              std::optional<T>& value) const {
        read(json, place, rules, value.emplace());
    }
    template <class T>
    void read(const Json& json, const std::string& place, unsigned rules,
              std::vector<T>& list) const {
        if (!json.is_array() || json.size() > kMaxListItems) {
            refuse_manifest(
                fmt::format("{} is not a list of at most {} items", place, kMaxListItems));
        }
        for (const Json& item : json) {
            const std::string at = fmt::format("{}[{}]", place, list.size());
            read(item, at, rules, list.emplace_back());
        }
    }
    template <class Description>
    requires std::is_class_v<Description>
    void read(const Json& json, const std::string& place, unsigned /*rules*/,
              Description& description) const {
        const int depth = depth_ + (std::is_same_v<Description, Setting> ? 1 : 0);
        if (depth > kMaxTableDepth) {
            refuse_manifest(fmt::format("{} lies in more than {} tables", place, kMaxTableDepth));
        }
        MemberReader members(json, place, depth);
        visit_members(description, members);
        members.done();
    }

    const Json& json_;
    std::string where_;
    int depth_;
    std::size_t seen_ = 0;
};

Json parse_manifest(std::string_view text) {
    if (text.size() > kMaxManifestBytes) {
        refuse_manifest(
            fmt::format("it has {} bytes, more than {}", text.size(), kMaxManifestBytes));
    }
    bool is_too_deep = false;
    std::optional<Json> json = parsed_json(text, kMaxManifestDepth, &is_too_deep);
    if (is_too_deep) {
        refuse_manifest(fmt::format("it is nested deeper than {}", kMaxManifestDepth));
    }
    if (!json) {
        refuse_manifest("it is not JSON");
    }
    return *std::move(json);
}

template <class T>
concept Optional = requires(const T& value) {
    value.has_value();
};
template <class T>
concept Container = requires(const T& value) {
    value.empty();
};

// Returns whether a value is that of a member which is absent from the JSON text.
template <class T>
bool is_absent(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
        return value == T();
    } else if constexpr (Optional<T>) {
        return !value.has_value();
    } else if constexpr (Container<T>) {
        return value.empty();
    } else {
        return false;
    }
}

template <class T>
Json written(const T& value);

// Adds the members of one description to an object.
struct MemberWriter {
    Json out;

    template <class Member, class Source>
    void operator()(const char* key, const Member& member, const Source& /*source*/,
                    unsigned rules = 0) {
        if ((rules & kAlways) != 0 || !is_absent(member)) {
            out[key] = written(member);
        }
    }
};

template <class T>
Json written(const T& value) {
    if constexpr (std::is_enum_v<T>) {
        return to_string(value);
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
        return value;
    } else if constexpr (Optional<T>) {
        return written(*value);
    } else if constexpr (Container<T>) {
        Json list = Json::array();
        for (const auto& item : value) {
            list.push_back(written(item));
        }
        return list;
    } else {
        MemberWriter writer;
        visit_members(value, writer);
        return std::move(writer.out);
    }
}

std::string shown(const Json* value) {
    constexpr std::size_t kMaxShown = 60;
    if (value == nullptr) {
        return "nothing";
    }
    const bool ascii_only = true;  // so that it can be cut at any byte
    const std::string text = value->dump(-1, ' ', ascii_only);
    return text.size() <= kMaxShown ? text : text.substr(0, kMaxShown) + "...";
}

// Returns a member of an object or an item of a list; nullptr if it is not there.
const Json* child_of(const Json& parent, const std::string& key) {
    if (parent.is_object()) {
        const auto member = parent.find(key);
        return member != parent.end() ? &*member : nullptr;
    }
    const std::size_t index = std::stoul(key);
    return index < parent.size() ? &parent[index] : nullptr;
}

// Compares two values at `field`; one may be absent.
std::optional<Difference> difference_at(const std::string& field, const Json* left,
                                        const Json* right) {
    if (left != nullptr && right != nullptr && *left == *right) {
        return std::nullopt;
    }
    const bool has_parts = left != nullptr && right != nullptr && left->is_structured() &&
                           left->type() == right->type();
    for (const Json* side : has_parts ? std::vector{left, right} : std::vector<const Json*>()) {
        for (const auto& [key, value] : side->items()) {
            const bool has_name = value.is_object() && value.contains("name");
            const std::string step = has_name ? value.at("name").template get<std::string>() : key;
            // The names of components suffice to identify them.
            const std::string place = key == "components" ? field
                                      : field.empty()     ? step
                                                          : field + "." + step;
            if (auto found = difference_at(place, child_of(*left, key), child_of(*right, key))) {
                return found;
            }
        }
    }
    return Difference{field, shown(left), shown(right)};
}

}  // namespace

Json to_json(const Component& component) {
    return written(component);
}

Json to_json(const Manifest& manifest) {
    return written(manifest);
}

Manifest from_json(std::string_view text) {
    const Json json = parse_manifest(text);
    MemberReader members(json, "", 0);
    Manifest manifest;
    MemberReader version = members;
    version("abi_major", manifest.abi_major, Undescribed());
    version("abi_minor", manifest.abi_minor, Undescribed());
    if (const auto refusal = refuse_abi(manifest.abi_major, manifest.abi_minor)) {
        throw ManifestError(*refusal);
    }
    visit_members(manifest, members);
    members.done();
    std::vector<std::string> problems = check(manifest);
    if (!problems.empty()) {
        throw ManifestError(std::move(problems));
    }
    return manifest;
}

std::optional<Difference> first_difference(const Manifest& left, const Manifest& right) {
    if (left == right) {
        return std::nullopt;
    }
    const Json left_json = written(left);
    const Json right_json = written(right);
    return difference_at("", &left_json, &right_json);
}

}  // namespace ptp::plugin
