// Which keys ptp itself reads from which table of an experiment, as their readers declare them. Who
// shows, completes or describes keys asks this, so that there is no second list of them.

#pragma once

#include "base/value.hpp"
#include "experiment/fields.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

enum class KeyForm {
    kBool,
    kInteger,
    kReal,
    kString,
    kRealPair,
    kTable,
    kOther  // has a reader of its own
};

struct Key {
    std::string name;
    KeyForm form = KeyForm::kOther;
    std::string range;
    std::vector<std::string> choices;
    bool is_required = false;
    bool can_be_none = false;  // "none" may stand in place of the table
    std::optional<Value> default_value;
};

// "a real in [0, inf)", "a string, one of SGD, Adam"; "" for a form with a reader of its own.
std::string expected_text(const Key& key);

class KeyRecord {
public:
    // Keys that a table of this type does not have are left out. The targets of the fields must
    // hold their defaults.
    void note(const std::string& path, const std::vector<Field>& fields, std::string_view type);

    // By the table's path ("" for the experiment itself), in the order of their declaration.
    [[nodiscard]] const std::map<std::string, std::vector<Key>>& tables() const { return tables_; }

    // nullptr when the table was not read or has no such key.
    [[nodiscard]] const Key* find(const std::string& table, std::string_view name) const;

private:
    std::map<std::string, std::vector<Key>> tables_;
};

// All keys that an experiment with this tree could have: tables that it lacks are read as if they
// were there and empty. `default_name` is that of ReadOptions.
KeyRecord possible_keys(const Value& root, const std::string& default_name = "");

}  // namespace ptp::experiment
