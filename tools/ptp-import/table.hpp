// Changes tables so that keys keep their positions, and no key is overwritten.
#pragma once

#include "base/diagnostics.hpp"
#include "base/source_location.hpp"
#include "base/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ptp::importer {

// Returns whether the key existed, and its new name did not.
bool rename_key(Value& table, std::string_view from, std::string_view to);

// Returns the place of a key; that of the table if there is none.
SourceLocation key_place(const Value& table, std::string_view key);

// Returns the table of that name, which is created if missing.
Value& table_in(Value& table, const std::string& name);

// Returns the text at a key; `otherwise` if there is none.
std::string text_at(const Value* table, std::string_view key, std::string_view otherwise);

// Removes the table of that name if it is empty.
void erase_if_empty(Value& table, std::string_view name);

// Returns the names a and b in "a, b".
std::vector<std::string> names_in_text(std::string_view text);

// Returns the names in a text or in a list of texts; "" for an item that is not a text.
std::vector<std::string> texts_of(const Value& value);

class Report {
public:
    // Warnings name parts without a counterpart, errors those that prevent training.
    Diagnostics problems;

    // True if nothing was removed and no key counts that PyTorchPipe does not read.
    bool is_whole = true;

    // Comment lines for the beginning of the experiment.
    std::string remarks;

    // Notes a change that keeps the meaning: "is called training.task".
    void note(const SourceLocation& place, std::string key, std::string text);

    // Forgets the notes: those of keys that are another program's.
    void clear_notes() { notes_.clear(); }

    // Returns lines "FILE:LINE:COLUMN: note: KEY: TEXT", sorted by file and position.
    [[nodiscard]] std::string notes() const;

private:
    struct Note {
        SourceLocation place;
        std::string key;
        std::string text;
    };

    std::vector<Note> notes_;
};

}  // namespace ptp::importer
