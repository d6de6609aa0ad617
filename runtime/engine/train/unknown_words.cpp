// Reads the texts of all sections, of [training] only on request, before the training begins, to
// find words that are missing in its vocabulary.

#include "engine/train/unknown_words.hpp"

#include "base/error.hpp"
#include "base/ranges.hpp"
#include "base/text.hpp"
#include "engine/component/loader_stage.hpp"
#include "engine/distributed/signals.hpp"
#include "engine/train/episode.hpp"
#include "engine/train/first_targets.hpp"
#include "engine/train/training_state.hpp"

#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

constexpr std::uint64_t kMaxImages = 1000;

// Returns whether it writes numbers with more dimensions than samples and values.
bool writes_images(const pipeline::Plan& plan, const Instance& task) {
    return std::ranges::any_of(task.node().written_streams(), [&](int written) {
        const pipeline::Stream& stream = plan.stream(written);
        return stream.element == plugin::Element::kFloating &&
               (!stream.has_shape || stream.shape.size() > 2);
    });
}

bool reads_text(const pipeline::Plan& plan, const Instance& node) {
    return std::ranges::any_of(node.node().read_streams(), [&](int stream) {
        return plugin::is_text(plan.stream(stream).element);
    });
}

// Returns whether all inputs come from the task or from the nodes of this stage.
bool comes_from(const Components& stage, const pipeline::Node& node) {
    std::vector<int> written = stage.tasks.front()->node().written_streams();
    for (const std::shared_ptr<Instance>& instance : stage.nodes) {
        std::ranges::copy(instance->node().written_streams(), std::back_inserter(written));
    }
    return std::ranges::all_of(node.read_streams(),
                               [&](int stream) { return contains(written, stream); });
}

// Returns the transforms after the task, and the models that read their texts, if one of them has a
// vocabulary: state, and texts to read.
Components text_stage(const pipeline::Plan& plan, const Components& components,
                      const std::shared_ptr<Instance>& task) {
    const auto number = static_cast<std::size_t>(std::ranges::find(components.tasks, task) -
                                                 components.tasks.begin());
    Components stage{{task}, {}};
    bool has_vocabulary = false;
    for (const std::shared_ptr<Instance>& node : components.nodes) {
        const plugin::Kind kind = node->node().component->kind;
        const bool is_reader = node->has_state() && reads_text(plan, *node);
        const bool may =
            kind == plugin::Kind::kTransform || (kind == plugin::Kind::kModel && is_reader);
        if (may && node->node().writes_on(number) && comes_from(stage, node->node())) {
            has_vocabulary = has_vocabulary || is_reader;
            stage.nodes.push_back(node);
        }
    }
    if (!has_vocabulary) {
        stage.nodes.clear();
    }
    return stage;
}

void read_texts(const TrainingSession& session, const BatchSource& of, const Components& stage) {
    const pipeline::Plan& plan = session.executor.plan();
    Instance& task = *stage.tasks.front();
    Frame frame(plan);
    // The executor knows tasks by their positions in the plan.
    Components all{session.components.tasks, stage.nodes};
    Executor executor(plan, all, frame, session.executor.device());
    BatchSource source(of.section(), plan, task,
                       static_cast<std::uint64_t>(*session.experiment.seed),
                       BatchTransforms{loader_stage(all, task), per_sample_stage(all, task)});
    Episode episode({executor, frame}, {source.section(), set_named(source.section().name)});
    const auto size = static_cast<std::uint64_t>(source.section().task.batch_size);
    const std::uint64_t most = writes_images(plan, task) ? kMaxImages / size + 1 : UINT64_MAX;
    SetPass pass(episode, source, {.max_batches = most});
    bool is_first = &of == session.training.get();
    while (Signals::received() == 0 && pass.next({0, 0})) {
        if (std::exchange(is_first, false)) {
            warn_of_seen_answers(plan, frame, session.log);
        }
    }
}

// Returns the node and those before it in the stage.
Components stage_until(const Components& stage, std::size_t last) {
    Components part{stage.tasks, {stage.nodes[last]}};
    std::vector<int> read = stage.nodes[last]->node().read_streams();
    for (std::size_t i = last; i-- > 0;) {
        const pipeline::Node& node = stage.nodes[i]->node();
        if (std::ranges::any_of(read, [&](int stream) { return node.writes(stream); })) {
            part.nodes.insert(part.nodes.begin(), stage.nodes[i]);
            std::ranges::copy(node.read_streams(), std::back_inserter(read));
        }
    }
    return part;
}

// Returns what each component of the stage refuses, once: other vocabularies lack words, too.
std::vector<std::string> refusals(const TrainingSession& session, const BatchSource& of,
                                  const Components& stage) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < stage.nodes.size(); ++i) {
        try {
            read_texts(session, of, stage_until(stage, i));
        } catch (const RunError& error) {
            if (std::ranges::find(all, error.what()) == all.end()) {
                all.emplace_back(error.what());
            }
        }
    }
    return all;
}

}  // namespace

void refuse_unknown_words(TrainingSession& session, bool reads_training) {
    const c10::AutoGradMode without_gradients(false);
    const EvaluationState before = evaluation_state(session);
    session.components.set_training(false);
    // The vocabulary consists of the words that a component sees first: those of the training.
    auto sources = session.sources();
    std::ranges::stable_partition(sources,
                                  [&](const auto* one) { return one != &session.training; });
    for (std::unique_ptr<BatchSource>* source : sources) {
        if (*source == nullptr || (source == &session.training && !reads_training)) {
            continue;
        }
        const std::string& name = (*source)->section().name;
        const auto task = std::ranges::find_if(
            session.components.tasks, [&](const auto& one) { return one->node().section == name; });
        const Components stage = text_stage(session.executor.plan(), session.components, *task);
        if (stage.nodes.empty()) {
            continue;
        }
        try {
            read_texts(session, **source, stage);
        } catch (const RunError& error) {
            std::vector<std::string> all = refusals(session, **source, stage);
            std::erase(all, error.what());  // it may depend on what the others have done
            all.insert(all.begin(), error.what());
            throw RunError(error.code(),
                           fmt::format("{}\n    found in [{}], whose texts are read before the "
                                       "training begins",
                                       join(all, "\n"), name));
        }
    }
    session.components.set_training(true);
    restore_evaluation(session, before);
}

}  // namespace ptp::engine
