// Files that cannot be used, and that come before the ones that would be used in their place.
#pragma once

#include "plugin/catalog.hpp"

#include <cstddef>

namespace ptp::plugin {

// Of the rejected files of a catalog the one that would have been the plugin of this name, had it
// been whole: it comes first on the path, and its manifest, or else its name, shows that it is this
// plugin. `files_at`: how many folders of the path come before what is in none of them, such as the
// copies of a run. nullptr if there is none. The files are read again.
const RejectedFile* preceding(const Catalog& catalog, const CatalogEntry& entry,
                              std::size_t files_at);

}  // namespace ptp::plugin
