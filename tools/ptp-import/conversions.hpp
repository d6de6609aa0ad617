// Declares the conversions of an import, each of which changes a part of the experiment in place.
// Components, sections, vocabularies and shared names have a file each.
#pragma once

#include "base/source_location.hpp"
#include "base/value.hpp"
#include "plugin/catalog.hpp"
#include "plugin/manifest.hpp"
#include "table.hpp"

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::importer {

struct Vocabularies {
    std::set<std::string> published = {};    // by the components so far
    std::set<std::string> unpublished = {};  // sizes that are read, but not published
};

// Information about the available components.
struct Components {
    const plugin::Catalog& catalog;
    Vocabularies vocabularies = {};
};

// Returns nullptr if no plugin, or several, have the type.
const plugin::Component* find_declared(const plugin::Catalog& catalog, const Value& table);

// Converts the table at `path`, such as "training.task", to that of ptp's component.
void import_component(Value& table, const std::string& path, Components& components,
                      Report& report);

struct SectionTable {
    std::string path;  // "training", "process.easy"
    Value* table;
};

// Returns the sections of an imported experiment.
std::vector<SectionTable> section_tables(Value& experiment);

// Returns the experiment's tables except the pipeline, with unconverted tasks. `worker` is
// "offline", "online" or "" for the one that suits the configuration.
Value import_sections(const Value& tree, const std::string& worker, Report& report);

// Returns whether the component has a setting of this name, or, in `table`, a stream, a global or a
// statistic.
bool is_declared(const plugin::Component& component, std::string_view table, std::string_view name);

// Converts texts such as "a, b" to lists if the component takes lists. Removes undeclared keys with
// a warning.
void fit(Value& table, const std::string& path, const plugin::Component& component, Report& report);

// Resolves names in a whole experiment: removes globals that no component publishes, if streams
// determine the value; renames additional streams of ptp's task that the pipeline has too.
void settle_names(Value& experiment, const plugin::Catalog& catalog, Report& report);

// Returns the sizes that components of a pipeline read, and that neither a flag of another one nor
// a name of `known` publishes: releases before 0.2 published them without a flag.
std::set<std::string> unpublished_sizes(const Value& pipeline, const std::set<std::string>& known);

// Converts a component's table. Two components that publish the same vocabulary share one here.
void import_vocabulary(Value& table, const std::string& path, Vocabularies& vocabularies,
                       Report& report);

// The places where null was written: there is no such value, so these are empty tables.
using Nulls = std::set<SourceLocation>;

bool is_null(const Value& value, const Nulls& nulls);

// Parses `text`; `file` is its name in places. Aliases and merge keys (`<<`) are resolved; the last
// of repeated keys counts, as in PyYAML, with a warning. Returns nullopt after reporting text that
// is not YAML, not UTF-8 or not a map, a tag beyond those of the safe loader, an alias within its
// own anchor, or a document that is too large.
std::optional<Value> read_yaml(const std::string& text, const std::string& file, Nulls& nulls,
                               Report& report);

// Returns whether the text is "", "~" or "null".
bool is_null_scalar(std::string_view text);

// Returns a boolean (yes and off too), an integer (also 0x1f, 0b1, 017 and 1_000), a real or else a
// string. Unlike in PyYAML, where it is text, 1e-3 is a real: no experiment means text by it.
Value plain_scalar(const std::string& text);

struct YamlFiles {
    std::vector<std::filesystem::path> roots;  // as in --config, by precedence
    // The base folder of `default_configs`; nullopt: the nearest folder above the including file
    // that contains the included one.
    std::optional<std::filesystem::path> folder = {};
};

// Merges the files. Each file precedes those that it includes, the first of these precedes the
// next, and the whole first root precedes the second root. Tables merge, other values replace, null
// removes. A file that was read before is skipped. Returns nullopt after reporting what cannot be
// read.
std::optional<Value> load_yaml(const YamlFiles& files, Report& report);

struct ImportRequest {
    YamlFiles files = {};
    std::string worker = {};            // "offline", "online"; "": as the configuration requires
    std::string pipeline = "pipeline";  // name of the section with the pipeline
    const plugin::Catalog& catalog;     // empty: keys of components are not checked
    std::filesystem::path home = {};    // what "~" expands to
};

// Converts the experiment; values have the places of the YAML. Reports errors in the experiment as
// `ptprun check` does; data files need not exist. Returns nullopt if a file cannot be read.
std::optional<Value> import_experiment(const ImportRequest& request, Report& report);

}  // namespace ptp::importer
