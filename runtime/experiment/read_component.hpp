// What the tables of tasks and of components have in common: a type, maps of names, settings.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

// Receives the common keys of a table; finish() checks and distributes them.
class CommonKeys {
public:
    // The keys to read with the table's own. The targets lie in this object.
    std::vector<Field> fields();

    // "LeNet5" or "plugin/LeNet5"; "" after reporting that it is neither.
    std::string type(const Scope& scope) const;
    SourceLocation type_place() const;
    Names names(const Scope& scope) const;

private:
    Raw type_ = nullptr;
    RawTable streams_;
    RawTable globals_;
    RawTable statistics_;
};

// The members that no key claimed, as a table. Reserved names among them are refused: they mean
// something elsewhere, but nothing for `what`, "a task" or "a component".
Value settings_of(const Scope& scope, const std::vector<const Member*>& members,
                  std::string_view what);

}  // namespace ptp::experiment
