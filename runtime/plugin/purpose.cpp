// The types of settings, ports and globals that each purpose asks for.

#include "plugin/purpose.hpp"

#include <cassert>

namespace ptp::plugin {

bool suits(const Setting& setting) {
    assert(setting.purpose);
    const bool is_text =
        setting.type == SettingType::kString || setting.type == SettingType::kEnumeration;
    switch (*setting.purpose) {
        case Purpose::kDataFolder:
            return setting.type == SettingType::kPath && setting.list_depth == 0;
        case Purpose::kTableFormat:
        case Purpose::kSeparator:
        case Purpose::kSplit:
        case Purpose::kUnlistedRows:
        case Purpose::kLabelColumn:
        case Purpose::kUnknownWords:
            return is_text && setting.list_depth == 0;
        case Purpose::kValueColumns:
        case Purpose::kClassNames:
            return setting.type == SettingType::kString && setting.list_depth == 1;
        case Purpose::kMissingClasses:
        case Purpose::kVocabulary:
            return setting.type == SettingType::kBoolean && setting.list_depth == 0;
        case Purpose::kClassCount:
        case Purpose::kScoreCount:
        case Purpose::kIgnoredTarget:
        case Purpose::kTargets:
        case Purpose::kFiles:
            break;  // of ports and globals
    }
    return false;  // or of a later ABI
}

bool suits(const Port& port) {
    assert(port.purpose);
    return *port.purpose == Purpose::kTargets ||
           (*port.purpose == Purpose::kFiles && port.element == Element::kString);
}

bool suits(const Global& global) {
    assert(global.purpose);
    return *global.purpose == Purpose::kClassNames || *global.purpose == Purpose::kVocabulary ||
           *global.purpose == Purpose::kClassCount || *global.purpose == Purpose::kScoreCount ||
           *global.purpose == Purpose::kIgnoredTarget || *global.purpose == Purpose::kValueColumns;
}

}  // namespace ptp::plugin
