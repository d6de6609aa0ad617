// Computes formulas and relations: whole numbers that are right, or refused. Conditions and shapes
// are in evaluate.cpp.

#include "pipeline/evaluate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace ptp::pipeline {

namespace {

// Rounds down; the remainder has the sign of `right`.
std::int64_t quotient_of(std::int64_t left, std::int64_t right) {
    const bool is_between = left % right != 0 && (left < 0) != (right < 0);
    return left / right - (is_between ? 1 : 0);
}

std::int64_t remainder_of(std::int64_t left, std::int64_t right) {
    const std::int64_t rest = left % right;
    return rest != 0 && (rest < 0) != (right < 0) ? rest + right : rest;
}

// Returns the sum of two numbers for kAdd and kSum, their quotient, rounded down, for kDivide, and
// so on.
std::int64_t combine(FormulaKind kind, std::int64_t left, std::int64_t right) {
    std::int64_t result = 0;
    bool overflows = false;
    char sign = '+';
    switch (kind) {
        case FormulaKind::kAdd:
        case FormulaKind::kSum:
            overflows = __builtin_add_overflow(left, right, &result);
            break;
        case FormulaKind::kSubtract:
            sign = '-';
            overflows = __builtin_sub_overflow(left, right, &result);
            break;
        case FormulaKind::kMultiply:
        case FormulaKind::kProduct:
            sign = '*';
            overflows = __builtin_mul_overflow(left, right, &result);
            break;
        case FormulaKind::kDivide:
        case FormulaKind::kRemainder:
            if (right == 0) {
                throw ComputationError(fmt::format("{} is divided by 0", left));
            }
            if (right == -1) {  // the smallest number has no quotient
                return kind == FormulaKind::kRemainder ? 0
                                                       : combine(FormulaKind::kSubtract, 0, left);
            }
            return kind == FormulaKind::kRemainder ? remainder_of(left, right)
                                                   : quotient_of(left, right);
        case FormulaKind::kMin:
            return std::min(left, right);
        default:
            assert(kind == FormulaKind::kMax);
            return std::max(left, right);
    }
    if (overflows) {
        throw ComputationError(fmt::format("{} {} {} is too large", left, sign, right));
    }
    return result;
}

// More numbers than a tensor has dimensions or a setting has items in earnest.
constexpr std::size_t kMaxNumbers = 100'000;

// "$conv1.kernel_size"; nullptr if it was not given.
const Value* find_known(const Settings& settings, const std::string& path) {
    std::size_t end = std::min(path.find('.'), path.size());
    const Value* value = settings.find(path.substr(0, end));
    while (value != nullptr && end < path.size()) {
        const std::size_t begin = end + 1;
        end = std::min(path.find('.', begin), path.size());
        value = value->is_table() ? value->find(path.substr(begin, end - begin)) : nullptr;
    }
    return value;
}

Computed computed(Number number) {
    return number ? Computed(Numbers{number}) : std::nullopt;
}

Number item_of(const Numbers& numbers, std::int64_t index) {
    const auto count = static_cast<std::int64_t>(numbers.size());
    const std::int64_t from_front = index < 0 ? index + count : index;
    const bool exists = from_front >= 0 && from_front < count;
    return exists ? numbers[static_cast<std::size_t>(from_front)] : std::nullopt;
}

// Returns whether the operands may be lists, whose numbers count one by one.
bool is_of_lists(FormulaKind kind) {
    return kind == FormulaKind::kMin || kind == FormulaKind::kMax || kind == FormulaKind::kSum ||
           kind == FormulaKind::kProduct;
}

class Computation {
public:
    Computation(const Settings& settings, const FormulaScope& scope)
        : settings_(settings), scope_(scope) {}

    Computed value(const Formula& formula) const {
        switch (formula.kind) {
            case FormulaKind::kUnknown:
            case FormulaKind::kPort:
                return {};
            case FormulaKind::kNumber:
                return computed(formula.number);
            case FormulaKind::kName:
                return computed(scope_.size(formula.name));
            case FormulaKind::kSetting:
                return setting(formula);
            case FormulaKind::kItem:
                return item(formula);
            case FormulaKind::kSlice:
                return slice(formula);
            case FormulaKind::kFirst:
            case FormulaKind::kIf:
                return chosen(formula);
            case FormulaKind::kLength:
                return length(formula);
            case FormulaKind::kWindows:
                return computed(windows(formula));
            case FormulaKind::kFileSize:
                return computed(file_size(formula));
            default:
                return computed(combined(formula));
        }
    }

    Number number(const Formula& formula) const {
        const Computed all = value(formula);
        return all && all->size() == 1 ? all->front() : std::nullopt;
    }

    std::optional<SliceBounds> bounds(const Formula& slice, std::size_t count) const {
        const auto limit = static_cast<std::int64_t>(count);
        const auto bound = [&](const Formula& formula, std::int64_t otherwise) -> Number {
            if (formula.kind == FormulaKind::kUnknown) {
                return otherwise;
            }
            const Number wanted = number(formula);
            if (!wanted) {
                return std::nullopt;
            }
            const std::int64_t from_front =
                *wanted < 0 ? combine(FormulaKind::kAdd, *wanted, limit) : *wanted;
            return std::clamp<std::int64_t>(from_front, 0, limit);
        };
        const Number begin = bound(slice.operands[1], 0);
        const Number end = bound(slice.operands[2], limit);
        if (!begin || !end) {
            return std::nullopt;
        }
        return SliceBounds{static_cast<std::size_t>(*begin),
                           static_cast<std::size_t>(std::max(*begin, *end))};
    }

    std::optional<bool> truth(const Formula& relation) const {
        switch (relation.kind) {
            case FormulaKind::kIsSet:
                return is_set(find_known(settings_, relation.operands[0].name));
            case FormulaKind::kIsOneOf: {
                const Value* value = find_known(settings_, relation.operands[0].name);
                return value != nullptr && value->is_string() &&
                       contains(relation.words, value->as_string());
            }
            case FormulaKind::kNot: {
                const auto inner = truth(relation.operands[0]);
                return inner ? std::optional(!*inner) : std::nullopt;
            }
            case FormulaKind::kAnd:
            case FormulaKind::kOr: {
                // A result that one side decides alone does not depend on the other.
                const bool deciding = relation.kind == FormulaKind::kOr;
                const auto left = truth(relation.operands[0]);
                const auto right = truth(relation.operands[1]);
                if (left == deciding || right == deciding) {
                    return deciding;
                }
                return left && right ? std::optional(!deciding) : std::nullopt;
            }
            default:
                return compared(relation);
        }
    }

private:
    // The text of an integer is a formula of a layer.
    Number number_in(const Value& value, bool is_integer) const {
        return value.is_integer()                ? Number(value.as_integer())
               : value.is_string() && is_integer ? number(parse_formula(value.as_string()))
                                                 : std::nullopt;
    }

    Computed setting(const Formula& formula) const {
        const auto* const declared = find_named(settings_.component.settings, formula.name);
        const bool is_integer =
            declared != nullptr && declared->type == plugin::SettingType::kInteger;
        const Value* value = find_known(settings_, formula.name);
        if (value == nullptr || !value->is_list()) {
            return computed(value == nullptr ? std::nullopt : number_in(*value, is_integer));
        }
        if (value->items().size() > kMaxNumbers) {
            return {};
        }
        return transformed(value->items(),
                           [&](const Value& each) { return number_in(each, is_integer); });
    }

    Computed item(const Formula& formula) const {
        const Formula& list = formula.operands[0];
        const Number index = number(formula.operands[1]);
        if (!index) {
            return {};
        }
        if (list.kind != FormulaKind::kPort) {
            const Computed all = value(list);
            return computed(all ? item_of(*all, *index) : std::nullopt);
        }
        const InputSizes input = scope_.input(list.name);
        Numbers of_each;
        for (const auto& sizes : input.streams) {
            of_each.push_back(sizes ? item_of(*sizes, *index) : std::nullopt);
        }
        if (input.is_list) {
            return of_each;
        }
        return computed(of_each.size() == 1 ? of_each.front() : std::nullopt);
    }

    Computed slice(const Formula& formula) const {
        const Formula& list = formula.operands[0];
        Computed all;
        if (list.kind == FormulaKind::kPort) {
            const InputSizes input = scope_.input(list.name);
            const bool is_single = !input.is_list && input.streams.size() == 1;
            all = is_single ? input.streams.front() : std::nullopt;
        } else {
            all = value(list);
        }
        const auto found = all ? bounds(formula, all->size()) : std::nullopt;
        if (!found) {
            return {};
        }
        const auto begin = all->begin();
        return Numbers(begin + static_cast<std::ptrdiff_t>(found->begin),
                       begin + static_cast<std::ptrdiff_t>(found->end));
    }

    // Combines all numbers of the operands, from left to right; none where one is not known.
    Number combined(const Formula& formula) const {
        if (formula.kind == FormulaKind::kSum) {
            const Formula& list = formula.operands[0];
            const bool is_setting = list.kind == FormulaKind::kSetting;
            const Value* const given = is_setting ? find_known(settings_, list.name) : nullptr;
            if (const Number sum = given != nullptr ? sum_of_reals(*given) : std::nullopt) {
                return sum;
            }
        }
        Numbers all;
        if (formula.kind == FormulaKind::kSum || formula.kind == FormulaKind::kProduct) {
            all.emplace_back(formula.kind == FormulaKind::kSum ? 0 : 1);
        }
        for (const Formula& operand : formula.operands) {
            const auto more = is_of_lists(formula.kind) ? value(operand) : Numbers{number(operand)};
            if (!more) {
                return std::nullopt;
            }
            all.insert(all.end(), more->begin(), more->end());
        }
        if (all.empty() || !std::ranges::all_of(all, &Number::has_value)) {
            return std::nullopt;
        }
        std::int64_t result = *all.front();
        for (std::size_t i = 1; i < all.size(); ++i) {
            result = combine(formula.kind, result, *all[i]);
        }
        return result;
    }

    // Adds the ranks of all streams of an input that has several.
    Computed length(const Formula& formula) const {
        const Formula& operand = formula.operands[0];
        const bool is_rank =
            operand.kind == FormulaKind::kSlice && operand.operands[0].kind == FormulaKind::kPort;
        const InputSizes input = is_rank ? scope_.input(operand.operands[0].name) : InputSizes();
        if (!input.is_list) {
            const Computed list = value(operand);
            return computed(list ? Number(std::ssize(*list)) : std::nullopt);
        }
        return transformed(input.streams, [](const auto& sizes) {
            return sizes ? Number(std::ssize(*sizes)) : std::nullopt;
        });
    }

    // Counts the places of a window: floor((size + 2 padding - kernel) / stride) + 1.
    Number windows(const Formula& formula) const {
        using enum FormulaKind;
        Numbers of;
        for (const Formula& operand : formula.operands) {
            of.push_back(number(operand));
            if (!of.back()) {
                return std::nullopt;
            }
        }
        const std::int64_t padded = combine(kAdd, *of[0], combine(kMultiply, 2, *of[3]));
        const std::int64_t span = combine(kSubtract, padded, *of[1]);
        return span < 0 ? 0 : combine(kAdd, combine(kDivide, span, *of[2]), 1);
    }

    Number file_size(const Formula& formula) const {
        const Value* folder = find_known(settings_, formula.operands[0].name);
        const bool is_given = folder != nullptr && folder->is_string();
        return is_given ? size_of_file(folder->as_string(), formula.words.front()) : std::nullopt;
    }

    Computed chosen(const Formula& formula) const {
        if (formula.kind == FormulaKind::kIf) {
            const auto condition = truth(formula.operands[0]);
            const std::size_t branch = condition.value_or(true) ? 1 : 2;
            const bool is_known = condition && branch < formula.operands.size();
            return is_known ? value(formula.operands[branch]) : Computed();
        }
        for (const Formula& operand : formula.operands) {
            if (Computed result = value(operand)) {
                return result;
            }
        }
        return {};
    }

    std::optional<bool> compared(const Formula& relation) const {
        if (relation.kind == FormulaKind::kEqual) {
            return equal(value(relation.operands[0]), value(relation.operands[1]));
        }
        const Number left = number(relation.operands[0]);
        const Number right = number(relation.operands[1]);
        if (!left || !right) {
            return std::nullopt;
        }
        return relation.kind == FormulaKind::kLess ? *left < *right : *left <= *right;
    }

    static std::optional<bool> equal(const Computed& left, const Computed& right) {
        if (!left || !right) {
            return std::nullopt;
        }
        if (left->size() != right->size()) {
            return left->size() == 1 || right->size() == 1 ? std::nullopt : std::optional(false);
        }
        bool is_known = true;
        for (std::size_t i = 0; i < left->size(); ++i) {
            const Number& here = (*left)[i];
            const Number& there = (*right)[i];
            if (here && there && *here != *there) {
                return false;
            }
            is_known = is_known && here && there;
        }
        return is_known ? std::optional(true) : std::nullopt;
    }

    const Settings& settings_;
    const FormulaScope& scope_;
};

}  // namespace

Computed compute(const Formula& formula, const Settings& settings, const FormulaScope& scope) {
    return Computation(settings, scope).value(formula);
}

std::optional<std::int64_t> compute_number(const Formula& formula, const Settings& settings,
                                           const FormulaScope& scope) {
    return Computation(settings, scope).number(formula);
}

std::optional<bool> holds(const Formula& relation, const Settings& settings,
                          const FormulaScope& scope) {
    return Computation(settings, scope).truth(relation);
}

std::optional<SliceBounds> slice_bounds(const Formula& slice, std::size_t count,
                                        const Settings& settings, const FormulaScope& scope) {
    return Computation(settings, scope).bounds(slice, count);
}

}  // namespace ptp::pipeline
