// Experiments with an optimizer and keys of [training].

#pragma once

#include "support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace ptp::experiment::test {

// Line 5 is the first of `keys`, which stand in [training].
inline std::string experiment_text(const std::string& optimizer, const std::string& keys = "",
                                   const std::string& more = "") {
    return "[training.task]\ntype = 'MNIST'\nbatch_size = 8\n[training]\n" + keys +
           "\n[training.optimizer]\n" + optimizer +
           "\n[pipeline.net]\ntype = 'LeNet5'\n[pipeline.other]\ntype = 'LeNet5'\n" + more;
}

inline constexpr const char* kValidation = "[validation.task]\ntype = 'MNIST'\nbatch_size = 8\n";

inline Training read_training_of(const std::string& text) {
    Loader loader(text);
    Training training = loader.read().training;
    REQUIRE(loader.problems() == "");
    return training;
}

}  // namespace ptp::experiment::test
