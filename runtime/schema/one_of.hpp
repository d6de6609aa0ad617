// A table of one of several types, each a struct of its own, in a visible list:
//
//     struct Sgd {
//         static constexpr std::string_view kName = "SGD";  // the value of `type`
//         static constexpr std::string_view kHelp = "...";  // one line, without a full stop
//         double lr = 0.01;
//         template <class Field = schema::Field>
//         std::vector<Field> fields();                      // its keys; their targets lie in it
//         std::optional<KeyProblem> problem() const;        // (optional) of its values together
//     };
//     using Any = std::variant<Sgd, Adam>;
//
// fields() is a template, so that it is compiled only where it is called, and not wherever an
// experiment is included.

#pragma once

#include "schema/kinds.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace ptp::schema {

// A problem of values that are valid one by one, and the key at which to report it.
struct KeyProblem {
    std::string_view key;
    std::string message;
};

// Reports the problem at the key's location, or at the table's.
inline void report(const Scope& scope, const KeyProblem& problem) {
    if (const Value* value = scope.table.find(problem.key)) {
        scope.problems.error(*value, scope.key(problem.key), problem.message);
    } else {
        scope.problems.error(scope.table.place(), scope.key(problem.key), problem.message);
    }
}

// Selects all fields of a type; other selectors return a part, such as the fields of a parameter
// group.
struct AllFields {
    std::vector<Field> operator()(auto& one) const { return one.fields(); }
};

// A value of each type in the list; one of them is read.
template <class Any, class FieldsOf>
class OneOfEach;

template <class... Types, class FieldsOf>
class OneOfEach<std::variant<Types...>, FieldsOf> {
public:
    using Any = std::variant<Types...>;

    explicit OneOfEach(FieldsOf fields_of) : fields_of_(fields_of) {}

    // Replaces the defaults of a type by `value`.
    void set(const Any& value) {
        std::visit([&]<class One>(const One& one) { std::get<One>(all_) = one; }, value);
    }

    // Returns the kinds, whose fields have their targets in this object.
    std::vector<Kind> kinds() {
        return {{.name = Types::kName,
                 .help = Types::kHelp,
                 .fields = fields_of_(std::get<Types>(all_))}...};
    }

    // Returns the chosen value. Also reports problems of its values together.
    Any take(std::size_t chosen, const Scope& scope) {
        std::optional<Any> taken;
        std::size_t index = 0;
        ((index++ == chosen ? (void)taken.emplace(std::get<Types>(all_)) : (void)0), ...);
        std::visit(
            [&](const auto& one) {
                if constexpr (requires { one.problem(); }) {
                    if (const std::optional<KeyProblem> problem = one.problem()) {
                        report(scope, *problem);
                    }
                }
            },
            *taken);
        return std::move(*taken);
    }

private:
    FieldsOf fields_of_;
    std::tuple<Types...> all_;
};

// Reads a table whose key `type` names one of the types; `common` are keys that all of them have,
// `defaults` replace the defaults of the types. Returns nullopt after reporting that the type is
// missing or unknown.
template <class Any>
std::optional<Any> read_one_of(const Scope& scope, std::string_view help_of_type,
                               const std::vector<Field>& common = {},
                               const std::vector<Any>& defaults = {}) {
    OneOfEach<Any, AllFields> all{AllFields()};
    for (const Any& value : defaults) {
        all.set(value);
    }
    const auto chosen =
        read_kind(scope, {.list = all.kinds(), .common = common, .help = help_of_type});
    return chosen ? std::optional(all.take(*chosen, scope)) : std::nullopt;
}

// Reads a table whose type is already known: its keys replace those of `value`.
template <class Any, class FieldsOf = AllFields>
void read_as_one_of(Any& value, const Scope& scope, const std::vector<Field>& common = {},
                    FieldsOf fields_of = {}) {
    OneOfEach<Any, FieldsOf> all(fields_of);
    all.set(value);
    read_kind_as(value.index(), scope, {.list = all.kinds(), .common = common});
    value = all.take(value.index(), scope);
}

// Returns the table for a value: the inverse of read_one_of().
template <class Any>
Value write_one_of(const Any& value) {
    return std::visit(
        [](auto one) {
            Value table = Value::table({{"type", std::string(one.kName)}});
            Value rest = write_fields(one.fields());
            for (Member& member : rest.members()) {
                table.set(member.key, std::move(member.value));
            }
            return table;
        },
        value);
}

}  // namespace ptp::schema
