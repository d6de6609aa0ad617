// The sections of an experiment of PyTorchPipe: what is trained, validated and tested on.

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

// Of an imported experiment.
std::vector<SectionTable> section_tables(Value& experiment);

// The experiment's tables but for the pipeline, tasks still as they were. `worker` is "offline",
// "online" or "" for the one that the configuration can be trained with.
Value import_sections(const Value& tree, const std::string& worker, Report& report);

}  // namespace ptp::importer
