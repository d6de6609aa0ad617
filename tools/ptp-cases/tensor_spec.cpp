// Reads the values of streams in a case file: numbers, formulas and strings.

#include "ptp-cases/case_file.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::cases {

namespace {

using schema::Raw;
using schema::Scope;

const std::vector<std::string>& formulas() {
    static const std::vector<std::string> names{"sines",  "waves", "range",   "squares",
                                                "stairs", "masks", "weights", "fill"};
    return names;
}

const std::vector<std::string>& dtypes() {
    static const std::vector<std::string> names{"float32", "float64", "bfloat16", "int64",
                                                "int16",   "int8",    "uint8",    "bool"};
    return names;
}

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

// Flattens nested lists into a row of numbers, and records their sizes.
class LiteralReader {
public:
    LiteralReader(const Scope& scope, std::string_view name)
        : scope_(scope), key_(scope.key(name)) {}

    TensorSpec read(const Value& value) {
        note_sizes(value);
        add(value, 0);
        TensorSpec spec{.place = value.place(), .shape = sizes_};
        const bool has_reals = std::ranges::any_of(numbers_, &Value::is_real);
        const bool has_bools = std::ranges::any_of(numbers_, &Value::is_bool);
        spec.literal = has_reals || numbers_.empty() ? Literal::kReals
                       : has_bools                   ? Literal::kBools
                                                     : Literal::kIntegers;
        for (const Value& number : numbers_) {
            if (number.is_bool() != has_bools) {
                refuse(value, "must not mix booleans and numbers");
                return spec;
            }
            if (has_reals) {
                spec.reals.push_back(number.as_real());
            } else {
                spec.integers.push_back(has_bools ? number.as_bool() : number.as_integer());
            }
        }
        return spec;
    }

private:
    // Records the sizes of the first list of each level.
    void note_sizes(const Value& value) {
        for (const Value* level = &value; level->is_list(); level = &level->items().front()) {
            sizes_.push_back(static_cast<std::int64_t>(level->items().size()));
            if (level->items().empty()) {
                break;
            }
        }
    }

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
            return;
        }
        if (depth == sizes_.size()) {
            refuse(value, "must be a number, as the first item beside it");
            return;
        }
        if (static_cast<std::int64_t>(value.items().size()) != sizes_[depth]) {
            refuse(value, fmt::format("must have {} items, as the first list beside it, has {}",
                                      sizes_[depth], value.items().size()));
            return;
        }
        for (const Value& item : value.items()) {
            add(item, depth + 1);
        }
    }

    void refuse(const Value& value, std::string message) {
        scope_.problems.error(value, key_, std::move(message));
    }

    const Scope& scope_;
    std::string key_;
    std::vector<std::int64_t> sizes_;
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
        Raw value = nullptr;
        one.place = item.place();
        const Scope inner = scope.at(item, "replaced");
        schema::read_all_fields(
            inner,
            {{.name = "at",
              .into = &one.at,
              .help = "index of the element",
              .range = "[0, inf)",
              .is_alternative = true},
             {.name = "every",
              .into = &one.every,
              .help = "distance of the elements",
              .range = "[1, inf)",
              .is_alternative = true},
             {.name = "from",
              .into = &one.from,
              .help = "the first of every N elements",
              .range = "[0, inf)"},
             {.name = "value", .into = &value, .help = "the new value", .is_required = true}});
        if (value != nullptr) {
            one.value = read_number(inner, "value", *value);
        }
    }
    return result;
}

// The members of a tensor's table as written.
struct RawTensor {
    Raw values = nullptr;
    std::vector<std::int64_t> shape;
    Raw plus = nullptr;
    Raw replaced = nullptr;
};

std::vector<schema::Field> tensor_fields(RawTensor& raw, TensorSpec& spec) {
    return {
        {.name = "values",
         .into = &raw.values,
         .help = "numbers, in lists",
         .is_alternative = true},
        {.name = "formula",
         .into = &spec.formula,
         .help = "element k",
         .choices = formulas(),
         .is_alternative = true},
        {.name = "shape", .into = &raw.shape, .help = "sizes", .range = "[0, inf)"},
        {.name = "dtype", .into = &spec.dtype, .help = "as in PyTorch", .choices = dtypes()},
        {.name = "phase", .into = &spec.phase, .help = "of sines and waves"},
        {.name = "step", .into = &spec.step, .help = "of sines and waves"},
        {.name = "value", .into = &spec.value, .help = "of fill"},
        {.name = "count", .into = &spec.count, .help = "number of classes", .range = "[1, inf)"},
        {.name = "one_hot",
         .into = &spec.one_hot,
         .help = "number of classes",
         .range = "[1, inf)"},
        {.name = "scale", .into = &spec.scale, .help = "factor of all elements"},
        {.name = "offset", .into = &spec.offset, .help = "added after the factor"},
        {.name = "then",
         .into = &spec.then,
         .help = "what becomes of the elements",
         .choices = {"round", "softmax", "log_softmax"}},
        {.name = "plus", .into = &raw.plus, .help = "another tensor, which is added"},
        {.name = "rows",
         .into = &spec.rows,
         .help = "the first row that is kept, and the one after the last",
         .range = "[0, inf)",
         .length = "[2, 2]"},
        {.name = "replaced", .into = &raw.replaced, .help = "elements with other values"},
        {.name = "transposed",
         .into = &spec.transposed,
         .help = "two dimensions, swapped without a copy",
         .range = "[0, inf)",
         .length = "[2, 2]"}};
}

TensorSpec read_table(const Scope& scope) {
    TensorSpec spec{.place = scope.table.place()};
    RawTensor raw;
    schema::read_all_fields(scope, tensor_fields(raw, spec));
    if (raw.values != nullptr) {
        const TensorSpec literal = LiteralReader(scope, "values").read(*raw.values);
        spec.literal = literal.literal;
        spec.integers = literal.integers;
        spec.reals = literal.reals;
        spec.shape = literal.shape;
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

Tokens read_tokens(const Scope& scope, std::string_view name, const Value& value) {
    Tokens rows;
    for (const Value& row : value.items()) {
        Strings& words = rows.emplace_back();
        for (const Value& word : row.is_list() ? row.items() : std::vector{row}) {
            if (row.is_list() && word.is_string()) {
                words.push_back(word.as_string());
            } else {
                scope.problems.error(word, scope.key(name), "must be a list of strings");
            }
        }
    }
    return rows;
}

StreamSpec read_list(const Scope& scope, const Value& value) {
    Raw list = nullptr;
    schema::read_all_fields(scope, {{.name = "list", .into = &list, .help = "tensors"}});
    TensorList tensors;
    if (!list->is_list()) {
        scope.problems.error(*list, scope.key("list"), "must be a list of tensors");
        return tensors;
    }
    for (const Value& item : value.find("list")->items()) {
        tensors.push_back(read_tensor(scope, "list", item));
    }
    return tensors;
}

}  // namespace

double read_number(const Scope& scope, std::string_view name, const Value& value) {
    if (!value.is_number()) {
        scope.problems.error(value, scope.key(name), "must be a number");
        return 0;
    }
    return value.as_real();
}

TensorSpec read_tensor(const Scope& scope, std::string_view name, const Value& value) {
    return value.is_table() ? read_table(scope.at(value, name))
                            : LiteralReader(scope, name).read(value);
}

StreamSpec read_stream(const Scope& scope, std::string_view name, const Value& value) {
    if (value.find("list") != nullptr) {
        return read_list(scope.at(value, name), value);
    }
    if (value.find("strings") != nullptr) {
        Strings strings;
        schema::read_all_fields(scope.at(value, name),
                                {{.name = "strings", .into = &strings, .help = "one a sample"}});
        return strings;
    }
    const Value* leaf = first_leaf(value);
    if (leaf == nullptr || !leaf->is_string()) {
        return read_tensor(scope, name, value);
    }
    if (value.is_list() && value.items().front().is_list()) {
        return read_tokens(scope, name, value);
    }
    Strings strings;
    for (const Value& item : value.is_list() ? value.items() : std::vector{value}) {
        if (item.is_string() && value.is_list()) {
            strings.push_back(item.as_string());
        } else {
            scope.problems.error(item, scope.key(name), "must be a list of strings");
        }
    }
    return strings;
}

}  // namespace ptp::cases
