// Changes tables in place, and collects the notes of an import.

#include "table.hpp"
#include "base/ranges.hpp"

#include "base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace ptp::importer {

bool rename_key(Value& table, std::string_view from, std::string_view to) {
    if (table.find(from) == nullptr || table.find(to) != nullptr) {
        return false;
    }
    std::ranges::find(table.members(), from, &Member::key)->key = to;
    return true;
}

SourceLocation key_place(const Value& table, std::string_view key) {
    const auto found = std::ranges::find(table.members(), key, &Member::key);
    return found == table.members().end() ? table.place() : found->key_place;
}

Value& table_in(Value& table, const std::string& name) {
    if (table.find(name) == nullptr) {
        table.set(name, Value().at(table.place()));
    }
    return *table.find(name);
}

std::string text_at(const Value* table, std::string_view key, std::string_view otherwise) {
    const Value* value = table == nullptr ? nullptr : table->find(key);
    return value != nullptr && value->is_string() ? value->as_string() : std::string(otherwise);
}

void erase_if_empty(Value& table, std::string_view name) {
    const Value* inner = table.find(name);
    if (inner != nullptr && inner->is_table() && inner->members().empty()) {
        table.erase(name);
    }
}

std::vector<std::string> names_in_text(std::string_view text) {
    std::vector<std::string> names;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        if (const std::string_view name = trimmed(text.substr(0, end)); !name.empty()) {
            names.emplace_back(name);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return names;
}

std::vector<std::string> texts_of(const Value& value) {
    if (!value.is_list()) {
        return names_in_text(value.is_string() ? value.as_string() : "");
    }
    return transformed(value.items(),
                       [](const Value& item) { return item.is_string() ? item.as_string() : ""; });
}

void Report::note(const SourceLocation& place, std::string key, std::string text) {
    notes_.push_back({place, std::move(key), std::move(text)});
}

std::string Report::notes() const {
    std::vector<Note> sorted = notes_;
    std::ranges::stable_sort(sorted, {}, &Note::place);
    std::string text;
    for (const Note& note : sorted) {
        const std::string place = note.place.text();
        text += fmt::format("{}{}note: {}: {}\n", place, place.empty() ? "" : ": ", note.key,
                            note.text);
    }
    return text;
}

}  // namespace ptp::importer
