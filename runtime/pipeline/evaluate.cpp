// Evaluates conditions, and works settings into shapes. Formulas are in compute.cpp.
#include "pipeline/evaluate.hpp"

#include "base/text.hpp"
#include "base/toml_writer.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::pipeline {

namespace {

// More dimensions than any tensor has, fewer than would hurt.
constexpr std::int64_t kMaxRepetitions = 64;

bool term_holds(const Term& term, const Settings& settings) {
    const Value* value = settings.find(term.setting);
    if (term.values.empty()) {
        const bool is_set = value != nullptr && (!value->is_bool() || value->as_bool());
        return is_set != term.is_negated;
    }
    const std::string text = value == nullptr     ? ""
                             : value->is_string() ? value->as_string()
                                                  : inline_toml(*value);
    const bool is_one =
        value != nullptr && std::ranges::find(term.values, text) != term.values.end();
    return is_one != term.is_negated;
}

PlainDimension from_number(const Value& value, const Atom& atom, std::optional<std::size_t> index) {
    PlainDimension result{.is_from_setting = true, .setting = atom.name, .index = index};
    const bool is_size = value.is_integer() && value.as_integer() >= 0;
    if (is_size) {
        result.number = value.as_integer();
    }
    return result;
}

// Returns the dimension of an atom without a setting.
PlainDimension fixed(const Atom& atom) {
    switch (atom.kind) {
        case Atom::Kind::kNumber:
            return {.number = atom.number};
        case Atom::Kind::kName:
            return {.name = atom.name};
        case Atom::Kind::kFormula:
            return {.formula = &*atom.formula};
        case Atom::Kind::kSlice:
            return {.slice = &*atom.formula};
        case Atom::Kind::kAny:
        case Atom::Kind::kSetting:
            break;
    }
    return {};
}

// Appends to `result`; false if the alternative does not count, because its setting was not given.
bool expand_atom(const Atom& atom, const Settings& settings, std::vector<PlainDimension>& result) {
    if (atom.kind != Atom::Kind::kSetting) {
        result.push_back(fixed(atom));
        return true;
    }
    const Value* value = settings.find(atom.name);
    if (value == nullptr) {
        return false;
    }
    if (!value->is_list()) {
        result.push_back(from_number(*value, atom, std::nullopt));
        return true;
    }
    const std::vector<Value>& items = value->items();
    if (atom.index) {
        if (*atom.index >= items.size()) {
            return false;
        }
        result.push_back(from_number(items[*atom.index], atom, atom.index));
        return true;
    }
    result.reserve(result.size() + items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        result.push_back(from_number(items[i], atom, i));
    }
    return true;
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

const Value* Settings::find(std::string_view name) const {
    const auto& declared = component.settings;
    const auto found = std::ranges::find(declared, name, &plugin::Setting::name);
    if (found == declared.end()) {
        return nullptr;
    }
    const auto& value = values[static_cast<std::size_t>(found - declared.begin())];
    return value ? &*value : nullptr;
}

Number NodeScope::size(const std::string& name) const {
    if (const auto own = symbols_.find(name); own != symbols_.end()) {
        return number_of(own->second);
    }
    const auto constant = node_.constants.find(name);
    if (constant != node_.constants.end() && constant->second.is_integer()) {
        return constant->second.as_integer();
    }
    const auto global = node_.globals.find(name);
    const auto symbol =
        global == node_.globals.end() ? globals_.end() : globals_.find(global->second);
    return symbol == globals_.end() ? std::nullopt : number_of(symbol->second);
}

InputSizes NodeScope::input(const std::string& port) const {
    InputSizes result;
    for (const Binding& binding : node_.inputs) {
        const plugin::Port& declared = node_.port(binding);
        if (declared.name != port) {
            continue;
        }
        result.is_list = !declared.streams_setting.empty();
        if (binding.stream >= 0) {
            result.streams.push_back(sizes_of(binding.stream));
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
    const Term* failing = nullptr;
    for (const Term& term : condition.terms) {
        if (!term_holds(term, settings)) {
            if (failing != nullptr) {
                return "";
            }
            failing = &term;
        }
    }
    if (failing == nullptr || failing->values.size() > 1 ||
        (failing->is_negated && !failing->values.empty())) {
        return "";
    }
    const auto& declared = settings.component.settings;
    const auto setting = std::ranges::find(declared, failing->setting, &plugin::Setting::name);
    const auto type = setting == declared.end() ? plugin::SettingType::kString : setting->type;
    if (failing->values.empty() && type == plugin::SettingType::kBoolean) {
        return fmt::format("set {}.{} = {}", path, failing->setting, !failing->is_negated);
    }
    if (failing->values.empty()) {
        return failing->is_negated ? fmt::format("remove {} from {}", failing->setting, path)
                                   : fmt::format("set {} in {}", failing->setting, path);
    }
    const bool is_plain = type == plugin::SettingType::kBoolean ||
                          type == plugin::SettingType::kInteger ||
                          type == plugin::SettingType::kReal;
    return fmt::format("set {0}.{1} = {3}{2}{3}", path, failing->setting, failing->values[0],
                       is_plain ? "" : "\"");
}

namespace {

// Appends the dimensions without their repetition.
void expand_once(const DimensionExpression& dimension, const Settings& settings,
                 std::vector<PlainDimension>& result) {
    const std::size_t before = result.size();
    const bool counts = std::ranges::any_of(dimension.alternatives, [&](const Atom& atom) {
        return expand_atom(atom, settings, result);
    });
    if (!counts) {
        result.emplace_back();
    }
    const Atom& first = dimension.alternatives.front();
    if (first.kind == Atom::Kind::kSetting && result.size() == before + 1 &&
        !result.back().is_from_setting) {
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

std::optional<std::vector<PlainDimension>> expand(const ShapeExpression& shape,
                                                  const Settings& settings) {
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

}  // namespace ptp::pipeline
