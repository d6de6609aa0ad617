// Checks the expressions in a component's declaration: that they can be read, and that what they
// name exists and is of the right kind.

#include "pipeline/declaration.hpp"

#include "base/suggest.hpp"
#include "pipeline/expression.hpp"
#include "pipeline/plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace ptp::pipeline {

namespace {

using plugin::Component;
using plugin::Direction;
using plugin::Port;
using plugin::Setting;
using plugin::SettingType;

// The settings that fit in a place of an expression.
struct Wanted {
    std::string_view text;
    std::optional<SettingType> type = {};  // nullopt: any
    std::uint32_t least_depth = 0;         // of lists
    std::uint32_t most_depth = std::numeric_limits<std::uint32_t>::max();
};

constexpr Wanted kAnything{"anything"};
constexpr Wanted kIntegers{"an integer", SettingType::kInteger, 0, 1};
constexpr Wanted kSizes{"a size", SettingType::kInteger, 0, 1};
constexpr Wanted kOneSize{"a size", SettingType::kInteger, 0, 0};
constexpr Wanted kAnyList{"a list", {}, 1};
constexpr Wanted kOnePath{"a path", SettingType::kPath, 0, 0};

// Returns the setting, or the member of one, at "conv1.kernel_size"; nullptr if there is none. What
// is below a setting of any value may be there.
const Setting* find_setting(const Component& component, const std::string& path) {
    const std::vector<Setting>* level = &component.settings;
    for (std::size_t begin = 0;;) {
        const std::size_t end = std::min(path.find('.', begin), path.size());
        const Setting* const found = find_named(*level, path.substr(begin, end - begin));
        if (found == nullptr || end == path.size() || found->type == SettingType::kAny) {
            return found;
        }
        level = &found->members;
        begin = end + 1;
    }
}

// Adds the names of sizes in the shape of a port. A shape that cannot be read is reported for the
// port itself.
void add_size_names(const Port& port, std::vector<std::string>& names) {
    try {
        for (const DimensionExpression& dimension : parse_shape(port.shape).dimensions) {
            for (const Formula& one : dimension.alternatives) {
                if (one.kind == FormulaKind::kName && one.text.empty() &&
                    !contains(names, one.name)) {
                    names.push_back(one.name);
                }
            }
        }
    } catch (const ExpressionError&) {
        return;
    }
}

// rank(inputs), which an input of several streams has too.
bool is_rank(const Formula& length) {
    const Formula& slice = length.operands[0];
    return slice.kind == FormulaKind::kSlice && slice.operands[0].kind == FormulaKind::kPort &&
           slice.operands[1].kind == FormulaKind::kUnknown &&
           slice.operands[2].kind == FormulaKind::kUnknown;
}

// Returns whether a dimension represents some of an input's.
bool is_slice(const Formula& alternative) {
    return alternative.kind == FormulaKind::kSlice && alternative.text.empty();
}

// Returns whether a dimension is the element of a list by the stream's place.
bool is_by_stream(const Formula& alternative) {
    return alternative.kind == FormulaKind::kItem && alternative.text.empty() &&
           alternative.operands[1].kind == FormulaKind::kUnknown;
}

class DeclarationCheck {
public:
    explicit DeclarationCheck(const Component& component) : component_(component) {}

    std::vector<std::string> run() {
        for (const Port& port : component_.ports) {
            check_port(port);
        }
        for (const plugin::Global& global : component_.globals) {
            check_global(global);
        }
        for (const plugin::Statistic& statistic : component_.statistics) {
            check_when(fmt::format("statistic '{}'", statistic.name), statistic.when);
        }
        for (const plugin::Requirement& requirement : component_.requirements) {
            const std::string subject = fmt::format("requirement \"{}\"", requirement.relation);
            check_when(subject, requirement.when, true);
            about(subject, [&] { check_formula(parse_relation(requirement.relation)); });
        }
        if (!component_.sample_count.empty()) {
            about(fmt::format("sample_count \"{}\"", component_.sample_count),
                  [&] { check_formula(parse_formula(component_.sample_count)); });
        }
        return std::move(sentences_);
    }

private:
    // Does a check whose sentences begin with `subject`, one for an unreadable expression too.
    template <class Check>
    void about(std::string subject, const Check& check) {
        subject_ = std::move(subject);
        try {
            check();
        } catch (const ExpressionError& error) {
            add(error.what());
        }
    }

    void add(const std::string& sentence) {
        sentences_.push_back(fmt::format("{}: {}", subject_, sentence));
    }

    // Ports, globals, conditions -----------------------------------------------------------------

    void check_port(const Port& port) {
        const std::string subject = fmt::format("port '{}'", port.name);
        check_when(subject, port.when);
        if (!port.meaning.empty()) {
            about(fmt::format("{}: meaning \"{}\"", subject, port.meaning),
                  [&] { check_meaning(port); });
        }
        if (port.element != plugin::Element::kAny) {
            about(fmt::format("{}: shape \"{}\"", subject, port.shape), [&] { check_shape(port); });
        }
        subject_ = subject;
        if (port.is_loss && port.element != plugin::Element::kFloating) {
            add("a loss must be an output of floating numbers");
        }
        if (component_.kind == plugin::Kind::kTask && port.name == "indices") {
            add("reserved: the host adds this output to every task");
        }
    }

    void check_shape(const Port& port) {
        const bool is_single_output =
            port.direction == Direction::kOutput && port.streams_setting.empty();
        for (const DimensionExpression& dimension : parse_shape(port.shape).dimensions) {
            check_dimension(dimension);
            const Formula& first = dimension.alternatives.front();
            if (is_by_stream(first) && port.streams_setting.empty()) {
                add("only a port with streams_setting has an element for each stream");
            }
            if (is_slice(first) && !is_single_output && !is_layers(first.operands[0].name)) {
                add("only a single output has dimensions of an input");
            }
        }
    }

    // An output has one meaning, or that of an input.
    void check_meaning(const Port& port) {
        const bool is_output = port.direction == Direction::kOutput;
        for (const MeaningClause& clause : parse_meaning(port.meaning)) {
            check_condition(clause.condition, false);
            if (is_output && clause.words.size() > 1) {
                add("an output has one meaning at a time");
            }
            for (const std::string& word : clause.words) {
                if (find_named(kMeanings, word) == nullptr &&
                    !(is_output && (is_input(word) || is_layers(word)))) {
                    add(fmt::format("unknown meaning '{}'", word));
                }
            }
        }
    }

    void check_global(const plugin::Global& global) {
        const std::string subject = fmt::format("global '{}'", global.name);
        check_when(subject, global.when);
        if (global.value.empty() || global.name.starts_with('$')) {
            return;
        }
        about(fmt::format("{}: value \"{}\"", subject, global.value),
              [&] { check_dimension(parse_value(global.value)); });
    }

    // The condition of a requirement may ask whether a global that is read if named is named.
    void check_when(const std::string& subject, const std::string& when,
                    bool may_name_globals = false) {
        about(fmt::format("{}: condition \"{}\"", subject, when),
              [&] { check_condition(parse_condition(when), may_name_globals); });
    }

    void check_condition(const Condition& condition, bool may_name_globals) {
        for (const Term& term : condition.terms) {
            const bool is_global =
                may_name_globals && find_setting(component_, term.setting) == nullptr &&
                std::ranges::any_of(component_.globals, [&](const plugin::Global& global) {
                    return global.name == term.setting &&
                           global.access == plugin::GlobalAccess::kReadIfNamed;
                });
            if (!is_global) {
                check_choices(term.setting, term.values);
            }
        }
    }

    // Expressions --------------------------------------------------------------------------------

    void check_dimension(const DimensionExpression& dimension) {
        for (const Formula& one : dimension.alternatives) {
            if (is_slice(one)) {  // of several streams: what they have in common
                check_operands(one);
            } else if (one.kind == FormulaKind::kSetting && one.text.empty()) {
                check_setting(one.name, kSizes);
            } else if (one.kind == FormulaKind::kItem && one.text.empty()) {
                check_setting(one.operands[0].name, kSizes);
            } else if (!one.text.empty()) {
                check_formula(one);
            }
        }
        if (dimension.repetition && !dimension.repetition->setting.empty()) {
            check_setting(dimension.repetition->setting, kOneSize);
        }
    }

    void check_operands(const Formula& formula) {
        for (const Formula& operand : formula.operands) {
            check_formula(operand);
        }
    }

    void check_formula(const Formula& formula) {
        switch (formula.kind) {
            case FormulaKind::kName:
                check_name(formula.name);
                return;
            case FormulaKind::kSetting:
                check_setting(formula.name, kIntegers);
                return;
            case FormulaKind::kPort:
                if (!is_input(formula.name) && !is_layers(formula.name)) {
                    add(fmt::format("unknown input '{}'", formula.name));
                }
                return;
            case FormulaKind::kIsSet:
                check_setting(formula.operands[0].name, kAnything);
                return;
            case FormulaKind::kIsOneOf:
                check_choices(formula.operands[0].name, formula.words);
                return;
            case FormulaKind::kFileSize:
                check_setting(formula.operands[0].name, kOnePath);
                return;
            case FormulaKind::kLength:
                if (formula.operands[0].kind == FormulaKind::kSetting) {
                    check_setting(formula.operands[0].name, kAnyList);
                } else {
                    check_operands(is_rank(formula) ? formula.operands[0] : formula);
                }
                return;
            case FormulaKind::kSum:
                if (is_real_list(formula.operands[0])) {
                    return;
                }
                break;
            case FormulaKind::kSlice:
                check_slice(formula);
                break;
            default:
                break;
        }
        check_operands(formula);
    }

    [[nodiscard]] bool is_real_list(const Formula& formula) const {
        const Setting* const setting = formula.kind == FormulaKind::kSetting
                                           ? find_setting(component_, formula.name)
                                           : nullptr;
        return setting != nullptr && setting->type == SettingType::kReal &&
               setting->list_depth == 1;
    }

    void check_slice(const Formula& slice) {
        const Formula& list = slice.operands[0];
        const auto is_several = [&](const Port& port) {
            return port.name == list.name && !port.streams_setting.empty();
        };
        if (list.kind == FormulaKind::kPort && std::ranges::any_of(component_.ports, is_several)) {
            add(fmt::format("input '{}' represents several streams, which have no common sizes",
                            list.name));
        }
    }

    void check_name(const std::string& name) {
        std::vector<std::string> names;
        for (const Port& port : component_.ports) {
            if (port.element != plugin::Element::kAny) {
                add_size_names(port, names);
            }
        }
        for (const plugin::Global& global : component_.globals) {
            if (!global.is_written() && !contains(names, global.name)) {
                names.push_back(global.name);
            }
        }
        if (!contains(names, name)) {
            add(fmt::format("unknown dimension or global '{}'{}", name, hint(name, names)));
        }
    }

    void check_setting(const std::string& path, const Wanted& wanted) {
        const Setting* setting = find_setting(component_, path);
        if (setting == nullptr) {
            add(fmt::format("unknown setting '{}'", path));
        } else if ((wanted.type && setting->type != *wanted.type) ||
                   setting->list_depth < wanted.least_depth ||
                   setting->list_depth > wanted.most_depth) {
            add(fmt::format("setting '{}' is not {}", path, wanted.text));
        }
    }

    void check_choices(const std::string& path, const std::vector<std::string>& values) {
        check_setting(path, kAnything);
        const Setting* setting = find_setting(component_, path);
        if (setting == nullptr || setting->choices.empty()) {
            return;
        }
        for (const std::string& value : values) {
            if (!contains(setting->choices, value)) {
                add(fmt::format("'{}' can never be '{}'", path, value));
            }
        }
    }

    [[nodiscard]] bool is_input(const std::string& name) const {
        return std::ranges::any_of(component_.ports, [&](const Port& port) {
            return port.direction == Direction::kInput && port.name == name;
        });
    }

    [[nodiscard]] bool is_layers(const std::string& name) const {
        const Setting* const setting = find_named(component_.settings, name);
        return setting != nullptr && setting->type == SettingType::kLayers;
    }

    const Component& component_;
    std::string subject_;  // of the sentences that are added
    std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> check_declaration(const Component& component) {
    return DeclarationCheck(component).run();
}

}  // namespace ptp::pipeline
