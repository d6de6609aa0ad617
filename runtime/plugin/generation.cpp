#include "plugin/generation.hpp"

#include <utility>

namespace ptp::plugin {

Generation::Generation(Manifest manifest, const ptp_plugin_info& info, std::filesystem::path file,
                       std::string hash)
    : manifest_(std::move(manifest)),
      info_(&info),
      file_(std::move(file)),
      hash_(std::move(hash)) {}

const ptp_component_info* Generation::component(std::string_view type) const {
    for (std::uint32_t i = 0; i < info_->component_count; ++i) {
        if (info_->components[i]->name == type) {
            return info_->components[i];
        }
    }
    return nullptr;
}

}  // namespace ptp::plugin
