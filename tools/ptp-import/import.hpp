// An experiment of PyTorchPipe as one of ptp.

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
    std::string worker = {};            // "offline", "online"; "": as the configuration needs
    std::string pipeline = "pipeline";  // the section that is the pipeline
    const plugin::Catalog& catalog;     // empty: keys of components are not compared
    std::filesystem::path home = {};    // what "~" expands to
};

// Values have the places of the YAML. What is wrong with the experiment is reported, as `ptprun
// check` does; the files of data need not be there. nullopt where a file cannot be read.
std::optional<Value> import_experiment(const ImportRequest& request, Report& report);

}  // namespace ptp::importer
