// The declaration of a value: a key of an experiment, a setting of a plugin, an argument of a
// request. Checks, texts, JSON schemas and documents are all derived from it.

#pragma once

#include "base/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::schema {

enum class Form {
    kBool,
    kInteger,
    kReal,
    kString,
    kPath,
    kDuration,
    kIntegers,  // integers in a list, a text or a file
    kReals,     // reals in the same
    kTable,
    kAny
};

struct Key {
    std::string name;
    Form form = Form::kAny;
    std::uint32_t list_depth = 0;  // the number of lists around the form
    bool takes_one = false;        // a single value may replace a list
    bool is_map = false;           // a table whose keys the user chooses, with such values
    bool is_filled = false;        // no string and no path may be empty
    bool is_unique = false;        // no item of a list is repeated
    bool is_required = false;
    bool is_alternative = false;  // exactly one of the table's keys with this must be present
    bool can_be_none = false;     // "none" is accepted instead of the table
    std::string range = {};       // valid range of each number
    std::string length = {};      // valid length of the outermost list
    std::vector<std::string> choices = {};  // valid values of each string; empty: any
    std::string pattern = {};               // a regular expression that a string must match whole
    std::vector<Key> members = {};          // members of a table; empty: they are checked elsewhere
    std::vector<Key> or_else = {};          // other forms that a value may have: a list, a table
    std::string expected = {};              // replaces the derived text
    std::string help = {};
    std::optional<Value> default_value = {};
};

// Returns "a real in [0, inf)" or "a list of strings, one of SGD, Adam", for messages and help.
std::string expected_text(const Key& key);

}  // namespace ptp::schema
