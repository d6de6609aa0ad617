// What comes of a trial, to be compared with what comes of another one.

#pragma once

#include "engine/component/slot.hpp"

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::engine {

// Something that came of a trial, with all its bits.
struct Outcome {
    std::string what;  // "output 'predictions'"
    std::string bits;
    at::Tensor reals = {};  // the same as numbers, where it is a tensor of reals or a statistic

    // Whether the other one is the same but for the rounding.
    [[nodiscard]] bool is_close(const Outcome& other) const;
};

// Type, sizes and content.
[[nodiscard]] std::string bits_of(const at::Tensor& tensor);
[[nodiscard]] std::string bits_of(const Slot& slot);

// "the file x.csv" for each file of the folder, in the order of the names.
void add_files(const std::filesystem::path& folder, std::vector<Outcome>& outcomes);

// Adds those of a further step.
void append(std::vector<Outcome>& all, std::vector<Outcome> more);

// The first thing in which they differ; "" if there is none.
[[nodiscard]] std::string first_difference(const std::vector<Outcome>& left,
                                           const std::vector<Outcome>& right);

}  // namespace ptp::engine
