// The reading of all texts before the training begins.

#include "engine/train/unknown_words.hpp"

#include "base/error.hpp"
#include "engine/component/loader_stage.hpp"
#include "engine/distributed/signals.hpp"
#include "engine/train/episode.hpp"
#include "engine/train/training_state.hpp"

#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace ptp::engine {

namespace {

bool is_text(const pipeline::Plan& plan, const pipeline::Binding& binding) {
    if (binding.stream < 0) {
        return false;
    }
    const plugin::Element element = plan.streams[static_cast<std::size_t>(binding.stream)].element;
    return element == plugin::Element::kString || element == plugin::Element::kTokens;
}

// Returns whether it is numeric with more dimensions than samples and values.
bool is_image(const pipeline::Plan& plan, const pipeline::Binding& binding) {
    if (binding.stream < 0) {
        return false;
    }
    const pipeline::Stream& stream = plan.streams[static_cast<std::size_t>(binding.stream)];
    return stream.element == plugin::Element::kFloating &&
           (!stream.has_shape || stream.shape.size() > 2);
}

// Returns the transforms after the task, if one has a vocabulary: state, and texts to read.
Components text_stage(const pipeline::Plan& plan, const Components& components,
                      const std::shared_ptr<Instance>& task) {
    Components stage{{task}, {}};
    const auto has_image = [&](const auto& output) { return is_image(plan, output); };
    if (std::ranges::any_of(task->node().outputs, has_image)) {
        return stage;
    }
    bool has_vocabulary = false;
    const std::vector<Instance*> transforms = transform_stage(components, *task);
    for (const std::shared_ptr<Instance>& node : components.nodes) {
        if (std::ranges::find(transforms, node.get()) == transforms.end()) {
            continue;
        }
        const auto reads_text = [&](const auto& input) { return is_text(plan, input); };
        has_vocabulary = has_vocabulary || (node->has_state() &&
                                            std::ranges::any_of(node->node().inputs, reads_text));
        stage.nodes.push_back(node);
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
    // The executor knows tasks by their places in the plan.
    Components all{session.components.tasks, stage.nodes};
    Executor executor(plan, all, frame, session.executor.device());
    BatchSource source(of.section(), plan, task,
                       static_cast<std::uint64_t>(*session.experiment.seed),
                       BatchTransforms{loader_stage(all, task), per_sample_stage(all, task)});
    Episode episode({executor, frame}, {source.section(), set_named(source.section().name)});
    SetPass pass(episode, source, {});
    while (Signals::received() == 0 && pass.next({0, 0})) {
    }
}

}  // namespace

void refuse_unknown_words(TrainingSession& session) {
    const c10::AutoGradMode without_gradients(false);
    const EvaluationState before = evaluation_state(session);
    session.components.set_training(false);
    for (std::unique_ptr<BatchSource>* source : session.sources()) {
        if (*source == nullptr || source == &session.training) {
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
            throw RunError(error.code(),
                           fmt::format("{}\n    found in [{}], whose texts are read before the "
                                       "training begins",
                                       error.what(), name));
        }
    }
    session.components.set_training(true);
    restore_evaluation(session, before);
}

}  // namespace ptp::engine
