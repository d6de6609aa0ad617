#include "support.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ptp::reference::test {

namespace {

using plugin::Setting;
using plugin::SettingType;

Setting setting(SettingType type, const char* name, const char* help) {
    Setting setting;
    setting.type = type;
    setting.name = name;
    setting.help = help;
    return setting;
}

plugin::Component component(plugin::Kind kind, const char* name, std::vector<Setting> settings) {
    plugin::Component component;
    component.kind = kind;
    component.name = name;
    component.summary = std::string("A ") + name;
    component.settings = std::move(settings);
    return component;
}

}  // namespace

plugin::Catalog catalog() {
    Setting count = setting(SettingType::kInteger, "count", "Number of dots");
    count.default_value = "100";
    count.range = "[1, inf)";
    Setting rate = setting(SettingType::kReal, "rate", "Chance of dropping a unit");
    rate.default_value = "0.5";
    rate.range = "[0, 1)";
    Setting kind = setting(SettingType::kEnumeration, "kind", "");
    kind.default_value = "\"relu\"";
    kind.choices = {"relu", "tanh"};
    Setting widths = setting(SettingType::kInteger, "widths", "Width of each layer");
    widths.list_depth = 1;
    widths.is_required = true;
    widths.takes_list_or_one = true;
    widths.range = "[1, inf)";
    widths.length = "[1, 4]";
    Setting drop = setting(SettingType::kTable, "drop", "What is dropped");
    drop.default_value = "{ rate = 0.25 }";
    drop.members = {rate, kind};
    plugin::Manifest shapes;
    shapes.name = "shapes";
    shapes.version = "1.0.0";
    shapes.components = {component(plugin::Kind::kTask, "Dots", {count}),
                         component(plugin::Kind::kModel, "Net", {widths, rate, kind, drop}),
                         component(plugin::Kind::kLoss, "Distance", {})};
    plugin::Catalog catalog;
    catalog.plugins = {{.path = "/plugins/shapes.so", .manifest = shapes}};
    return catalog;
}

}  // namespace ptp::reference::test
