// The forms in which the data are shown.

#pragma once

#include "base/json.hpp"
#include "ptp-data/findings.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ptp::data {

struct Findings {
    std::string experiment;
    std::vector<SectionFacts> sections;
    std::vector<std::string> hashed;  // the streams that make samples equal
    std::vector<Duplicates> duplicates;
    std::vector<ComparedStream> compared;  // empty unless asked for
    std::int64_t format = 0;               // of the file, for one in the folder of a run
};

struct TextStyle {
    bool has_color = false;
    std::size_t width = 0;  // of pictures, in columns
};

std::string text_page(const Findings& findings, const TextStyle& style);

// Returns one page that needs no other file.
std::string html_page(const Findings& findings);

// Returns one JSON object.
std::string json_page(const Findings& findings);

// Returns the samples with the versions that a training gets of them, for the page of a report.
Json json_of_versions(const SectionFacts& section);

// Returns "0 to 1, mean 0.2860, deviation 0.3530"; of texts "5 to 9 characters, mean 6.20".
std::string spread_text(const StreamFacts& stream);

// Returns "0.2860, 0.3201" for the channels of an image: their means, or their deviations.
std::string channel_means(const StreamFacts& stream);
std::string channel_deviations(const StreamFacts& stream);

// Returns "3 samples of test are in training, too: 7 (is 3), ...".
std::string duplicates_text(const Duplicates& found);

// Returns "12.5 %".
std::string share_text(double share);

// Returns a sample's value as one line: a text in quotes, numbers, or a class with its name.
std::string value_text(const SectionFacts& section, const StreamFacts& stream,
                       const engine::ShownValue& value);

}  // namespace ptp::data
