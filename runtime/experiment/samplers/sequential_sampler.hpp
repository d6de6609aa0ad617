#pragma once

#include "schema/fields.hpp"

#include <string_view>
#include <vector>

namespace ptp::experiment {

struct SequentialSampler {
    static constexpr std::string_view kName = "SequentialSampler";
    static constexpr std::string_view kHelp = "all samples, in order";

    std::vector<schema::Field> fields() { return {}; }
    [[nodiscard]] bool is_in_order() const { return true; }
};

}  // namespace ptp::experiment
