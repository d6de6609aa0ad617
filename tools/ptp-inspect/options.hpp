// The command line of ptp-inspect.
#pragma once

#include "common/program.hpp"
#include "engine/check_rules.hpp"
#include "plugin/catalog.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace ptp::inspect {

// The command line without the name of a command, which lists or checks plugins.
const tools::Command& unnamed_command();

// Returns the help of the program.
std::string usage();

// Parses the lists of --only: "204,runs". Throws tools::UsageError.
std::vector<engine::RuleId> rules_from(const tools::Strings& lists);

// Checks the files of the command line, prints the reports and returns the exit code.
int run_check(const tools::Given& given);

// Returns whether a word of the command line names a bundle: NAME.ptpm.
inline bool is_bundle_name(const std::string& word) {
    return word.ends_with(".ptpm");
}

// Prints what bundles hold, and returns the exit code. Throws RunError for a damaged one.
int show_bundles(const tools::Strings& files, bool is_json);

inline constexpr int kUsage = 2;
inline constexpr int kPlugin = 3;
inline constexpr int kIncomplete = 4;  // for --check

using tools::print;

// Thrown for an unknown name, or a file that is not a plugin for this host. what() is a sentence.
struct NotFound : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Prints each error to the standard error. Returns `status`.
int complain(const std::string& text, int status);

// Prints a warning to the standard error.
void warn(const std::string& text);

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
Plugins find_plugins(const tools::Given& given);

// Reads the manifest of a file. Throws NotFound.
plugin::CatalogEntry read_plugin_file(const std::string& name);

// Throws NotFound with a sentence that names all unknown names.
Selection select(const std::vector<std::string>& names, const Plugins& plugins);

}  // namespace ptp::inspect
