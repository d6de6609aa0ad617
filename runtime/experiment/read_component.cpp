// Reads what tasks and components have in common, and the key `load`.

#include "experiment/readers.hpp"

#include <ptp/reserved_names.h>

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace ptp::experiment {

namespace {

constexpr std::string_view kReserved[] = {PTP_RESERVED_NAMES};

std::vector<Renaming> renamings(const Map<std::string>& map) {
    std::vector<Renaming> result;
    for (const auto& entry : map) {
        result.push_back({entry.key, entry.key_place, entry.value, entry.place});
    }
    return result;
}

std::vector<Renaming> renamings(const Map<Raw>& map) {
    std::vector<Renaming> result;
    for (const auto& [key, key_place, value, place] : map) {
        const bool is_name = value->is_string();
        result.push_back({.from = key,
                          .from_place = key_place,
                          .to = is_name ? value->as_string() : "",
                          .to_place = place,
                          .constant = is_name ? std::nullopt : std::optional(*value)});
    }
    return result;
}

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

std::vector<Field> CommonKeys::fields(std::string_view help_of_type) {
    return {
        {.name = "type",
         .into = &type_,
         .help = help_of_type,
         .is_required = true,
         .pattern = "([A-Za-z0-9_-]+/)?[A-Za-z0-9_-]+",
         .expected = "the name of a type, as LeNet5 or plugin/LeNet5"},
        {.name = "streams",
         .into = &streams_,
         .help = "other names for its ports: { inputs = \"pixels\" }",
         .is_filled = true},
        {.name = "globals",
         .into = &globals_,
         .help = "other names for the constants that it reads or publishes, or values, but no "
                 "strings, for those that it reads",
         .is_filled = true},
        {.name = "statistics",
         .into = &statistics_,
         .help = "other names for its statistics",
         .is_filled = true},
    };
}

SourceLocation CommonKeys::type_place(const Scope& scope) {
    const Value* type = scope.table.find("type");
    return type == nullptr ? SourceLocation() : type->place();
}

Names CommonKeys::names() const {
    return {.streams = renamings(streams_),
            .globals = renamings(globals_),
            .statistics = renamings(statistics_)};
}

Value settings_of(const Scope& scope, const std::vector<const Member*>& members,
                  std::string_view what) {
    Value settings = Value().at(scope.table.place());
    for (const Member* member : members) {
        if (std::ranges::find(kReserved, member->key) == std::end(kReserved)) {
            settings.members().push_back(*member);
        } else {
            scope.problems.error(member->key_place, scope.key(member->key),
                                 fmt::format("has no meaning for {}", what));
        }
    }
    return settings;
}

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
            written = from;
        }
    }
    load.written = written->is_string() ? written->as_string() : "";
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
