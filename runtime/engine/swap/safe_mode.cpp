#include "engine/swap/safe_mode.hpp"

#include "plugin/search_path.hpp"

namespace ptp::engine {

std::optional<Explanation> refuse_origin(const plugin::Staged& staged) {
    const auto installation = plugin::installation_folder(plugin::executable_path());
    if (plugin::is_first_party(staged.copy.manifest.name, staged.copy.path, installation)) {
        return std::nullopt;
    }
    return Explanation{"does not come with this ptp, and the run is in safe mode",
                       "begin or resume the run without --safe-mode"};
}

}  // namespace ptp::engine
