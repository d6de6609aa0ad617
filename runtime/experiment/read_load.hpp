// Reads the key `load` of a component or of the pipeline: a path, or a table with a path.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace ptp::experiment {

class LoadKeys {
public:
    // Returns the field to read with the table's own keys. Its targets are in this object.
    Field field();

    // Returns the result; nullopt if it is absent or wrong, which has been reported. `component` is
    // the component to load; nullopt for the whole pipeline. `scope` is the table with the key.
    [[nodiscard]] std::optional<Load> read(const Scope& scope,
                                           const std::optional<std::string>& component) const;

private:
    std::filesystem::path from_;
    RawTable table_;
};

// Returns the value of the key: the inverse of reading.
Value tree_of(const Load& load);

}  // namespace ptp::experiment
