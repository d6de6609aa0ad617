// The content of a report, as JSON for its page: what the runs have in common, and of each run
// sections by kind, to which later kinds are added.
#pragma once

#include "base/json.hpp"
#include "ptp-report/samples_section.hpp"
#include "ptprun/commands.hpp"
#include "run/run.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ptp::report {

// The amount of a run that is in a report.
struct Detail {
    std::size_t buckets = 2000;           // of a curve, with four points each
    std::size_t images = 24;              // of a run
    std::size_t image_bytes = 4U << 20U;  // of a run, all together
    SampleDetail samples = {};
};

// Returns the sections of a run: curves, events, tables, images, texts. Adds a sentence, with its
// place and fix, for each part that cannot be read.
Json sections_of(const run::Run& run, const Detail& detail, std::vector<std::string>& problems);

// Run `ptprun report` and `ptprun plot`.
int write_report(const ptprun::Given& given);
int plot(const ptprun::Given& given);

}  // namespace ptp::report
