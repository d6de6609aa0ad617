#include "engine/train/evaluate.hpp"

#include "base/error.hpp"
#include "engine/data/pass.hpp"
#include "engine/train/signals.hpp"

#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

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

}  // namespace

std::optional<std::vector<Aggregate>> evaluate(Session& session, BatchSource& source,
                                               const Evaluation& evaluation) {
    const auto& [set, position, epoch, most_batches, on_batch] = evaluation;
    const WeightAverage::InPlace averaged(session.optimization->average());
    EvaluationMode mode(session.components);
    session.statistics.reset(set);
    const std::string& section = source.section().name;
    ptp_step step{};
    step.struct_size = sizeof(ptp_step);
    step.episode = position.episode;
    step.epoch = position.epoch;
    step.section = section.c_str();
    step.set = set;

    Pass pass(source, epoch, false, 0, most_batches);
    while (pass.next(session.frame)) {
        step.batch_index = pass.batch_index();
        step.batch_size = pass.batch_size();
        session.executor.run(source.task(), step, step.batch_index == 0);
        session.statistics.collect(set, session.frame, step.batch_size);
        if (const std::string bad = session.statistics.bad_losses(); !bad.empty()) {
            throw RunError(kDiverged,
                           fmt::format("the loss {} in batch {} of [{}], after episode "
                                       "{}: the training has diverged",
                                       bad, step.batch_index, section, position.episode));
        }
        session.frame.clear();
        if (on_batch) {
            on_batch(step.batch_index + 1, std::min(pass.batch_count(), most_batches));
        }
        if (Signals::received() != 0) {
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

}  // namespace ptp::engine
