// The streams in files of samples/ that have a vector for each sample, such as an embedding.
#pragma once

#include "base/json.hpp"
#include "ptp-report/sample_file.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ptp::report {

// Returns the names of those that the experiment has asked for, with at least two numbers a sample.
std::vector<std::string> asked_vectors(const SampleFile& file, std::size_t count);

// Returns those, or without any what a loss has compared with targets.
std::vector<std::string> known_vectors(const SampleFile& file, std::size_t count);

// Returns for each of asked_vectors() some of these samples, evenly chosen, along the two principal
// components of them: {name, size, shares, index, x, y}. Throws FileError.
Json drawn_vectors(const SampleFile& file, const std::vector<std::int64_t>& index,
                   const std::vector<std::size_t>& rows);

}  // namespace ptp::report
