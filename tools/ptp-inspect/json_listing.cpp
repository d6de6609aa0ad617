#include "json_listing.hpp"

#include "base/json.hpp"
#include "plugin/manifest_json.hpp"
#include "words.hpp"

namespace ptp::inspect {

namespace {

// Returns the members of `first`, followed by those of `rest`.
Json with(Json first, const Json& rest) {
    for (const auto& [name, value] : rest.items()) {
        first[name] = value;
    }
    return first;
}

}  // namespace

std::string json_listing(const Selection& selection, const plugin::Catalog& catalog) {
    Json out = {
        {"plugins", Json::array()}, {"components", Json::array()}, {"rejected", Json::array()}};
    for (const plugin::CatalogEntry* entry : selection.plugins) {
        out["plugins"].push_back(
            with({{"path", entry->path.string()}, {"libraries", needed_libraries(entry->path)}},
                 plugin::to_json(entry->manifest)));
    }
    for (const plugin::Found& found : selection.components) {
        out["components"].push_back(
            with({{"plugin", found.plugin->manifest.name}}, plugin::to_json(*found.component)));
    }
    for (const plugin::RejectedFile& file : catalog.rejected) {
        out["rejected"].push_back({{"path", file.path.string()}, {"reason", file.reason}});
    }
    // Replaces bytes of paths, which need not be UTF-8.
    return text_of(out, 2) + "\n";
}

}  // namespace ptp::inspect
