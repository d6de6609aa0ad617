// Reads a table whose type decides its other keys.

#include "schema/kinds.hpp"

#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "schema/check_value.hpp"
#include "schema/key_record.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

namespace ptp::schema {

namespace {

std::vector<std::string> names_of(const Kinds& kinds) {
    return transformed<std::string>(kinds.list, &Kind::name);
}

bool has(const std::vector<Field>& fields, std::string_view name) {
    return std::ranges::find(fields, name, &Field::name) != fields.end();
}

std::string last_name(const std::string& path) {
    return path.substr(path.rfind('.') + 1);
}

// Returns all fields of a table whose type is not known; none is required.
std::vector<Field> all_fields(const Kinds& kinds) {
    std::vector<Field> all = kinds.common;
    for (const Kind& kind : kinds.list) {
        for (const Field& field : kind.fields) {
            if (!has(all, field.name)) {
                all.push_back(field);
            }
        }
    }
    for (Field& field : all) {
        field.is_required = false;
    }
    return all;
}

// Returns the key that an option of another program's type is here; "" if there is none.
std::string meant_option(const Scope& scope, const Member& member) {
    const FamiliarNames* familiar = scope.options.familiar;
    const auto meant =
        familiar == nullptr
            ? std::nullopt
            : familiar->key({member, scope.path, scope.options.root, scope.options.familiar});
    const std::string before = scope.path + ".";
    return meant && meant->keys.size() == 1 && meant->keys.front().starts_with(before)
               ? meant->keys.front().substr(before.size())
               : "";
}

// Returns what to write for the type and the options of another program, where `example` is a table
// of the type that is meant: it keeps the options that this has, too.
std::string fix_of_table(const Scope& scope, const Kinds& kinds, const Value& given,
                         const std::string& example) {
    auto table = read_toml_value(example);
    if (!table) {
        return fmt::format("write {} = {}", last_name(scope.path), example);
    }
    std::string changes =
        fmt::format("write {} = {}", kinds.key, inline_toml(*table->find(kinds.key)));
    const auto kind =
        std::ranges::find(kinds.list, table->find(kinds.key)->as_string(), &Kind::name);
    const std::vector<Field> fields =
        kind == kinds.list.end() ? kinds.common : fields_of(kinds, *kind);
    std::vector<std::string> surplus;
    for (const Member& member : scope.table.members()) {
        const std::string meant =
            has(fields, member.key) ? member.key : meant_option(scope, member);
        if (member.key != kinds.key && has(fields, meant)) {
            table->set(meant, member.value);
        }
        if (member.key != kinds.key && meant != member.key) {
            surplus.push_back(member.key);
        }
    }
    for (const Member& member : table->members()) {
        if (member.key != kinds.key && scope.table.find(member.key) == nullptr) {
            changes += fmt::format(" and {} = {}", member.key, inline_toml(member.value));
        }
    }
    changes += surplus.empty() ? "" : fmt::format(" in place of {}", joined(surplus));
    const bool is_on_lines = given.place().line() != scope.table.place().line();
    const std::string written = inline_toml(*table);
    return given.place().file() == kCommandLine ? typed_value(given.place(), scope.path, written)
           : is_on_lines                        ? changes
                         : fmt::format("write {} = {}", last_name(scope.path), written);
}

// Reports an unknown type. It may be another program's name for a known one.
void refuse_name(const Scope& scope, const Kinds& kinds, const Value& given) {
    const std::vector<std::string> names = names_of(kinds);
    const std::string whole = given.as_string();
    const std::string name = whole.substr(whole.rfind('.') + 1);  // of torch.optim.Adam
    const FamiliarNames* familiar = scope.options.familiar;
    const std::string problem = fmt::format("unknown {}", kinds.key);
    const auto same = std::ranges::find(names, folded(name), folded);  // but for its case
    const std::string table =
        familiar == nullptr || same != names.end() ? "" : familiar->type_table(scope.path, name);
    const std::string fix = same == names.end() ? "" : "write " + inline_toml(Value(*same));
    scope.problems.error(given, scope.key(kinds.key),
                         table.empty()
                             ? Explanation{problem + hint(name, names), fix}
                             : Explanation{problem, fix_of_table(scope, kinds, given, table)});
}

// Returns the kinds that have an option.
std::vector<std::string> owners_of(const Kinds& kinds, std::string_view option) {
    std::vector<std::string> owners;
    for (const Kind& kind : kinds.list) {
        if (has(kind.fields, option)) {
            owners.emplace_back(kind.name);
        }
    }
    return owners;
}

bool is_slip(const std::string& name, const std::vector<Field>& fields) {
    const std::vector<std::string> known = transformed<std::string>(fields, &Field::name);
    return nearest(name, known).has_value();
}

void read_members(const Scope& scope, const Kinds& kinds, std::optional<std::size_t> chosen,
                  const std::vector<Field>& fields, const std::vector<std::string>& more_known) {
    for (const Member* member : read_fields(scope, fields)) {
        if (contains(more_known, member->key)) {
            continue;
        }
        const std::vector<std::string> owners = owners_of(kinds, member->key);
        const bool is_renamed = chosen && has(fields, meant_option(scope, *member));
        if (chosen && !owners.empty() && !is_renamed) {
            const FamiliarNames* familiar = scope.options.familiar;
            const auto meant =
                familiar == nullptr ? std::nullopt : familiar->key({*member, scope.path});
            scope.problems.error(
                member->key_place, scope.key(member->key),
                Explanation{
                    fmt::format("{} has no option '{}' ({} {})", kinds.list[*chosen].name,
                                member->key, joined(owners), owners.size() == 1 ? "has" : "have"),
                    meant ? meant->fix : ""});
        } else if (chosen || is_slip(member->key, fields)) {
            // The keys of a rejected type are unknown.
            refuse_unknown(scope, *member, fields, more_known);
        }
    }
}

}  // namespace

Field key_field(const Kinds& kinds, std::string* into) {
    return {.name = kinds.key,
            .into = into,
            .help = kinds.help,
            .choices = names_of(kinds),
            .is_required = kinds.default_name.empty()};
}

std::vector<Field> fields_of(const Kinds& kinds, const Kind& kind) {
    std::vector<Field> fields = kinds.common;
    fields.insert(fields.end(), kind.fields.begin(), kind.fields.end());
    return fields;
}

std::optional<std::size_t> read_kind(const Scope& scope, const Kinds& kinds) {
    std::string name(kinds.default_name);
    if (scope.options.keys != nullptr) {
        scope.options.keys->note(scope.path, kinds);
    }
    const Value* given = scope.table.find(kinds.key);
    const std::vector<std::string> names = names_of(kinds);
    const bool is_unknown =
        given != nullptr && given->is_string() && !contains(names, given->as_string());
    if (is_unknown) {
        name.clear();
        refuse_name(scope, kinds, *given);
    } else {
        const ReadOptions unrecorded{.familiar = scope.options.familiar,
                                     .root = scope.options.root};
        const Scope quiet{scope.table, scope.path, unrecorded, scope.problems};
        if (given != nullptr) {
            name.clear();
        }
        read_fields(quiet, {key_field(kinds, &name)});
    }
    const auto found = std::ranges::find(names, name);
    const auto chosen = found == names.end()
                            ? std::nullopt
                            : std::optional(static_cast<std::size_t>(found - names.begin()));
    read_members(scope, kinds, chosen,
                 chosen ? fields_of(kinds, kinds.list[*chosen]) : all_fields(kinds),
                 {std::string(kinds.key)});
    return chosen;
}

void read_kind_as(std::size_t chosen, const Scope& scope, const Kinds& kinds) {
    read_members(scope, kinds, chosen, fields_of(kinds, kinds.list.at(chosen)), {});
}

Value write_kind(const Kinds& kinds, std::size_t chosen) {
    Value table = Value::table({{std::string(kinds.key), std::string(kinds.list.at(chosen).name)}});
    Value rest = write_fields(fields_of(kinds, kinds.list[chosen]));
    for (Member& member : rest.members()) {
        table.members().push_back(std::move(member));
    }
    return table;
}

}  // namespace ptp::schema
