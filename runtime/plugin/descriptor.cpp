// Copies a description of ptp/abi.h by the list of members in manifest_members.hpp, member by
// member, and trusts none of its sizes, counts and pointers.

#include "plugin/descriptor.hpp"

#include "base/text.hpp"
#include "plugin/manifest_members.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ptp::plugin {

namespace {

constexpr std::uint32_t kMaxStructSize = 65'536;  // a later minor version may be larger than ours

// The sizes of the structs in ABI 1.0: the smallest valid ones.
template <class Info>
constexpr std::size_t kMinSize = offsetof(Info, help) + sizeof(void*);
template <>
constexpr std::size_t kMinSize<ptp_requirement_info> = offsetof(ptp_requirement_info, when) +
                                                       sizeof(void*);
template <>
constexpr std::size_t kMinSize<ptp_component_info> = offsetof(ptp_component_info, extension) +
                                                     sizeof(void*);
template <>
constexpr std::size_t kMinSize<ptp_build> = offsetof(ptp_build, compiler) + sizeof(void*);
template <>
constexpr std::size_t kMinSize<ptp_plugin_info> = offsetof(ptp_plugin_info, components) +
                                                  sizeof(void*);

[[noreturn]] void refuse_descriptor(std::string_view where, std::string_view what) {
    throw ManifestError(Explanation{fmt::format("{}: {}", where, what)});
}

std::string text(const char* value, std::string_view where, std::string_view member,
                 unsigned rules) {
    if (value == nullptr && (rules & kNullable) == 0) {
        refuse_descriptor(where, fmt::format("{} is NULL", member));
    }
    if (value == nullptr) {
        return "";
    }
    const std::size_t limit = (rules & kShort) != 0 ? kMaxNameBytes : kMaxTextBytes;
    const std::size_t length = strnlen(value, limit + 1);
    if (length > limit) {
        refuse_descriptor(where, fmt::format("{} is longer than {} bytes", member, limit));
    }
    if (!is_utf8({value, length})) {
        refuse_descriptor(where, fmt::format("{} is not valid UTF-8", member));
    }
    return {value, length};
}

void check_size(std::uint32_t size, std::size_t least, std::string_view where) {
    if (size < least || size > kMaxStructSize) {
        refuse_descriptor(where, fmt::format("struct_size = {}: must be at least {}", size, least));
    }
}

std::vector<std::string> split(const std::string& choices, std::string_view where) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (begin <= choices.size()) {
        if (parts.size() == kMaxListItems) {
            refuse_descriptor(where, fmt::format("has more than {} choices", kMaxListItems));
        }
        const std::size_t end = std::min(choices.find('|', begin), choices.size());
        parts.push_back(choices.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

// A position within the plugin's description, and counts for limits.
struct Position {
    std::string where;  // "LeNet5: port 2"
    int depth = 0;      // of nested settings
    std::uint32_t& item_count;
};

template <class Description, class Info>
Description read_descriptor(const Info& info, const Position& place);

// Reads the members of one struct of a descriptor; those missing in an older plugin's struct keep
// their defaults.
template <class Info>
class DescriptorReader {
public:
    DescriptorReader(const Info& info, const Position& place) : info_(info), place_(place) {}

    template <class Member, class T>
    void operator()(std::string_view name, Member& member, T Info::*source, unsigned rules = 0) {
        if (has(source)) {
            read_member(name, member, info_.*source, rules);
        }
    }

    void operator()(std::string_view /*name*/, bool& member, Flag flag) {
        known_flags_ |= flag.bit;
        member = (info_.flags & flag.bit) != 0;
    }

    template <class Item, class ItemInfo>
    void operator()(std::string_view /*name*/, std::vector<Item>& member,
                    List<Info, ItemInfo> source) {
        if (has(source.items) && has(source.count)) {
            member = read_list<Item>(info_.*source.items, info_.*source.count, source.noun);
        }
    }

    template <class Member>
    void operator()(std::string_view /*name*/, Member& /*member*/, Undescribed /*source*/) {}

    void check_flags() const {
        if ((info_.flags & ~known_flags_) != 0) {
            refuse_descriptor(place_.where, fmt::format("flags = {:#x}: only {:#x} have a meaning",
                                                        info_.flags, known_flags_));
        }
    }

private:
    template <class T>
    bool has(T Info::*member) const {
        const auto* const begin = reinterpret_cast<const char*>(&info_);
        const auto* const end = reinterpret_cast<const char*>(&(info_.*member) + 1);
        return static_cast<std::size_t>(end - begin) <= info_.struct_size;
    }

    void read_member(std::string_view name, std::string& member, const char* value,
                     unsigned rules) const {
        member = text(value, place_.where, name, rules);
    }
    void read_member(std::string_view name, std::optional<std::string>& member, const char* value,
                     unsigned rules) const {
        if (value != nullptr) {
            member = text(value, place_.where, name, rules);
        }
    }
    void read_member(std::string_view name, std::vector<std::string>& member, const char* value,
                     unsigned rules) const {
        if (value != nullptr) {
            member = split(text(value, place_.where, name, rules), place_.where);
        }
    }
    void read_member(std::string_view name, Build& member, const ptp_build* value,
                     unsigned /*rules*/) const {
        if (value == nullptr) {
            refuse_descriptor(place_.where, fmt::format("{} is NULL", name));
        }
        member = read_descriptor<Build>(*value, {std::string(name), 0, place_.item_count});
    }
    template <class Member>
    void read_member(std::string_view /*name*/, Member& member, std::int32_t value,
                     unsigned /*rules*/) const {
        member = static_cast<Member>(value);
    }
    void read_member(std::string_view /*name*/, std::optional<Purpose>& member, ptp_purpose value,
                     unsigned /*rules*/) const {
        if (value != 0) {
            member = static_cast<Purpose>(value);
        }
    }
    void read_member(std::string_view /*name*/, std::uint32_t& member, std::uint32_t value,
                     unsigned /*rules*/) const {
        member = value;
    }

    // Reads all items of a list of pointers.
    template <class Item, class ItemInfo>
    std::vector<Item> read_list(const ItemInfo* const* items, std::uint32_t count,
                                std::string_view noun) const {
        if (count > kMaxListItems) {
            refuse_descriptor(place_.where,
                              fmt::format("has {} {}s, more than {}", count, noun, kMaxListItems));
        }
        if (count > 0 && items == nullptr) {
            refuse_descriptor(place_.where,
                              fmt::format("promises {} {}s, but the list is NULL", count, noun));
        }
        const bool is_plugin = std::is_same_v<Info, ptp_plugin_info>;
        const std::string before = is_plugin ? "" : place_.where + ": ";
        const int depth = place_.depth + (std::is_same_v<Item, Setting> ? 1 : 0);
        std::vector<Item> result;
        for (std::uint32_t i = 0; i < count; ++i) {
            const Position place{fmt::format("{}{} {}", before, noun, i + 1), depth,
                                 place_.item_count};
            if (items[i] == nullptr) {
                refuse_descriptor(place.where, "is NULL");
            }
            if (++place.item_count > kMaxAllItems) {
                refuse_descriptor(
                    place.where,
                    fmt::format("is one of more than {} items in the plugin", kMaxAllItems));
            }
            result.push_back(read_descriptor<Item>(*items[i], place));
        }
        return result;
    }

    const Info& info_;
    Position place_;
    std::uint32_t known_flags_ = 0;
};

void check_functions(const ptp_component_info& info, const std::string& where) {
    if (info.create == nullptr || info.destroy == nullptr || info.extension == nullptr) {
        refuse_descriptor(where, "create, destroy or extension is NULL");
    }
    if ((info.forward == nullptr) != (info.kind == PTP_TASK)) {
        refuse_descriptor(
            where, info.forward == nullptr ? "forward is NULL" : "forward must be NULL in a task");
    }
}

template <class Description, class Info>
Description read_descriptor(const Info& info, const Position& place) {
    check_size(info.struct_size, kMinSize<Info>, place.where);
    if (place.depth > kMaxTableDepth) {
        refuse_descriptor(place.where, fmt::format("lies in more than {} tables", kMaxTableDepth));
    }
    Position inside = place;
    if constexpr (std::is_same_v<Info, ptp_component_info>) {
        const std::string name = text(info.name, place.where, "name", kShort);
        inside.where = name.empty() ? place.where : name;
        check_functions(info, inside.where);
    }
    Description description;
    DescriptorReader<Info> members(info, inside);
    visit_members(description, members);
    if constexpr (requires { info.flags; }) {
        members.check_flags();
    }
    return description;
}

}  // namespace

Manifest from_descriptor(const ptp_plugin_info& info) {
    assert(info.abi_major == PTP_ABI_MAJOR);
    std::uint32_t item_count = 0;
    Manifest manifest = read_descriptor<Manifest>(info, {"plugin", 0, item_count});
    std::vector<std::string> problems = check(manifest);
    if (!problems.empty()) {
        throw ManifestError(std::move(problems));
    }
    return manifest;
}

}  // namespace ptp::plugin
