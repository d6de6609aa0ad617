// The reading half of manifest_json.hpp.
#include "plugin/enum_names.hpp"
#include "plugin/fingerprint.hpp"
#include "plugin/json_depth.hpp"
#include "plugin/manifest_check.hpp"
#include "plugin/manifest_json.hpp"
#include "plugin/manifest_limits.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace ptp::plugin {

namespace {

using Json = nlohmann::json;

[[noreturn]] void fail(std::string_view what) {
    throw ManifestError({fmt::format("its manifest is malformed: {}", what)});
}

// One object of the JSON text. Every member must be asked for once; done() complains about the
// others.
class Object {
public:
    Object(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
        if (!json.is_object()) {
            fail(fmt::format("{} is not an object", whole()));
        }
    }

    std::string place(std::string_view key) const {
        return where_.empty() ? std::string(key) : fmt::format("{}.{}", where_, key);
    }

    const Json* find(const char* key) {
        const auto found = json_.find(key);
        seen_ += found != json_.end() ? 1 : 0;
        return found != json_.end() ? &*found : nullptr;
    }

    bool has(const char* key) const { return json_.contains(key); }

    std::string text(const char* key) {
        const Json* value = find(key);
        return value != nullptr ? as_text(*value, place(key)) : std::string();
    }

    // Part of many messages and places, so shorter than other texts.
    std::string name(const char* key) {
        std::string name = text(key);
        if (name.size() > kMaxNameBytes) {
            fail(fmt::format("{} is longer than {} bytes", place(key), kMaxNameBytes));
        }
        return name;
    }

    bool flag(const char* key) {
        const Json* value = find(key);
        if (value != nullptr && !value->is_boolean()) {
            fail(fmt::format("{} is not true or false", place(key)));
        }
        return value != nullptr && value->get<bool>();
    }

    std::uint32_t number(const char* key) {
        const Json* value = find(key);
        if (value == nullptr) {
            return 0;
        }
        if (!value->is_number_unsigned() ||
            value->get<std::uint64_t>() > std::numeric_limits<std::int32_t>::max()) {
            fail(fmt::format("{} is not a number of 31 bits", place(key)));
        }
        return value->get<std::uint32_t>();
    }

    template <class Enumeration>
    Enumeration choice(const char* key) {
        const std::string chosen = text(key);
        Enumeration value{};
        if (!parse(chosen, value)) {
            fail(fmt::format("{} = '{}' is not a known word", place(key), chosen));
        }
        return value;
    }

    // `read` makes an item of a JSON value and its place.
    template <class Read>
    auto list(const char* key, Read read) {
        std::vector<decltype(read(json_, where_))> result;
        const Json* items = find(key);
        if (items == nullptr) {
            return result;
        }
        if (!items->is_array() || items->size() > kMaxListItems) {
            fail(fmt::format("{} is not a list of at most {} items", place(key), kMaxListItems));
        }
        for (const Json& item : *items) {
            result.push_back(read(item, fmt::format("{}[{}]", place(key), result.size())));
        }
        return result;
    }

    void done() const {
        if (seen_ != json_.size()) {
            fail(fmt::format("{} has members that are unknown", whole()));
        }
    }

    static std::string as_text(const Json& value, const std::string& where) {
        if (!value.is_string()) {
            fail(fmt::format("{} is not a text", where));
        }
        const std::string& text = value.get_ref<const std::string&>();
        if (text.size() > kMaxTextBytes) {
            fail(fmt::format("{} is longer than {} bytes", where, kMaxTextBytes));
        }
        return text;
    }

private:
    std::string whole() const { return where_.empty() ? "the whole" : where_; }

    const Json& json_;
    std::string where_;
    std::size_t seen_ = 0;
};

Setting read_setting(const Json& json, const std::string& where, int depth) {
    if (depth > kMaxTableDepth) {
        fail(fmt::format("{} lies in more than {} tables", where, kMaxTableDepth));
    }
    Object in(json, where);
    Setting setting;
    setting.type = in.choice<SettingType>("type");
    setting.list_depth = in.number("list_depth");
    setting.is_required = in.flag("required");
    setting.takes_list_or_one = in.flag("list_or_one");
    setting.is_output_file = in.flag("output_file");
    setting.takes_unlabeled = in.flag("unlabeled");
    setting.name = in.name("name");
    if (const Json* value = in.find("default_value"); value != nullptr) {
        setting.default_value = Object::as_text(*value, in.place("default_value"));
    }
    setting.range = in.text("range");
    setting.length = in.text("length");
    setting.choices = in.list("choices", Object::as_text);
    setting.members = in.list("members", [&](const Json& item, const std::string& place) {
        return read_setting(item, place, depth + 1);
    });
    setting.help = in.text("help");
    setting.obtain = in.text("obtain");
    in.done();
    return setting;
}

Port read_port(const Json& json, const std::string& where) {
    Object in(json, where);
    Port port{.direction = in.choice<Direction>("direction"),
              .element = in.choice<Element>("element"),
              .is_optional = in.flag("optional"),
              .is_loss = in.flag("loss"),
              .is_reshaped = in.flag("reshaped"),
              .name = in.name("name"),
              .shape = in.text("shape"),
              .when = in.text("when"),
              .streams_setting = in.name("streams_setting"),
              .help = in.text("help")};
    in.done();
    return port;
}

Global read_global(const Json& json, const std::string& where) {
    Object in(json, where);
    Global global{.access = in.choice<GlobalAccess>("access"),
                  .name = in.name("name"),
                  .value = in.text("value"),
                  .when = in.text("when"),
                  .help = in.text("help")};
    in.done();
    return global;
}

Statistic read_statistic(const Json& json, const std::string& where) {
    Object in(json, where);
    Statistic statistic{.aggregation = in.choice<Aggregation>("aggregation"),
                        .is_hidden = in.flag("hidden"),
                        .is_integer = in.flag("integer"),
                        .has_spread = in.flag("spread"),
                        .is_set_only = in.flag("set_only"),
                        .decimals = static_cast<std::int32_t>(in.number("decimals")),
                        .name = in.name("name"),
                        .weight = in.name("weight"),
                        .when = in.text("when"),
                        .help = in.text("help")};
    in.done();
    return statistic;
}

Requirement read_requirement(const Json& json, const std::string& where) {
    Object in(json, where);
    Requirement requirement{
        .relation = in.text("relation"), .message = in.text("message"), .when = in.text("when")};
    in.done();
    return requirement;
}

Component read_component(const Json& json, const std::string& where) {
    Object in(json, where);
    Component component;
    component.kind = in.choice<Kind>("kind");
    component.name = in.name("name");
    component.summary = in.text("summary");
    component.description = in.text("description");
    component.settings = in.list("settings", [](const Json& item, const std::string& place) {
        return read_setting(item, place, 1);
    });
    component.ports = in.list("ports", read_port);
    component.globals = in.list("globals", read_global);
    component.statistics = in.list("statistics", read_statistic);
    component.requirements = in.list("requirements", read_requirement);
    component.sample_count = in.text("sample_count");
    if (in.has("abilities")) {
        component.abilities = in.list("abilities", Object::as_text);
    }
    in.done();
    return component;
}

Build read_build(const Json* json) {
    if (json == nullptr) {
        fail("build is missing");
    }
    Object in(*json, "build");
    Build build{.libtorch = in.text("libtorch"),
                .standard_library = in.text("standard_library"),
                .sanitizer = in.text("sanitizer"),
                .compiler = in.text("compiler")};
    in.done();
    return build;
}

Json parse(std::string_view text) {
    if (text.size() > kMaxManifestBytes) {
        fail(fmt::format("it has {} bytes, more than {}", text.size(), kMaxManifestBytes));
    }
    if (json_depth(text) > kMaxManifestDepth) {
        fail(fmt::format("it is nested deeper than {}", kMaxManifestDepth));
    }
    try {
        return Json::parse(text);
    } catch (const Json::exception&) {
        fail("it is not JSON");
    }
}

}  // namespace

Manifest from_json(std::string_view text) {
    const Json json = parse(text);
    Object in(json, "");
    Manifest manifest;
    manifest.abi_major = in.number("abi_major");
    manifest.abi_minor = in.number("abi_minor");
    if (const auto refusal = refuse_abi(manifest.abi_major, manifest.abi_minor)) {
        throw ManifestError({*refusal});
    }
    manifest.name = in.name("name");
    manifest.version = in.text("version");
    manifest.license = in.text("license");
    manifest.author = in.text("author");
    manifest.homepage = in.text("homepage");
    manifest.build = read_build(in.find("build"));
    manifest.components = in.list("components", read_component);
    in.done();
    std::vector<std::string> problems = check(manifest);
    if (!problems.empty()) {
        throw ManifestError(std::move(problems));
    }
    return manifest;
}

}  // namespace ptp::plugin
