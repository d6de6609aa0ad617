#include "plugin/descriptor.hpp"

#include "base/text.hpp"
#include "plugin/manifest_check.hpp"
#include "plugin/manifest_limits.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <string_view>

namespace ptp::plugin {

namespace {

constexpr std::uint32_t kMaxStructSize = 65'536;  // a later minor version may be larger than ours

// Sizes of the structs as they were in ABI 1.0: the smallest that a plugin may have.
constexpr std::size_t kSettingSize = offsetof(ptp_setting_info, help) + sizeof(const char*);
constexpr std::size_t kPortSize = offsetof(ptp_port_info, help) + sizeof(const char*);
constexpr std::size_t kGlobalSize = offsetof(ptp_global_info, help) + sizeof(const char*);
constexpr std::size_t kStatisticSize = offsetof(ptp_statistic_info, help) + sizeof(const char*);
constexpr std::size_t kRequirementSize = offsetof(ptp_requirement_info, when) + sizeof(const char*);
constexpr std::size_t kComponentSize = offsetof(ptp_component_info, extension) + sizeof(void*);
constexpr std::size_t kBuildSize = offsetof(ptp_build, compiler) + sizeof(const char*);
constexpr std::size_t kPluginSize = offsetof(ptp_plugin_info, components) + sizeof(void*);

[[noreturn]] void fail(std::string_view where, std::string_view what) {
    throw ManifestError({fmt::format("{}: {}", where, what)});
}

std::string text(const char* value, std::string_view where, std::string_view member) {
    if (value == nullptr) {
        fail(where, fmt::format("{} is NULL", member));
    }
    const std::size_t limit = member == "name" ? kMaxNameBytes : kMaxTextBytes;
    const std::size_t length = strnlen(value, limit + 1);
    if (length > limit) {
        fail(where, fmt::format("{} is longer than {} bytes", member, limit));
    }
    if (!is_utf8({value, length})) {
        fail(where, fmt::format("{} is not valid UTF-8", member));
    }
    return {value, length};
}

std::string optional_text(const char* value, std::string_view where, std::string_view member) {
    return value == nullptr ? std::string() : text(value, where, member);
}

void check_size(std::uint32_t size, std::size_t least, std::string_view where) {
    if (size < least || size > kMaxStructSize) {
        fail(where, fmt::format("struct_size = {}: must be at least {}", size, least));
    }
}

void check_flags(std::uint32_t flags, std::uint32_t known, std::string_view where) {
    if ((flags & ~known) != 0) {
        fail(where, fmt::format("flags = {:#x}: only {:#x} have a meaning", flags, known));
    }
}

std::vector<std::string> split(const std::string& choices, std::string_view where) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (begin <= choices.size()) {
        if (parts.size() == kMaxListItems) {
            fail(where, fmt::format("has more than {} choices", kMaxListItems));
        }
        const std::size_t end = std::min(choices.find('|', begin), choices.size());
        parts.push_back(choices.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

class Reader {
public:
    Manifest plugin(const ptp_plugin_info& info);

private:
    Build build(const ptp_build* info);
    Component component(const ptp_component_info& info, const std::string& where);
    Setting setting(const ptp_setting_info& info, const std::string& where, int depth);
    static Port port(const ptp_port_info& info, const std::string& where);
    static Global global(const ptp_global_info& info, const std::string& where);
    static Statistic statistic(const ptp_statistic_info& info, const std::string& where);
    static Requirement requirement(const ptp_requirement_info& info, const std::string& where);

    // Reads every item of a list of pointers. `where` of an item is "LeNet5: port 2".
    template <class Info, class Read>
    auto list(const Info* const* items, std::uint32_t count, const std::string& where,
              std::string_view noun, Read read);

    std::uint32_t item_count_ = 0;
};

template <class Info, class Read>
auto Reader::list(const Info* const* items, std::uint32_t count, const std::string& where,
                  std::string_view noun, Read read) {
    std::vector<decltype(read(*items[0], where))> result;
    const std::string_view whole = where.empty() ? "plugin" : std::string_view(where);
    if (count > kMaxListItems) {
        fail(whole, fmt::format("has {} {}s, more than {}", count, noun, kMaxListItems));
    }
    if (count > 0 && items == nullptr) {
        fail(whole, fmt::format("promises {} {}s, but the list is NULL", count, noun));
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string item =
            fmt::format("{}{}{} {}", where, where.empty() ? "" : ": ", noun, i + 1);
        if (items[i] == nullptr) {
            fail(item, "is NULL");
        }
        if (++item_count_ > kMaxAllItems) {
            fail(item, fmt::format("is one of more than {} items in the plugin", kMaxAllItems));
        }
        result.push_back(read(*items[i], item));
    }
    return result;
}

Manifest Reader::plugin(const ptp_plugin_info& info) {
    const std::string where = "plugin";
    check_size(info.struct_size, kPluginSize, where);
    Manifest manifest;
    manifest.abi_major = info.abi_major;
    manifest.abi_minor = info.abi_minor;
    manifest.name = text(info.name, where, "name");
    manifest.version = text(info.version, where, "version");
    if (info.struct_size >= offsetof(ptp_plugin_info, homepage) + sizeof(info.homepage)) {
        manifest.license = optional_text(info.license, where, "license");
        manifest.author = optional_text(info.author, where, "author");
        manifest.homepage = optional_text(info.homepage, where, "homepage");
    }
    manifest.build = build(info.build);
    manifest.components = list(
        info.components, info.component_count, "", "component",
        [&](const ptp_component_info& item, const std::string& at) { return component(item, at); });
    return manifest;
}

Build Reader::build(const ptp_build* info) {
    const std::string where = "build";
    if (info == nullptr) {
        fail("plugin", "build is NULL");
    }
    check_size(info->struct_size, kBuildSize, where);
    return {.libtorch = optional_text(info->libtorch, where, "libtorch"),
            .standard_library = text(info->standard_library, where, "standard_library"),
            .sanitizer = text(info->sanitizer, where, "sanitizer"),
            .compiler = text(info->compiler, where, "compiler")};
}

Component Reader::component(const ptp_component_info& info, const std::string& where) {
    check_size(info.struct_size, kComponentSize, where);
    Component component;
    component.kind = static_cast<Kind>(info.kind);
    component.name = text(info.name, where, "name");
    const std::string at = component.name.empty() ? where : component.name;
    component.summary = text(info.summary, at, "summary");
    component.description = optional_text(info.description, at, "description");
    if (info.create == nullptr || info.destroy == nullptr || info.extension == nullptr) {
        fail(at, "create, destroy or extension is NULL");
    }
    if ((info.forward == nullptr) != (info.kind == PTP_TASK)) {
        fail(at, info.forward == nullptr ? "forward is NULL" : "forward must be NULL in a task");
    }
    component.settings = list(info.settings, info.setting_count, at, "setting",
                              [&](const ptp_setting_info& item, const std::string& place) {
                                  return setting(item, place, 1);
                              });
    component.ports = list(info.ports, info.port_count, at, "port", port);
    component.globals = list(info.globals, info.global_count, at, "global", global);
    component.statistics = list(info.statistics, info.statistic_count, at, "statistic", statistic);
    if (info.struct_size >= offsetof(ptp_component_info, sample_count) + sizeof(const char*)) {
        component.requirements =
            list(info.requirements, info.requirement_count, at, "requirement", requirement);
        component.sample_count = optional_text(info.sample_count, at, "sample_count");
    }
    return component;
}

Setting Reader::setting(const ptp_setting_info& info, const std::string& where, int depth) {
    check_size(info.struct_size, kSettingSize, where);
    check_flags(info.flags,
                PTP_SETTING_REQUIRED | PTP_SETTING_LIST_OR_ONE | PTP_SETTING_OUTPUT_FILE |
                    PTP_SETTING_UNLABELED,
                where);
    if (depth > kMaxTableDepth) {
        fail(where, fmt::format("lies in more than {} tables", kMaxTableDepth));
    }
    Setting setting;
    setting.type = static_cast<SettingType>(info.type);
    setting.list_depth = info.list_depth;
    setting.is_required = (info.flags & PTP_SETTING_REQUIRED) != 0;
    setting.takes_list_or_one = (info.flags & PTP_SETTING_LIST_OR_ONE) != 0;
    setting.is_output_file = (info.flags & PTP_SETTING_OUTPUT_FILE) != 0;
    setting.takes_unlabeled = (info.flags & PTP_SETTING_UNLABELED) != 0;
    setting.name = text(info.name, where, "name");
    if (info.default_value != nullptr) {
        setting.default_value = text(info.default_value, where, "default_value");
    }
    setting.range = optional_text(info.range, where, "range");
    setting.length = optional_text(info.length, where, "length");
    if (info.choices != nullptr) {
        setting.choices = split(text(info.choices, where, "choices"), where);
    }
    setting.members = list(info.members, info.member_count, where, "member",
                           [&](const ptp_setting_info& item, const std::string& place) {
                               return this->setting(item, place, depth + 1);
                           });
    setting.help = text(info.help, where, "help");
    if (info.struct_size >= offsetof(ptp_setting_info, obtain) + sizeof(info.obtain)) {
        setting.obtain = optional_text(info.obtain, where, "obtain");
    }
    return setting;
}

Port Reader::port(const ptp_port_info& info, const std::string& where) {
    check_size(info.struct_size, kPortSize, where);
    check_flags(info.flags, PTP_PORT_OPTIONAL | PTP_PORT_LOSS | PTP_PORT_RESHAPED, where);
    return {.direction = static_cast<Direction>(info.direction),
            .element = static_cast<Element>(info.element),
            .is_optional = (info.flags & PTP_PORT_OPTIONAL) != 0,
            .is_loss = (info.flags & PTP_PORT_LOSS) != 0,
            .is_reshaped = (info.flags & PTP_PORT_RESHAPED) != 0,
            .name = text(info.name, where, "name"),
            .shape = text(info.shape, where, "shape"),
            .when = optional_text(info.when, where, "when"),
            .streams_setting = optional_text(info.streams_setting, where, "streams_setting"),
            .help = text(info.help, where, "help")};
}

Global Reader::global(const ptp_global_info& info, const std::string& where) {
    check_size(info.struct_size, kGlobalSize, where);
    return {.access = static_cast<GlobalAccess>(info.access),
            .name = text(info.name, where, "name"),
            .value = optional_text(info.value, where, "value"),
            .when = optional_text(info.when, where, "when"),
            .help = text(info.help, where, "help")};
}

Statistic Reader::statistic(const ptp_statistic_info& info, const std::string& where) {
    check_size(info.struct_size, kStatisticSize, where);
    check_flags(info.flags,
                PTP_STATISTIC_HIDDEN | PTP_STATISTIC_INTEGER | PTP_STATISTIC_SPREAD |
                    PTP_STATISTIC_SET_ONLY,
                where);
    return {.aggregation = static_cast<Aggregation>(info.aggregation),
            .is_hidden = (info.flags & PTP_STATISTIC_HIDDEN) != 0,
            .is_integer = (info.flags & PTP_STATISTIC_INTEGER) != 0,
            .has_spread = (info.flags & PTP_STATISTIC_SPREAD) != 0,
            .is_set_only = (info.flags & PTP_STATISTIC_SET_ONLY) != 0,
            .decimals = info.decimals,
            .name = text(info.name, where, "name"),
            .weight = optional_text(info.weight, where, "weight"),
            .when = optional_text(info.when, where, "when"),
            .help = text(info.help, where, "help")};
}

Requirement Reader::requirement(const ptp_requirement_info& info, const std::string& where) {
    check_size(info.struct_size, kRequirementSize, where);
    return {.relation = text(info.relation, where, "relation"),
            .message = text(info.message, where, "message"),
            .when = optional_text(info.when, where, "when")};
}

}  // namespace

Manifest from_descriptor(const ptp_plugin_info& info) {
    Manifest manifest = Reader().plugin(info);
    std::vector<std::string> problems = check(manifest);
    if (!problems.empty()) {
        throw ManifestError(std::move(problems));
    }
    return manifest;
}

}  // namespace ptp::plugin
