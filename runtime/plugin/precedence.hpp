// Finds unusable files that precede the ones that are used instead.
#pragma once

#include "plugin/catalog.hpp"

#include <cstddef>

namespace ptp::plugin {

// Returns the rejected file of a catalog that would have been the plugin of this name if it were
// valid: it comes first on the path, and its manifest, or else its name, identifies it as this
// plugin. `files_at` is the number of folders of the path that precede files outside of folders,
// such as the copies of a run. nullptr if there is none. The files are read again.
const RejectedFile* preceding(const Catalog& catalog, const CatalogEntry& entry,
                              std::size_t files_at);

}  // namespace ptp::plugin
