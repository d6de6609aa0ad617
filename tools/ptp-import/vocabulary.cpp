#include "vocabulary.hpp"

#include "table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace ptp::importer {

namespace {

constexpr const char* kImport = "import_word_mappings_from_globals";
constexpr const char* kExport = "export_word_mappings_to_globals";
constexpr const char* kExportPadding = "export_pad_index_to_globals";
constexpr std::array<std::string_view, 3> kNames = {"word_mappings", "vocabulary_size",
                                                    "pad_index"};

// The values of the flags, which are removed from the table.
struct Flags {
    bool is_imported = false;
    bool is_exported = false;
    bool is_padding_exported = false;
};

Flags take_flags(Value& table, const std::string& path, Report& report) {
    const Flags flags{is_true(table, kImport), is_true(table, kExport),
                      is_true(table, kExportPadding)};
    for (const auto& [key, text] :
         {std::pair(kImport, "the global that word_mappings names is read"),
          std::pair(kExport,
                    "the globals that published_word_mappings and vocabulary_size name "
                    "are written"),
          std::pair(kExportPadding, "the global that pad_index names is written")}) {
        if (is_true(table, key)) {
            report.note(key_place(table, key), fmt::format("{}.{}", path, key), text);
        }
        table.erase(key);
    }
    return flags;
}

bool is_vocabulary_key(std::string_view key) {
    return std::ranges::find(kNames, key) != kNames.end();
}

// Adds the names of a component's globals: those that it reads, or those of its vocabulary.
void add_globals(const Value& component, bool of_vocabulary, std::set<std::string>& names) {
    const Value* const globals = component.find("globals");
    if (globals == nullptr || !globals->is_table()) {
        return;
    }
    for (const Member& member : globals->members()) {
        if (member.value.is_string() && is_vocabulary_key(member.key) == of_vocabulary) {
            names.insert(member.value.as_string());
        }
    }
}

// Removes the files of a vocabulary that comes from a global.
void erase_files(Value& table) {
    for (const char* key : {"source_vocabulary_files", "word_mappings_file", "regenerate"}) {
        table.erase(key);
    }
}

}  // namespace

std::set<std::string> unpublished_sizes(const Value& pipeline, const std::set<std::string>& known) {
    std::set<std::string> sizes;
    std::set<std::string> published = known;
    for (const Member& member : pipeline.members()) {
        if (!member.value.is_table()) {
            continue;
        }
        add_globals(member.value, false, sizes);
        if (is_true(member.value, kExport)) {
            add_globals(member.value, true, published);
        }
        if (const Value* const keys = member.value.find("keys"); keys != nullptr) {
            for (std::string& key : texts_of(*keys)) {
                published.insert(std::move(key));
            }
        }
    }
    std::erase_if(sizes, [&](const std::string& name) { return published.contains(name); });
    return sizes;
}

void import_vocabulary(Value& table, const std::string& path, Vocabularies& vocabularies,
                       Report& report) {
    Flags flags = take_flags(table, path, report);
    const SourceLocation place = table.place();
    Value& globals = table_in(table, "globals");
    const std::string mappings = text_at(&globals, kNames[0], kNames[0]);
    const std::string size = text_at(&globals, kNames[1], kNames[1]);
    const std::string padding = text_at(&globals, kNames[2], kNames[2]);
    if (!flags.is_imported && !flags.is_exported && globals.find(kNames[1]) != nullptr &&
        vocabularies.unpublished.contains(size)) {
        flags.is_exported = vocabularies.unpublished.erase(size) > 0;
        report.problems.warning(
            key_place(globals, kNames[1]), fmt::format("{}.globals.{}", path, kNames[1]),
            fmt::format("{} is published here, because other components read it; PyTorchPipe ends "
                        "there without {}",
                        size, kExport));
    }
    for (const std::string_view name : kNames) {
        globals.erase(name);
    }
    if (flags.is_imported) {
        globals.set("word_mappings", Value(mappings).at(place));
        erase_files(table);
    } else if (table.find("word_mappings_file") == nullptr &&
               table.find("source_vocabulary_files") == nullptr) {
        table.set("word_mappings_file", Value("word_mappings.csv").at(place));
    }
    Value& written = *table.find("globals");
    if (flags.is_exported && vocabularies.published.insert(mappings).second) {
        written.set("published_word_mappings", Value(mappings).at(place));
        written.set("vocabulary_size", Value(size).at(place));
    }
    if (flags.is_padding_exported) {
        written.set("pad_index", Value(padding).at(place));
    }
    erase_if_empty(table, "globals");
}

}  // namespace ptp::importer
