#include "pipeline/class_counts.hpp"

#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/size_fix.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::pipeline {

namespace {

using plugin::Element;

// The names that tasks have for their class indices and for the number of classes.
constexpr std::string_view kTargets = "targets";
constexpr const char* kClasses = "num_classes";

struct ClassCount {
    std::string global;  // the pipeline's name of kClasses
    Size size;
};

// nullopt where the task publishes none.
std::optional<ClassCount> class_count(const Draft& task, const Shapes& shapes) {
    const auto global = task.node.globals.find(kClasses);
    if (global == task.node.globals.end()) {
        return std::nullopt;
    }
    const auto symbol = shapes.globals.find(global->second);
    if (symbol == shapes.globals.end()) {
        return std::nullopt;
    }
    const SourcedDimension dimension{{.size = std::nullopt, .symbol = symbol->second, .name = ""},
                                     {}};
    const auto size = shapes.sizes.size_of(dimension);
    return size ? std::optional(ClassCount{global->second, *size}) : std::nullopt;
}

// The inputs of a loss, by what they carry; nullptr where there is none, or more than one.
struct LossInputs {
    const Binding* targets = nullptr;
    const SourcedShape* target_shape = nullptr;
    const SourcedShape* scores = nullptr;
    bool leaves_out = false;  // some samples, by a mask or an index that does not count
};

LossInputs inputs_of(const Draft& loss, const NodeShapes& shapes) {
    LossInputs inputs;
    for (std::size_t i = 0; i < loss.node.inputs.size(); ++i) {
        const Binding& binding = loss.node.inputs[i];
        if (binding.stream < 0) {
            continue;
        }
        const Element element = loss.port(binding).element;
        inputs.leaves_out = inputs.leaves_out || element == Element::kBoolean;
        if (element == Element::kInteger) {
            inputs.targets = &binding;
            inputs.target_shape = &shapes.inputs[i];
        } else if (element == Element::kFloating && inputs.scores == nullptr) {
            inputs.scores = &shapes.inputs[i];
        }
    }
    inputs.leaves_out = inputs.leaves_out || loss.node.globals.contains("ignore_index") ||
                        loss.node.constants.contains("ignore_index");
    return inputs;
}

// Returns whether it is the stream that the task calls its targets.
bool are_of_task(const Assembly& assembly, const Binding& targets) {
    const WiredStream& stream = assembly.streams[static_cast<std::size_t>(targets.stream)];
    if (!stream.is_of_tasks || stream.writers.front().output < 0) {
        return false;
    }
    const Writer& writer = stream.writers.front();
    const Node& task = assembly.writer(stream, writer).node;
    return task.outputs[static_cast<std::size_t>(writer.output)].name == kTargets;
}

// The dimension of the scores that the targets lack.
const SourcedDimension* class_dimension(const LossInputs& inputs) {
    const auto& targets = inputs.target_shape->dimensions;
    const SourcedDimension* found = nullptr;
    for (const SourcedDimension& dimension : inputs.scores->dimensions) {
        const auto has_name = [&](const SourcedDimension& other) {
            return other.dimension.name == dimension.dimension.name;
        };
        if (std::ranges::any_of(targets, has_name)) {
            continue;
        }
        if (found != nullptr) {
            return nullptr;
        }
        found = &dimension;
    }
    return found;
}

// Where the number of scores is written, and how to fix it.
struct Origin {
    std::string key;
    SourceLocation place;
    std::string fix;
};

// nullopt where no experiment's value decides it.
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
    const Value* value = Settings{*node.component, node.settings}.find(source.setting);
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
        if (!loss.is_sound || loss.node.component->kind != plugin::Kind::kLoss) {
            continue;
        }
        const LossInputs inputs = inputs_of(loss, shapes.components[i]);
        const bool is_known =
            inputs.targets != nullptr && inputs.scores != nullptr && !inputs.leaves_out;
        if (!is_known || !are_of_task(assembly, *inputs.targets)) {
            continue;
        }
        const SourcedDimension* const dimension = class_dimension(inputs);
        const auto scores = dimension == nullptr ? std::nullopt : shapes.sizes.size_of(*dimension);
        const bool is_more = scores && scores->number > classes->size.number &&
                             scores->source.setting.starts_with("globals.");
        if (scores && (scores->number < classes->size.number || is_more)) {
            warn(assembly, loss, *scores, *classes, problems);
        }
    }
}

namespace {

std::optional<std::int64_t> size_in(const Plan& plan, const Dimension& dimension) {
    return dimension.symbol < 0 ? dimension.size
                                : plan.symbols[static_cast<std::size_t>(dimension.symbol)].size;
}

// The scores of a loss over the class indices of the task: the size that its targets lack. nullopt
// where it is not known, or where a mask or an index leaves classes out.
std::optional<std::int64_t> scores_of(const Plan& plan, const Node& loss, int targets) {
    const Binding* scores = nullptr;
    const Binding* indices = nullptr;
    bool leaves_out =
        loss.globals.contains("ignore_index") || loss.constants.contains("ignore_index");
    for (const Binding& input : loss.inputs) {
        if (input.stream < 0) {
            continue;
        }
        const Element element = loss.component->ports[static_cast<std::size_t>(input.port)].element;
        leaves_out = leaves_out || element == Element::kBoolean;
        if (input.stream == targets) {
            indices = &input;
        } else if (element == Element::kFloating && scores == nullptr) {
            scores = &input;
        }
    }
    if (leaves_out || scores == nullptr || indices == nullptr) {
        return std::nullopt;
    }
    std::vector<Dimension> classes;
    std::ranges::copy_if(scores->shape, std::back_inserter(classes), [&](const Dimension& one) {
        return std::ranges::find(indices->shape, one.name, &Dimension::name) ==
               indices->shape.end();
    });
    return classes.size() == 1 ? size_in(plan, classes.front()) : std::nullopt;
}

}  // namespace

std::vector<std::string> class_count_problems(const Plan& plan, const Value& globals) {
    const Node& task = plan.tasks.front();
    const auto targets = std::ranges::find(task.outputs, kTargets, &Binding::name);
    const auto global = task.globals.find(kClasses);
    if (targets == task.outputs.end() || targets->stream < 0 || global == task.globals.end()) {
        return {};
    }
    const Value* published = globals.find(global->second);
    const auto symbol = plan.global_symbols.find(global->second);
    std::optional<std::int64_t> classes;
    if (published != nullptr && published->is_integer()) {
        classes = published->as_integer();
    } else if (symbol != plan.global_symbols.end()) {
        classes = plan.symbols[static_cast<std::size_t>(symbol->second)].size;
    }
    std::vector<std::string> problems;
    if (classes == 1) {
        problems.push_back(one_class_text(task, global->second));
    }
    for (const Node& node : plan.nodes) {
        if (!classes || node.component->kind != plugin::Kind::kLoss) {
            continue;
        }
        const auto scores = scores_of(plan, node, targets->stream);
        if (scores && *scores != *classes) {
            problems.push_back(
                fmt::format("{} gets {} scores for the {} classes of its targets: {} is {}",
                            node_text(node), *scores, *classes, global->second, *classes));
        }
    }
    return problems;
}

}  // namespace ptp::pipeline
