// Converts a plugin's setting to a key of the schema, and its type to text.

#include "plugin/setting_key.hpp"

#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "plugin/enum_names.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace ptp::plugin {

namespace {

schema::Form form_of(SettingType type) {
    using enum schema::Form;
    constexpr schema::Form kForms[] = {kBool, kInteger, kReal, kString, kPath, kString, kTable};
    const auto place = static_cast<std::size_t>(static_cast<std::int64_t>(type) - 1);
    return place < std::size(kForms) ? kForms[place] : kAny;
}

}  // namespace

schema::Key key_of(const Setting& setting) {
    schema::Key key{.name = setting.name,
                    .form = form_of(setting.type),
                    .list_depth = setting.list_depth,
                    .takes_one = setting.takes_list_or_one,
                    .is_required = setting.is_required,
                    .range = setting.range,
                    .length = setting.length,
                    .choices = setting.type == SettingType::kEnumeration
                                   ? setting.choices
                                   : std::vector<std::string>(),
                    .help = setting.help,
                    .default_value = setting.default_value ? read_toml_value(*setting.default_value)
                                                           : std::nullopt};
    if (setting.type == SettingType::kLayers) {
        key.expected = setting.list_depth == 0 ? "a list of layers" : "a list of lists of layers";
    }
    for (const Setting& member : setting.members) {
        key.members.push_back(key_of(member));
    }
    key.can_be_none =
        !key.members.empty() && key.list_depth == 0 && !key.is_required && !key.default_value;
    return key;
}

std::string type_text(const Setting& setting) {
    std::string type = setting.type == SettingType::kEnumeration
                           ? join(setting.choices, " | ")
                           : std::string(to_string(setting.type));
    for (std::uint32_t i = 0; i < setting.list_depth; ++i) {
        type = fmt::format("list of {}", type);
    }
    return setting.takes_list_or_one ? type + ", or one" : type;
}

}  // namespace ptp::plugin
