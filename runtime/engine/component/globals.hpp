// The globals of a pipeline: constants, such as the number of classes, that components publish and
// read while they are created.

#pragma once

#include "base/value.hpp"
#include "engine/component/data_tree.hpp"
#include "pipeline/plan.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

// [main] only.
class Globals {
public:
    // Returns a sentence about the conflict if another value was published; an equal one is fine.
    std::optional<std::string> publish(const std::string& name, const Value& value,
                                       const std::string& publisher);

    // Publishes all of these in another pipeline, which must have none yet.
    void copy_to(Globals& other) const;

    // Returns all of them, by name.
    [[nodiscard]] Value values() const;

    // Both return nullptr if it has not been published. Valid as long as this object.
    [[nodiscard]] const std::string* publisher(const std::string& name) const;
    [[nodiscard]] const ptp_data* find(const std::string& name) const;

private:
    struct Entry {
        Entry(const Value& value_in, std::string publisher_in)
            : value(value_in), publisher(std::move(publisher_in)), data(value_in) {}

        Value value;
        std::string publisher;
        DataTree data;
    };
    std::map<std::string, Entry> entries_;
};

// Returns the names of classes by number, from the global of a task or component that holds them;
// none where there is no such table.
std::vector<std::string> published_classes(const pipeline::Node& node, const Globals& globals);

// Returns the fix for two sections with different classes, in tables from names to numbers.
// REQUIRES: the training's task has a setting for the names of the classes
std::string fix_of_classes(const pipeline::Node& training, const pipeline::Node& other,
                           const Value& first, const Value& second);

}  // namespace ptp::engine
