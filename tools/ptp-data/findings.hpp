// Conclusions from the facts of several samples or sections: equal samples and shares of classes.

#pragma once

#include "engine/data_request.hpp"
#include "pipeline/plan.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ptp::data {

using engine::SectionFacts;
using engine::StreamFacts;

// Samples whose content equals another one's.
struct Duplicates {
    std::string first;   // a section
    std::string second;  // a later section, or the same one
    std::uint64_t count =
        0;  // samples of the second one that the first one, or an earlier one, has
    std::vector<std::pair<std::int64_t, std::int64_t>> examples = {};  // (first's, second's)
};

// Returns those within each section and between each two, where there are any.
std::vector<Duplicates> find_duplicates(const std::vector<SectionFacts>& sections);

// Returns whether the values of a stream are shown one by one, as the classes of samples: neither
// texts that all differ, nor many numbers.
bool has_classes(const StreamFacts& stream);

// Returns "3 (cat)" for the class 3 of a stream with targets, if its name is known.
std::string class_text(const SectionFacts& section, const StreamFacts& stream,
                       const std::string& value);

// Returns the sum of the counts.
std::uint64_t total_of(const StreamFacts& stream);

// Returns how many times the most frequent value is as frequent as the least frequent one.
double imbalance_of(const StreamFacts& stream);

// One value of a stream that several sections have, with its share in each; 0 if it is missing.
struct ComparedValue {
    std::string value;
    std::vector<double> shares;
};

struct ComparedStream {
    std::string name;
    std::vector<std::string> sections = {};
    std::vector<ComparedValue> values = {};
};

// Returns the streams with classes that at least two sections have.
std::vector<ComparedStream> compare_classes(const std::vector<SectionFacts>& sections);

}  // namespace ptp::data
