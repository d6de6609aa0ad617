// Records which keys are read from which table of a document, as declared by their readers. All
// code that shows, completes or describes keys uses it, so that there is only one list.

#pragma once

#include "schema/key.hpp"
#include "schema/kinds.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::schema {

// The keys of a table of one type.
struct KindKeys {
    std::string name;
    std::string help;
    std::vector<Key> keys;
};

struct TableKeys {
    std::vector<Key> keys;        // in the order of their declaration; the keys of all types for a
                                  // table whose type is not known
    std::string kind_key;         // "type", if the table has types
    std::vector<KindKeys> kinds;  // all types that the table may have, each with that key first
};

class KeyRecord {
public:
    // Records the keys of a table. The targets of the fields must contain their defaults.
    void note(const std::string& path, const std::vector<Field>& fields);
    void note(const std::string& path, const Kinds& kinds);

    // Returns the keys by the path of their table, "" for the document itself.
    [[nodiscard]] const std::map<std::string, TableKeys>& tables() const { return tables_; }

    // Returns nullptr if the table was not read, or has no such key.
    [[nodiscard]] const Key* find(const std::string& table, std::string_view name) const;

private:
    std::map<std::string, TableKeys> tables_;
};

}  // namespace ptp::schema
