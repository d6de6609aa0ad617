// Resolves the names on the command line.
#pragma once

#include "options.hpp"

#include "plugin/catalog.hpp"

#include <stdexcept>
#include <vector>

namespace ptp::inspect {

// Thrown for an unknown name, or a file that is not a plugin for this host. what() is a sentence.
class NotFound : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The objects to print, in the order of the command line. Pointers into `catalog` and `files`.
struct Selection {
    std::vector<const plugin::CatalogEntry*> plugins;  // with all their components
    std::vector<plugin::Found> components;             // of other plugins
};

// The catalogs of the search path and of the named files.
struct Plugins {
    plugin::Catalog catalog;
    plugin::Catalog files;
};

// Reads the search path and the files on the command line. Throws NotFound for an invalid file.
Plugins find_plugins(const Options& options);

// Throws NotFound with a sentence that names all unknown names.
Selection select(const std::vector<std::string>& names, const Plugins& plugins);

}  // namespace ptp::inspect
