#include "plugin/setting_check.hpp"

#include "base/diagnostics.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "plugin/enum_names.hpp"
#include "plugin/manifest_limits.hpp"
#include "plugin/setting_key.hpp"
#include "schema/check_value.hpp"
#include "schema/range.hpp"

#include <ptp/reserved_names.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

namespace ptp::plugin {

namespace {

constexpr std::uint32_t kMaxListDepth = 2;

constexpr std::string_view kReserved[] = {PTP_RESERVED_NAMES};

class SettingChecker {
public:
    explicit SettingChecker(std::vector<std::string>& problems) : problems_(problems) {}

    // Checks settings. `where` names their owner: "LeNet5", "LeNet5: setting 'optimizer'".
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
    void interval_rule(std::string_view name, const std::string& text, const std::string& where);
    void value_rules(const Setting& setting, const std::string& where);

    std::vector<std::string>& problems_;
};

void SettingChecker::one(const Setting& setting, const std::string& where) {
    require(is_snake_case(setting.name), where,
            "the name must be lower-case letters, digits and '_', a letter first");
    if (to_string(setting.type).empty()) {
        require(false, where,
                fmt::format("type = {}: unknown type", static_cast<int>(setting.type)));
        return;
    }
    type_rules(setting, where);
    value_rules(setting, where);
    all(setting.members, where);
}

// Checks the settings of a task that take samples without targets.
void unlabeled_rules(const Component& component, const std::string& where,
                     SettingChecker& checker) {
    const auto takes = [](const Setting& setting) { return setting.takes_unlabeled; };
    const auto takes_texts = [&](const Setting& setting) {
        return takes(setting) && setting.type == SettingType::kString && setting.list_depth == 1;
    };
    const auto takes_files = [&](const Setting& setting) {
        return takes(setting) && !takes_texts(setting);
    };
    checker.require(std::ranges::count_if(component.settings, takes_files) <= 1, where,
                    "has more than one setting for samples without targets");
    checker.require(std::ranges::count_if(component.settings, takes_texts) <= 1, where,
                    "has more than one setting for samples that are texts");
    for (const Setting& setting : component.settings) {
        const std::string at = fmt::format("{}: setting '{}'", where, setting.name);
        checker.require(!setting.is_preparation || component.kind == Kind::kTask, at,
                        "only a task prepares samples");
        checker.require(!takes(setting) || component.kind == Kind::kTask, at,
                        "only a task takes samples without targets");
        checker.require(!takes(setting) || takes_texts(setting) ||
                            (setting.type == SettingType::kPath && setting.list_depth <= 1),
                        at,
                        "samples without targets are a path, a list of paths or a list of strings");
        checker.require(!takes(setting) || (!setting.is_required && !setting.default_value), at,
                        "samples without targets are neither required nor have a default");
    }
}

void SettingChecker::type_rules(const Setting& setting, const std::string& where) {
    const bool is_number =
        setting.type == SettingType::kInteger || setting.type == SettingType::kReal;
    require(setting.range.empty() || is_number, where, "only numbers have a range");
    require(setting.length.empty() || setting.list_depth > 0, where, "only a list has a length");
    require(setting.list_depth <= kMaxListDepth, where,
            fmt::format("list_depth = {}: must be 0, 1 or 2", setting.list_depth));
    require(!setting.takes_list_or_one || setting.list_depth == 1, where,
            "only a list of values can be given as one value");
    require(setting.choices.empty() == (setting.type != SettingType::kEnumeration), where,
            setting.choices.empty() ? "an enumeration needs choices"
                                    : "only an enumeration has choices");
    require(setting.obtain.empty() || setting.type == SettingType::kPath, where,
            "only a path has `obtain`");
    require(!setting.is_output_file ||
                (setting.type == SettingType::kString && setting.list_depth == 0),
            where, "only a string names a file that is written");
    require(setting.members.empty() == (setting.type != SettingType::kTable), where,
            setting.members.empty() ? "a table needs members" : "only a table has members");
    std::set<std::string_view> earlier;
    for (const std::string& choice : setting.choices) {
        require(!choice.empty() && is_one_line(choice), where, "a choice is empty or not one line");
        require(earlier.insert(choice).second, where, fmt::format("has two choices '{}'", choice));
    }
}

void SettingChecker::interval_rule(std::string_view name, const std::string& text,
                                   const std::string& where) {
    require(is_one_line(text), where, fmt::format("{} must be one line", name));
    require(text.empty() || !is_one_line(text) || schema::Range::parse(text), where,
            fmt::format("{} = \"{}\" is not an interval", name, text));
}

void SettingChecker::value_rules(const Setting& setting, const std::string& where) {
    interval_rule("range", setting.range, where);
    interval_rule("length", setting.length, where);
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

}  // namespace

std::string check_default(const Setting& setting) {
    const std::string& text = setting.default_value.value_or("");
    if (!is_one_line(text)) {
        return "must be one line";
    }
    const auto value = read_toml_value(text);
    if (!value) {
        return "is not a TOML value";
    }
    Diagnostics problems;
    const std::filesystem::path home = "/";  // arbitrary: only the form of the value matters
    schema::check_value(key_of(setting), *value, "", {home, problems});
    if (problems.ok()) {
        return "";
    }
    const Problem first = problems.sorted().front();
    const std::string why = first.explanation();
    return first.key.empty() ? why : fmt::format("{}: {}", first.key, why);
}

void check_settings(const Component& component, const std::string& where,
                    std::vector<std::string>& problems) {
    SettingChecker checker(problems);
    for (const Setting& setting : component.settings) {
        checker.require(
            std::ranges::find(kReserved, setting.name) == std::end(kReserved), where,
            fmt::format("setting '{}': the name is reserved for the experiment, which could never "
                        "give it a value; fix: rename the setting",
                        setting.name));
    }
    checker.all(component.settings, where);
    unlabeled_rules(component, where, checker);
}

}  // namespace ptp::plugin
