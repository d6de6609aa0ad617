#include "pipeline/declaration.hpp"

#include "pipeline/declared_formula.hpp"
#include "pipeline/expression.hpp"
#include "pipeline/meaning.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace ptp::pipeline {

namespace {

using plugin::Component;
using plugin::Setting;
using plugin::SettingType;
using Sentences = std::vector<std::string>;

const Setting* find_setting(const Component& component, std::string_view name) {
    const auto found = std::ranges::find(component.settings, name, &Setting::name);
    return found == component.settings.end() ? nullptr : &*found;
}

// Expressions -----------------------------------------------------------------------------------

void check_count_setting(const Component& component, const std::string& name, bool takes_list,
                         const std::string& subject, Sentences& out) {
    const Setting* setting = find_setting(component, name);
    if (setting == nullptr) {
        out.push_back(fmt::format("{}: unknown setting '{}'", subject, name));
        return;
    }
    const bool is_integer = setting->type == SettingType::kInteger;
    const bool is_usable = is_integer && setting->list_depth <= (takes_list ? 1U : 0U);
    if (!is_usable) {
        out.push_back(fmt::format("{}: setting '{}' is not a size", subject, name));
    }
}

void check_dimension(const Component& component, const DimensionExpression& dimension,
                     const std::string& subject, Sentences& out) {
    for (const Atom& atom : dimension.alternatives) {
        if (atom.kind == Atom::Kind::kSlice) {  // of several streams: what they have in common
            for (const Formula& part : atom.formula->operands) {
                check_names_in(component, part, subject, out);
            }
        } else if (atom.formula) {
            check_names_in(component, *atom.formula, subject, out);
        }
        if (atom.kind != Atom::Kind::kSetting) {
            continue;
        }
        check_count_setting(component, atom.name, true, subject, out);
    }
    if (dimension.repetition && !dimension.repetition->setting.empty()) {
        check_count_setting(component, dimension.repetition->setting, false, subject, out);
    }
}

void check_shape_of(const Component& component, const plugin::Port& port,
                    const std::string& subject, Sentences& out) {
    const std::string about = fmt::format("{}: shape \"{}\"", subject, port.shape);
    const bool is_single_output =
        port.direction == plugin::Direction::kOutput && port.streams_setting.empty();
    try {
        for (const DimensionExpression& dimension : parse_shape(port.shape).dimensions) {
            check_dimension(component, dimension, about, out);
            if (dimension.alternatives.front().kind == Atom::Kind::kSlice && !is_single_output) {
                out.push_back(about + ": only a single output has dimensions of an input");
            }
        }
    } catch (const ExpressionError& error) {
        out.push_back(fmt::format("{}: {}", about, error.what()));
    }
}

void check_condition(const Component& component, const Condition& condition,
                     const std::string& about, Sentences& out) {
    for (const Term& term : condition.terms) {
        const Setting* setting = find_setting(component, term.setting);
        if (setting == nullptr) {
            out.push_back(fmt::format("{}: unknown setting '{}'", about, term.setting));
            continue;
        }
        for (const std::string& value : term.values) {
            const auto& choices = setting->choices;
            if (choices.empty() || std::ranges::find(choices, value) != choices.end()) {
                continue;
            }
            out.push_back(fmt::format("{}: '{}' can never be '{}'", about, term.setting, value));
        }
    }
}

void check_when(const Component& component, const std::string& text, const std::string& subject,
                Sentences& out) {
    const std::string about = fmt::format("{}: condition \"{}\"", subject, text);
    try {
        check_condition(component, parse_condition(text), about, out);
    } catch (const ExpressionError& error) {
        out.push_back(fmt::format("{}: {}", about, error.what()));
    }
}

// An output has one meaning, or that of an input.
void check_meaning(const Component& component, const plugin::Port& port, const std::string& subject,
                   Sentences& out) {
    if (port.meaning.empty()) {
        return;
    }
    const std::string about = fmt::format("{}: meaning \"{}\"", subject, port.meaning);
    const bool is_output = port.direction == plugin::Direction::kOutput;
    const auto is_input = [&](const std::string& name) {
        return std::ranges::any_of(component.ports, [&](const plugin::Port& other) {
            return other.direction == plugin::Direction::kInput && other.name == name;
        });
    };
    try {
        for (const MeaningClause& clause : parse_meaning(port.meaning)) {
            check_condition(component, clause.condition, about, out);
            if (is_output && clause.words.size() > 1) {
                out.push_back(about + ": an output has one meaning at a time");
            }
            for (const std::string& word : clause.words) {
                if (!is_meaning(word) && !(is_output && is_input(word))) {
                    out.push_back(fmt::format("{}: unknown meaning '{}'", about, word));
                }
            }
        }
    } catch (const ExpressionError& error) {
        out.push_back(fmt::format("{}: {}", about, error.what()));
    }
}

// Ports, globals, statistics --------------------------------------------------------------------

void check_port(const Component& component, const plugin::Port& port, Sentences& out) {
    const std::string subject = fmt::format("port '{}'", port.name);
    check_when(component, port.when, subject, out);
    check_meaning(component, port, subject, out);
    if (port.element != plugin::Element::kAny) {
        check_shape_of(component, port, subject, out);
    }
    if (port.is_loss && port.element != plugin::Element::kFloating) {
        out.push_back(subject + ": a loss must be an output of floating numbers");
    }
    if (component.kind == plugin::Kind::kTask && port.name == "indices") {
        out.push_back(subject + ": reserved: the host adds this output to every task");
    }
}

void check_global(const Component& component, const plugin::Global& global, Sentences& out) {
    const std::string subject = fmt::format("global '{}'", global.name);
    check_when(component, global.when, subject, out);
    if (global.value.empty() || global.name.starts_with('$')) {
        return;
    }
    const std::string about = fmt::format("{}: value \"{}\"", subject, global.value);
    try {
        const ValueExpression value = parse_value(global.value);
        if (value.formula) {
            check_names_in(component, *value.formula, about, out);
        } else {
            check_dimension(component, *value.dimension, about, out);
        }
    } catch (const ExpressionError& error) {
        out.push_back(fmt::format("{}: {}", about, error.what()));
    }
}

// Returns the component with a setting for each global that is read if named, because the condition
// of a requirement may ask whether it is.
Component with_named_globals(Component component) {
    for (const plugin::Global& global : component.globals) {
        if (global.access == plugin::GlobalAccess::kReadIfNamed) {
            Setting named;
            named.name = global.name;
            component.settings.push_back(std::move(named));
        }
    }
    return component;
}

void check_requirement(const Component& component, const plugin::Requirement& requirement,
                       Sentences& out) {
    const std::string subject = fmt::format("requirement \"{}\"", requirement.relation);
    check_when(with_named_globals(component), requirement.when, subject, out);
    try {
        check_names_in(component, parse_relation(requirement.relation), subject, out);
    } catch (const ExpressionError& error) {
        out.push_back(fmt::format("{}: {}", subject, error.what()));
    }
}

void check_sample_count(const Component& component, Sentences& out) {
    if (component.sample_count.empty()) {
        return;
    }
    const std::string subject = fmt::format("sample_count \"{}\"", component.sample_count);
    try {
        check_names_in(component, parse_formula(component.sample_count), subject, out);
    } catch (const ExpressionError& error) {
        out.push_back(fmt::format("{}: {}", subject, error.what()));
    }
}

}  // namespace

std::vector<std::string> check_declaration(const plugin::Component& component) {
    Sentences sentences;
    for (const plugin::Port& port : component.ports) {
        check_port(component, port, sentences);
    }
    for (const plugin::Global& global : component.globals) {
        check_global(component, global, sentences);
    }
    for (const plugin::Statistic& statistic : component.statistics) {
        check_when(component, statistic.when, fmt::format("statistic '{}'", statistic.name),
                   sentences);
    }
    for (const plugin::Requirement& requirement : component.requirements) {
        check_requirement(component, requirement, sentences);
    }
    check_sample_count(component, sentences);
    return sentences;
}

}  // namespace ptp::pipeline
