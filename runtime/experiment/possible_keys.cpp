// Reads an experiment with all tables that it could have, and collects their keys.

#include "experiment/possible_keys.hpp"

#include "experiment/experiment.hpp"

#include <algorithm>
#include <cstddef>

namespace ptp::experiment {

namespace {

bool may_be_one_table(const schema::Key& key) {
    return (key.form == schema::Form::kTable && key.list_depth == 0 && !key.is_map) ||
           std::ranges::any_of(key.or_else, may_be_one_table);
}

// Adds the missing tables; returns false if there are none.
bool add_tables(const schema::KeyRecord& record, Value& root) {
    bool has_added = false;
    for (const auto& [path, declared] : record.tables()) {
        Value* table = &root;
        for (std::size_t at = 0; at < path.size() && table != nullptr;) {
            const std::size_t dot = std::min(path.find('.', at), path.size());
            table = table->find(path.substr(at, dot - at));
            at = dot + 1;
        }
        if (table == nullptr || !table->is_table()) {
            continue;
        }
        for (const schema::Key& key : declared.keys) {
            if (may_be_one_table(key) && table->find(key.name) == nullptr) {
                table->set(key.name, Value());
                has_added = true;
            }
        }
    }
    return has_added;
}

}  // namespace

schema::KeyRecord possible_keys(const Value& root, const std::string& default_name) {
    Value tree = root;
    schema::KeyRecord record;
    do {
        record = schema::KeyRecord();
        Diagnostics unused;
        read_experiment(tree, {.default_name = default_name, .keys = &record}, unused);
    } while (add_tables(record, tree));
    return record;
}

}  // namespace ptp::experiment
