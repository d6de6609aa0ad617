// Changes of tables: keys keep their positions, and nothing is overwritten.

#pragma once

#include "base/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ptp::importer {

// Returns whether the key was there, and its new name was not.
bool rename_key(Value& table, std::string_view from, std::string_view to);

// The place of a key; of the table where it is not there.
SourceLocation key_place(const Value& table, std::string_view key);

// The table of that name, made if it is not there.
Value& table_in(Value& table, const std::string& name);

// The text at a key; `otherwise` where there is none.
std::string text_at(const Value* table, std::string_view key, std::string_view otherwise);

// Whether there is `true`.
bool is_true(const Value& table, std::string_view key);

// Without the table of that name, if it is empty.
void erase_if_empty(Value& table, std::string_view name);

// Of "a, b" a and b.
std::vector<std::string> names_in_text(std::string_view text);

// The same of a text or of a list of texts; "" for what is not a text in a list.
std::vector<std::string> texts_of(const Value& value);

}  // namespace ptp::importer
