// Checks the relations that must hold between the settings of a component and the sizes that it
// gets. Messages say what both sides are in the words of the experiment: streams with their shapes,
// sizes, and settings as they are written, but no formulas.

#include "base/number.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/clash.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/shapes.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/suggestions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pipeline {

namespace {

std::string_view first_of(std::string_view path) {
    return path.substr(0, path.find('.'));
}

// The setting that the relation is about: the first in it; "" if there is none.
std::string setting_of(const Formula& relation) {
    std::string name;
    for_each_part(relation, [&](const Formula& part) {
        if (name.empty() && part.kind == FormulaKind::kSetting) {
            name = first_of(part.name);
        }
    });
    return name;
}

bool reads_sizes(const Formula& relation) {
    bool reads = false;
    for_each_part(relation, [&](const Formula& part) {
        reads = reads || part.kind == FormulaKind::kName || part.kind == FormulaKind::kPort;
    });
    return reads;
}

bool is_arithmetic(FormulaKind kind) {
    using enum FormulaKind;
    return (kind >= kAdd && kind <= kRemainder) || kind == kMin || kind == kMax || kind == kSum ||
           kind == kProduct || kind == kWindows;
}

// The facts that are known of the parts of a formula, each once, in their order.
class Facts {
public:
    // `quoted` is a setting that the message quotes anyway.
    explicit Facts(const Solving& of, std::string quoted = "")
        : of_(of),
          node_(of.draft.node),
          settings_(checked_settings(node_)),
          scope_(of),
          quoted_(std::move(quoted)) {}

    // Adds the sides of all comparisons that do not hold.
    void add_relation(const Formula& relation) {
        using enum FormulaKind;
        if (relation.kind == kAnd || relation.kind == kOr) {
            for (const Formula& operand : relation.operands) {
                if (!holds(operand, settings_, scope_).value_or(false)) {
                    add_relation(operand);
                }
            }
        } else if (relation.kind == kNot) {
            add_sides(relation.operands.front());
        } else if (add_sides(relation)) {
            add_limit(relation);
        }
    }

    void add(const Formula& part) {
        switch (part.kind) {
            case FormulaKind::kName:
                if (const Number size = scope_.size(part.name)) {
                    add_text(fmt::format("{} is {}", part.name, *size));
                }
                return;
            case FormulaKind::kSetting:
                return add_setting(part);
            case FormulaKind::kPort:
                return add_port(part.name);
            case FormulaKind::kLength:
                if (part.operands.front().kind == FormulaKind::kSetting) {
                    return add_count(part);
                }
                break;
            default:
                break;
        }
        for (const Formula& operand : part.operands) {
            add(operand);
        }
    }

    [[nodiscard]] std::string text() const {
        return join(texts_, ", ") +
               (limit_.empty() ? "" : (texts_.empty() ? "" : ", so ") + limit_ + " fits");
    }

private:
    void add_text(std::string text) {
        if (std::ranges::find(texts_, text) == texts_.end()) {
            texts_.push_back(std::move(text));
        }
    }

    // Returns whether it is a comparison. Whether a setting is set is known without its value.
    bool add_sides(const Formula& comparison) {
        using enum FormulaKind;
        if (comparison.kind != kEqual && comparison.kind != kLess &&
            comparison.kind != kLessOrEqual) {
            return false;
        }
        const auto is_number = [](const Formula& side) { return side.kind == kNumber; };
        for (const Formula& side : comparison.operands) {
            if (side.kind != kLength || std::ranges::none_of(comparison.operands, is_number)) {
                add(side);
            } else if (side.operands.front().kind != kSetting) {
                add(side);  // not how many items a setting has, where that is a condition
            }
        }
        return true;
    }

    void add_setting(const Formula& setting) {
        const Value* const value = settings_.find(first_of(setting.name));
        if (value == nullptr || first_of(setting.name) == quoted_ ||
            value->place() == SourceLocation()) {
            return;
        }
        if (setting.name.find('.') == std::string::npos) {
            add_text(fmt::format("{} = {}", setting.name, short_text(*value)));
        } else if (const Number number = compute_number(setting, settings_, scope_)) {
            add_text(fmt::format("{} = {}", setting.name, *number));
        }
    }

    void add_count(const Formula& length) {
        if (const Number count = compute_number(length, settings_, scope_)) {
            add_text(fmt::format("{} has {}", length.operands.front().name,
                                 counted(static_cast<std::uint64_t>(*count), "item")));
        }
    }

    void add_port(const std::string& name) {
        for (const Binding& input : node_.inputs) {
            if (input.stream >= 0 && of_.draft.port(input).name == name) {
                const WiredStream& stream = of_.assembly.stream(input.stream);
                // Streams between layers have no name that the experiment knows.
                add_shape(
                    node_.owner.empty() ? fmt::format("'{}' is", stream.name) : "the input is",
                    stream);
            }
        }
        for (std::size_t i = 0, branch = 0; i < node_.lists.size(); ++i) {
            const LayerList& list = node_.lists[i];
            const plugin::Setting& setting = node_.component->settings[list.setting];
            if (setting.name == name) {
                const std::string path =
                    setting.list_depth > 0 ? fmt::format("{}[{}]", name, branch++) : name;
                add_shape(list.begin == list.end ? "the input is" : path + " makes",
                          of_.draft.inner->stream(list.result));
            }
        }
    }

    void add_shape(const std::string& subject, const WiredStream& stream) {
        if (stream.has_shape) {
            add_text(fmt::format("{} {}", subject, shape_text(of_.sizes.table, stream.shape)));
        }
    }

    [[nodiscard]] bool is_quoted(const Formula& side) const {
        const Formula& setting = side.kind == FormulaKind::kItem ? side.operands.front() : side;
        return setting.kind == FormulaKind::kSetting && setting.name == quoted_;
    }

    // Notes the number that the quoted setting is compared with, where it had to be computed.
    void add_limit(const Formula& comparison) {
        const bool is_left = is_quoted(comparison.operands[0]);
        const Formula& other = comparison.operands[is_left ? 1 : 0];
        if (is_left == is_quoted(comparison.operands[1]) || !is_arithmetic(other.kind)) {
            return;
        }
        const Number number = compute_number(other, settings_, scope_);
        if (!number || *number < 1) {
            return;
        }
        const char* const how = comparison.kind == FormulaKind::kEqual ? ""
                                : comparison.kind == FormulaKind::kLess
                                    ? is_left ? "less than " : "more than "
                                : is_left ? "at most "
                                          : "at least ";
        limit_ = fmt::format("{}{}", how, *number);
    }

    const Solving& of_;
    const Node& node_;
    const Settings settings_;
    const SolvingScope scope_;
    std::string quoted_;
    std::vector<std::string> texts_;
    std::string limit_;
};

// Returns whether the condition of a requirement holds. The name of a global that is read if named
// holds in it if the experiment names that global.
bool applies(const plugin::Requirement& requirement, const Node& node) {
    return std::ranges::all_of(parse_condition(requirement.when).terms, [&](const Term& term) {
        const bool is_global =
            find_named(node.component->settings, term.setting) == nullptr &&
            std::ranges::any_of(node.component->globals, [&](const plugin::Global& global) {
                return global.name == term.setting &&
                       global.access == plugin::GlobalAccess::kReadIfNamed;
            });
        if (!is_global) {
            return holds(Condition{{term}}, checked_settings(node));
        }
        const bool is_named =
            node.globals.contains(term.setting) || node.constants.contains(term.setting);
        return is_named != term.is_negated;
    });
}

// Returns a table without the members that have their defaults.
Value as_written(Value value) {
    if (value.is_table()) {
        std::erase_if(value.members(), [](const Member& member) {
            return member.value.place() == SourceLocation();
        });
    }
    return value;
}

void refuse(const Node& node, const std::string& setting, const Explanation& message,
            Diagnostics& problems) {
    const Settings settings = checked_settings(node);
    const Value* value = settings.find(setting);
    if (setting.empty()) {
        report(node, node.place, message, problems);
        return;
    }
    const std::string key = fmt::format("{}.{}", node.path, toml_key(setting));
    if (value != nullptr && value->place() != SourceLocation()) {
        problems.error(as_written(*value), key, message);
    } else {
        const std::string shown =
            value == nullptr ? "" : fmt::format(" = {} (by default)", short_text(*value));
        problems.error(node.place, key + shown, message);
    }
}

// Returns the sentence about a relation that does not hold; "" if it holds, or is not known to.
std::string broken_text(const Solving& of, const plugin::Requirement& requirement,
                        const Formula& relation) {
    Facts facts(of, setting_of(relation));
    try {
        const SolvingScope scope(of);
        if (holds(relation, checked_settings(of.draft.node), scope).value_or(true)) {
            return "";
        }
        facts.add_relation(relation);
    } catch (const ComputationError& error) {
        return fmt::format("{}: {}", requirement.message, error.what());
    }
    const std::string text = facts.text();
    return requirement.message + (text.empty() ? "" : ": " + text);
}

// Returns the layer to write where one of a list takes another number of dimensions; "" if there is
// none.
std::string fix_of_rank(const Solving& of) {
    const Node& node = of.draft.node;
    if (node.owner.empty() || node.inputs.size() != 1 || node.inputs[0].stream < 0) {
        return "";
    }
    const WiredStream& stream = of.assembly.stream(node.inputs[0].stream);
    const Form form{stream.element, stream.shape.size()};
    return stream.has_shape && !takes_rank(*node.component, form.rank) ? layer_of_rank(node, form)
                                                                       : "";
}

// Returns whether the relation is about a single score alone, which it does not take.
bool is_of_single_score(const Solving& of, const Formula& relation) {
    const SolvingScope scope(of);
    bool is_single = false;
    bool has_others = false;
    for_each_part(relation, [&](const Formula& part) {
        is_single = is_single || (part.kind == FormulaKind::kName && scope.size(part.name) == 1);
        has_others =
            has_others || part.kind == FormulaKind::kSetting || part.kind == FormulaKind::kPort;
    });
    return is_single && !has_others;
}

// Returns whether a loss of classes reads what the component writes, which then states how there is
// a score for each class, or another loss.
bool is_stated_by_loss(const Solving& of) {
    return std::ranges::any_of(of.assembly.components, [&](const Draft& draft) {
        const Binding* const targets = draft.node.input_for(plugin::Purpose::kTargets);
        const bool is_read = std::ranges::any_of(draft.node.inputs, [&](const Binding& input) {
            return input.stream >= 0 && of.draft.node.writes(input.stream);
        });
        return is_read && targets != nullptr && !draft.has_wrong_input &&
               draft.port(*targets).element == plugin::Element::kInteger &&
               !fix_of_single_score(of.assembly, draft).empty();
    });
}

// Returns how a component gets a vocabulary, where that is what the requirement asks for.
std::string fix_of_vocabulary(const Solving& of, const plugin::Requirement& requirement) {
    constexpr const char* kName = "words";
    const std::vector<Term>& terms = parse_condition(requirement.when).terms;
    for (const plugin::Global& global : of.draft.node.component->globals) {
        const auto is_without_it = [&](const Term& term) {
            return term.setting == global.name && term.is_negated;
        };
        if (global.purpose == plugin::Purpose::kVocabulary && !global.is_written() &&
            std::ranges::any_of(terms, is_without_it)) {
            return vocabulary_to_have(of.assembly, of.draft, global.name, kName);
        }
    }
    return "";
}

// Returns how a component gets other inputs, or a vocabulary.
std::string fix_of_inputs(const Solving& of, const plugin::Requirement& requirement) {
    const std::string fix = fix_of_ranks(of, requirement);
    return fix.empty() ? fix_of_vocabulary(of, requirement) : fix;
}

}  // namespace

std::string derived_text(const Solving& of, const DerivedSize& size, const std::string& what) {
    Facts facts(of);
    facts.add(parse_formula(size.formula));
    const std::string text = facts.text();
    return fmt::format("{} {}{}", size.is_published ? size.name : "a size of an output", what,
                       text.empty() ? "" : fmt::format(" ({})", text));
}

void check_requirements(const Solving& of, Diagnostics& problems) {
    const Node& node = of.draft.node;
    bool is_good = true;
    for (const plugin::Requirement& requirement : node.component->requirements) {
        if (!applies(requirement, node)) {
            continue;
        }
        const Formula relation = parse_relation(requirement.relation);
        if (of.draft.has_wrong_input && reads_sizes(relation)) {
            continue;  // a wrong size may follow from the wrong stream
        }
        const std::string message = broken_text(of, requirement, relation);
        if (!message.empty()) {
            const std::string fix = fix_of_rank(of);
            const bool is_single = is_of_single_score(of, relation);
            const bool may_be_stated = problems.error_count() > 0 && !of.assembly.is_predicted;
            if (is_single && (is_stated_by_loss(of) ||
                              (may_be_stated && has_clash_with_switch(of.assembly, node)))) {
                continue;
            }
            const std::string more = is_single ? fix_of_single_score(of.assembly, of.draft) : "";
            refuse(node, setting_of(relation),
                   {message, !fix.empty()    ? fix
                             : !more.empty() ? more
                                             : fix_of_inputs(of, requirement)},
                   problems);
            is_good = false;
        }
    }
    for (const DerivedSize& size : node.derived) {
        if (is_good && size.refused) {
            report(node, node.place,
                   fmt::format("{}, but a size must be at least 1",
                               derived_text(of, size, fmt::format("is {}", *size.refused))),
                   problems);
        }
    }
}

}  // namespace ptp::pipeline
