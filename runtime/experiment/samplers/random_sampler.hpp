#pragma once

#include "schema/fields.hpp"

#include <string_view>
#include <vector>

namespace ptp::experiment {

struct RandomSampler {
    static constexpr std::string_view kName = "RandomSampler";
    static constexpr std::string_view kHelp = "all samples, in a new order each epoch";

    std::vector<schema::Field> fields() { return {}; }
};

}  // namespace ptp::experiment
