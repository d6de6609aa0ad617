// [records]: what a run writes of its statistics besides the CSV files.

#pragma once

#include "base/source_location.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::experiment {

// statistics.jsonl.
struct JsonLines {
    std::int64_t every_episodes = 1;  // of training that have a row; sets always have theirs
};

struct ImageStream {
    std::string name;
    SourceLocation place;
};

// Event files in the folder tensorboard.
struct TensorBoard {
    std::int64_t every_episodes = 1;             // as above
    std::int64_t histograms_every_episodes = 0;  // of weights and gradients; 0: none
    std::vector<ImageStream> images;             // shown once in each epoch
    std::int64_t image_count = 4;                // of each stream, from the first batch
};

struct Records {
    std::optional<JsonLines> json_lines;     // absent: not written
    std::optional<TensorBoard> tensorboard;  // absent: not written
};

}  // namespace ptp::experiment
