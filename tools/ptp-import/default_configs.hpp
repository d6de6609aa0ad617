// The files of an experiment of PyTorchPipe as one tree: `default_configs`, with its precedence.

#pragma once

#include "base/value.hpp"
#include "report.hpp"

#include <filesystem>
#include <optional>
#include <vector>

namespace ptp::importer {

struct YamlFiles {
    std::vector<std::filesystem::path> roots;  // as after --config, the first one counts most
    // What `default_configs` begins in; nullopt: the nearest folder above the including file below
    // which the included one is.
    std::optional<std::filesystem::path> folder = {};
};

// Each file counts more than those that it includes, the first of these more than the next, all of
// the first root more than the second root. Tables merge, all else replaces, null removes. A file
// that was read before is skipped. nullopt after reporting what cannot be read.
std::optional<Value> load_yaml(const YamlFiles& files, Report& report);

}  // namespace ptp::importer
