// Checks each part of a manifest against the rules of ptp/declarations.h, and collects the
// problems.

#include "plugin/manifest_check.hpp"

#include "base/diagnostics.hpp"
#include "base/toml_reader.hpp"
#include "plugin/enum_names.hpp"
#include "plugin/manifest_members.hpp"
#include "plugin/purpose.hpp"
#include "plugin/setting_key.hpp"
#include "schema/check_value.hpp"
#include "schema/range.hpp"

#include <ptp/reserved_names.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>
#include <type_traits>

namespace ptp::plugin {

namespace {

constexpr std::int32_t kMaxDecimals = 17;
constexpr std::uint32_t kMaxListDepth = 2;

constexpr std::string_view kReserved[] = {PTP_RESERVED_NAMES};

bool has_list_of_strings(const Component& component, const std::string& name) {
    return std::ranges::any_of(component.settings, [&](const Setting& setting) {
        return setting.name == name && setting.type == SettingType::kString &&
               setting.list_depth == 1;
    });
}

class Checker {
public:
    void plugin(const Manifest& manifest);
    std::vector<std::string> take() { return std::move(problems_); }

private:
    void build(const Build& build);
    void component(const Component& component);
    void kind_rules(const Component& component);
    void settings(const std::vector<Setting>& all, const std::string& where);
    void setting(const Setting& setting, const std::string& where);
    void type_rules(const Setting& setting, const std::string& where);
    void value_rules(const Setting& setting, const std::string& where);
    void unlabeled_rules(const Component& component);
    template <class Item>
    void purpose_rules(const Item& item, const std::string& where);
    void port(const Component& component, const Port& port);
    void global(const Component& component, const Global& global);
    void statistic(const Component& component, const Statistic& statistic);
    void requirement(const Component& component, const Requirement& requirement);

    void require(bool is_right, std::string_view where, std::string_view otherwise) {
        if (!is_right && problems_.size() < kMaxProblems) {
            problems_.push_back(fmt::format("{}: {}", where, otherwise));
        }
    }

    void require_name(const std::string& name, const std::string& where) {
        require(is_snake_case(name), where,
                "the name must be lower-case letters, digits and '_', a letter first");
    }

    // Checks what holds for all members: a text is one line, a number is one of its enumeration.
    template <class Description>
    void members(const Description& description, std::string_view where) {
        const auto visit = [&](std::string_view key, const auto& member, const auto& /*source*/,
                               unsigned /*rules*/ = 0) {
            using Member = std::remove_cvref_t<decltype(member)>;
            if constexpr (std::is_enum_v<Member>) {
                require(!to_string(member).empty(), where,
                        fmt::format("{0} = {1}: unknown {0}", key, static_cast<int>(member)));
            } else if constexpr (std::is_same_v<Member, std::optional<Purpose>>) {
                require(!member || !to_string(*member).empty(), where,
                        fmt::format("purpose = {}: this host knows 1 to {}; 0 is none",
                                    static_cast<int>(member.value_or(Purpose())),
                                    kWords<Purpose>.size()));
            } else if constexpr (std::is_same_v<Member, std::string>) {
                require(key == "name" || key == "description" || is_one_line(member), where,
                        fmt::format("{} must be one line", key));
            }
        };
        visit_members(description, visit);
    }

    // Requires that items with the same name have different conditions.
    template <class Item>
    void require_unique(const std::vector<Item>& items, std::string_view noun,
                        const std::string& where) {
        for (std::size_t i = 0; i < items.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                const bool excludes = !items[i].when.empty() && !items[k].when.empty() &&
                                      items[i].when != items[k].when;
                if (items[i].name == items[k].name && !excludes) {
                    require(false, where, fmt::format("has two {}s '{}'", noun, items[i].name));
                }
            }
        }
    }

    std::vector<std::string> problems_;
};

void Checker::plugin(const Manifest& manifest) {
    require_name(manifest.name, fmt::format("plugin '{}'", manifest.name));
    require(!manifest.version.empty(), "plugin", "version must be one line that is not empty");
    members(manifest, "plugin");
    build(manifest.build);
    require(!manifest.components.empty(), "plugin", "has no components");
    for (std::size_t i = 0; i < manifest.components.size(); ++i) {
        component(manifest.components[i]);
        for (std::size_t k = 0; k < i; ++k) {
            if (manifest.components[i].name == manifest.components[k].name) {
                require(false, "plugin",
                        fmt::format("has two components '{}'", manifest.components[i].name));
            }
        }
    }
}

void Checker::build(const Build& build) {
    constexpr std::array<std::string_view, 3> kSanitizers = {"none", "address", "thread"};
    require(std::ranges::find(kSanitizers, build.sanitizer) != kSanitizers.end(), "build",
            fmt::format("sanitizer = '{}': must be none, address or thread", build.sanitizer));
    require(!build.standard_library.empty(), "build", "standard_library is empty");
    members(build, "build");
}

void Checker::component(const Component& component) {
    const std::string& where = component.name;
    require(is_type_name(component.name), fmt::format("component '{}'", component.name),
            "the name must be letters, digits and '_', a letter first");
    members(component, where);
    require(is_plain(component.description), where, "description has control characters");
    for (const Setting& item : component.settings) {
        require(std::ranges::find(kReserved, item.name) == std::end(kReserved), where,
                fmt::format("setting '{}': the name is reserved for the experiment, which could "
                            "never give it a value; fix: rename the setting",
                            item.name));
    }
    settings(component.settings, where);
    unlabeled_rules(component);
    for (const Port& item : component.ports) {
        port(component, item);
    }
    for (const Global& item : component.globals) {
        global(component, item);
    }
    for (const Statistic& item : component.statistics) {
        statistic(component, item);
    }
    for (const Requirement& item : component.requirements) {
        requirement(component, item);
    }
    require(component.sample_count.empty() || component.kind == Kind::kTask, where,
            "only a task has a sample_count");
    require_unique(component.ports, "port", where);
    require_unique(component.globals, "global", where);
    require_unique(component.statistics, "statistic", where);
    kind_rules(component);
}

void Checker::kind_rules(const Component& component) {
    const auto is_output = [](const Port& p) { return p.direction == Direction::kOutput; };
    const auto is_loss = [](const Port& p) { return p.is_loss; };
    if (component.kind == Kind::kTask) {
        require(std::ranges::all_of(component.ports, is_output), component.name,
                "is a task, whose ports are all outputs");
    }
    if (component.kind == Kind::kStatistic) {
        require(std::ranges::none_of(component.ports, is_output), component.name,
                "is a statistic, which has no outputs");
    }
    if (component.kind == Kind::kLoss) {
        require(std::ranges::any_of(component.ports, is_loss), component.name,
                "is a loss, but none of its outputs is marked as one");
    }
}

// Checks settings. `where` names their owner: "LeNet5", "LeNet5: setting 'optimizer'".
void Checker::settings(const std::vector<Setting>& all, const std::string& where) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        setting(all[i], fmt::format("{}: setting '{}'", where, all[i].name));
        for (std::size_t k = 0; k < i; ++k) {
            if (all[i].name == all[k].name) {
                require(false, where, fmt::format("has two settings '{}'", all[i].name));
            }
        }
    }
}

void Checker::setting(const Setting& setting, const std::string& where) {
    require(is_snake_case(setting.name), where,
            "the name must be lower-case letters, digits and '_', a letter first");
    members(setting, where);
    if (!to_string(setting.type).empty()) {
        purpose_rules(setting, where);
        type_rules(setting, where);
        value_rules(setting, where);
        settings(setting.members, where);
    }
}

// Checks the settings of a task that take samples without targets.
void Checker::unlabeled_rules(const Component& component) {
    const std::string& where = component.name;
    const auto takes = [](const Setting& setting) { return setting.takes_unlabeled; };
    const auto takes_texts = [&](const Setting& setting) {
        return takes(setting) && setting.type == SettingType::kString && setting.list_depth == 1;
    };
    const auto takes_files = [&](const Setting& setting) {
        return takes(setting) && !takes_texts(setting);
    };
    require(std::ranges::count_if(component.settings, takes_files) <= 1, where,
            "has more than one setting for samples without targets");
    require(std::ranges::count_if(component.settings, takes_texts) <= 1, where,
            "has more than one setting for samples that are texts");
    for (const Setting& setting : component.settings) {
        const std::string at = fmt::format("{}: setting '{}'", where, setting.name);
        require(!setting.is_preparation || component.kind == Kind::kTask, at,
                "only a task prepares samples");
        require(!takes(setting) || component.kind == Kind::kTask, at,
                "only a task takes samples without targets");
        require(!takes(setting) || takes_texts(setting) ||
                    (setting.type == SettingType::kPath && setting.list_depth <= 1),
                at, "samples without targets are a path, a list of paths or a list of strings");
        require(!takes(setting) || (!setting.is_required && !setting.default_value), at,
                "samples without targets are neither required nor have a default");
    }
}

template <class Item>
void Checker::purpose_rules(const Item& item, const std::string& where) {
    const std::string_view word = to_string(item.purpose);
    require(word.empty() || suits(item), where,
            fmt::format("purpose = {}: is not for this, see ptp/declarations.h", word));
}

void Checker::type_rules(const Setting& setting, const std::string& where) {
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
    require(setting.type != SettingType::kLayers || setting.list_depth <= 1, where,
            "layers are in a list, or in a list of lists");
    require(setting.members.empty() == (setting.type != SettingType::kTable), where,
            setting.members.empty() ? "a table needs members" : "only a table has members");
    std::set<std::string_view> earlier;
    for (const std::string& choice : setting.choices) {
        require(!choice.empty() && is_one_line(choice), where, "a choice is empty or not one line");
        require(earlier.insert(choice).second, where, fmt::format("has two choices '{}'", choice));
    }
}

void Checker::value_rules(const Setting& setting, const std::string& where) {
    for (const auto& [name, text] :
         {std::pair<std::string_view, const std::string&>("range", setting.range),
          {"length", setting.length}}) {
        require(text.empty() || !is_one_line(text) || schema::Range::parse(text), where,
                fmt::format("{} = \"{}\" is not an interval", name, text));
    }
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

void Checker::port(const Component& component, const Port& port) {
    const std::string where = fmt::format("{}: port '{}'", component.name, port.name);
    require_name(port.name, where);
    members(port, where);
    purpose_rules(port, where);
    require(!port.is_optional || port.direction == Direction::kInput, where,
            "only an input can be optional");
    require(!port.is_loss || port.direction == Direction::kOutput, where,
            "only an output can be a loss");
    require(!port.is_reshaped ||
                (port.direction == Direction::kOutput &&
                 std::ranges::any_of(
                     component.ports,
                     [](const Port& other) { return other.direction == Direction::kInput; })),
            where, "only an output of a component with an input can be reshaped");
    if (port.element == Element::kAny) {
        require(port.direction == Direction::kInput, where, "only an input can carry anything");
        require(port.shape.empty(), where, "a port that carries anything has no shape");
    }
    if (!port.streams_setting.empty()) {
        require(has_list_of_strings(component, port.streams_setting), where,
                fmt::format("streams_setting = '{}': the component has no such list of strings",
                            port.streams_setting));
    }
}

void Checker::global(const Component& component, const Global& global) {
    const std::string where = fmt::format("{}: global '{}'", component.name, global.name);
    if (global.name.starts_with('$')) {
        require(has_list_of_strings(component, global.name.substr(1)), where,
                "the component has no such list of strings");
    } else {
        require_name(global.name, where);
    }
    members(global, where);
    purpose_rules(global, where);
    require(global.value.empty() || global.is_written(), where,
            "only a global that is written has a value");
}

void Checker::requirement(const Component& component, const Requirement& requirement) {
    const std::string where =
        fmt::format("{}: requirement \"{}\"", component.name, requirement.relation);
    require(!requirement.relation.empty() && !requirement.message.empty(), where,
            "needs a relation and a message");
    members(requirement, where);
}

void Checker::statistic(const Component& component, const Statistic& statistic) {
    const std::string where = fmt::format("{}: statistic '{}'", component.name, statistic.name);
    require_name(statistic.name, where);
    members(statistic, where);
    require(statistic.decimals >= 0 && statistic.decimals <= kMaxDecimals, where,
            fmt::format("decimals = {}: must be in [0, {}]", statistic.decimals, kMaxDecimals));
    require(!statistic.is_larger_better || !statistic.is_smaller_better, where,
            "its larger and its smaller values cannot both be the better ones");
    if (!statistic.weight.empty()) {
        const auto& all = component.statistics;
        require(
            std::ranges::find(all, statistic.weight, &Statistic::name) != all.end(), where,
            fmt::format("weight = '{}': the component has no such statistic", statistic.weight));
        require(statistic.aggregation != Aggregation::kSum, where, "a sum has no weight");
    }
}

}  // namespace

std::vector<std::string> check(const Manifest& manifest) {
    Checker checker;
    checker.plugin(manifest);
    return checker.take();
}

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

}  // namespace ptp::plugin
