#include "experiment/read_component.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

namespace ptp::experiment {

namespace {

bool is_type_name(std::string_view text) {
    const auto is_word = [](std::string_view word) {
        return !word.empty() && std::ranges::all_of(word, [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
        });
    };
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) {
        return is_word(text);
    }
    return is_word(text.substr(0, slash)) && is_word(text.substr(slash + 1));
}

enum class Takes { kNames, kNamesAndConstants };

std::vector<Renaming> renamings(const RawTable& map, std::string_view name, const Scope& parent,
                                Takes takes = Takes::kNames) {
    std::vector<Renaming> result;
    if (map.table == nullptr) {
        return result;
    }
    const Scope scope = parent.at(*map.table, name);
    for (const Member& member : map.table->members()) {
        const Value& value = member.value;
        if (!value.is_string() && takes == Takes::kNamesAndConstants) {
            result.push_back({.from = member.key,
                              .from_place = member.key_place,
                              .to = "",
                              .to_place = value.place(),
                              .constant = value});
        } else if (!value.is_string()) {
            scope.problems.error(
                value, scope.key(member.key),
                fmt::format("must be a name (a string), not {}", type_name(value.type())));
        } else if (value.as_string().empty()) {
            scope.problems.error(value, scope.key(member.key), "must be a name, not empty");
        } else {
            result.push_back({member.key, member.key_place, value.as_string(), value.place()});
        }
    }
    return result;
}

}  // namespace

std::vector<Field> CommonKeys::fields() {
    return {
        {.name = "type", .into = &type_, .is_required = true},
        {.name = "streams", .into = &streams_},
        {.name = "globals", .into = &globals_},
        {.name = "statistics", .into = &statistics_},
    };
}

std::string CommonKeys::type(const Scope& scope) const {
    if (type_ == nullptr) {
        return "";
    }
    if (!type_->is_string()) {
        scope.problems.error(*type_, scope.key("type"),
                             fmt::format("must be a string, not {}", type_name(type_->type())));
        return "";
    }
    if (!is_type_name(type_->as_string())) {
        scope.problems.error(*type_, scope.key("type"),
                             "must be the name of a type, as LeNet5 or plugin/LeNet5");
        return "";
    }
    return type_->as_string();
}

SourceLocation CommonKeys::type_place() const {
    return type_ == nullptr ? SourceLocation() : type_->place();
}

Names CommonKeys::names(const Scope& scope) const {
    return {.streams = renamings(streams_, "streams", scope),
            .globals = renamings(globals_, "globals", scope, Takes::kNamesAndConstants),
            .statistics = renamings(statistics_, "statistics", scope)};
}

Value settings_of(const Scope& scope, const std::vector<const Member*>& members,
                  std::string_view what) {
    Value settings = Value().at(scope.table.place());
    for (const Member* member : members) {
        if (std::ranges::find(kReservedNames, member->key) == kReservedNames.end()) {
            settings.members().push_back(*member);
        } else {
            scope.problems.error(member->key_place, scope.key(member->key),
                                 fmt::format("has no meaning for {}", what));
        }
    }
    return settings;
}

}  // namespace ptp::experiment
