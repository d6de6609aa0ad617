// Compares the scores that a loss reads with the classes of its targets, before and after the
// components were created.
#include "pipeline/class_counts.hpp"

#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/mismatch.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::pipeline {

namespace {

using plugin::Element;

// The names that tasks have for their class indices and for the number of classes.
constexpr std::string_view kTargets = "targets";
constexpr const char* kClasses = "num_classes";
constexpr const char* kIgnored = "ignore_index";

struct ClassCount {
    std::string global;  // the pipeline's name of kClasses
    Size size;
};

// Returns the number of classes that the task publishes; nullopt if it publishes none.
std::optional<ClassCount> class_count(const Draft& task, const Shapes& shapes) {
    const auto global = task.node.globals.find(kClasses);
    if (global == task.node.globals.end()) {
        return std::nullopt;
    }
    const auto symbol = shapes.globals.find(global->second);
    if (symbol == shapes.globals.end()) {
        return std::nullopt;
    }
    const SourcedDimension dimension = symbol_dimension(symbol->second);
    const auto size = shapes.sizes.size_of(dimension);
    return size ? std::optional(ClassCount{global->second, *size}) : std::nullopt;
}

// The stream that the task calls its targets; -1 if there is none.
int targets_of(const Node& task) {
    const auto targets = std::ranges::find(task.outputs, kTargets, &Binding::name);
    return targets == task.outputs.end() ? -1 : targets->stream;
}

// The inputs of a loss over class indices, by their places.
struct LossInputs {
    std::size_t targets = 0;
    std::size_t scores = 0;
};

// Returns the inputs of such a loss; nullopt for another node, and for a loss that ignores some
// samples by a mask or an index.
std::optional<LossInputs> inputs_of(const Node& node, int targets_stream) {
    if (node.component->kind != plugin::Kind::kLoss || targets_stream < 0 ||
        node.globals.contains(kIgnored) || node.constants.contains(kIgnored)) {
        return std::nullopt;
    }
    std::optional<std::size_t> targets;
    std::optional<std::size_t> scores;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const Binding& input = node.inputs[i];
        const Element element = node.port(input).element;
        if (input.stream >= 0 && element == Element::kBoolean) {
            return std::nullopt;
        }
        if (input.stream == targets_stream && element == Element::kInteger) {
            targets = i;
        } else if (input.stream >= 0 && element == Element::kFloating && !scores) {
            scores = i;
        }
    }
    return targets && scores ? std::optional(LossInputs{*targets, *scores}) : std::nullopt;
}

const Dimension& plain(const Dimension& dimension) {
    return dimension;
}
const Dimension& plain(const SourcedDimension& dimension) {
    return dimension.dimension;
}

// The dimension of the scores that the targets lack; nullptr unless there is one.
template <class AnyDimension>
const AnyDimension* class_dimension(const std::vector<AnyDimension>& targets,
                                    const std::vector<AnyDimension>& scores) {
    const AnyDimension* found = nullptr;
    for (const AnyDimension& dimension : scores) {
        const bool is_common = std::ranges::any_of(targets, [&](const AnyDimension& other) {
            return plain(other).name == plain(dimension).name;
        });
        if (!is_common && found != nullptr) {
            return nullptr;
        }
        found = is_common ? found : &dimension;
    }
    return found;
}

// Returns the place of the number of scores, and how to fix it.
struct Origin {
    std::string key;
    SourceLocation place;
    std::string fix;
};

// Returns the origin of the number of scores; nullopt if no value of the experiment determines it.
std::optional<Origin> origin_of(const Assembly& assembly, const Size& scores,
                                const ClassCount& classes) {
    const SizeSource& source = scores.source;
    if (source.draft == nullptr || source.setting.empty()) {
        return std::nullopt;
    }
    const Node& node = source.draft->node;
    Origin origin{.key = fmt::format("{}.{}", node.path, source.setting),
                  .place = node.place,
                  .fix = setting_fix(assembly, {{source, classes.size.number}})};
    constexpr std::string_view kGlobals = "globals.";
    if (source.setting.starts_with(kGlobals)) {
        const auto is_it = [&](const auto& constant) {
            return toml_key(constant.first) == source.setting.substr(kGlobals.size());
        };
        const auto constant = std::ranges::find_if(node.constants, is_it);
        if (constant == node.constants.end()) {
            return origin;
        }
        origin.place = constant->second.place();
        origin.fix = fmt::format("write globals = {{ {} = \"{}\" }} in {}",
                                 toml_key(constant->first), classes.global, node.path);
        return origin;
    }
    const Value* value = checked_settings(node).find(source.setting);
    if (value != nullptr && value->is_list() && source.index) {
        value = &value->items()[*source.index];
        origin.key += fmt::format("[{}]", *source.index);
    }
    if (value != nullptr && value->place() != SourceLocation()) {
        origin.place = value->place();
    }
    return origin;
}

void warn(const Assembly& assembly, const Draft& loss, const Size& scores,
          const ClassCount& classes, Diagnostics& problems) {
    const auto origin = origin_of(assembly, scores, classes);
    const std::string source = classes.size.source.origin();
    const std::string subject = origin ? fmt::format("{} is", scores.number)
                                       : fmt::format("'predictions' has {} scores,", scores.number);
    problems.warning(
        origin ? origin->place : loss.node.place, origin ? origin->key : loss.node.path,
        Explanation{fmt::format("{} {} than the {} classes of the targets of {}: {} is {}{}{}",
                                subject, scores.number < classes.size.number ? "less" : "more",
                                classes.size.number, node_text(loss.node), classes.global,
                                classes.size.number, source.empty() ? "" : ", ", source),
                    origin ? origin->fix : ""});
}

std::string one_class_text(const Node& task, const std::string& global) {
    return fmt::format("{} has one class alone ({} is 1): there is nothing to learn",
                       node_text(task), global);
}

}  // namespace

void check_class_counts(const Assembly& assembly, const Shapes& shapes, Diagnostics& problems) {
    const auto classes =
        assembly.tasks.empty() ? std::nullopt : class_count(assembly.tasks.front(), shapes);
    if (!classes) {
        return;
    }
    if (classes->size.number == 1) {
        const Node& task = assembly.tasks.front().node;
        problems.warning(task.place, task.path, one_class_text(task, classes->global));
    }
    for (std::size_t i = 0; i < assembly.components.size(); ++i) {
        const Draft& loss = assembly.components[i];
        const auto inputs = loss.is_sound
                                ? inputs_of(loss.node, targets_of(assembly.tasks.front().node))
                                : std::nullopt;
        if (!inputs) {
            continue;
        }
        const std::vector<SourcedShape>& all = shapes.components[i].inputs;
        const SourcedDimension* const dimension =
            class_dimension(all[inputs->targets].dimensions, all[inputs->scores].dimensions);
        const auto scores = dimension == nullptr ? std::nullopt : shapes.sizes.size_of(*dimension);
        const bool is_more = scores && scores->number > classes->size.number &&
                             scores->source.setting.starts_with("globals.");
        if (scores && (scores->number < classes->size.number || is_more)) {
            warn(assembly, loss, *scores, *classes, problems);
        }
    }
}

namespace {

// Returns the component that makes a stream, behind transforms of one input; nullptr for a task.
const Node* maker_of(const Plan& plan, int stream) {
    for (int producer = plan.stream(stream).producer; producer >= 0;
         producer = plan.stream(stream).producer) {
        const Node& node = plan.node(producer);
        if (node.component->kind != plugin::Kind::kTransform || node.inputs.size() != 1 ||
            node.inputs.front().stream < 0) {
            return &node;
        }
        stream = node.inputs.front().stream;
    }
    return nullptr;
}

// Adds the constant from which the number of scores comes, if only one of the component that makes
// them is this number, and how to have one for each class.
void add_fix(const Node& maker, std::int64_t scores, const std::string& classes,
             ClassCountProblem& problem) {
    const auto is_it = [&](const auto& constant) { return constant.second == Value(scores); };
    if (std::ranges::count_if(maker.constants, is_it) != 1) {
        return;
    }
    const auto& [name, constant] = *std::ranges::find_if(maker.constants, is_it);
    problem.place = constant.place().text();
    problem.explanation.fix =
        fmt::format("write globals = {{ {} = \"{}\" }} in {}", toml_key(name), classes, maker.path);
}

}  // namespace

std::vector<ClassCountProblem> class_count_problems(const Plan& plan, const Value& globals) {
    assert(!plan.tasks.empty());
    const Node& task = plan.tasks.front();
    const int targets = targets_of(task);
    const auto global = task.globals.find(kClasses);
    if (targets < 0 || global == task.globals.end()) {
        return {};
    }
    const Value* published = globals.find(global->second);
    const auto symbol = plan.global_symbols.find(global->second);
    std::optional<std::int64_t> classes;
    if (published != nullptr && published->is_integer()) {
        classes = published->as_integer();
    } else if (symbol != plan.global_symbols.end()) {
        classes = plan.symbol(symbol->second).size;
    }
    std::vector<ClassCountProblem> problems;
    if (classes == 1) {
        problems.push_back({{one_class_text(task, global->second)}});
    }
    for (const Node& node : plan.nodes) {
        const auto inputs = inputs_of(node, targets);
        if (!classes || !inputs) {
            continue;
        }
        const Dimension* const dimension =
            class_dimension(node.inputs[inputs->targets].shape, node.inputs[inputs->scores].shape);
        const auto scores = dimension == nullptr ? std::nullopt : size_of(plan, *dimension);
        if (scores && *scores != *classes) {
            problems.push_back(
                {{fmt::format("{} gets {} scores for the {} classes of its targets: {} is {}",
                              node_text(node), *scores, *classes, global->second, *classes)}});
            problems.back().is_fatal = *scores < *classes;
            const Node* const maker = maker_of(plan, node.inputs[inputs->scores].stream);
            if (maker != nullptr) {
                add_fix(*maker, *scores, global->second, problems.back());
            }
        }
    }
    return problems;
}

}  // namespace ptp::pipeline
