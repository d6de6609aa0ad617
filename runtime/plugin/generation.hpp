// One loaded image of a plugin. A newer build of the same plugin is another generation.
#pragma once

#include "plugin/manifest.hpp"

#include <ptp/abi.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace ptp::plugin {

// A generation, whose image stays mapped until the process ends, even after this object is
// destroyed: its descriptions may be used forever.
class Generation {
public:
    Generation(Manifest manifest, const ptp_plugin_info& info, std::filesystem::path file,
               std::string hash)
        : manifest_(std::move(manifest)),
          info_(&info),
          file_(std::move(file)),
          hash_(std::move(hash)) {}

    [[nodiscard]] const Manifest& manifest() const { return manifest_; }
    [[nodiscard]] const ptp_plugin_info& info() const { return *info_; }

    // Returns the description of a component by its type; nullptr if there is none.
    [[nodiscard]] const ptp_component_info* component(std::string_view type) const {
        for (std::uint32_t i = 0; i < info_->component_count; ++i) {
            if (info_->components[i]->name == type) {
                return info_->components[i];
            }
        }
        return nullptr;
    }

    // Returns the private copy that was loaded.
    [[nodiscard]] const std::filesystem::path& file() const { return file_; }

    // Returns the SHA-256 of the file, in hexadecimal digits.
    [[nodiscard]] const std::string& hash() const { return hash_; }

private:
    Manifest manifest_;
    const ptp_plugin_info* info_;
    std::filesystem::path file_;
    std::string hash_;
};

}  // namespace ptp::plugin
