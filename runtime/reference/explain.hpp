// Where a value of an experiment comes from: which file, include, variable, override or default,
// and what it replaced.

#pragma once

#include "base/source_location.hpp"
#include "base/value.hpp"
#include "experiment/load/layers.hpp"
#include "reference/declared.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ptp::reference {

// One layer's word on a value.
struct Origin {
    std::string table;  // that the value is a part of, where the layer sets the table as a whole
    Value value;        // as written there, with the place
    std::vector<SourceLocation> included_at;
};

// A variable that the winning text uses.
struct VariableUse {
    std::string name;
    std::vector<Origin> origins;  // the first is the one that counts
};

struct ValueProvenance {
    std::string key;
    std::optional<Value> value;          // nullopt: neither written nor with a default
    std::vector<Origin> origins;         // the first is the one that counts; none: the default
    std::vector<VariableUse> variables;  // those that variables use too
    std::optional<Declared> declared;
};

// A table: its values, one after the other.
struct TableProvenance {
    std::string key;
    std::vector<ValueProvenance> values;
};

// What is wrong with the question: "training.optimzer: unknown key; did you mean 'optimizer'?".
struct UnknownKey {
    std::string why;
};

using Explanation = std::variant<ValueProvenance, TableProvenance, UnknownKey>;

// `tree` of the declarations is what the layers became.
Explanation explain(const KeyPath& key, const experiment::Layers& layers,
                    const Declarations& declarations);

// The explanation for a person, each line ended.
std::string provenance_text(const ValueProvenance& provenance);
std::string provenance_text(const TableProvenance& provenance);

// The same for a program. What JSON cannot express is TOML in a string.
nlohmann::ordered_json provenance_json(const ValueProvenance& provenance);
nlohmann::ordered_json provenance_json(const TableProvenance& provenance);

}  // namespace ptp::reference
