// Where a value of an experiment comes from: which file, include, variable, override or default,
// and what it replaced.

#pragma once

#include "config/layers.hpp"
#include "base/place.hpp"
#include "base/value.hpp"
#include "reference/declared.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ptp::reference {

// One layer's word on a value.
struct Origin {
    std::string table;  // of which the value is a part, where the layer gives the table as a whole
    Value value;  // as it stands there, with the place
    std::vector<Place> included_at;
};

// A variable that the winning text uses.
struct VariableUse {
    std::string name;
    std::vector<Origin> origins;  // the first is the one that counts
};

struct ValueStory {
    std::string key;
    std::optional<Value> value;  // nullopt: neither written nor with a default
    std::vector<Origin> origins;         // the first is the one that counts; none: the default
    std::vector<VariableUse> variables;  // those that variables use too
    std::optional<Declared> declared;
};

// A table: its values, one after the other.
struct TableStory {
    std::string key;
    std::vector<ValueStory> values;
};

// What is wrong with the question: "training.optimzer: unknown key; did you mean 'optimizer'?".
struct NoStory {
    std::string why;
};

using Story = std::variant<ValueStory, TableStory, NoStory>;

// `tree` of the declarations is what the layers became.
Story explain(const KeyPath& key, const config::Layers& layers, const Declarations& declarations);

// The story for a person, each line ended.
std::string story_text(const ValueStory& story);
std::string story_text(const TableStory& story);

// The same for a program. What JSON cannot say is TOML in a string.
nlohmann::ordered_json story_json(const ValueStory& story);
nlohmann::ordered_json story_json(const TableStory& story);

}  // namespace ptp::reference
