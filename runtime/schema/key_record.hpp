// Which keys are read from which table of a document, as their readers declare them. Who shows,
// completes or describes keys asks this, so that there is no second list of them.

#pragma once

#include "schema/key.hpp"
#include "schema/kinds.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::schema {

// The keys that a table of one type has.
struct KindKeys {
    std::string name;
    std::string help;
    std::vector<Key> keys;
};

struct TableKeys {
    std::vector<Key> keys;        // in the order of their declaration; the keys of all types for a
                                  // table whose type is not known
    std::string kind_key;         // "type", where the table has types
    std::vector<KindKeys> kinds;  // all types that the table may have, each with that key first
};

class KeyRecord {
public:
    // The targets of the fields must hold their defaults.
    void note(const std::string& path, const std::vector<Field>& fields);
    void note(const std::string& path, const Kinds& kinds);

    // By the table's path, "" for the document itself.
    [[nodiscard]] const std::map<std::string, TableKeys>& tables() const { return tables_; }

    // nullptr when the table was not read, or has no such key.
    [[nodiscard]] const Key* find(const std::string& table, std::string_view name) const;

private:
    std::map<std::string, TableKeys> tables_;
};

}  // namespace ptp::schema
