// Explains the origin of a value of an experiment: its file, include, variable, override or
// default, and what it replaced.

#pragma once

#include "base/source_location.hpp"
#include "base/value.hpp"
#include "experiment/load/load.hpp"
#include "reference/declared.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ptp::reference {

// The value according to one layer.
struct Origin {
    std::string table;  // contains the value, if the layer sets the table as a whole
    Value value;        // as written in the layer, with its place
    std::vector<SourceLocation> included_at;
};

// A variable that the effective text uses.
struct VariableUse {
    std::string name;
    std::vector<Origin> origins;  // the first one is effective
};

struct ValueProvenance {
    std::string key;
    std::optional<Value> value;          // nullopt: neither written nor with a default
    std::vector<Origin> origins;         // the first one is effective; empty: the default is
    std::vector<VariableUse> variables;  // including those that variables use
    std::optional<Declared> declared;
};

// The explanations of all values of a table.
struct TableProvenance {
    std::string key;
    std::vector<ValueProvenance> values;
};

// An error in the question: "training.optimzer: unknown key; did you mean 'optimizer'?".
struct UnknownKey {
    std::string why;
};

using Explanation = std::variant<ValueProvenance, TableProvenance, UnknownKey>;

// Explains a key. `tree` of the declarations is the result of merging the layers.
Explanation explain(const KeyPath& key, const experiment::Layers& layers,
                    const Declarations& declarations);

// Returns the explanation as complete lines for a person.
std::string provenance_text(const ValueProvenance& provenance);
std::string provenance_text(const TableProvenance& provenance);

// Returns the explanation for a program. Values that JSON cannot express are TOML in a string.
nlohmann::ordered_json provenance_json(const ValueProvenance& provenance);
nlohmann::ordered_json provenance_json(const TableProvenance& provenance);

}  // namespace ptp::reference
