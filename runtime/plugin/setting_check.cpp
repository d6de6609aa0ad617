#include "plugin/setting_check.hpp"

#include "base/text.hpp"
#include "base/toml_library.hpp"
#include "plugin/enum_names.hpp"
#include "plugin/manifest_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace ptp::plugin {

namespace {

constexpr std::uint32_t kMaxListDepth = 2;

// Keys that an experiment uses itself in a component's table.
constexpr std::array<std::string_view, 8> kReserved = {
    "type", "priority", "streams", "globals", "statistics", "load", "freeze", "enabled"};

bool is_reserved(const std::string& name, Kind kind) {
    return std::ranges::find(kReserved, name) != kReserved.end() ||
           (kind == Kind::task && name == "batch_size");
}

class SettingChecker {
public:
    explicit SettingChecker(std::vector<std::string>& problems) : problems_(problems) {}

    // `where` is what the settings belong to: "LeNet5", "LeNet5: setting 'optimizer'".
    void all(const std::vector<Setting>& settings, const std::string& where) {
        for (std::size_t i = 0; i < settings.size(); ++i) {
            one(settings[i], fmt::format("{}: setting '{}'", where, settings[i].name));
            for (std::size_t k = 0; k < i; ++k) {
                if (settings[i].name == settings[k].name) {
                    require(false, where, fmt::format("has two settings '{}'", settings[i].name));
                }
            }
        }
    }

    void require(bool is_right, std::string_view where, std::string_view otherwise) {
        if (!is_right && problems_.size() < kMaxProblems) {
            problems_.push_back(fmt::format("{}: {}", where, otherwise));
        }
    }

private:
    void one(const Setting& setting, const std::string& where);
    void type_rules(const Setting& setting, const std::string& where);
    void value_rules(const Setting& setting, const std::string& where);

    std::vector<std::string>& problems_;
};

void SettingChecker::one(const Setting& setting, const std::string& where) {
    require(is_snake_case(setting.name), where,
            "the name must be lower-case letters, digits and '_', a letter first");
    if (to_string(setting.type).empty()) {
        require(false, where,
                fmt::format("type = {}: there is no such type", static_cast<int>(setting.type)));
        return;
    }
    type_rules(setting, where);
    value_rules(setting, where);
    all(setting.members, where);
}

// The setting of a task that takes samples without targets.
void unlabeled_rules(const Component& component, const std::string& where,
                     SettingChecker& checker) {
    const auto takes = [](const Setting& setting) { return setting.takes_unlabeled; };
    checker.require(std::ranges::count_if(component.settings, takes) <= 1, where,
                    "has more than one setting for samples without targets");
    for (const Setting& setting : component.settings) {
        const std::string at = fmt::format("{}: setting '{}'", where, setting.name);
        checker.require(!takes(setting) || component.kind == Kind::task, at,
                        "only a task takes samples without targets");
        checker.require(
            !takes(setting) || (setting.type == SettingType::path && setting.list_depth <= 1), at,
            "samples without targets are a path or a list of paths");
        checker.require(!takes(setting) || (!setting.is_required && !setting.default_value), at,
                        "samples without targets are neither required nor have a default");
    }
}

void SettingChecker::type_rules(const Setting& setting, const std::string& where) {
    const bool is_number =
        setting.type == SettingType::integer || setting.type == SettingType::real;
    require(setting.range.empty() || is_number, where, "only numbers have a range");
    require(setting.length.empty() || setting.list_depth > 0, where, "only a list has a length");
    require(setting.list_depth <= kMaxListDepth, where,
            fmt::format("list_depth = {}: must be 0, 1 or 2", setting.list_depth));
    require(!setting.takes_list_or_one || setting.list_depth == 1, where,
            "only a list of values can be given as one value");
    require(setting.choices.empty() == (setting.type != SettingType::enumeration), where,
            setting.choices.empty() ? "an enumeration needs choices"
                                    : "only an enumeration has choices");
    require(setting.obtain.empty() || setting.type == SettingType::path, where,
            "only a path says how to obtain it");
    require(
        !setting.is_output_file || (setting.type == SettingType::string && setting.list_depth == 0),
        where, "only a string names a file that is written");
    require(setting.members.empty() == (setting.type != SettingType::table), where,
            setting.members.empty() ? "a table needs members" : "only a table has members");
    std::set<std::string_view> earlier;
    for (const std::string& choice : setting.choices) {
        require(!choice.empty() && is_one_line(choice), where, "a choice is empty or not one line");
        require(earlier.insert(choice).second, where, fmt::format("has two choices '{}'", choice));
    }
}

void SettingChecker::value_rules(const Setting& setting, const std::string& where) {
    require(is_one_line(setting.range), where, "range must be one line");
    require(is_one_line(setting.length), where, "length must be one line");
    require(is_one_line(setting.help), where, "help must be one line");
    require(is_one_line(setting.obtain), where, "obtain must be one line");
    if (!setting.default_value || setting.list_depth > kMaxListDepth) {
        return;
    }
    require(!setting.is_required, where, "is required, so it has no default");
    const std::string problem = check_default(setting);
    require(
        problem.empty(), where,
        fmt::format("default = {}: {}",
                    is_one_line(*setting.default_value) ? *setting.default_value : "...", problem));
}

bool has_type(const toml::node& value, const Setting& setting) {
    switch (setting.type) {
        case SettingType::boolean:
            return value.is_boolean();
        case SettingType::integer:
            return value.is_integer();
        case SettingType::real:
            return value.is_number();
        case SettingType::string:
        case SettingType::path:
            return value.is_string();
        case SettingType::enumeration:
            return value.is_string() &&
                   std::ranges::find(setting.choices, value.ref<std::string>()) !=
                       setting.choices.end();
        case SettingType::table:
            return value.is_table();
        case SettingType::any:
            return true;
    }
    return false;
}

bool fits(const toml::node& value, const Setting& setting, std::uint32_t list_depth) {
    if (list_depth == 0) {
        return has_type(value, setting);
    }
    const toml::array* list = value.as_array();
    if (list == nullptr) {
        return setting.takes_list_or_one && has_type(value, setting);
    }
    return std::all_of(list->begin(), list->end(),
                       [&](const toml::node& item) { return fits(item, setting, list_depth - 1); });
}

std::string expected(const Setting& setting) {
    std::string type = setting.type == SettingType::enumeration
                           ? fmt::format("one of {}", fmt::join(setting.choices, ", "))
                           : std::string(to_string(setting.type));
    for (std::uint32_t i = 0; i < setting.list_depth; ++i) {
        type = fmt::format("list of {}", type);
    }
    return type;
}

}  // namespace

std::string check_default(const Setting& setting) {
    const std::string& text = setting.default_value.value_or("");
    if (!is_one_line(text)) {
        return "must be one line";
    }
    const std::string line = fmt::format("x = {}\n", text);
    const toml::parse_result parsed = toml::parse(std::string_view(line));
    if (!parsed) {
        return "is not a TOML value";
    }
    const bool is_right = fits(*parsed.table().get("x"), setting, setting.list_depth);
    return is_right ? std::string() : fmt::format("must be {}", expected(setting));
}

void check_settings(const Component& component, const std::string& where,
                    std::vector<std::string>& problems) {
    SettingChecker checker(problems);
    for (const Setting& setting : component.settings) {
        checker.require(
            !is_reserved(setting.name, component.kind), where,
            fmt::format("setting '{}': the name is reserved for the experiment", setting.name));
    }
    checker.all(component.settings, where);
    unlabeled_rules(component, where, checker);
}

}  // namespace ptp::plugin
