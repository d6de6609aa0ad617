#include "fuzz/expect.hpp"
#include "fuzz/targets.hpp"
#include "pipeline/declaration.hpp"
#include "plugin/manifest_json.hpp"

#include <nlohmann/json.hpp>

namespace ptp::fuzz {

void manifest(std::string_view input) {
    try {
        const plugin::Manifest read = plugin::from_json(input);
        expect(plugin::from_json(plugin::to_json(read).dump()) == read,
               "what is written of a manifest is read again");
        for (const plugin::Component& component : read.components) {
            pipeline::check_declaration(component);
        }
    } catch (const plugin::ManifestError&) {
    }
}

}  // namespace ptp::fuzz
