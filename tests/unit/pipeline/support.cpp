#include "support.hpp"

#include <utility>

namespace ptp::test {

using plugin::Component;
using plugin::Direction;
using plugin::Element;
using plugin::Kind;
using plugin::SettingType;

namespace {

// The purposes of what the components of a catalog have under the names of the tree's plugins.
std::optional<plugin::Purpose> usual_purpose(const std::string& name) {
    using plugin::Purpose;
    return name == "targets"           ? std::optional(Purpose::kTargets)
           : name == "num_classes"     ? std::optional(Purpose::kClassCount)
           : name == "prediction_size" ? std::optional(Purpose::kScoreCount)
           : name == "ignore_index"    ? std::optional(Purpose::kIgnoredTarget)
           : name == "word_mappings"   ? std::optional(Purpose::kVocabulary)
                                       : std::nullopt;
}

}  // namespace

Make& Make::in(std::string name, std::string shape, Element element) {
    plugin::Port port;
    port.direction = Direction::kInput;
    port.element = element;
    port.purpose = usual_purpose(name);
    port.name = std::move(name);
    port.shape = std::move(shape);
    component_.ports.push_back(std::move(port));
    last_ = Last::kPort;
    return *this;
}

Make& Make::out(std::string name, std::string shape, Element element) {
    in(std::move(name), std::move(shape), element);
    component_.ports.back().direction = Direction::kOutput;
    return *this;
}

Make& Make::loss(std::string name) {
    out(std::move(name), "");
    component_.ports.back().is_loss = true;
    return *this;
}

Make& Make::reads(std::string name) {
    plugin::Global global;
    global.purpose = usual_purpose(name);
    global.name = std::move(name);
    component_.globals.push_back(std::move(global));
    last_ = Last::kGlobal;
    return *this;
}

Make& Make::reads_if_named(std::string name) {
    reads(std::move(name));
    component_.globals.back().access = plugin::GlobalAccess::kReadIfNamed;
    return *this;
}

Make& Make::reads_if_published(std::string name) {
    reads(std::move(name));
    component_.globals.back().access = plugin::GlobalAccess::kReadIfPublished;
    return *this;
}

Make& Make::writes(std::string name, std::string value) {
    reads(std::move(name));
    component_.globals.back().access = plugin::GlobalAccess::kWrite;
    component_.globals.back().value = std::move(value);
    return *this;
}

Make& Make::writes_if_named(std::string name, std::string value) {
    writes(std::move(name), std::move(value));
    component_.globals.back().access = plugin::GlobalAccess::kWriteIfNamed;
    return *this;
}

Make& Make::needs(std::string relation, std::string message, std::string when) {
    component_.requirements.push_back(
        {.relation = std::move(relation), .message = std::move(message), .when = std::move(when)});
    return *this;
}

Make& Make::samples(std::string count) {
    component_.sample_count = std::move(count);
    return *this;
}

Make& Make::statistic(std::string name) {
    plugin::Statistic statistic;
    statistic.name = std::move(name);
    component_.statistics.push_back(std::move(statistic));
    last_ = Last::kStatistic;
    return *this;
}

Make& Make::integer(std::string name, std::optional<std::string> default_value) {
    return setting(setting_of(SettingType::kInteger, std::move(name), std::move(default_value)));
}

Make& Make::integers(std::string name, std::optional<std::string> default_value) {
    integer(std::move(name), std::move(default_value));
    component_.settings.back().list_depth = 1;
    return *this;
}

Make& Make::strings(std::string name, std::optional<std::string> default_value) {
    integers(std::move(name), std::move(default_value));
    component_.settings.back().type = SettingType::kString;
    return *this;
}

Make& Make::flag(std::string name, bool default_value) {
    integer(std::move(name), default_value ? "true" : "false");
    component_.settings.back().type = SettingType::kBoolean;
    return *this;
}

Make& Make::setting(plugin::Setting setting) {
    component_.settings.push_back(std::move(setting));
    return *this;
}

Make& Make::when(std::string condition) {
    switch (last_) {
        case Last::kPort:
            component_.ports.back().when = std::move(condition);
            break;
        case Last::kGlobal:
            component_.globals.back().when = std::move(condition);
            break;
        case Last::kStatistic:
            component_.statistics.back().when = std::move(condition);
            break;
    }
    return *this;
}

Make& Make::purpose(plugin::Purpose purpose) {
    (last_ == Last::kPort ? component_.ports.back().purpose : component_.globals.back().purpose) =
        purpose;
    return *this;
}

Make& Make::optional() {
    component_.ports.back().is_optional = true;
    return *this;
}

Make& Make::named_by(std::string setting) {
    component_.ports.back().streams_setting = std::move(setting);
    return *this;
}

Make& Make::meaning(std::string words) {
    component_.ports.back().meaning = std::move(words);
    return *this;
}

plugin::Setting setting_of(SettingType type, std::string name,
                           std::optional<std::string> default_value) {
    plugin::Setting setting;
    setting.type = type;
    setting.name = std::move(name);
    setting.default_value = std::move(default_value);
    return setting;
}

plugin::Setting choice_of(std::string name, std::vector<std::string> choices,
                          std::optional<std::string> default_value) {
    plugin::Setting setting =
        setting_of(SettingType::kEnumeration, std::move(name), std::move(default_value));
    setting.choices = std::move(choices);
    return setting;
}

plugin::Setting layers_of(std::string name, std::uint32_t list_depth, bool is_required) {
    plugin::Setting setting = setting_of(SettingType::kLayers, std::move(name));
    setting.list_depth = list_depth;
    setting.is_required = is_required;
    if (!is_required) {
        setting.default_value = "[]";
    }
    return setting;
}

plugin::Catalog catalog_of(std::vector<Component> components, const std::string& plugin) {
    plugin::CatalogEntry entry;
    entry.path = "/plugins/" + plugin + ".so";
    entry.manifest.name = plugin;
    entry.manifest.version = "1.0";
    entry.manifest.components = std::move(components);
    plugin::Catalog catalog;
    catalog.plugins.push_back(std::move(entry));
    catalog.searched.emplace_back("/plugins");
    return catalog;
}

plugin::Catalog usual_catalog() {
    return catalog_of({Make(Kind::kTask, "Images")
                           .integers("resize_image")
                           .out("inputs", "B, 1, image_height, image_width")
                           .out("targets", "B", Element::kInteger)
                           .out("labels", "B", Element::kString)
                           .writes("image_height", "$resize_image[0]|28")
                           .writes("image_width", "$resize_image[1]|28")
                           .writes("num_classes", "10"),
                       Make(Kind::kModel, "Net")
                           .in("inputs", "B, 1, 32, 32")
                           .out("predictions", "B, prediction_size")
                           .reads("prediction_size"),
                       Make(Kind::kModel, "Dense")
                           .in("inputs", "B, input_size")
                           .out("predictions", "B, prediction_size")
                           .reads_if_named("input_size")
                           .reads("prediction_size"),
                       Make(Kind::kLoss, "Loss")
                           .in("predictions", "B, classes")
                           .in("targets", "B", Element::kInteger)
                           .loss("loss"),
                       Make(Kind::kTransform, "Reshape")
                           .integers("input_dims")
                           .integers("output_dims")
                           .in("inputs", "$input_dims")
                           .out("outputs", "$output_dims"),
                       Make(Kind::kTransform, "Squash")
                           .in("inputs", "...")
                           .out("outputs", "inputs[:1], (product(inputs[1:]))")
                           .meaning("inputs"),
                       Make(Kind::kViewer, "Viewer")
                           .strings("input_streams")
                           .in("input_streams", "", Element::kAny)
                           .named_by("input_streams"),
                       Make(Kind::kStatistic, "Accuracy")
                           .flag("use_masking")
                           .in("predictions", "B, classes")
                           .in("targets", "B", Element::kInteger)
                           .in("masks", "B", Element::kBoolean)
                           .when("use_masking")
                           .statistic("accuracy")});
}

}  // namespace ptp::test
