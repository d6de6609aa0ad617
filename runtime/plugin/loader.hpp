// Loads plugins that a scan has found.
//
// The user's file itself is never loaded, only a copy of it (plugin/private_copies.hpp). The copy
// is checked again, because the file may have changed since the scan; copy() lets the caller handle
// such a change.
#pragma once

#include "base/phase_error.hpp"
#include "plugin/catalog.hpp"
#include "plugin/generation.hpp"
#include "plugin/private_copies.hpp"
#include "plugin/staging.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace ptp::plugin {

enum class LoadPhase : std::int32_t {
    kCopy = 1,  // of the file to the private folder
    kVerify,    // of the copy, without running its code
    kOpen,      // of the copy, whose code runs from here on
    kCompare    // of the code's declarations with those of the manifest
};

std::string_view to_string(LoadPhase phase);

// An error of loading; what(): "/x/vision.so: cannot be loaded (verify): is cut off: ...".
class LoadError : public PhaseError<LoadPhase> {
public:
    // A refusal for now is not caused by the plugin.
    LoadError(const std::filesystem::path& path, LoadPhase phase, const Explanation& cause,
              RefusedFor refused_for);
};

// [main] Copies and loads plugins.
class Loader {
public:
    // Plugins that are already in the folder are loaded as they are, each once. The folder belongs
    // to the caller; it is created if missing, and its content is never removed.
    explicit Loader(const std::filesystem::path& private_folder);

    // Makes the copy that the next load() of a file of this path uses, even if the file changes.
    // Returns the copy's declarations, which may differ from those of the scan: the caller compares
    // them. Waits at most 10 seconds for a file that is being built. Throws LoadError.
    Manifest copy(const CatalogEntry& entry, const StageClock& clock = StageClock::real());

    // Creates a new image with its own static variables in each call, even for the same file.
    // Throws LoadError, after which nothing has changed, except that the image may stay mapped.
    Generation load(const CatalogEntry& entry);

private:
    struct Copy {
        std::filesystem::path path;
        std::string hash;
    };
    Copy take(const CatalogEntry& entry);

    PrivateCopies copies_;
    std::map<std::filesystem::path, Copy> made_;  // not loaded yet, by the file's path
};

}  // namespace ptp::plugin
