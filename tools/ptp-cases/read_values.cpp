// Reads the values of a case file: numbers, sizes, strings, and tensors with their formulas.

#include "base/ranges.hpp"
#include "ptp-cases/case_file.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::cases {

namespace {

using schema::Raw;
using schema::Scope;

// Returns the first value that is not a list, depth first; nullptr if there are only empty lists.
const Value* first_leaf(const Value& value) {
    if (!value.is_list()) {
        return &value;
    }
    for (const Value& item : value.items()) {
        if (const Value* leaf = first_leaf(item)) {
            return leaf;
        }
    }
    return nullptr;
}

// Flattens nested lists into a row of numbers, whose sizes are those of the first list of each
// level.
class LiteralReader {
public:
    LiteralReader(const Scope& scope, std::string_view name)
        : scope_(scope), key_(scope.key(name)) {}

    TensorSpec read(const Value& value) {
        for (const Value* level = &value; level->is_list(); level = &level->items().front()) {
            sizes_.push_back(static_cast<std::int64_t>(level->items().size()));
            if (level->items().empty()) {
                break;
            }
        }
        add(value, 0);
        const auto booleans = std::ranges::count_if(numbers_, &Value::is_bool);
        if (booleans != 0 && booleans != std::ssize(numbers_)) {
            refuse(value, "must not mix booleans and numbers");
        }
        return {.place = value.place(), .numbers = std::move(numbers_), .shape = sizes_};
    }

private:
    void add(const Value& value, std::size_t depth) {
        if (!value.is_list()) {
            if (depth != sizes_.size()) {
                refuse(value, "must be a list, as the first item beside it");
            } else if (!value.is_number() && !value.is_bool()) {
                refuse(value, fmt::format("must be a number or a boolean, not {}",
                                          type_name(value.type())));
            } else {
                numbers_.push_back(value);
            }
        } else if (depth == sizes_.size()) {
            refuse(value, "must be a number, as the first item beside it");
        } else if (std::ssize(value.items()) != sizes_[depth]) {
            refuse(value, fmt::format("must have {} items, as the first list beside it, has {}",
                                      sizes_[depth], value.items().size()));
        } else {
            for (const Value& item : value.items()) {
                add(item, depth + 1);
            }
        }
    }

    void refuse(const Value& value, std::string message) {
        scope_.problems.error(value, key_, std::move(message));
    }

    const Scope& scope_;
    std::string key_;
    Shape sizes_;
    std::vector<Value> numbers_;
};

std::vector<Replacement> read_replacements(const Scope& scope, const Value& list) {
    std::vector<Replacement> result;
    if (!list.is_list()) {
        scope.problems.error(list, scope.key("replaced"), "must be a list of tables");
        return result;
    }
    for (const Value& item : list.items()) {
        if (!item.is_table()) {
            scope.problems.error(item, scope.key("replaced"),
                                 "must be a table, such as { at = [0, 1], value = nan }");
            continue;
        }
        Replacement& one = result.emplace_back();
        one.place = item.place();
        Raw value = nullptr;
        const Scope inner = scope.at(item, "replaced");
        schema::read_all_fields(
            inner,
            {{.name = "at", .into = &one.at, .range = "[0, inf)", .is_alternative = true},
             {.name = "every", .into = &one.every, .range = "[1, inf)", .is_alternative = true},
             {.name = "from", .into = &one.from, .range = "[0, inf)"},
             {.name = "value", .into = &value, .help = "the new value", .is_required = true}});
        if (value != nullptr) {
            one.value = read_number(inner, "value", *value);
        }
    }
    return result;
}

// A tensor as its table has it, before its numbers are read.
struct RawTensor {
    Shape shape;
    Raw values = nullptr;
    Raw plus = nullptr;
    Raw replaced = nullptr;
};

std::vector<schema::Field> fields_of_tensor(RawTensor& raw, TensorSpec& spec) {
    return {
        {.name = "values", .into = &raw.values, .is_alternative = true},
        {.name = "formula",
         .into = &spec.formula,
         .choices = {"sines", "waves", "range", "squares", "stairs", "masks", "weights", "fill"},
         .is_alternative = true},
        {.name = "shape", .into = &raw.shape, .range = "[0, inf)"},
        {.name = "dtype",
         .into = &spec.dtype,
         .choices = {"float32", "float64", "bfloat16", "int64", "int16", "int8", "uint8", "bool"}},
        {.name = "phase", .into = &spec.phase},
        {.name = "step", .into = &spec.step},
        {.name = "value", .into = &spec.value},
        {.name = "count", .into = &spec.count, .range = "[1, inf)"},
        {.name = "one_hot", .into = &spec.one_hot, .range = "[1, inf)"},
        {.name = "scale", .into = &spec.scale},
        {.name = "offset", .into = &spec.offset},
        {.name = "then", .into = &spec.then, .choices = {"round", "softmax", "log_softmax"}},
        {.name = "plus", .into = &raw.plus},
        {.name = "rows", .into = &spec.rows, .range = "[0, inf)", .length = "[2, 2]"},
        {.name = "replaced", .into = &raw.replaced},
        {.name = "transposed", .into = &spec.transposed, .range = "[0, inf)", .length = "[2, 2]"}};
}

TensorSpec read_table(const Scope& scope) {
    TensorSpec spec{.place = scope.table.place()};
    RawTensor raw;
    schema::read_all_fields(scope, fields_of_tensor(raw, spec));
    if (raw.values != nullptr) {
        TensorSpec literal = LiteralReader(scope, "values").read(*raw.values);
        spec.numbers = std::move(literal.numbers);
        spec.shape = std::move(literal.shape);
    }
    if (scope.table.find("shape") != nullptr) {
        spec.shape = raw.shape;
    }
    if (raw.plus != nullptr) {
        spec.plus.push_back(read_tensor(scope, "plus", *raw.plus));
    }
    if (raw.replaced != nullptr) {
        spec.replaced = read_replacements(scope, *raw.replaced);
    }
    return spec;
}

Strings read_strings(const Scope& scope, std::string_view name, const Value& list) {
    Strings strings;
    for (const Value& item : list.is_list() ? list.items() : std::vector{list}) {
        if (list.is_list() && item.is_string()) {
            strings.push_back(item.as_string());
        } else {
            scope.problems.error(item, scope.key(name), "must be a list of strings");
        }
    }
    return strings;
}

}  // namespace

double read_number(const Scope& scope, std::string_view name, const Value& value) {
    if (!value.is_number()) {
        scope.problems.error(value, scope.key(name), "must be a number");
        return 0;
    }
    return value.as_real();
}

std::int64_t read_integer(const Scope& scope, std::string_view name, const Value& value) {
    if (!value.is_integer()) {
        scope.problems.error(value, scope.key(name), "must be an integer");
        return 0;
    }
    return value.as_integer();
}

Shape read_shape(const Scope& scope, std::string_view name, const Value& value) {
    Shape shape;
    const Value table = Value::table({{std::string(name), value}});
    schema::read_all_fields({table, scope.path, scope.options, scope.problems},
                            {{.name = name, .into = &shape, .help = "sizes", .range = "[0, inf)"}});
    return shape;
}

TensorSpec read_tensor(const Scope& scope, std::string_view name, const Value& value) {
    return value.is_table() ? read_table(scope.at(value, name))
                            : LiteralReader(scope, name).read(value);
}

StreamSpec read_stream(const Scope& scope, std::string_view name, const Value& value) {
    const Value* const list = value.find("list");
    if (list != nullptr || value.find("strings") != nullptr) {
        Raw tensors = nullptr;
        Strings strings;
        schema::read_all_fields(scope.at(value, name),
                                {{.name = "list", .into = &tensors, .is_alternative = true},
                                 {.name = "strings", .into = &strings, .is_alternative = true}});
        if (list == nullptr) {
            return strings;
        }
        TensorList all;
        const Scope inner = scope.at(value, name);
        if (!list->is_list()) {
            inner.problems.error(*list, inner.key("list"), "must be a list of tensors");
            return all;
        }
        for (const Value& item : list->items()) {
            all.push_back(read_tensor(inner, "list", item));
        }
        return all;
    }
    const Value* const leaf = first_leaf(value);
    if (leaf == nullptr || !leaf->is_string()) {
        return read_tensor(scope, name, value);
    }
    if (!value.is_list() || !value.items().front().is_list()) {
        return read_strings(scope, name, value);
    }
    return transformed(value.items(),
                       [&](const Value& row) { return read_strings(scope, name, row); });
}

}  // namespace ptp::cases
