// The common parts of tasks whose samples are a text and its class.
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
    std::vector<int64_t> targets;      // one for each text; empty for texts without classes
    std::vector<std::string> classes;  // by their numbers

    // Returns the targets of the requested batch, [B]; zeros for texts without classes. [any]
    [[nodiscard]] ptp::TensorData targets_of(const ptp::Fetch& fetch) const;
    // Returns empty texts for texts without classes.
    [[nodiscard]] std::vector<std::string_view> labels_of(const ptp::Fetch& fetch) const;

    // Publishes num_classes and label_word_mappings.
    void publish_classes(const ptp::Setup& setup) const;
};

// Returns the targets of a batch with `binary`, [B, 1]; zeros for samples without classes.
ptp::TensorData binary_targets(const std::vector<int64_t>& targets, const ptp::Fetch& fetch);

// Numbers the labels in the order of their bytes: those of the samples, by all existing labels.
LabelledTexts number_labels(ptp::support::Texts texts, const std::vector<std::string>& labels,
                            const std::vector<std::string>& all_labels);
