// The key `load` of a component or of the pipeline: a path, or a table with a path in it.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace ptp::experiment {

class LoadKeys {
public:
    // To be read with the table's own keys. The targets lie in this object.
    Field field();

    // What was read; nullopt if it is absent or wrong, which has been reported. `component` is the
    // one that is loaded; nullopt for the whole pipeline. `scope` is the table with the key.
    [[nodiscard]] std::optional<Load> read(const Scope& scope,
                                           const std::optional<std::string>& component) const;

private:
    std::filesystem::path from_;
    RawTable table_;
};

// The reverse.
Value tree_of(const Load& load);

}  // namespace ptp::experiment
