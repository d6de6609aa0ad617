// Loads plugins that a scan has found.
//
// What is loaded is never the user's file but a copy of it (plugin/private_copies.hpp). The copy is
// judged again, because the file may have changed since the scan.
#pragma once

#include "plugin/catalog.hpp"
#include "plugin/generation.hpp"
#include "plugin/private_copies.hpp"

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ptp::plugin {

enum class LoadPhase : std::int32_t {
    copy = 1,  // to the private folder
    verify,    // the copy, without running its code
    open,      // its code runs from here
    compare    // what its code says with what its manifest says
};

std::string_view word(LoadPhase phase);

// what(): "/x/vision.so: cannot be loaded (verify): is cut off: ...".
class LoadError : public std::runtime_error {
public:
    LoadError(const std::filesystem::path& path, LoadPhase phase, const std::string& reason);

    LoadPhase phase() const { return phase_; }

private:
    LoadPhase phase_;
};

// [main]
class Loader {
public:
    // Plugins that lie in the folder already are loaded as they are, each of them once. The folder is
    // the caller's; it is made if it is not there, and nothing in it is ever removed.
    explicit Loader(const std::filesystem::path& private_folder);

    // Each call gives a new image with its own static variables, of the same file too.
    // Throws LoadError, and then nothing has changed, but that the image may stay mapped.
    Generation load(const CatalogEntry& entry);

private:
    struct Copy;
    Copy copy(const CatalogEntry& entry);

    PrivateCopies copies_;
};

}  // namespace ptp::plugin
