#pragma once

#include "schema/fields.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

// Options for batches of samples with similar lengths.
struct Lengths {
    // The name of a stream of the task, or of a transform after it that treats each sample
    // separately.
    std::string length_stream = "lengths";
    std::int64_t pool = 50;  // in batches
    bool shuffle = true;     // by default only in training

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
