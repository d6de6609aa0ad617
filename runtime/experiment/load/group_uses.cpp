// The keys of a table that uses a group, and the errors in components that it has made.

#include "base/ranges.hpp"
#include "base/text.hpp"
#include "experiment/load/group_use.hpp"
#include "experiment/load/groups.hpp"

#include <fmt/core.h>

namespace ptp::experiment {

std::vector<schema::Key> use_keys() {
    Use use;
    return transformed(use.fields(), [](const Field& field) { return schema::key_of(field); });
}

void name_uses(const GroupUses& uses, Diagnostics& problems) {
    for (const GroupUse& use : uses) {
        std::vector<std::string> wrong;
        for (const Problem& problem : problems.reported()) {
            for (const std::string& name : use.components) {
                const std::string path = below("pipeline", name);
                const bool is_about = problem.key == path || problem.key.starts_with(path + ".") ||
                                      problem.message.starts_with(path + ": ");
                if (problem.severity == Severity::kError && is_about && !contains(wrong, path)) {
                    wrong.push_back(path);
                }
            }
        }
        if (!wrong.empty()) {
            problems.error(use.place, below("pipeline", use.name),
                           fmt::format("is [group.{}] of {}, where this is wrong: {}", use.group,
                                       use.group_place.text(), join(wrong, ", ")));
        }
    }
}

}  // namespace ptp::experiment
