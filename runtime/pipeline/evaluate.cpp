// Evaluates conditions, and works settings into shapes. Formulas are in compute.cpp.

#include "pipeline/evaluate.hpp"

#include "base/text.hpp"
#include "base/toml_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace ptp::pipeline {

namespace {

// More dimensions than any tensor has, fewer than would hurt.
constexpr std::int64_t kMaxRepetitions = 64;

bool term_holds(const Term& term, const Settings& settings) {
    const Value* value = settings.find(term.setting);
    if (term.values.empty()) {
        return is_set(value) != term.is_negated;
    }
    const bool is_one =
        value != nullptr &&
        contains(term.values, value->is_string() ? value->as_string() : inline_toml(*value));
    return is_one != term.is_negated;
}

// Returns the size that a setting, or an item of one, has; any size if it is not a size. A text is
// a formula of a layer.
PlainDimension from_number(const Value& value, std::string_view setting,
                           std::optional<std::size_t> index) {
    PlainDimension result{.is_from_setting = true, .setting = setting, .index = index};
    if (value.is_string()) {
        const Formula& formula = parse_value(value.as_string()).alternatives.front();
        result.name = formula.text.empty() ? formula.name : "";
        result.formula = formula.text.empty() ? nullptr : &formula;
    }
    if (value.is_integer() && value.as_integer() >= 0) {
        result.number = value.as_integer();
    }
    return result;
}

// The setting of an alternative, and its index; the name is empty for another alternative.
struct NamedSetting {
    std::string_view name = {};
    std::optional<std::size_t> index = {};
    bool is_by_stream = false;
};

NamedSetting setting_in(const Formula& alternative) {
    if (alternative.text.empty() && alternative.kind == FormulaKind::kSetting) {
        return {alternative.name};
    }
    if (alternative.text.empty() && alternative.kind == FormulaKind::kItem) {
        const Formula& index = alternative.operands[1];
        if (index.kind == FormulaKind::kUnknown) {
            return {.name = alternative.operands[0].name, .is_by_stream = true};
        }
        return {alternative.operands[0].name, static_cast<std::size_t>(index.number)};
    }
    return {};
}

// Appends to `result`; false if the alternative does not count, because its setting was not given.
bool expand_alternative(const Formula& alternative, const Settings& settings,
                        std::vector<PlainDimension>& result) {
    const NamedSetting setting = setting_in(alternative);
    if (setting.name.empty()) {
        const bool is_formula = !alternative.text.empty();
        const bool is_slice = !is_formula && alternative.kind == FormulaKind::kSlice;
        const bool is_number = !is_formula && alternative.kind == FormulaKind::kNumber;
        result.push_back({.number = is_number ? Number(alternative.number) : std::nullopt,
                          .name = is_formula ? "" : alternative.name,
                          .formula = is_formula ? &alternative : nullptr,
                          .slice = is_slice ? &alternative : nullptr});
        return true;
    }
    const Value* value = settings.find(setting.name);
    if (value == nullptr) {
        return false;
    }
    if (setting.is_by_stream) {
        result.push_back({.setting = setting.name, .is_by_stream = true});
        return true;
    }
    if (!value->is_list()) {
        result.push_back(from_number(*value, setting.name, std::nullopt));
        return true;
    }
    const std::vector<Value>& items = value->items();
    const std::size_t first = setting.index.value_or(0);
    const std::size_t end = setting.index ? first + 1 : items.size();
    for (std::size_t i = first; i < end && i < items.size(); ++i) {
        result.push_back(from_number(items[i], setting.name, i));
    }
    return !setting.index || first < items.size();
}

std::int64_t count_of(const Repetition& repetition, const Settings& settings) {
    std::int64_t count = repetition.number;
    if (!repetition.setting.empty()) {
        const Value* value = settings.find(repetition.setting);
        if (value != nullptr && value->is_integer()) {
            count += std::clamp<std::int64_t>(value->as_integer(), 0, kMaxRepetitions);
        }
    }
    return std::clamp<std::int64_t>(count, 0, kMaxRepetitions);
}

}  // namespace

bool is_set(const Value* value) {
    return value != nullptr && (!value->is_bool() || value->as_bool());
}

const Value* Settings::find(std::string_view name) const {
    const auto* const found = find_named(component.settings, name);
    if (found == nullptr) {
        return nullptr;
    }
    const auto& value = values[static_cast<std::size_t>(found - component.settings.data())];
    return value ? &*value : nullptr;
}

Number NodeScope::size(const std::string& name) const {
    if (const auto own = node_.symbols.find(name); own != node_.symbols.end()) {
        return number_of({.symbol = own->second});
    }
    const auto constant = node_.constants.find(name);
    if (constant != node_.constants.end() && constant->second.is_integer()) {
        return constant->second.as_integer();
    }
    const auto global = node_.globals.find(name);
    const auto symbol =
        global == node_.globals.end() ? globals_.end() : globals_.find(global->second);
    return symbol == globals_.end() ? std::nullopt : number_of({.symbol = symbol->second});
}

InputSizes NodeScope::input(const std::string& port) const {
    InputSizes result;
    const auto add = [&](const std::vector<Dimension>* shape) {
        auto& sizes = result.streams.emplace_back();
        if (shape != nullptr) {
            sizes.emplace();
            for (const Dimension& dimension : *shape) {
                sizes->push_back(number_of(dimension));
            }
        }
    };
    for (const Binding& binding : node_.inputs) {
        const plugin::Port& declared = node_.port(binding);
        if (declared.name == port) {
            result.is_list = !declared.streams_setting.empty();
            if (binding.stream >= 0) {
                add(shape_of(binding.stream));
            }
        }
    }
    for (const LayerList& list : node_.lists) {
        const plugin::Setting& declared = node_.component->settings[list.setting];
        if (declared.name == port) {
            result.is_list = declared.list_depth > 0;
            add(inner_shape_of(list.result));
        }
    }
    return result;
}

bool holds(const Condition& condition, const Settings& settings) {
    return std::ranges::all_of(condition.terms,
                               [&](const Term& term) { return term_holds(term, settings); });
}

std::string change_to_hold(const Condition& condition, const Settings& settings,
                           std::string_view path) {
    const auto fails = [&](const Term& term) { return !term_holds(term, settings); };
    const auto term = std::ranges::find_if(condition.terms, fails);
    if (std::ranges::count_if(condition.terms, fails) != 1) {
        return "";
    }
    using enum plugin::SettingType;
    const auto* const setting = find_named(settings.component.settings, term->setting);
    std::vector<std::string> values = term->values;
    constexpr std::size_t kMaxChoices = 3;  // in place of those that do not hold
    if (term->is_negated && !values.empty() && setting != nullptr) {
        values = setting->choices;
        std::erase_if(values, [&](const auto& one) { return contains(term->values, one); });
    }
    if (values.size() > (term->is_negated ? kMaxChoices : 1) ||
        values.empty() != term->values.empty()) {
        return "";
    }
    const auto type = setting == nullptr ? kString : setting->type;
    if (values.empty() && type != kBoolean) {
        return term->is_negated ? fmt::format("remove {} from {}", term->setting, path)
                                : fmt::format("set {} in {}", term->setting, path);
    }
    const bool is_plain = type == kBoolean || type == kInteger || type == kReal;
    const std::string value = !values.empty() ? values[0] : term->is_negated ? "false" : "true";
    std::string others;
    for (std::size_t i = 1; i < values.size(); ++i) {
        others += fmt::format("{}or \"{}\"", i == 1 ? " (" : " ", values[i]);
    }
    return fmt::format("set {0}.{1} = {3}{2}{3}{4}{5}", path, term->setting, value,
                       is_plain ? "" : "\"", others, others.empty() ? "" : ")");
}

std::string switch_of(const Node& node, plugin::Direction direction, std::string_view name) {
    const Settings settings = checked_settings(node);
    for (const plugin::Port& port : node.component->ports) {
        if (port.name != name || port.direction != direction) {
            continue;
        }
        std::vector<Term> failing = parse_condition(port.when).terms;
        std::erase_if(failing, [&](const Term& term) { return holds({{term}}, settings); });
        const bool is_switch =
            failing.size() == 1 && !failing.front().is_negated && failing.front().values.empty();
        return is_switch ? failing.front().setting : "";
    }
    return "";
}

namespace {

// Appends the dimensions without their repetition.
void expand_once(const DimensionExpression& dimension, const Settings& settings,
                 std::vector<PlainDimension>& result) {
    const std::size_t before = result.size();
    if (std::ranges::none_of(dimension.alternatives, [&](const Formula& alternative) {
            return expand_alternative(alternative, settings, result);
        })) {
        result.emplace_back();
    }
    const NamedSetting first = setting_in(dimension.alternatives.front());
    if (result.size() == before + 1 && !result.back().is_from_setting) {
        result.back().setting = first.name;
        result.back().index = first.index;
    }
}

void expand_into(const DimensionExpression& dimension, const Settings& settings,
                 std::vector<PlainDimension>& result) {
    if (!dimension.repetition) {
        expand_once(dimension, settings, result);
        return;
    }
    std::vector<PlainDimension> once;
    expand_once(dimension, settings, once);
    const std::int64_t count = count_of(*dimension.repetition, settings);
    for (std::int64_t i = 1; i <= count; ++i) {
        for (PlainDimension copy : once) {
            if (!copy.name.empty()) {
                copy.name += fmt::format(".{}", i);
            }
            result.push_back(std::move(copy));
        }
    }
}

}  // namespace

std::vector<PlainDimension> expand(const DimensionExpression& dimension, const Settings& settings) {
    std::vector<PlainDimension> result;
    expand_into(dimension, settings, result);
    return result;
}

Shape expand(const ShapeExpression& shape, const Settings& settings) {
    if (shape.is_any) {
        return std::nullopt;
    }
    std::vector<PlainDimension> result;
    result.reserve(shape.dimensions.size());
    for (const DimensionExpression& dimension : shape.dimensions) {
        expand_into(dimension, settings, result);
    }
    return result;
}

Shape shape_of(const plugin::Port& port, const Settings& settings) {
    return port.element == plugin::Element::kAny ? std::nullopt
                                                 : expand(parse_shape(port.shape), settings);
}

Shape shape_of_stream(const plugin::Port& port, const Settings& settings, std::size_t stream) {
    Shape shape = shape_of(port, settings);
    if (!shape) {
        return shape;
    }
    for (PlainDimension& dimension : *shape) {
        const Value* sizes = dimension.is_by_stream ? settings.find(dimension.setting) : nullptr;
        if (sizes != nullptr && stream < sizes->items().size()) {
            dimension = from_number(sizes->items()[stream], dimension.setting, stream);
        }
    }
    return shape;
}

std::string condition_text(const Condition& condition) {
    std::vector<std::string> terms;
    for (const Term& term : condition.terms) {
        if (term.values.empty()) {
            terms.push_back((term.is_negated ? "without " : "with ") + term.setting);
        } else {
            terms.push_back(fmt::format("with {} {} {}", term.setting, term.is_negated ? "!=" : "=",
                                        join(term.values, " or ")));
        }
    }
    return join(terms, " and ");
}

Number sum_of_reals(const Value& list) {
    constexpr double kMaxSum = 1e15;
    if (!list.is_list() || !std::ranges::all_of(list.items(), &Value::is_real)) {
        return std::nullopt;
    }
    double sum = 0;
    for (const Value& each : list.items()) {
        sum += each.as_real();
    }
    const double rounded = std::ceil(sum - 1e-9);
    return std::abs(rounded) <= kMaxSum ? Number(static_cast<std::int64_t>(rounded)) : std::nullopt;
}

}  // namespace ptp::pipeline
