// Asks a language model for one word after the other.

#include "engine/predict/continuation.hpp"

#include "base/explanation.hpp"
#include "base/number.hpp"
#include "base/ranges.hpp"
#include "base/text.hpp"
#include "engine/component/loader_stage.hpp"
#include "engine/distributed/signals.hpp"
#include "engine/predict/prediction_columns.hpp"
#include "engine/statistics/statistics.hpp"
#include "engine/train/episode.hpp"
#include "pipeline/task_data.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <set>
#include <utility>

namespace ptp::engine {

namespace {

[[noreturn]] void refuse(const std::string& why) {
    throw RunError(kConfigurationError, "--continue: " + why);
}

// Names the last component before the scores that can publish the words which it makes numbers of.
std::string fix_of_names(const pipeline::Plan& plan, int scores) {
    std::set<int> needed{scores};
    for (const pipeline::Node& node : plan.nodes | std::views::reverse) {
        if (std::ranges::none_of(node.outputs, [&](const pipeline::Binding& output) {
                return needed.contains(output.stream);
            })) {
            continue;
        }
        for (const plugin::Global& global : node.component->globals) {
            if (global.access == plugin::GlobalAccess::kWriteIfNamed &&
                global.purpose == plugin::Purpose::kVocabulary &&
                !node.globals.contains(global.name)) {
                return fmt::format("add --set '{}.globals.{}=words'", node.path, global.name);
            }
        }
        for (const pipeline::Binding& input : node.inputs) {
            needed.insert(input.stream);
        }
    }
    return "";
}

// Returns the stream of indices, [B, words], that a model which scores words writes as the port
// `continuation`; -1 if there is none.
int continuation_of(const pipeline::Plan& plan, int scores) {
    const int producer = scores < 0 ? -1 : plan.stream(scores).producer;
    if (producer < 0) {
        return -1;
    }
    const pipeline::Node& model = plan.node(producer);
    const auto* const output = find_named(model.outputs, "continuation");
    return output != nullptr && output->stream >= 0 && output->shape.size() == 2 &&
                   model.port(*output).element == plugin::Element::kInteger
               ? output->stream
               : -1;
}

experiment::Section one_by_one(experiment::Section section) {
    section.task.batch_size = 1;
    section.dataloader = {.num_workers = 0};
    return section;
}

}  // namespace

Continuation::Continuation(const Parts& parts, EvaluatedPipeline& pipeline)
    : parts_(parts),
      pipeline_(pipeline),
      silent_(pipeline.context),
      components_(pipeline.components),
      task_(pipeline.context.plan.tasks.front()),
      section_(one_by_one(*experiment::find_section(parts.experiment, parts.section))) {
    if (parts.prediction.next_word.stream < 0) {
        refuse("the pipeline has no scores of words: no loss compares a model's with words");
    }
    const plugin::Setting* texts = pipeline::texts_setting(*task_.component);
    assert(texts != nullptr);
    continuation_ = continuation_of(pipeline.context.plan, parts.prediction.next_word.stream);
    silent_.log = silent_log("continued");
    setting_ = static_cast<std::size_t>(texts - task_.component->settings.data());
}

at::Tensor Continuation::scores_after(const std::string& text) {
    task_.settings[setting_] = Value::list({Value(text)});
    Components components = components_;
    components.tasks = {create_node(pipeline_.context, task_, pipeline_.plugins.component(task_))};
    const Instance& task = *components.tasks.front();
    pipeline_.executor.rebind(components);
    BatchSource source(
        section_, pipeline_.context.plan, *components.tasks.front(), pipeline_.context.seed,
        BatchTransforms{loader_stage(components, task), per_sample_stage(components, task)});
    Episode episode({pipeline_.executor, pipeline_.frame}, {section_, set_named(parts_.section)});
    SetPass pass(episode, source, {});
    pass.next({0, 0});
    unknown_words_ = parts_.counts.of_sample(pipeline_.frame, 0);  // while the task has the text
    const at::Tensor scores = pipeline_.frame[parts_.prediction.next_word.stream].tensor;
    if (continuation_ >= 0) {
        chosen_ = pipeline_.frame[continuation_].tensor[0][0].item<std::int64_t>();
    }
    return last_step(scores).to(at::kCPU, at::kDouble);
}

// Refuses scores of the classes that a task has, which are not scores of words.
void Continuation::require_words(std::int64_t count) const {
    const Value globals = pipeline_.globals.values();
    const Value* classes = globals.find(parts_.prediction.next_word.class_names);
    const bool are_classes = !parts_.classes && classes != nullptr && classes->is_table() &&
                             std::ssize(classes->members()) == count;
    if (!are_classes) {
        return;
    }
    constexpr std::size_t kShown = 3;
    std::vector<std::string> names;
    for (const Member& member : classes->members()) {
        if (names.size() < kShown) {
            names.push_back(member.key);
        }
    }
    refuse(fmt::format("the model predicts one of {} class{} of a text ({}{}), not its next word",
                       count, count == 1 ? "" : "es", join(names, ", "),
                       count > std::ssize(names) ? ", ..." : ""));
}

// Converts [1, V] or, with a word for each step, [1, T, V] to [V].
at::Tensor Continuation::last_step(const at::Tensor& scores) {
    if (scores.dim() == 2) {
        return scores[0];
    }
    const std::string& stream =
        pipeline_.context.plan.streams[static_cast<std::size_t>(parts_.prediction.next_word.stream)]
            .name;
    if (scores.dim() != 3) {
        refuse(fmt::format("'{}' has {} dimensions, but scores of words have 2 or 3", stream,
                           scores.dim()));
    }
    const std::int64_t steps = scores.size(1);
    if (steps_ != 0 && steps != steps_ + 1) {
        refuse(fmt::format(
            "'{}' has {} steps for a text and {} for the same with one more word: it does not "
            "predict the word after each",
            stream, steps_, steps));
    }
    steps_ = steps;
    return scores[0][steps - 1];
}

// Replaces the components that count. Those with weights, or that others share, stay.
void Continuation::count_no_more() {
    for (std::shared_ptr<Instance>& node : components_.nodes) {
        const pipeline::Node& planned = node->node();
        if (replaces_unknown_words(planned) && planned.share.empty() && node->tensors().empty()) {
            node = create_node(silent_, planned, pipeline_.plugins.component(planned));
            node->set_training(false);
        }
    }
}

std::vector<Cell> Continuation::count_unknown_words(const std::vector<std::string>& texts) {
    if (std::ranges::none_of(pipeline_.context.plan.nodes, replaces_unknown_words)) {
        return {};
    }
    std::vector<Cell> unknown;
    for (const std::string& text : texts) {
        steps_ = 0;
        static_cast<void>(scores_after(text));
        unknown.push_back(unknown_words_);
    }
    count_no_more();
    return parts_.counts.empty() ? std::vector<Cell>() : unknown;
}

std::string Continuation::words_after(const std::string& text, std::uint64_t count) {
    std::string longer = text;
    std::string added;
    steps_ = 0;
    for (found_ = 0; found_ < count && Signals::received() == 0; ++found_) {
        const at::Tensor scores = scores_after(longer);
        if (words_.empty()) {
            require_words(scores.size(0));
            auto names = class_names(pipeline_.globals.values(), parts_.prediction.next_word,
                                     scores.size(0), parts_.classes);
            if (!names) {
                throw WithFix<RunError>(
                    kConfigurationError,
                    Explanation{
                        fmt::format("--continue: the {} words have no names: no global is "
                                    "a table of that many, or several are; choose one "
                                    "with --classes",
                                    scores.size(0)),
                        fix_of_names(pipeline_.context.plan, parts_.prediction.next_word.stream)});
            }
            words_ = *std::move(names);
        }
        if (scores.isnan().any().item<bool>()) {
            throw NanScores(kDataError,
                            fmt::format("after '{}' the scores of words are nan", longer));
        }
        const std::int64_t chosen = chosen_ >= 0 ? chosen_ : scores.argmax().item<std::int64_t>();
        if (chosen >= std::ssize(words_)) {
            refuse(fmt::format("'continuation' begins with word {}, but there are {}", chosen,
                               words_.size()));
        }
        const std::string& word = words_[static_cast<std::size_t>(chosen)];
        longer += " " + word;
        added += (added.empty() ? "" : " ") + word;
    }
    return added;
}

std::uint64_t Continuation::words_of_all(const std::vector<std::string>& texts, std::size_t from,
                                         std::uint64_t most) {
    for (std::size_t i = from; i < texts.size() && most > 0; ++i) {
        try {
            words_after(texts[i], most);
        } catch (const NanScores&) {
            return 0;
        } catch (const RunError& error) {
            most = error.code() == kDataError ? found_ : 0;
        } catch (const std::exception&) {
            return 0;  // the error of the first text is reported
        }
        if (Signals::received() != 0) {
            return 0;
        }
    }
    return most;
}

std::string Continuation::words_after(const std::vector<std::string>& texts, std::size_t number,
                                      std::uint64_t count) {
    try {
        return words_after(texts[number], count);
    } catch (const NanScores&) {
        throw;
    } catch (const RunError& reason) {
        const std::uint64_t found = found_;
        const std::string text = reason.what();  // its fix is that of a training
        if (found == 0 || reason.code() != kDataError) {
            throw;
        }
        const std::uint64_t most = words_of_all(texts, number + 1, found);
        throw WithFix<RunError>(
            kDataError,
            {fmt::format("--continue {}: the model takes no longer text after {}: {}", count,
                         counted(found, "word"),
                         text.substr(0, std::min(text.find("\n    fix: "), text.find("\nfix: ")))),
             most == 0 ? "" : fmt::format("--continue {}", most)});
    }
}

}  // namespace ptp::engine
