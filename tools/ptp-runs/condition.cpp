// Reads and applies the condition of --where.

#include "ptp-runs/columns.hpp"

#include "base/explanation.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "common/command.hpp"
#include "run/read_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <compare>
#include <string_view>

namespace ptp::runs {

using namespace run;

namespace {

using Order = std::partial_ordering;

struct Sign {
    std::string_view text;
    bool (*holds)(Order order);
};

constexpr Sign kSigns[] = {
    // longer ones first
    {"<=", [](Order order) { return order <= 0; }}, {">=", [](Order order) { return order >= 0; }},
    {"!=", [](Order order) { return order != 0; }}, {"==", [](Order order) { return order == 0; }},
    {"<", [](Order order) { return order < 0; }},   {">", [](Order order) { return order > 0; }},
    {"=", [](Order order) { return order == 0; }},
};

Order order_of(const Value& left, const Value& right) {
    if (left.is_number() && right.is_number()) {
        return left.as_real() <=> right.as_real();
    }
    if (left.is_string() && right.is_string()) {
        return left.as_string() <=> right.as_string();
    }
    return left == right ? Order::equivalent : Order::unordered;
}

[[noreturn]] void refuse(const Explanation& why) {
    throw tools::UsageError(why.text());
}

// Returns the value that conditions compare: of a learning rate that control has set the last one.
std::optional<Value> compared_value(const Run& run, const Column& column) {
    auto value = value_of(run, column);
    if (value && value->is_string() && column.name == "training.optimizer.lr") {
        if (const auto rate = last_rate(value->as_string())) {
            value = Value(*rate);
        }
    }
    return value;
}

// The parts of a condition such as "accuracy>abc".
struct Asked {
    std::string key;
    std::string_view sign;
    std::string value;
};

// Refuses what holds for no list: another value, and an order. `list` is that of a run.
void check_list(const Asked& asked, const Value& value, const Value& list) {
    const bool is_equality = asked.sign == "=" || asked.sign == "==" || asked.sign == "!=";
    if (value.is_list() && is_equality) {
        return;
    }
    refuse(
        {value.is_list()
             ? fmt::format("{}{}{}: lists have no order", asked.key, asked.sign, inline_toml(value))
             : fmt::format("{0}{1}{2}: must be a list, because {0} is one in all runs", asked.key,
                           asked.sign, inline_toml(value)),
         fmt::format("--where {}",
                     shell_word(asked.key + "=" + inline_toml(value.is_list() ? value : list)))});
}

// Returns the value to compare with. If a column has only numbers, only texts or only lists in all
// runs, the value must match.
Value right_side(const Asked& asked, const Column& column, const std::vector<Run>& runs) {
    const Value value = read_toml_value(asked.value).value_or(Value(asked.value));
    bool are_numbers = false;
    bool are_texts = false;
    bool are_others = false;
    std::optional<Value> list;
    for (const Run& run : runs) {
        if (const auto cell = compared_value(run, column)) {
            list = cell->is_list() ? *cell : list;
            are_numbers = are_numbers || cell->is_number();
            are_texts = are_texts || cell->is_string();
            are_others = are_others || !(cell->is_number() || cell->is_string() || cell->is_list());
        }
    }
    if (list && !are_numbers && !are_texts && !are_others) {
        check_list(asked, value, *list);
        return value;
    }
    are_others = are_others || list;
    if (are_numbers && !are_texts && !are_others && !value.is_number()) {
        refuse({fmt::format("{0}{1}{2}: must be a number, because {0} is one in all runs",
                            asked.key, asked.sign, inline_toml(value)),
                fmt::format("compare with a number, such as '{}{}0.5'", asked.key, asked.sign)});
    }
    // In a column of texts, a value that looks like a number is a text.
    const bool is_text = are_texts && !are_numbers && !are_others && !value.is_string();
    return is_text ? Value(asked.value) : value;
}

}  // namespace

Condition read_condition(const std::string& text, const std::vector<Run>& runs) {
    const std::size_t at = std::min(text.find_first_of("<>=!"), text.size());
    const std::string key(trimmed(std::string_view(text).substr(0, at)));
    const std::string_view rest = std::string_view(text).substr(at);
    const auto sign =
        std::ranges::find_if(kSigns, [&](const Sign& one) { return rest.starts_with(one.text); });
    const std::string value(sign == std::end(kSigns) ? ""
                                                     : trimmed(rest.substr(sign->text.size())));
    for (const std::string_view word : {" and ", " or ", "&&", "||"}) {
        if (value.find(word) != std::string::npos &&
            value.find_first_of("<>=!", value.find(word)) != std::string::npos) {
            refuse({fmt::format("'{}' is more than one condition", text),
                    fmt::format("--where '{}'; `ptprun runs --csv` or --json has all for another "
                                "program",
                                trimmed(std::string_view(text).substr(0, text.find(word))))});
        }
    }
    if (at == 0 || value.empty()) {
        refuse({fmt::format("'{}' is not of the form KEY<VALUE (or <=, =, !=, >=, >)", text),
                key.empty() ? "" : fmt::format("--where '{}>0.5', with the value you mean", key)});
    }
    const Column column = find_column(key, runs);
    return {column, sign->holds, right_side({key, sign->text, value}, column, runs)};
}

bool meets(const Run& run, const Condition& condition) {
    const auto value = compared_value(run, condition.column);
    const bool is_tag = condition.column.is_like({"tags"}) && condition.value.is_string() &&
                        std::ranges::count(run.tags, condition.value.as_string()) > 0;
    return value && condition.holds(is_tag ? Order::equivalent : order_of(*value, condition.value));
}

}  // namespace ptp::runs
