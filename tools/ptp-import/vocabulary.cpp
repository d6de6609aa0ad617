#include "vocabulary.hpp"

#include "table.hpp"

#include <fmt/core.h>

#include <array>
#include <string_view>

namespace ptp::importer {

namespace {

constexpr const char* kImport = "import_word_mappings_from_globals";
constexpr const char* kExport = "export_word_mappings_to_globals";
constexpr const char* kExportPadding = "export_pad_index_to_globals";
constexpr std::array<std::string_view, 3> kNames = {"word_mappings", "vocabulary_size",
                                                    "pad_index"};

// What the flags say, which are taken out of the table.
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

// A vocabulary that comes from a global comes from no file.
void erase_files(Value& table) {
    for (const char* key : {"source_vocabulary_files", "word_mappings_file", "regenerate"}) {
        table.erase(key);
    }
}

}  // namespace

void import_vocabulary(Value& table, const std::string& path, std::set<std::string>& published,
                       Report& report) {
    const Flags flags = take_flags(table, path, report);
    const SourceLocation place = table.place();
    Value& globals = table_in(table, "globals");
    const std::string mappings = text_at(&globals, kNames[0], kNames[0]);
    const std::string size = text_at(&globals, kNames[1], kNames[1]);
    const std::string padding = text_at(&globals, kNames[2], kNames[2]);
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
    if (flags.is_exported && published.insert(mappings).second) {
        written.set("published_word_mappings", Value(mappings).at(place));
        written.set("vocabulary_size", Value(size).at(place));
    }
    if (flags.is_padding_exported) {
        written.set("pad_index", Value(padding).at(place));
    }
    erase_if_empty(table, "globals");
}

}  // namespace ptp::importer
