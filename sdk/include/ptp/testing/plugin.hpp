// A plugin file opened for tests; it stays open until the process ends.
#pragma once

#include <ptp/reserved_names.h>
#include <ptp/testing/component.hpp>

#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ptp::testing {

class Plugin {
public:
    explicit Plugin(const std::filesystem::path& file) {
        void* image = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        void* symbol = image == nullptr ? nullptr : dlsym(image, PTP_ENTRY_SYMBOL);
        if (symbol == nullptr) {
            throw std::runtime_error(dlerror());
        }
        info_ = reinterpret_cast<const ptp_plugin_info* (*)()>(symbol)();
    }

    const ptp_plugin_info& info() const { return *info_; }

    const ptp_component_info& component(std::string_view type) const {
        for (std::uint32_t i = 0; i < info_->component_count; ++i) {
            if (info_->components[i]->name == type) {
                return *info_->components[i];
            }
        }
        throw std::runtime_error(std::string(info_->name) + " has no component '" +
                                 std::string(type) + "'");
    }

    Component make(std::string_view type, std::string_view settings = "",
                   Wiring wiring = {}) const {
        return Component(component(type), settings, std::move(wiring));
    }

    // Creates the component described by a table of an experiment: `type` and the settings. Streams
    // have the names of the ports, and nothing is loaded, shared or frozen. Throws ConfigError for
    // keys that request otherwise.
    Component make_from(std::string_view table, Wiring wiring = {}) const {
        const Data keys = parse_toml(table);
        const Data* type = keys.find("type");
        if (type == nullptr) {
            throw ConfigError("'type' is missing: which component it is");
        }
        Data::Table settings;
        for (const Data::Member& member : keys.as_table()) {
            if (member.key == "type") {
                continue;
            }
            for (const char* reserved : {PTP_RESERVED_NAMES}) {
                if (member.key == reserved) {
                    throw ConfigError("'", member.key,
                                      "' is for the pipeline that the component is in, and has no "
                                      "effect in a test");
                }
            }
            settings.push_back(member);
        }
        return Component(component(type->as_text()), SettingTable{std::move(settings)},
                         std::move(wiring));
    }

private:
    const ptp_plugin_info* info_ = nullptr;
};

}  // namespace ptp::testing
