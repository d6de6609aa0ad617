#include "experiment/read_component.hpp"

#include <ptp/reserved_names.h>

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

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

}  // namespace ptp::experiment
