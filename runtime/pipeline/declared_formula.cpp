// Checks whether what the formulas of a declaration name exists.
#include "pipeline/declaration.hpp"

#include "base/suggest.hpp"
#include "pipeline/expression.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::pipeline {

namespace {

using plugin::Component;
using plugin::Setting;
using plugin::SettingType;

// Member by member; nullptr if there is none of that path.
const Setting* find_operand(const Component& component, const std::string& path) {
    const std::vector<Setting>* level = &component.settings;
    for (std::size_t begin = 0;;) {
        const std::size_t end = std::min(path.find('.', begin), path.size());
        const auto found =
            std::ranges::find(*level, path.substr(begin, end - begin), &Setting::name);
        if (found == level->end()) {
            return nullptr;
        }
        if (end == path.size()) {
            return &*found;
        }
        level = &found->members;
        begin = end + 1;
    }
}

// The sizes in the shape of a port. A shape that cannot be read is reported for the port itself.
void add_size_names(const plugin::Port& port, std::vector<std::string>& names) {
    try {
        for (const DimensionExpression& dimension : parse_shape(port.shape).dimensions) {
            for (const Atom& atom : dimension.alternatives) {
                if (atom.kind == Atom::Kind::kName) {
                    names.push_back(atom.name);
                }
            }
        }
    } catch (const ExpressionError&) {
        return;
    }
}

// The sizes that a formula may name.
std::vector<std::string> formula_names(const Component& component) {
    std::vector<std::string> names;
    for (const plugin::Port& port : component.ports) {
        if (port.element != plugin::Element::kAny) {
            add_size_names(port, names);
        }
    }
    for (const plugin::Global& global : component.globals) {
        if (!global.is_written()) {
            names.push_back(global.name);
        }
    }
    return names;
}

// Each once, as they are declared.
std::vector<std::string> without_repetitions(const std::vector<std::string>& names) {
    std::vector<std::string> result;
    for (const std::string& name : names) {
        if (std::ranges::find(result, name) == result.end()) {
            result.push_back(name);
        }
    }
    return result;
}

class NameCheck {
public:
    NameCheck(const Component& component, const std::string& subject,
              std::vector<std::string>& sentences)
        : component_(component), subject_(subject), sentences_(sentences) {}

    void check(const Formula& formula) {
        switch (formula.kind) {
            case FormulaKind::kName:
                check_name(formula.name);
                return;
            case FormulaKind::kSetting:
                check_setting(formula.name, Wanted::kIntegers);
                return;
            case FormulaKind::kPort:
                check_port(formula.name);
                return;
            case FormulaKind::kIsSet:
                check_setting(formula.operands[0].name, Wanted::kAnything);
                return;
            case FormulaKind::kIsOneOf:
                check_words(formula);
                return;
            case FormulaKind::kFileSize:
                check_setting(formula.operands[0].name, Wanted::kPath);
                return;
            case FormulaKind::kLength:
                if (formula.operands[0].kind == FormulaKind::kSetting) {
                    check_setting(formula.operands[0].name, Wanted::kList);
                    return;
                }
                if (is_rank(formula)) {
                    check_port(formula.operands[0].operands[0].name);
                    return;
                }
                break;
            case FormulaKind::kSlice:
                check_slice(formula);
                break;
            default:
                break;
        }
        for (const Formula& operand : formula.operands) {
            check(operand);
        }
    }

private:
    enum class Wanted { kIntegers, kList, kPath, kAnything };

    // rank(inputs), which an input of several streams has too.
    static bool is_rank(const Formula& length) {
        const Formula& slice = length.operands[0];
        const auto is_open = [](const Formula& bound) {
            return bound.kind == FormulaKind::kUnknown;
        };
        return slice.kind == FormulaKind::kSlice && slice.operands[0].kind == FormulaKind::kPort &&
               is_open(slice.operands[1]) && is_open(slice.operands[2]);
    }

    void add(const std::string& sentence) {
        sentences_.push_back(fmt::format("{}: {}", subject_, sentence));
    }

    void check_name(const std::string& name) {
        const std::vector<std::string> names = without_repetitions(formula_names(component_));
        if (std::ranges::find(names, name) != names.end()) {
            return;
        }
        add(fmt::format("unknown dimension or global '{}'{}", name, hint(name, names)));
    }

    void check_setting(const std::string& path, Wanted wanted) {
        const Setting* setting = find_operand(component_, path);
        if (setting == nullptr) {
            add(fmt::format("unknown setting '{}'", path));
            return;
        }
        const bool is_integer = setting->type == SettingType::kInteger && setting->list_depth <= 1;
        if (wanted == Wanted::kIntegers && !is_integer) {
            add(fmt::format("setting '{}' is not an integer", path));
        }
        if (wanted == Wanted::kList && setting->list_depth == 0) {
            add(fmt::format("setting '{}' is not a list", path));
        }
        if (wanted == Wanted::kPath &&
            (setting->type != SettingType::kPath || setting->list_depth > 0)) {
            add(fmt::format("setting '{}' is not a path", path));
        }
    }

    void check_port(const std::string& name) {
        const auto is_it = [&](const plugin::Port& port) {
            return port.name == name && port.direction == plugin::Direction::kInput;
        };
        if (std::ranges::none_of(component_.ports, is_it)) {
            add(fmt::format("unknown input '{}'", name));
        }
    }

    void check_slice(const Formula& slice) {
        const Formula& list = slice.operands[0];
        const auto is_several = [&](const plugin::Port& port) {
            return port.name == list.name && !port.streams_setting.empty();
        };
        if (list.kind == FormulaKind::kPort && std::ranges::any_of(component_.ports, is_several)) {
            add(fmt::format("input '{}' represents several streams, which have no common sizes",
                            list.name));
        }
    }

    void check_words(const Formula& test) {
        const std::string& path = test.operands[0].name;
        const Setting* setting = find_operand(component_, path);
        if (setting == nullptr) {
            add(fmt::format("unknown setting '{}'", path));
            return;
        }
        for (const std::string& word : test.words) {
            const auto& choices = setting->choices;
            if (choices.empty() || std::ranges::find(choices, word) != choices.end()) {
                continue;
            }
            add(fmt::format("'{}' can never be '{}'", path, word));
        }
    }

    const Component& component_;
    const std::string& subject_;
    std::vector<std::string>& sentences_;
};

}  // namespace

void check_names_in(const Component& component, const Formula& formula, const std::string& subject,
                    std::vector<std::string>& sentences) {
    NameCheck(component, subject, sentences).check(formula);
}

}  // namespace ptp::pipeline
