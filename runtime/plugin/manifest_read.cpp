// Implements the reading of manifest_json.hpp.
#include "base/json.hpp"
#include "plugin/enum_names.hpp"
#include "plugin/fingerprint.hpp"
#include "plugin/json_depth.hpp"
#include "plugin/manifest_check.hpp"
#include "plugin/manifest_json.hpp"
#include "plugin/manifest_limits.hpp"
#include "plugin/manifest_members.hpp"

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace ptp::plugin {

namespace {

using ManifestJson = Json;

[[noreturn]] void refuse_manifest(std::string_view what) {
    throw ManifestError(Explanation{fmt::format("its manifest is malformed: {}", what)});
}

// One object of the JSON text. Every member must be read once; done() reports the others.
class Object {
public:
    Object(const ManifestJson& json, std::string where) : json_(json), where_(std::move(where)) {
        if (!json.is_object()) {
            refuse_manifest(fmt::format("{} is not an object", whole()));
        }
    }

    std::string place(std::string_view key) const {
        return where_.empty() ? std::string(key) : fmt::format("{}.{}", where_, key);
    }

    const ManifestJson* find(const char* key) {
        const auto found = json_.find(key);
        seen_ += found != json_.end() ? 1 : 0;
        return found != json_.end() ? &*found : nullptr;
    }

    bool has(const char* key) const { return json_.contains(key); }

    std::string text(const char* key) {
        const ManifestJson* value = find(key);
        return value != nullptr ? as_text(*value, place(key)) : std::string();
    }

    // Reads a name, which is shorter than other texts because many messages and places contain it.
    std::string name(const char* key) {
        std::string name = text(key);
        if (name.size() > kMaxNameBytes) {
            refuse_manifest(fmt::format("{} is longer than {} bytes", place(key), kMaxNameBytes));
        }
        return name;
    }

    bool flag(const char* key) {
        const ManifestJson* value = find(key);
        if (value != nullptr && !value->is_boolean()) {
            refuse_manifest(fmt::format("{} is not true or false", place(key)));
        }
        return value != nullptr && value->get<bool>();
    }

    std::uint32_t number(const char* key) {
        const ManifestJson* value = find(key);
        if (value == nullptr) {
            return 0;
        }
        if (!value->is_number_unsigned() ||
            value->get<std::uint64_t>() > std::numeric_limits<std::int32_t>::max()) {
            refuse_manifest(fmt::format("{} is not a number of 31 bits", place(key)));
        }
        return value->get<std::uint32_t>();
    }

    template <class Enumeration>
    Enumeration choice(const char* key) {
        const std::string chosen = text(key);
        Enumeration value{};
        if (!parse(chosen, value)) {
            refuse_manifest(fmt::format("{} = '{}' is not a known word", place(key), chosen));
        }
        return value;
    }

    // Reads a list; `read` converts a JSON value and its place to an item.
    template <class Read>
    auto list(const char* key, Read read) {
        std::vector<decltype(read(json_, where_))> result;
        const ManifestJson* items = find(key);
        if (items == nullptr) {
            return result;
        }
        if (!items->is_array() || items->size() > kMaxListItems) {
            refuse_manifest(
                fmt::format("{} is not a list of at most {} items", place(key), kMaxListItems));
        }
        for (const ManifestJson& item : *items) {
            result.push_back(read(item, fmt::format("{}[{}]", place(key), result.size())));
        }
        return result;
    }

    void done() const {
        if (seen_ != json_.size()) {
            refuse_manifest(fmt::format("{} has members that are unknown", whole()));
        }
    }

    static std::string as_text(const ManifestJson& value, const std::string& where) {
        if (!value.is_string()) {
            refuse_manifest(fmt::format("{} is not a text", where));
        }
        const std::string& text = value.get_ref<const std::string&>();
        if (text.size() > kMaxTextBytes) {
            refuse_manifest(fmt::format("{} is longer than {} bytes", where, kMaxTextBytes));
        }
        return text;
    }

private:
    std::string whole() const { return where_.empty() ? "the whole" : where_; }

    const ManifestJson& json_;
    std::string where_;
    std::size_t seen_ = 0;
};

template <class Description>
Description read_description(const ManifestJson& json, const std::string& where, int depth);

// Reads the members of one description from its object.
class MemberReader {
public:
    // `depth` is that of nested settings.
    MemberReader(Object& in, int depth) : in_(in), depth_(depth) {}

    template <class Member, class Source>
    void operator()(const char* key, Member& member, const Source& /*source*/, unsigned rules = 0) {
        read_member(key, member, rules);
    }

private:
    void read_member(const char* key, std::string& member, unsigned rules) {
        member = (rules & kShort) != 0 ? in_.name(key) : in_.text(key);
    }
    void read_member(const char* key, std::optional<std::string>& member, unsigned /*rules*/) {
        if (in_.has(key)) {
            member = in_.text(key);
        }
    }
    void read_member(const char* key, bool& member, unsigned /*rules*/) { member = in_.flag(key); }
    template <std::integral Number>
    void read_member(const char* key, Number& member, unsigned /*rules*/) {
        member = static_cast<Number>(in_.number(key));
    }
    template <class Enumeration>
    requires std::is_enum_v<Enumeration>
    void read_member(const char* key, Enumeration& member, unsigned /*rules*/) {
        member = in_.choice<Enumeration>(key);
    }
    void read_member(const char* key, std::vector<std::string>& member, unsigned /*rules*/) {
        member = in_.list(key, Object::as_text);
    }
    void read_member(const char* key, std::optional<std::vector<std::string>>& member,
                     unsigned /*rules*/) {
        if (in_.has(key)) {
            member = in_.list(key, Object::as_text);
        }
    }
    void read_member(const char* key, Build& member, unsigned /*rules*/) {
        const ManifestJson* json = in_.find(key);
        if (json == nullptr) {
            refuse_manifest(fmt::format("{} is missing", key));
        }
        member = read_description<Build>(*json, key, 0);
    }
    template <class Item>
    void read_member(const char* key, std::vector<Item>& member, unsigned /*rules*/) {
        const int depth = depth_ + (std::is_same_v<Item, Setting> ? 1 : 0);
        member = in_.list(key, [depth](const ManifestJson& item, const std::string& place) {
            return read_description<Item>(item, place, depth);
        });
    }

    Object& in_;
    int depth_;
};

template <class Description>
Description read_description(const ManifestJson& json, const std::string& where, int depth) {
    if (depth > kMaxTableDepth) {
        refuse_manifest(fmt::format("{} lies in more than {} tables", where, kMaxTableDepth));
    }
    Object in(json, where);
    Description description;
    MemberReader reader(in, depth);
    visit_members(description, reader);
    in.done();
    return description;
}

ManifestJson parse_manifest(std::string_view text) {
    if (text.size() > kMaxManifestBytes) {
        refuse_manifest(
            fmt::format("it has {} bytes, more than {}", text.size(), kMaxManifestBytes));
    }
    if (json_depth(text) > kMaxManifestDepth) {
        refuse_manifest(fmt::format("it is nested deeper than {}", kMaxManifestDepth));
    }
    std::optional<ManifestJson> json = parsed_json(text);
    if (!json) {
        refuse_manifest("it is not JSON");
    }
    return *std::move(json);
}

}  // namespace

Manifest from_json(std::string_view text) {
    const ManifestJson json = parse_manifest(text);
    Object version(json, "");
    if (const auto refusal = refuse_abi(version.number("abi_major"), version.number("abi_minor"))) {
        throw ManifestError(*refusal);
    }
    Manifest manifest = read_description<Manifest>(json, "", 0);
    std::vector<std::string> problems = check(manifest);
    if (!problems.empty()) {
        throw ManifestError(std::move(problems));
    }
    return manifest;
}

}  // namespace ptp::plugin
