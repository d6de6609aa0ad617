// The common keys of the tables of tasks and components: a type, maps of names, settings.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

// Receives the common keys of a table.
class CommonKeys {
public:
    // Returns the keys to read with the table's own. Their targets are in this object.
    std::vector<Field> fields(std::string_view help_of_type);

    // Returns "LeNet5" or "plugin/LeNet5"; "" after reporting that it is neither.
    [[nodiscard]] const std::string& type() const { return type_; }
    static SourceLocation type_place(const Scope& scope);
    [[nodiscard]] Names names() const;

private:
    std::string type_;
    Map<std::string> streams_;
    Map<Raw> globals_;
    Map<std::string> statistics_;
};

// Returns the members that no key claimed, as a table. Reserved names among them are rejected: they
// have a meaning elsewhere, but not for `what`, "a task" or "a component".
Value settings_of(const Scope& scope, const std::vector<const Member*>& members,
                  std::string_view what);

}  // namespace ptp::experiment
