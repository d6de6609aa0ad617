#pragma once

#include "schema/fields.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

// Batches whose samples have similar lengths.
struct Lengths {
    // Of the task, or of a transform behind it that treats each sample by itself.
    std::string length_stream = "lengths";
    std::int64_t pool = 50;  // in batches
    bool shuffle = true;     // unless set otherwise, in training alone

    std::vector<schema::Field> fields() {
        return {
            {.name = "length_stream",
             .into = &length_stream,
             .help = "the stream with the length of each sample: of the task, or of a transform "
                     "behind it that treats each sample by itself"},
            {.name = "pool",
             .into = &pool,
             .help = "batches whose samples are sorted by length together, after shuffling",
             .range = "[1, inf)"},
            {.name = "shuffle",
             .into = &shuffle,
             .help = "other batches in every epoch, by default in training; false: all samples "
                     "sorted by length"}};
    }
};

struct LengthGroupedSampler : Lengths {
    static constexpr std::string_view kName = "LengthGroupedSampler";
    static constexpr std::string_view kHelp =
        "all samples, in batches of similar lengths, which need less padding";
};

}  // namespace ptp::experiment
