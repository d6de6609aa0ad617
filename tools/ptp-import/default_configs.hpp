// Merges the files of an experiment of PyTorchPipe by `default_configs`, with its precedence.

#pragma once

#include "base/value.hpp"
#include "report.hpp"

#include <filesystem>
#include <optional>
#include <vector>

namespace ptp::importer {

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

}  // namespace ptp::importer
