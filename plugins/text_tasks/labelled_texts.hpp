// What the tasks share whose samples are a text and its class.
#pragma once

#include <ptp/component.hpp>
#include <texts.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

struct LabelledTexts {
    ptp::support::Texts texts;
    std::vector<int64_t> targets;      // one for each text; none for texts without classes
    std::vector<std::string> classes;  // by their numbers

    // In the batch that is asked for, [B]; zeros for texts without classes. [any]
    [[nodiscard]] ptp::TensorData targets_of(const ptp::Fetch& fetch) const;
    // Empty texts for texts without classes.
    [[nodiscard]] std::vector<std::string_view> labels_of(const ptp::Fetch& fetch) const;

    // num_classes and label_word_mappings.
    void publish_classes(const ptp::Setup& setup) const;
};

// Numbers the labels in the order of their bytes: for those of the samples, and for all that there
// are.
LabelledTexts number_labels(ptp::support::Texts texts, const std::vector<std::string>& labels,
                            const std::vector<std::string>& all_labels);
