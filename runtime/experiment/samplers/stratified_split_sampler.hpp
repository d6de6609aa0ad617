#pragma once

#include "experiment/samplers/both.hpp"
#include "experiment/samplers/class_balanced_sampler.hpp"
#include "experiment/samplers/random_split_sampler.hpp"

#include <string_view>
#include <vector>

namespace ptp::experiment {

struct StratifiedSplitSampler : Split, Classes {
    static constexpr std::string_view kName = "StratifiedSplitSampler";
    static constexpr std::string_view kHelp =
        "a share of the samples, with the classes in the same proportions";

    std::vector<schema::Field> fields() { return both(Split::fields(), Classes::fields()); }
    [[nodiscard]] std::vector<schema::KeyProblem> problems(const Value& table) const {
        return both(Split::problems(table), Classes::problems(table));
    }
};

}  // namespace ptp::experiment
