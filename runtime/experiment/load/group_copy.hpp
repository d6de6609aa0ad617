// A copy of a group's components: with the names of a use, its streams and its parameters.

#pragma once

#include "base/ranges.hpp"
#include "base/value.hpp"
#include "experiment/fields.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptp::experiment {

struct Group {
    SourceLocation place;
    std::vector<Placed<std::string>> streams = {};  // of the outside
    Map<Raw> parameters = {};                       // with their defaults
    std::vector<const Member*> components = {};
    std::set<std::string> read_parameters = {};
    bool is_used = false;

    [[nodiscard]] std::vector<std::string> stream_names() const {
        return transformed(streams, &Placed<std::string>::value);
    }
    [[nodiscard]] bool has_component(const std::string& name) const {
        return std::ranges::any_of(components,
                                   [&](const Member* member) { return member->key == name; });
    }
};

// A copy of a group's components.
struct Copy {
    std::string name;                           // of the use, "left", or one of several, "left_2"
    std::map<std::string, Value> streams = {};  // names of the group -> those of the pipeline
    std::map<std::string, Value> parameters = {};
    std::string lender = {};  // the copy whose weights and settings it has; "": it has its own
};

// Returns a component of the group for this copy. It has the phases of the use, if it has none
// itself. Notes in the group which parameters it reads.
Member component_of(Group& group, const Copy& copy, const std::vector<std::string>& phases,
                    const Member& component);

}  // namespace ptp::experiment
