// A pass over a set in evaluation mode. Which sets are validated when is in validator.cpp.

#include "engine/train/evaluation.hpp"

#include "base/error.hpp"
#include "engine/train/episode.hpp"
#include "engine/train/training_state.hpp"

#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <string>

namespace ptp::engine {

namespace {

class EvaluationMode {
public:
    explicit EvaluationMode(const Components& components) : components_(components) {
        components_.set_training(false);
    }
    void end() { components_.set_training(true); }

private:
    const Components& components_;
    c10::AutoGradMode without_gradients_{false};
};

std::optional<std::vector<Aggregate>> run_pass(TrainingSession& session, BatchSource& source,
                                               const Evaluation& evaluation, Progress* progress) {
    Collective& collective = session.collective;
    collective.enter(distributed::Phase::kValidating);
    collective.share_buffers();  // The last batch changed each process's own.
    const StatisticSet set = evaluation.set;
    const Position position = evaluation.position;
    const WeightAverage::InPlace averaged(session.optimization->average());
    EvaluationMode mode(session.components);
    const std::string& section = source.section().name;
    session.statistics.begin(set, section);
    Episode episode({session.executor, session.frame, &session.statistics, nullptr, &collective},
                    {source.section(), set});
    SetPass pass(episode, source, {evaluation.epoch, evaluation.max_batches});
    while (pass.next(position)) {
        const std::uint64_t index = pass.step().batch_index;
        if (const std::string bad = session.statistics.bad_losses(); !bad.empty()) {
            throw RunError(kDiverged, fmt::format("the loss {} in batch {} of [{}], after episode "
                                                  "{}: the training has diverged",
                                                  bad, index, section, position.episode));
        }
        if (progress != nullptr) {
            progress->batch(index + 1, pass.batch_count());
        }
        if (collective.take_signal() != 0) {
            mode.end();
            return std::nullopt;
        }
    }
    mode.end();
    if (const std::string empty = session.statistics.losses_without_value(set); !empty.empty()) {
        throw RunError(
            kDataError,
            fmt::format("[{}] has nothing that counts for the loss {}, which has no value "
                        "there; look at masks, weights and ignored targets",
                        section, empty));
    }
    return session.statistics.aggregate(set);
}

}  // namespace

std::optional<std::vector<Aggregate>> evaluate(TrainingSession& session,
                                               const Evaluation& evaluation, Progress* progress) {
    if (evaluation.set == kTestSet) {
        return run_pass(session, *session.test, evaluation, progress);
    }
    const EvaluationState before = evaluation_state(session);
    BatchSource& source = session.validation_set(evaluation.number);
    auto aggregates = run_pass(session, source, evaluation, progress);
    if (!aggregates) {
        restore_evaluation(session, before);
        session.pictures.clear();  // A resumed run repeats this pass, and shows them again.
    } else if (evaluation.number > 0) {
        restore_generators(session, before.generators, source.section().name);
    }
    return aggregates;
}

}  // namespace ptp::engine
