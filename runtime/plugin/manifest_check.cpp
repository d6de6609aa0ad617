#include "plugin/manifest_check.hpp"

#include "base/text.hpp"
#include "plugin/enum_names.hpp"
#include "plugin/manifest_limits.hpp"
#include "plugin/setting_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace ptp::plugin {

namespace {

constexpr std::int32_t kMaxDecimals = 17;

class Checker {
public:
    void plugin(const Manifest& manifest);
    std::vector<std::string> take() { return std::move(problems_); }

private:
    void build(const Build& build);
    void component(const Component& component);
    void kind_rules(const Component& component);
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

    void require_line(const std::string& text, const std::string& where, std::string_view member) {
        require(is_one_line(text), where, fmt::format("{} must be one line", member));
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
    require(!manifest.version.empty() && is_one_line(manifest.version), "plugin",
            "version must be one line that is not empty");
    require_line(manifest.license, "plugin", "license");
    require_line(manifest.author, "plugin", "author");
    require_line(manifest.homepage, "plugin", "homepage");
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
    require_line(build.libtorch, "build", "libtorch");
    require_line(build.standard_library, "build", "standard_library");
    require_line(build.compiler, "build", "compiler");
}

void Checker::component(const Component& component) {
    const std::string& where = component.name;
    require(is_type_name(component.name), fmt::format("component '{}'", component.name),
            "the name must be letters, digits and '_', a letter first");
    require(!to_string(component.kind).empty(), where,
            fmt::format("kind = {}: unknown kind", static_cast<int>(component.kind)));
    require_line(component.summary, where, "summary");
    require(is_plain(component.description), where, "description has control characters");
    check_settings(component, where, problems_);
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
    require_line(component.sample_count, where, "sample_count");
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

void Checker::port(const Component& component, const Port& port) {
    const std::string where = fmt::format("{}: port '{}'", component.name, port.name);
    require_name(port.name, where);
    require(!to_string(port.direction).empty(), where,
            fmt::format("direction = {}: unknown direction", static_cast<int>(port.direction)));
    require(!to_string(port.element).empty(), where,
            fmt::format("element = {}: unknown element", static_cast<int>(port.element)));
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
        const auto setting =
            std::ranges::find(component.settings, port.streams_setting, &Setting::name);
        require(setting != component.settings.end() && setting->type == SettingType::kString &&
                    setting->list_depth == 1,
                where,
                fmt::format("streams_setting = '{}': the component has no such list of strings",
                            port.streams_setting));
    }
    require_line(port.shape, where, "shape");
    require_line(port.when, where, "when");
    require_line(port.help, where, "help");
    require_line(port.meaning, where, "meaning");
}

void Checker::global(const Component& component, const Global& global) {
    const std::string where = fmt::format("{}: global '{}'", component.name, global.name);
    if (global.name.starts_with('$')) {
        const auto setting =
            std::ranges::find(component.settings, global.name.substr(1), &Setting::name);
        require(setting != component.settings.end() && setting->type == SettingType::kString &&
                    setting->list_depth == 1,
                where, "the component has no such list of strings");
    } else {
        require_name(global.name, where);
    }
    require(!to_string(global.access).empty(), where,
            fmt::format("access = {}: unknown access", static_cast<int>(global.access)));
    require(global.value.empty() || global.is_written(), where,
            "only a global that is written has a value");
    require_line(global.value, where, "value");
    require_line(global.when, where, "when");
    require_line(global.help, where, "help");
}

void Checker::requirement(const Component& component, const Requirement& requirement) {
    const std::string where =
        fmt::format("{}: requirement \"{}\"", component.name, requirement.relation);
    require(!requirement.relation.empty() && !requirement.message.empty(), where,
            "needs a relation and a message");
    require_line(requirement.relation, where, "relation");
    require_line(requirement.message, where, "message");
    require_line(requirement.when, where, "when");
}

void Checker::statistic(const Component& component, const Statistic& statistic) {
    const std::string where = fmt::format("{}: statistic '{}'", component.name, statistic.name);
    require_name(statistic.name, where);
    require(!to_string(statistic.aggregation).empty(), where,
            fmt::format("aggregation = {}: unknown aggregation",
                        static_cast<int>(statistic.aggregation)));
    require(statistic.decimals >= 0 && statistic.decimals <= kMaxDecimals, where,
            fmt::format("decimals = {}: must be in [0, {}]", statistic.decimals, kMaxDecimals));
    if (!statistic.weight.empty()) {
        const auto& all = component.statistics;
        require(
            std::ranges::find(all, statistic.weight, &Statistic::name) != all.end(), where,
            fmt::format("weight = '{}': the component has no such statistic", statistic.weight));
        require(statistic.aggregation != Aggregation::kSum, where, "a sum has no weight");
    }
    require_line(statistic.when, where, "when");
    require_line(statistic.help, where, "help");
}

}  // namespace

std::vector<std::string> check(const Manifest& manifest) {
    Checker checker;
    checker.plugin(manifest);
    return checker.take();
}

}  // namespace ptp::plugin
