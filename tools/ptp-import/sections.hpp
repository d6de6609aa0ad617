// Converts the sections of an experiment of PyTorchPipe: training, validation and test.

#pragma once

#include "base/value.hpp"
#include "report.hpp"

#include <string>
#include <vector>

namespace ptp::importer {

struct SectionTable {
    std::string path;  // "training", "process.easy"
    Value* table;
};

// Returns the sections of an imported experiment.
std::vector<SectionTable> section_tables(Value& experiment);

// Returns the experiment's tables except the pipeline, with unconverted tasks. `worker` is
// "offline", "online" or "" for the one that suits the configuration.
Value import_sections(const Value& tree, const std::string& worker, Report& report);

}  // namespace ptp::importer
