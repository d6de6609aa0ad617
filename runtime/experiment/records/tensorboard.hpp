#pragma once

#include "schema/fields.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

// The options of the event files in the folder tensorboard.
struct TensorBoard {
    static constexpr std::string_view kName = "tensorboard";
    static constexpr std::string_view kHelp = "event files in the folder tensorboard";

    std::int64_t every_episodes = 1;                  // of training, per row
    std::int64_t histograms_every_episodes = 0;       // for weights and gradients; 0: none
    std::vector<schema::Placed<std::string>> images;  // streams, shown once per epoch
    std::int64_t image_count = 4;                     // per stream, from the first batch

    std::vector<schema::Field> fields() {
        return {{.name = "every_episodes",
                 .into = &every_episodes,
                 .help = "episodes of training from one that is recorded to the next",
                 .range = "[1, inf)"},
                {.name = "histograms_every_episodes",
                 .into = &histograms_every_episodes,
                 .help = "the same for histograms of weights and gradients; 0: none",
                 .range = "[0, inf)"},
                {.name = "image_count",
                 .into = &image_count,
                 .help = "of each stream",
                 .range = "[1, 64]"},
                {.name = "images",
                 .into = &images,
                 .help = "streams that are shown once in each epoch"}};
    }
};

}  // namespace ptp::experiment
