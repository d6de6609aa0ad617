// Compares the scores that a loss reads with the classes of its targets, before and after the
// components were created.

#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/shapes.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/task_data.hpp"
#include "plugin/purpose.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace ptp::pipeline {

namespace {

// Returns whether some targets do not count for the node.
bool ignores_targets(const Node& node) {
    return std::ranges::any_of(node.component->globals, [&](const plugin::Global& global) {
        return global.purpose == plugin::Purpose::kIgnoredTarget &&
               (node.globals.contains(global.name) || node.constants.contains(global.name));
    });
}

}  // namespace

Scores scores_of(const Node& node, int classes) {
    const auto targets = std::ranges::find_if(node.inputs, [&](const Binding& input) {
        return input.stream == classes && node.port(input).element == plugin::Element::kInteger;
    });
    if (!node.compares() || targets == node.inputs.end() || ignores_targets(node)) {
        return {};
    }
    Scores scores;
    for (const Binding& input : node.inputs) {
        const plugin::Element element = node.port(input).element;
        if (input.stream >= 0 && element == plugin::Element::kBoolean) {
            return {};
        }
        if (input.stream >= 0 && element == plugin::Element::kFloating && scores.input == nullptr) {
            scores.input = &input;
        }
    }
    if (scores.input == nullptr) {
        return {};
    }
    for (const Dimension& dimension : scores.input->shape) {
        if (find_named(targets->shape, dimension.name) != nullptr) {
            continue;
        }
        if (scores.dimension != nullptr) {
            return {};  // several dimensions that the targets lack
        }
        scores.dimension = &dimension;
    }
    return scores;
}

namespace {

// Returns the scores that a loss compares with the classes that a task writes.
Scores scores_of_loss(const Node& node, const Node& task) {
    const Binding* const written = task.output_for(plugin::Purpose::kTargets);
    return written == nullptr || node.component->kind != plugin::Kind::kLoss
               ? Scores()
               : scores_of(node, written->stream);
}

std::string one_class_text(const Node& task, const std::string& global) {
    return fmt::format("{} has one class alone ({} is 1): there is nothing to learn",
                       node_text(task), global);
}

std::string fix_of_constant(const Node& node, const std::string& constant,
                            const std::string& global) {
    return fmt::format("write globals = {{ {} = \"{}\" }} in {}", toml_key(constant), global,
                       node.path);
}

// The place of the number of scores, and how to fix it.
struct Origin {
    std::string key;
    SourceLocation place;
    std::string fix;
};

// Returns the origin of a size; nullopt if no value of the experiment determines it. `global` is
// the number of classes.
std::optional<Origin> origin_of(const Assembly& assembly, const SizeSource& source,
                                std::int64_t classes, const std::string& global) {
    if (source.draft == nullptr || source.setting.empty()) {
        return std::nullopt;
    }
    const Node& node = source.draft->node;
    Origin origin{.key = fmt::format("{}.{}", node.path, source.setting),
                  .place = node.place,
                  .fix = setting_fix(assembly, {{source, classes}})};
    for (const auto& [name, value] : node.constants) {
        if (source.setting == "globals." + toml_key(name)) {
            origin.place = value.place();
            origin.fix = fix_of_constant(node, name, global);
            return origin;
        }
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

// Returns whether the targets of the task are a single 1 or 0 for its two classes.
bool has_answers(const Node& task) {
    const Binding* const targets = task.output_for(plugin::Purpose::kTargets);
    return targets != nullptr && is_yes_or_no(task.port(*targets));
}

// Returns how the model that makes a score for each class makes one: it names the number of classes
// by the global. "" if none does.
std::string fix_of_one_score(const Assembly& assembly, const std::string& global) {
    for (const Draft& draft : assembly.components) {
        if (draft.inner == nullptr) {
            continue;
        }
        const std::vector<Draft>& layers = draft.inner->components;
        for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
            for (std::size_t i = 0; i < layer->node.settings.size(); ++i) {
                if (layer->node.settings[i] == Value(global)) {
                    return fmt::format("set {}.{} = 1", layer->node.path,
                                       layer->node.component->settings[i].name);
                }
            }
        }
    }
    for (const Draft& draft : assembly.components) {
        for (const auto& [name, used] : draft.node.globals) {
            if (used == global && draft.node.component->kind == plugin::Kind::kModel) {
                return fmt::format("write globals = {{ {} = 1 }} in {}", toml_key(name),
                                   draft.node.path);
            }
        }
    }
    return "";
}

// Tells whether a global or a model's setting is the size: a transform's follows from its input.
bool is_chosen(const SizeSource& source) {
    return source.setting.starts_with("globals.") ||
           source.draft->node.component->kind == plugin::Kind::kModel;
}

}  // namespace

void warn_of_class_counts(const Assembly& assembly, const Sizes& sizes, Diagnostics& problems) {
    const Node* const task = assembly.tasks.empty() ? nullptr : &assembly.tasks.front().node;
    const std::string global =
        task == nullptr ? "" : task->global_for(plugin::Purpose::kClassCount);
    if (global.empty()) {
        return;
    }
    const auto symbol = sizes.globals.find(global);
    const auto classes = symbol == sizes.globals.end()
                             ? std::nullopt
                             : sizes.table.size_of(symbol_dimension(symbol->second));
    if (!classes) {
        return;
    }
    if (classes->number == 1 && has_answers(*task)) {
        problems.error(task->place, task->path,
                       Explanation{fmt::format("its two classes have one score, and here {} scores "
                                               "are made for them",
                                               global),
                                   fix_of_one_score(assembly, global)});
        return;
    }
    if (classes->number == 1) {
        problems.warning(task->place, task->path, one_class_text(*task, global));
    }
    for (const Draft& draft : assembly.components) {
        const auto [input, dimension] =
            draft.is_sound ? scores_of_loss(draft.node, *task) : Scores();
        const auto scores = dimension == nullptr ? std::nullopt : sizes.table.size_of(*dimension);
        const bool is_less = scores && scores->number < classes->number;
        const bool is_more = scores && scores->number > classes->number;
        if (!is_less && !is_more) {
            continue;
        }
        const auto origin = origin_of(assembly, scores->source, classes->number, global);
        if (is_more && (!origin || !is_chosen(scores->source))) {
            continue;
        }
        const std::string source = classes->source.origin();
        problems.warning(
            origin ? origin->place : draft.node.place, origin ? origin->key : draft.node.path,
            Explanation{
                fmt::format("{} {} than the {} classes of the targets of {}: {} is {}{}{}",
                            origin
                                ? fmt::format("{} is", scores->number)
                                : fmt::format("'{}' has {} scores,", input->name, scores->number),
                            is_less ? "less" : "more", classes->number, node_text(draft.node),
                            global, classes->number, source.empty() ? "" : ", ", source),
                origin ? origin->fix : ""});
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

// Returns the number of classes that the task has published or declares under this name.
std::optional<std::int64_t> class_count(const Plan& plan, const std::string& global,
                                        const Value& globals) {
    const Value* published = globals.find(global);
    if (published != nullptr && published->is_integer()) {
        return published->as_integer();
    }
    const auto symbol = plan.global_symbols.find(global);
    return symbol == plan.global_symbols.end() ? std::nullopt : plan.symbol(symbol->second).size;
}

bool is_number_text(const std::string& name) {
    double number = 0;
    const char* const end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data(), end, number);
    return parsed.ec == std::errc() && parsed.ptr == end;
}

// Returns the published names of the task's classes.
std::vector<std::string> published_names(const Node& task, const Value& globals) {
    const Value* const names = globals.find(task.global_for(plugin::Purpose::kClassNames));
    std::vector<std::string> all;
    if (names != nullptr && names->is_table()) {
        std::ranges::transform(names->members(), std::back_inserter(all), &Member::key);
    }
    return all;
}

}  // namespace

namespace {

// The place where a component gets the number of scores that it makes, and how to correct it.
struct ScoresPlace {
    std::string place = {};
    std::string fix = {};
};

// Looks for the only constant of the maker, or the only setting of the last of its layers with one,
// that is this number. `global` has the number of classes.
ScoresPlace place_of_scores(const Node& maker, std::int64_t scores, std::int64_t classes,
                            const std::string& global) {
    const auto is_it = [&](const auto& constant) { return constant.second == Value(scores); };
    if (std::ranges::count_if(maker.constants, is_it) == 1) {
        const auto& [name, constant] = *std::ranges::find_if(maker.constants, is_it);
        return {constant.place().text(), fix_of_constant(maker, name, global)};
    }
    for (auto layer = maker.layers.rbegin(); layer != maker.layers.rend(); ++layer) {
        const auto is_size = [&](const std::optional<Value>& value) {
            return value == Value(scores) && value->place() != SourceLocation();
        };
        const auto count = std::ranges::count_if(layer->settings, is_size);
        if (count == 1) {
            const auto found = std::ranges::find_if(layer->settings, is_size);
            const auto& setting =
                layer->component
                    ->settings[static_cast<std::size_t>(found - layer->settings.begin())];
            return {(*found)->place().text(),
                    fmt::format("set {}.{} = \"{}\"", layer->path, setting.name, global)};
        }
        if (count > 1) {
            break;
        }
    }
    return {.fix = fmt::format("let {} write {} scores", node_text(maker), classes)};
}

}  // namespace

std::string fix_of_number_classes(const Node& task, const std::vector<std::string>& names) {
    constexpr std::size_t kMany = 20;
    const auto& settings = task.component->settings;
    const auto* const label = plugin::find_purpose(settings, plugin::Purpose::kLabelColumn);
    const auto* const values = plugin::find_purpose(settings, plugin::Purpose::kValueColumns);
    const Value* const column =
        label == nullptr ? nullptr : checked_settings(task).find(label->name);
    if (column == nullptr || values == nullptr || names.size() <= kMany ||
        !std::ranges::all_of(names, is_number_text)) {
        return "";
    }
    return fmt::format(
        "to predict numbers, write {} = [{}] in place of {} in each task, and take a loss of "
        "numbers",
        values->name, inline_toml(*column), label->name);
}

std::vector<ClassCountProblem> class_count_problems(const Plan& plan, const Value& globals) {
    assert(!plan.tasks.empty());
    std::vector<ClassCountProblem> problems;
    for (const auto& [statistic, explanation] : other_scores(plan)) {
        problems.push_back(
            {{fmt::format("{} {}", node_text(*statistic), explanation.reason), explanation.fix}});
    }
    const Node& task = plan.tasks.front();
    const std::string global = task.global_for(plugin::Purpose::kClassCount);
    if (task.output_for(plugin::Purpose::kTargets) == nullptr || global.empty()) {
        return problems;
    }
    const auto classes = class_count(plan, global, globals);
    if (classes == 1) {
        problems.push_back({{one_class_text(task, global)}});
    }
    for (const Node& node : plan.nodes) {
        const auto [input, dimension] = scores_of_loss(node, task);
        const auto scores = dimension == nullptr ? std::nullopt : size_of(plan, *dimension);
        if (!classes || !scores || *scores == *classes) {
            continue;
        }
        ClassCountProblem& problem = problems.emplace_back(ClassCountProblem{
            {fmt::format("{} gets {} scores for the {} classes of its targets: {} is {}",
                         node_text(node), *scores, *classes, global, *classes)}});
        problem.is_fatal = *scores < *classes;
        std::string& fix = problem.explanation.fix;
        fix = fix_of_number_classes(task, published_names(task, globals));
        if (const Node* const maker = maker_of(plan, input->stream)) {
            auto [place, scores_fix] = place_of_scores(*maker, *scores, *classes, global);
            problem.place = std::move(place);
            fix = fix.empty() ? scores_fix
                              : fmt::format("to predict classes, {}; {}", scores_fix, fix);
        }
    }
    return problems;
}

}  // namespace ptp::pipeline
