#pragma once

#include "schema/fields.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ptp::experiment {

// The options of statistics.jsonl.
struct JsonLines {
    static constexpr std::string_view kName = "json_lines";
    static constexpr std::string_view kHelp = "statistics.jsonl: an object on each line";

    std::int64_t every_episodes = 1;  // of training, per row; sets have a row for each pass

    std::vector<schema::Field> fields() {
        return {{.name = "every_episodes",
                 .into = &every_episodes,
                 .help = "episodes of training from one that is recorded to the next",
                 .range = "[1, inf)"}};
    }
};

}  // namespace ptp::experiment
