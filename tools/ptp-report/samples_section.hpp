// The section of a report about single samples: what the newest pass over each set has measured.
#pragma once

#include "base/json.hpp"
#include "ptp-report/sample_file.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ptp::report {

// The amount of it that is in a report.
struct SampleDetail {
    std::size_t rows = 20000;               // of samples, for each set
    std::size_t curve_points = 400;         // of a ROC or precision-recall curve
    std::size_t example_bytes = 4U << 20U;  // for each set
};

// Adds a section for each set with files in samples/, and a sentence, with its fix, for each file
// that cannot be read; the file before it is shown instead.
void add_samples(Json& sections, const std::filesystem::path& run, const SampleDetail& detail,
                 std::vector<std::string>& problems);

// The numbers of each sample of a pass, by their name in the page: "loss", "target", "predicted",
// "confidence", "label", the probability of the label.
using SampleColumns = std::map<std::string, std::vector<double>>;

// Return the measures of a classification or of predicted numbers, and add the samples' numbers to
// the columns; null if the file has nothing that they are computed of, or too many classes, which
// a note states. Throw FileError.
Json classification_of(const SampleFile& file, const SampleDetail& detail, SampleColumns& columns,
                       Json& notes);
Json regression_of(const SampleFile& file, SampleColumns& columns);
// Adds what classification_of() adds to the columns of `count` samples, without the measures.
// Throws FileError.
void add_classes(const SampleFile& file, std::size_t count, SampleColumns& columns);

// Returns the names of the classes that the header has; [] without them.
Json class_names(const SampleFile& file);

// Returns the first thing of this sort that a loss judged, from the header; null if there is none.
Json judged_in(const SampleFile& file, bool is_classes);

}  // namespace ptp::report
