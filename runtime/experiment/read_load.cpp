#include "experiment/read_load.hpp"

#include <string_view>
#include <utility>

namespace ptp::experiment {

namespace {

constexpr std::string_view kNames = "a list of names of tensors or layers, such as [\"fc\"]";

// Returns the keys of { from = "...", component = "...", strict = false, except = ["..."], rename =
// { "a." = "b." } }.
std::vector<Field> load_fields(Load& load, Map<std::string>& renames) {
    std::vector<Field> fields = {
        {.name = "from",
         .into = &load.from,
         .help = "the folder of a run or a checkpoint, or a file",
         .is_filled = true,
         .is_required = true,
         .expected = "the name of a run, a checkpoint or a file"},
        {.name = "strict",
         .into = &load.is_strict,
         .help = "false: what does not fit stays as it was created, and is logged; something must "
                 "fit"},
        {.name = "rename",
         .into = &renames,
         .help = "what names begin with in the file, and what they are to begin with; of several "
                 "the longest counts",
         .expected = "a table from what names begin with in the file to what they are to begin "
                     "with, such as { \"0.\" = \"layers.0.\" }"}};
    if (load.component) {
        fields.push_back({.name = "component",
                          .into = &*load.component,
                          .help = "prefix of the names in the file; by default the component that "
                                  "is loaded"});
        fields.push_back({.name = "except",
                          .into = &load.except,
                          .help = "tensors, or layers with all of theirs, that stay as they were "
                                  "created",
                          .is_filled = true,
                          .expected = kNames});
        fields.push_back({.name = "only",
                          .into = &load.only,
                          .help = "only these are loaded, all others stay as they were created",
                          .is_filled = true,
                          .expected = kNames});
    }
    return fields;
}

}  // namespace

Field LoadKeys::field() {
    return {.name = "load",
            .into = &from_,
            .help = "initial weights: a run, a checkpoint or a file",
            .is_filled = true,
            .expected = "the name of a run, a checkpoint or a file, or a table with it",
            .or_into = {&table_}};
}

std::optional<Load> LoadKeys::read(const Scope& scope,
                                   const std::optional<std::string>& component) const {
    const Value* written = scope.table.find("load");
    if (written == nullptr) {
        return std::nullopt;
    }
    Load load{.place = written->place(), .from = from_, .component = component};
    if (table_.table != nullptr) {
        const Scope table = scope.at(*table_.table, "load");
        Map<std::string> renames;
        read_all_fields(table, load_fields(load, renames));
        for (const auto& entry : renames) {
            load.renames.push_back({entry.key, entry.value, entry.key_place});
        }
        if (const Value* from = table.table.find("from")) {
            load.place = from->place();
        }
    }
    return load.from.empty() ? std::nullopt : std::optional(std::move(load));
}

Value tree_of(const Load& load) {
    Load copy = load;
    Map<std::string> renames;
    for (const Rename& rename : load.renames) {
        renames.push_back({rename.from, rename.place, rename.to, rename.place});
    }
    Value table = write_fields(load_fields(copy, renames));
    if (load.is_strict) {
        table.erase("strict");
    }
    return table;
}

}  // namespace ptp::experiment
