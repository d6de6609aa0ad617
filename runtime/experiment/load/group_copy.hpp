// A copy of a group's components: with the names of a use, its streams and its parameters.

#pragma once

#include "base/ranges.hpp"
#include "base/value.hpp"
#include "experiment/fields.hpp"

#include <algorithm>
#include <cstddef>
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
    // Returns whether a component of the group tries this one on each sample.
    [[nodiscard]] bool tries(const std::string& name) const {
        return std::ranges::any_of(components, [&](const Member* member) {
            const Value* const tried = member->value.find("try");
            return tried != nullptr && tried->is_list() &&
                   std::ranges::any_of(tried->items(), [&](const Value& item) {
                       return item.is_string() && item.as_string() == name;
                   });
        });
    }
};

// A copy of a group's components.
struct Copy {
    std::string name;                           // of the use, "left", or one of several, "left_2"
    std::map<std::string, Value> streams = {};  // names of the group -> those of the pipeline
    std::map<std::string, Value> parameters = {};
    std::string lender = {};  // the copy whose weights and settings it has; "": it has its own
};

// Returns "left_encoder".
inline std::string name_of(const Copy& copy, const Member& component) {
    return copy.name + "_" + component.key;
}

// The size of all copies, and why they are refused.
struct Expanded {
    std::size_t bytes = 0;
    std::string problem = {};

    // Adds a value. Notes a problem if there is more than the limit.
    void add(const Value& value);
};

// Returns a component of the group for this copy. It has the phases of the use, if it has none
// itself. Notes in the group which parameters it reads, and adds the component to `expanded`: if
// that has a problem, the component is incomplete.
Member component_of(Group& group, const Copy& copy, const std::vector<std::string>& phases,
                    const Member& component, Expanded& expanded);

}  // namespace ptp::experiment
