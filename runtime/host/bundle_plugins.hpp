// The plugins of a bundle: installed ones, or its own where that is asked for.

#pragma once

#include "base/diagnostics.hpp"
#include "bundle/bundle.hpp"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace ptp::host {

// Finds the plugins that an opened bundle needs, except of the replaced ones, among the installed
// ones: by the hash, then by the version, then by the name. Before a build of another hash comes
// that of the bundle, if unpack_builds() has written it. Reports plugins that are missing, and
// builds that are not those of the training. REQUIRES: `folder` is that of an opened bundle.
std::vector<std::filesystem::path> bundle_plugins(const std::filesystem::path& folder,
                                                  const std::set<std::string>& replaced,
                                                  Diagnostics& problems);

// Refuses options that only a bundle has, of what is none, by the options' names. Throws RunError.
void refuse_bundle_options(const std::string& name, bool skips_self_test, bool with_plugins);

// Refuses the choice of a checkpoint, by this option, for a bundle. Throws RunError.
[[noreturn]] void refuse_checkpoint_option(const char* option, const std::string& bundle);

// Writes the builds of plugins in an opened bundle into its folder, where bundle_plugins() finds
// them, and warns where it has none. ptp-pack does it, in a process of its own, and only where a
// trusted key has signed the bundle. Throws RunError.
void unpack_builds(const bundle::OpenedBundle& bundle);

}  // namespace ptp::host
