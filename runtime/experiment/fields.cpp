#include "experiment/fields.hpp"

#include "base/suggest.hpp"
#include "experiment/advice.hpp"
#include "experiment/familiar_names.hpp"
#include "experiment/key_record.hpp"
#include "experiment/load/merge.hpp"
#include "experiment/range.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <type_traits>

namespace ptp::experiment {

namespace {

// Puts one value into its target, or says why not.
class Reader {
public:
    Reader(const Scope& scope, const Field& field, const Value& value, std::string key)
        : scope_(scope), field_(field), value_(value), key_(std::move(key)) {}

    void operator()(bool* into) {
        if (is(&Value::is_bool, "a boolean")) {
            *into = value_.as_bool();
        }
    }
    void operator()(std::int64_t* into) {
        if (is(&Value::is_integer, "an integer") && is_in_range()) {
            *into = value_.as_integer();
        }
    }
    void operator()(double* into) {
        if (is(&Value::is_number, "a real") && is_in_range()) {
            *into = value_.as_real();
        }
    }
    void operator()(std::string* into) {
        if (is(&Value::is_string, "a string") && is_choice()) {
            *into = value_.as_string();
        }
    }
    void operator()(std::optional<std::int64_t>* into) {
        std::int64_t value = 0;
        if (fits(&value)) {
            *into = value;
        }
    }
    void operator()(std::optional<double>* into) {
        double value = 0;
        if (fits(&value)) {
            *into = value;
        }
    }
    void operator()(std::array<double, 2>* into);
    void operator()(Duration* into) {
        constexpr std::string_view kWanted =
            "must be a span of time such as \"90m\" or \"1h30m\" (d, h, m, s)";
        if (!value_.is_string()) {
            error(fmt::format("{}, not {}{}", kWanted, type_name(value_.type()),
                              advice_on_duration(value_)));
            return;
        }
        const auto seconds = duration_from(value_.as_string());
        if (!seconds) {
            error(std::string(kWanted));
        } else {
            into->seconds = *seconds;
        }
    }
    void operator()(Raw* into) { *into = &value_; }
    void operator()(RawTable* into) {
        if (field_.can_be_none && is_none(value_)) {
            return;
        }
        if (is(&Value::is_table, "a table")) {
            into->table = &value_;
        }
    }

private:
    bool fits(auto* into) {
        const std::size_t before = scope_.problems.error_count();
        (*this)(into);
        return scope_.problems.error_count() == before;
    }

    void error(std::string message) { scope_.problems.error(value_, key_, std::move(message)); }

    bool is(bool (Value::*is_wanted)() const, std::string_view wanted) {
        if ((value_.*is_wanted)()) {
            return true;
        }
        const std::string advice = is_wanted == &Value::is_table
                                       ? advice_on_table(key_, value_)
                                       : advice_on_quotes(value_, is_wanted);
        error(fmt::format("must be {}, not {}{}", wanted, type_name(value_.type()), advice));
        return false;
    }

    bool is_in_range() {
        if (field_.range.empty()) {
            return true;
        }
        const auto range = Range::parse(field_.range);
        const bool is_inside = range && range->contains(value_.as_real());
        if (!is_inside) {
            error(fmt::format("must be in {}", field_.range));
        }
        return is_inside;
    }

    bool is_choice() {
        const bool is_known =
            field_.choices.empty() ||
            std::ranges::find(field_.choices, value_.as_string()) != field_.choices.end();
        if (!is_known) {
            error(fmt::format("unknown {}{}", field_.name, choice_text()));
        }
        return is_known;
    }

    // A type of another program may be one here by another name.
    std::string choice_text() const {
        const std::string& given = value_.as_string();
        const std::string table = nearest(given, field_.choices) || field_.name != "type"
                                      ? ""
                                      : familiar_type_table(scope_.path, given);
        if (table.empty()) {
            return hint(given, field_.choices);
        }
        const std::string name = scope_.path.substr(scope_.path.rfind('.') + 1);
        return fmt::format("\n    fix: write {} = {}", name, table);
    }

    const Scope& scope_;
    const Field& field_;
    const Value& value_;
    std::string key_;
};

void Reader::operator()(std::array<double, 2>* into) {
    if (!value_.is_list() || value_.items().size() != into->size()) {
        error("must be a list of 2 reals");
        return;
    }
    for (std::size_t i = 0; i < into->size(); ++i) {
        Reader(scope_, field_, value_.items()[i], fmt::format("{}[{}]", key_, i))(&(*into)[i]);
    }
}

// The keys of this name within a table.
void find_keys(const Value& table, const std::string& path, std::string_view name,
               std::vector<std::string>& found) {
    for (const Member& member : table.members()) {
        const std::string key = below(path, member.key);
        if (member.key == name) {
            found.push_back(key);
        }
        if (member.value.is_table()) {
            find_keys(member.value, key, name, found);
        }
    }
}

// A key that stands nowhere near a known one may belong elsewhere.
std::string unknown_key_text(const Scope& scope, const std::string& name,
                             const std::vector<std::string>& known) {
    if (nearest(name, known)) {
        return "unknown key" + hint(name, known);
    }
    std::vector<std::string> elsewhere;
    if (scope.path.empty()) {
        find_keys(scope.table, "", name, elsewhere);
    }
    std::erase(elsewhere, name);
    if (const auto key = familiar_key_in(scope.path, name)) {
        const std::string last = key->substr(key->rfind('.') + 1);
        elsewhere = {scope.key(last) == *key ? last : *key};
    }
    constexpr std::size_t kMaxNamed = 3;
    if (elsewhere.empty() || elsewhere.size() > kMaxNamed) {
        return "unknown key" + hint(name, known);
    }
    for (std::string& key : elsewhere) {
        key = fmt::format("'{}'", key);
    }
    return fmt::format("unknown key; did you mean {}?", joined(elsewhere, "or"));
}

bool is_for(const Field& field, std::string_view type) {
    return type.empty() || field.only_for.empty() ||
           std::ranges::find(field.only_for, type) != field.only_for.end();
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

std::vector<const Member*> read_fields(const Scope& scope, const std::vector<Field>& fields,
                                       std::string_view type) {
    if (scope.options.keys != nullptr) {
        scope.options.keys->note(scope.path, fields, type);
    }
    std::vector<const Member*> others;
    for (const Member& member : scope.table.members()) {
        const auto field = std::ranges::find(fields, member.key, &Field::name);
        const std::string key = scope.key(member.key);
        if (field == fields.end()) {
            others.push_back(&member);
        } else if (!is_for(*field, type)) {
            scope.problems.error(
                member.key_place, key,
                fmt::format("{} has no option '{}' ({} {})", type, member.key,
                            joined(field->only_for), field->only_for.size() == 1 ? "has" : "have"));
        } else {
            std::visit(Reader(scope, *field, member.value, key), field->into);
        }
    }
    for (const Field& field : fields) {
        const bool is_wanted =
            field.is_required && is_for(field, type) && !(type.empty() && !field.only_for.empty());
        if (is_wanted && scope.table.find(field.name) == nullptr) {
            scope.problems.error(scope.table.place(), scope.key(field.name),
                                 "required, but missing");
        }
    }
    return others;
}

void read_all_fields(const Scope& scope, const std::vector<Field>& fields, std::string_view type,
                     const std::vector<std::string>& more_known) {
    std::vector<std::string> known;
    for (const Field& field : fields) {
        if (is_for(field, type)) {
            known.emplace_back(field.name);
        }
    }
    known.insert(known.end(), more_known.begin(), more_known.end());
    // Of a type that was refused it is not known which keys it has.
    const bool is_type_refused = type.empty() && scope.table.find("type") != nullptr &&
                                 std::ranges::find(known, "type") != known.end();
    for (const Member* member : read_fields(scope, fields, type)) {
        if (is_type_refused && !nearest(member->key, known)) {
            continue;
        }
        scope.problems.error(member->key_place, scope.key(member->key),
                             unknown_key_text(scope, member->key, known));
    }
}

std::string read_type(const Scope& scope, const std::vector<std::string>& choices) {
    std::string type;
    read_fields(scope, {{.name = "type", .into = &type, .choices = choices, .is_required = true}});
    return type;
}

Value write_fields(const std::vector<Field>& fields, std::string_view type) {
    Value table;
    for (const Field& field : fields) {
        if (!is_for(field, type)) {
            continue;
        }
        const auto write = [&](const auto* target) {
            using T = std::remove_cvref_t<decltype(*target)>;
            if constexpr (std::is_same_v<T, std::optional<double>> ||
                          std::is_same_v<T, std::optional<std::int64_t>>) {
                if (*target) {
                    table.set(std::string(field.name), **target);
                }
            } else if constexpr (std::is_same_v<T, Duration>) {
                if (target->seconds > 0) {
                    table.set(std::string(field.name), duration_text(target->seconds));
                }
            } else if constexpr (std::is_same_v<T, std::array<double, 2>>) {
                table.set(std::string(field.name), Value::list({(*target)[0], (*target)[1]}));
            } else if constexpr (!std::is_same_v<T, Raw> && !std::is_same_v<T, RawTable>) {
                table.set(std::string(field.name), *target);
            }
        };
        std::visit(write, field.into);
    }
    return table;
}

}  // namespace ptp::experiment
