// Converts an experiment of PyTorchPipe to one of ptp.

#pragma once

#include "base/value.hpp"
#include "default_configs.hpp"
#include "plugin/catalog.hpp"
#include "report.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace ptp::importer {

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
