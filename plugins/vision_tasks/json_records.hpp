// Reads JSON files with many objects of one kind, which need not fit into memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// One of the objects.
struct JsonRecord {
    size_t number = 0;  // from 0
    std::string key;    // of the object, if the file is a table of them
    // The wanted members that are text or integers, as text; nullopt for others.
    std::vector<std::optional<std::string>> values;
};

struct JsonSource {
    std::filesystem::path file;
    std::string_view
        list;  // the member of the file that lists the objects; "": the file itself is a
               // table of them
    std::span<const std::string_view> wanted;  // names of members
    std::string remedy;                        // how to get the file
};

// Calls use(record) with each object, in order. Throws DataError for a file that does not exist, is
// not JSON (with line and column), or has no such list.
void read_json_records(const JsonSource& source, const std::function<void(JsonRecord&)>& use);
