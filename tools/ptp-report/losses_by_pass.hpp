// The losses of samples in each recorded pass over a set, for those that stay high.
#pragma once

#include "base/json.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace ptp::report {

class LossesByPass {
public:
    // Adds the next pass. The oldest ones are left out beyond 16 million losses.
    void add(std::string epoch, std::vector<std::int64_t> index, std::vector<float> losses);

    // Returns of up to `samples` samples of the newest pass, those whose losses have the largest
    // sums, {index, epochs, rows}, with a row for each pass, null for a loss that is not known;
    // `low` is the median of the newest pass, `high` its mean and six deviations, between which a
    // picture has its shades. null with fewer than two passes.
    [[nodiscard]] Json worst(std::size_t samples) const;

private:
    struct Pass {
        std::string epoch;
        std::vector<std::int64_t> index;
        std::vector<float> losses;  // in the order of the index
    };

    std::deque<Pass> passes_;
    std::size_t count_ = 0;  // of losses
};

}  // namespace ptp::report
