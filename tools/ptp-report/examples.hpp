// The examples in files of samples/, as the page shows them.
#pragma once

#include "base/json.hpp"
#include "ptp-report/sample_file.hpp"
#include "ptp-report/samples_section.hpp"

#include <cstddef>
#include <filesystem>
#include <vector>

namespace ptp::report {

// Returns as many examples as there is room for, evenly over all; null without any. Throws
// FileError.
Json examples_of(const SampleFile& file, std::size_t room, Json& notes);

// Returns those of earlier passes that the section of the newest one has none of: of the samples
// with the highest loss, the newest first, with up to as many bytes as those of the newest may
// have.
// Throws FileError.
Json more_examples(const Json& section, const std::vector<std::filesystem::path>& files,
                   const SampleDetail& detail);

}  // namespace ptp::report
