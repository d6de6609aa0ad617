// The table of a use of a group, [pipeline.NAME] with `use`.

#pragma once

#include "base/value.hpp"
#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

#include <string>
#include <vector>

namespace ptp::experiment {

struct Use {
    std::string group;
    Map<std::string> streams;
    Map<Raw> parameters;
    Map<Raw> map;  // a list of streams for each of the group's
    std::string share;
    std::string weights = "shared";
    bool is_enabled = true;
    std::vector<std::string> phases;

    [[nodiscard]] std::vector<Field> fields() {
        return {{.name = "use",
                 .into = &group,
                 .help = "in place of a type: the group whose components it expands to",
                 .is_filled = true,
                 .is_required = true},
                {.name = "streams",
                 .into = &streams,
                 .help = "other names for the streams of the group",
                 .is_filled = true},
                {.name = "parameters",
                 .into = &parameters,
                 .help = "other values for the parameters of the group"},
                {.name = "map",
                 .into = &map,
                 .help = "lists of streams: one use for each item, NAME_1, NAME_2 ...",
                 .expected = "a table from streams of the group to lists of streams"},
                {.name = "share",
                 .into = &share,
                 .help = "an earlier use whose weights and parameters it has, too",
                 .is_filled = true},
                {.name = "weights",
                 .into = &weights,
                 .help = "of those of map: one set, or each its own",
                 .choices = {"shared", "own"}},
                {.name = "enabled", .into = &is_enabled, .help = "false leaves it out"},
                {.name = "phases",
                 .into = &phases,
                 .help = "when its components run, if they have no phases themselves",
                 .length = "[1, inf)",
                 .choices = {kPhases.begin(), kPhases.end()}}};
    }
};

}  // namespace ptp::experiment
