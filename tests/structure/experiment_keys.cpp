// The tables of docs/reference.md are what ptp declares of its keys, between the lines
// <!-- keys TABLE --> and <!-- end -->, where TABLE is "training.optimizer", or nothing for the
// experiment itself.
//
//     experiment_keys FILE           fails if the file has other tables, or lacks one
//     experiment_keys --write FILE   writes them

#include "base/toml_writer.hpp"
#include "experiment/load/load.hpp"
#include "experiment/possible_keys.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace ptp;
using schema::Key;
using schema::KeyRecord;

constexpr std::string_view kBegin = "<!-- keys";
constexpr std::string_view kEnd = "<!-- end -->";

std::string cell(std::string text) {
    for (std::size_t at = text.find('|'); at != text.npos; at = text.find('|', at + 2)) {
        text.insert(at, "\\");
    }
    return text;
}

std::string default_text(const Key& key) {
    if (key.is_required) {
        return "required";
    }
    return key.default_value ? fmt::format("`{}`", cell(inline_toml(*key.default_value))) : "";
}

std::string table_of(const std::vector<Key>& keys) {
    std::string text = "| key | must be | default | meaning |\n|---|---|---|---|\n";
    for (const Key& key : keys) {
        text += fmt::format("| `{}` | {} | {} | {} |\n", key.name, cell(expected_text(key)),
                            default_text(key), cell(key.help));
    }
    return text;
}

std::string tables_of(const schema::TableKeys& table) {
    if (table.kinds.empty()) {
        return table_of(table.keys);
    }
    std::string text;
    for (const schema::KindKeys& kind : table.kinds) {
        text += fmt::format("{}`{} = \"{}\"`: {}\n", text.empty() ? "" : "\n", table.kind_key,
                            kind.name, kind.help);
        if (kind.keys.size() > 1) {
            text += "\n" + table_of({kind.keys.begin() + 1, kind.keys.end()});
        }
    }
    return text;
}

// What [validation] and [test] have in common with [training] is described there.
schema::TableKeys documented(const KeyRecord& record, const std::string& path) {
    schema::TableKeys table = record.tables().at(path);
    if (path == "validation" || path == "test") {
        std::erase_if(table.keys,
                      [&](const Key& key) { return record.find("training", key.name) != nullptr; });
    }
    if (path.empty()) {
        const std::vector<Key> more = experiment::loading_keys();
        table.keys.insert(table.keys.end(), more.begin(), more.end());
    }
    return table;
}

bool is_of_other_section(const std::string& path) {
    return path == "test" || path.starts_with("test.") || path.starts_with("validation.");
}

// The document with the tables that are declared.
std::string renewed(std::istream& document, std::vector<std::string>& problems) {
    const Value any = Value::table({{"any", Value()}});
    const KeyRecord record = experiment::possible_keys(
        Value::table({{"pipeline", any}, {"search", Value::table({{"space", any}})}}));
    std::set<std::string> missing;
    for (const auto& [path, table] : record.tables()) {
        if (!is_of_other_section(path)) {
            missing.insert(path);
        }
    }
    std::string text;
    for (std::string line; std::getline(document, line);) {
        text += line + "\n";
        if (!line.starts_with(kBegin)) {
            continue;
        }
        const std::size_t end = line.rfind(" -->");
        const std::string path =
            end <= kBegin.size() ? "" : line.substr(kBegin.size() + 1, end - kBegin.size() - 1);
        if (!record.tables().contains(path)) {
            problems.push_back(fmt::format("there is no table '{}'", path));
            continue;
        }
        missing.erase(path);
        text += "\n" + tables_of(documented(record, path)) + "\n";
        while (std::getline(document, line) && line != kEnd) {
        }
        text += line + "\n";
    }
    for (const std::string& path : missing) {
        problems.push_back(
            fmt::format("the table '{}' is not described: {} {} -->", path, kBegin, path));
    }
    return text;
}

}  // namespace

int main(int argc, char** argv) {
    const bool writes = argc == 3 && std::string_view(argv[1]) == "--write";
    if (!writes && argc != 2) {
        return 2;
    }
    const std::string file = argv[argc - 1];
    std::stringstream before;
    before << std::ifstream(file).rdbuf();
    std::vector<std::string> problems;
    const std::string after = renewed(before, problems);
    if (writes) {
        std::ofstream(file) << after;
    } else if (after != before.str()) {
        problems.push_back("its tables are not what is declared; ./dev docs writes them anew");
    }
    for (const std::string& problem : problems) {
        fmt::print("{}: {}\n", file, problem);
    }
    return problems.empty() ? 0 : 1;
}
