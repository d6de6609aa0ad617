// Reads the keys of a table into their targets, and checks that they are what the fields declare.

#include "schema/fields.hpp"

#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "schema/check_value.hpp"
#include "schema/key_path.hpp"
#include "schema/key_record.hpp"
#include "schema/target.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace ptp::schema {

namespace {

template <class T>
constexpr bool kIsNumberList = std::is_same_v<T, std::optional<NumberList<std::int64_t>>> ||
                               std::is_same_v<T, std::optional<NumberList<double>>>;

// Returns what the field requires of values for one of its targets.
Key declared_key(const Field& field, const Target& target) {
    Key key{.name = std::string(field.name),
            .is_filled = field.is_filled,
            .is_unique = field.is_unique,
            .is_required = field.is_required,
            .is_alternative = field.is_alternative,
            .can_be_none = field.can_be_none,
            .length = std::string(field.length),
            .expected = std::string(field.expected),
            .help = std::string(field.help)};
    std::visit([&](const auto* into) { describe(key, into); }, target);
    if (key.form == Form::kInteger || key.form == Form::kReal) {
        key.range = field.range;
    }
    if (key.form == Form::kString) {
        key.choices = field.choices;
        key.pattern = field.pattern;
    }
    if (key.list_depth == 0) {
        key.length.clear();
    }
    return key;
}

Key key_without_default(const Field& field) {
    Key key = declared_key(field, field.into);
    for (const Target& other : field.or_into) {
        key.or_else.push_back(declared_key(field, other));
        key.or_else.back().can_be_none = false;
        key.or_else.back().expected.clear();
    }
    return key;
}

// Returns the index of the other form of a key that a value is meant for; the number of forms if
// there is none.
std::size_t other_form(const Key& key, const Value& value) {
    const auto form = std::ranges::find_if(key.or_else, [&](const Key& other) {
        return other.list_depth > 0 ? value.is_list() : value.is_table();
    });
    return static_cast<std::size_t>(form - key.or_else.begin());
}

void read(const Scope& scope, const Field& field, const Value& value) {
    if (field.can_be_none && is_none(value)) {
        return;
    }
    const Key key = key_without_default(field);
    const std::size_t other = other_form(key, value);
    const bool is_other = other < key.or_else.size();
    const CheckContext context{scope.options.home, scope.problems, scope.options.familiar};
    const auto checked =
        check_value(is_other ? key.or_else[other] : key, value, scope.key(field.name), context);
    if (!checked) {
        return;
    }
    const auto store = [&]<class T>(T* into) {
        if constexpr (kIsNumberList<T>) {
            using Number = typename decltype(T::value_type::values)::value_type;
            if (value.is_string() && contains(field.choices, value.as_string())) {
                into->emplace(std::vector<Number>(), value.place(), value.as_string());
            } else if (auto numbers = read_numbers<Number>(scope, field.name, value)) {
                into->emplace(std::move(*numbers), value.place());
            }
        } else {
            put(*checked, value, *into);
        }
    };
    std::visit(store, is_other ? field.or_into[other] : field.into);
}

// Collects the keys of this name within a table.
void find_keys(const Value& table, const std::string& path, std::string_view name,
               std::vector<std::string>& found) {
    for (const Member& member : table.members()) {
        const std::string key = below(path, member.key);
        if (member.key == name) {
            found.push_back(key);
        }
        // [search.space] repeats the keys of other tables.
        if (member.value.is_table() && key != "search.space") {
            find_keys(member.value, key, name, found);
        }
    }
}

UnknownKey unknown_in(const Scope& scope, const Member& member) {
    return {member, scope.path, scope.options.root, scope.options.familiar, scope.options.section};
}

// Returns whether it is a --set of a command that does not train.
bool is_of_process(const UnknownKey& unknown) {
    return !unknown.section.empty() && unknown.member.key_place.file() == kCommandLine;
}

std::string fix_of_process(const std::string& section) {
    return fmt::format(
        "nothing is trained here: --set changes {0}.task, {0}.sampler, {0}.dataloader and "
        "{0}.batch_limit, and a setting of a component as pipeline.NAME.SETTING=VALUE; a network "
        "stays the one whose weights these are",
        section);
}

// Returns whether the name means a key that this table has with another type alone, such as an
// option of another optimizer.
bool is_of_other_type(const Scope& scope, const MeantKey& meant, const Member& member,
                      const std::vector<Field>& fields) {
    const auto is_it = [&](const Field& field) {
        return scope.key(field.name) == meant.keys.front();
    };
    return scope.table.find("type") != nullptr && meant.keys.size() == 1 &&
           meant.keys.front() != scope.key(member.key) &&
           meant.keys.front().substr(0, meant.keys.front().rfind('.')) == scope.path &&
           std::ranges::none_of(fields, is_it);
}

// Describes an unknown key. A key of another table, or of another program, is not treated as a
// typing mistake.
Explanation unknown_key_text(const Scope& scope, const Member& member,
                             const std::vector<Field>& fields,
                             const std::vector<std::string>& more_known) {
    if (!scope.path.empty() && member.key == scope.path && member.value.is_table()) {
        return {"unknown key; keys of a table are written without its name",
                fmt::format("write them without {}.", member.key)};
    }
    const UnknownKey unknown = unknown_in(scope, member);
    const FamiliarNames* familiar = scope.options.familiar;
    const auto meant = familiar == nullptr ? std::nullopt : familiar->key(unknown);
    if (meant && !is_of_other_type(scope, *meant, member, fields)) {
        return explained(unknown, *meant);
    }
    std::string hint = hint_for(member, transformed(fields, key_without_default), more_known);
    std::vector<std::string> elsewhere;
    if (scope.path.empty()) {
        find_keys(scope.table, "", member.key, elsewhere);
    }
    std::erase(elsewhere, member.key);
    constexpr std::size_t kMaxNamed = 3;
    const bool is_near = hint.starts_with("; did");
    if (is_near || elsewhere.empty() || elsewhere.size() > kMaxNamed) {
        const std::string meaning =
            is_near || familiar == nullptr ? "" : familiar->meaning(member.key);
        if (meaning.empty() && !is_near && is_of_process(unknown)) {
            return {"unknown key", fix_of_process(scope.options.section)};
        }
        return meaning.empty() ? Explanation{"unknown key" + hint}
                               : Explanation{"unknown key", "leave it out; here it is " + meaning};
    }
    return explained(unknown, {.keys = elsewhere});
}

// Returns whether a table of the document whose name is another program's, [data] or [train.task],
// is reported as this one.
bool is_meant_elsewhere(const Scope& scope, const std::string& key) {
    const FamiliarNames* familiar = scope.options.familiar;
    const Value* const root = scope.options.root;
    const auto is_it = [&](const Member& member) {
        const auto meant = familiar->key({member, "", root, familiar});
        if (!meant || meant->keys.size() != 1 || !member.value.is_table()) {
            return false;
        }
        const std::string& table = meant->keys.front();
        return key == table || (key.starts_with(table + ".") &&
                                member.value.find_path(key.substr(table.size() + 1)) != nullptr);
    };
    const bool is_list_of_keys = scope.options.keys != nullptr;  // which `familiar` needs itself
    return familiar != nullptr && root != nullptr && !is_list_of_keys &&
           std::ranges::any_of(root->members(), is_it);
}

// Reports a required key that is absent: where an unknown one is probably meant for it, that one.
void report_missing(const Scope& scope, const Field& field,
                    const std::vector<const Member*>& others) {
    const Key key = key_without_default(field);
    const std::vector<std::string> names = {key.name};
    constexpr std::string_view kOtherTypes = "class class_name kind name target _target_";
    for (const Member* other : others) {
        const UnknownKey unknown = unknown_in(scope, *other);
        const FamiliarNames* familiar = scope.options.familiar;
        const auto meant = familiar == nullptr ? std::nullopt : familiar->key(unknown);
        if (meant && meant->keys.size() == 1 && meant->keys.front() == scope.key(key.name)) {
            return;  // it is reported as that
        }
        const bool is_meant = nearest(other->key, names).has_value() ||
                              (key.name == "type" && has_word(kOtherTypes, folded(other->key)));
        if (!is_meant || other->value.is_string() != (key.form == Form::kString)) {
            continue;
        }
        const auto choice = other->value.is_string()
                                ? nearest(other->value.as_string(), key.choices)
                                : std::nullopt;
        scope.problems.error(
            other->key_place, scope.key(other->key),
            Explanation{fmt::format("unknown key; did you mean '{}'?", key.name),
                        fix_of_key(unknown, scope.key(key.name),
                                   inline_toml(choice ? Value(*choice) : other->value))});
        return;
    }
    if (key.form != Form::kTable || !is_meant_elsewhere(scope, scope.key(key.name))) {
        check_absent(key, scope.table.place(), scope.key(field.name),
                     {scope.options.home, scope.problems, scope.options.familiar});
    }
}

// Returns whether an unknown key is reported as one of the alternatives.
bool is_alternative(const Scope& scope, const std::vector<Field>& fields, const Member& member) {
    const FamiliarNames* familiar = scope.options.familiar;
    const auto meant =
        familiar == nullptr ? std::nullopt : familiar->key(unknown_in(scope, member));
    return meant && meant->keys.size() == 1 && std::ranges::any_of(fields, [&](const Field& field) {
               return field.is_alternative && scope.key(field.name) == meant->keys.front();
           });
}

void check_alternatives(const Scope& scope, const std::vector<Field>& fields,
                        const std::vector<const Member*>& others) {
    std::vector<std::string> names;
    std::size_t count = 0;
    for (const Field& field : fields) {
        if (field.is_alternative) {
            const bool is_vowel =
                std::string_view("aeio").find(field.name.front()) != std::string::npos;
            names.push_back(fmt::format("{} {}", is_vowel ? "an" : "a", field.name));
            count += scope.table.find(field.name) != nullptr ? 1 : 0;
        }
    }
    const auto is_meant = [&](const Member* other) {
        return is_alternative(scope, fields, *other);
    };
    if (!names.empty() && count != 1 && std::ranges::none_of(others, is_meant)) {
        scope.problems.error(scope.table, scope.path, "must have either " + joined(names, "or"));
    }
}

}  // namespace

bool is_none(const Value& value) {
    return value.is_string() && value.as_string() == "none";
}

Scope Scope::at(const Value& value, std::string_view name) const {
    return {value, key(name), options, problems};
}

std::string Scope::key(std::string_view name) const {
    return below(path, name);
}

Key key_of(const Field& field) {
    Key key = key_without_default(field);
    const Value written = write_fields({field});
    const Value* value = written.find(field.name);
    const bool is_empty_text = value != nullptr && value->is_string() && value->as_string().empty();
    if (value != nullptr && !is_empty_text && !field.is_required) {
        key.default_value = *value;
    }
    return key;
}

std::vector<const Member*> read_fields(const Scope& scope, const std::vector<Field>& fields) {
    if (scope.options.keys != nullptr) {
        scope.options.keys->note(scope.path, fields);
    }
    std::vector<const Member*> others;
    for (const Member& member : scope.table.members()) {
        const auto field = std::ranges::find(fields, member.key, &Field::name);
        if (field == fields.end()) {
            others.push_back(&member);
        } else {
            read(scope, *field, member.value);
        }
    }
    for (const Field& field : fields) {
        if (field.is_required && scope.table.find(field.name) == nullptr) {
            report_missing(scope, field, others);
        }
    }
    check_alternatives(scope, fields, others);
    return others;
}

void read_all_fields(const Scope& scope, const std::vector<Field>& fields,
                     const std::vector<std::string>& more_known) {
    for (const Member* member : read_fields(scope, fields)) {
        refuse_unknown(scope, *member, fields, more_known);
    }
}

void refuse_unknown(const Scope& scope, const Member& member, const std::vector<Field>& fields,
                    const std::vector<std::string>& more_known) {
    scope.problems.error(member.key_place, scope.key(member.key),
                         unknown_key_text(scope, member, fields, more_known));
}

Value write_fields(const std::vector<Field>& fields) {
    Value table;
    for (const Field& field : fields) {
        std::optional<Value> value;
        const auto write = [&](const auto* from) { value = written(*from); };
        for (auto other = field.or_into.begin(); !value && other != field.or_into.end(); ++other) {
            std::visit(write, *other);
        }
        if (!value) {
            std::visit(write, field.into);
        }
        if (value) {
            table.set(std::string(field.name), std::move(*value));
        }
    }
    return table;
}

}  // namespace ptp::schema
