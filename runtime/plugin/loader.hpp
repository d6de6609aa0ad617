// Loads plugins that a scan has found.
//
// What is loaded is never the user's file but a copy of it (plugin/private_copies.hpp). The copy is
// judged again, because the file may have changed since the scan; copy() lets the caller continue
// with what it is by then.
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
    kCopy = 1,  // to the private folder
    kVerify,    // the copy, without running its code
    kOpen,      // its code runs from here
    kCompare    // what its code declares with what its manifest declares
};

std::string_view to_string(LoadPhase phase);

// what(): "/x/vision.so: cannot be loaded (verify): is cut off: ...".
class LoadError : public PhaseError<LoadPhase> {
public:
    // A refusal for now has no cause in the plugin.
    LoadError(const std::filesystem::path& path, LoadPhase phase, const Explanation& cause,
              RefusedFor refused_for = RefusedFor::kGood);
};

// [main]
class Loader {
public:
    // Plugins that lie in the folder already are loaded as they are, each of them once. The folder
    // is the caller's; it is made if it is not there, and nothing in it is ever removed.
    explicit Loader(const std::filesystem::path& private_folder);

    // Makes the copy that the next load() of a file of this path takes, whatever becomes of the
    // file. Returns what the copy declares, which need not be what the scan has found: that is
    // for the caller to compare. A file that is just being built is waited for, 10 seconds at most.
    // Throws LoadError.
    Manifest copy(const CatalogEntry& entry, const StageClock& clock = StageClock::real());

    // Each call creates a new image with its own static variables, of the same file too.
    // Throws LoadError, and then nothing has changed, but that the image may stay mapped.
    Generation load(const CatalogEntry& entry);

private:
    struct Copy {
        std::filesystem::path path;
        std::string hash;
    };
    Copy take(const CatalogEntry& entry);

    PrivateCopies copies_;
    std::map<std::filesystem::path, Copy> made_;  // that are not loaded yet, by the file's path
};

}  // namespace ptp::plugin
