// What the names on the command line mean.
#pragma once

#include "options.hpp"

#include "plugin/catalog.hpp"

#include <stdexcept>
#include <vector>

namespace ptp::inspect {

// A name that is nothing, or a file that is not a plugin for this host. what() is a sentence.
class NotFound : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// What to print, in the order of the command line. Pointers into `catalog` and `files`.
struct Selection {
    std::vector<const plugin::CatalogEntry*> plugins;  // with all their components
    std::vector<plugin::Found> components;             // of others
};

// A catalog of the search path, and of the files that are named.
struct Plugins {
    plugin::Catalog catalog;
    plugin::Catalog files;
};

// Reads the search path and the files on the command line. Throws NotFound for such a file.
Plugins find_plugins(const Options& options);

// Throws NotFound; the sentence names all names that are unknown.
Selection select(const std::vector<std::string>& names, const Plugins& plugins);

}  // namespace ptp::inspect
