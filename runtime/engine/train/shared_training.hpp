// The part of a session for training in several processes: each runs the same training on its share
// of every batch, and makes the same decisions, because they depend on values that are exchanged
// once in each batch.

#pragma once

#include "engine/component/components.hpp"
#include "engine/component/executor.hpp"
#include "engine/component/frame.hpp"
#include "engine/distributed/group.hpp"
#include "engine/distributed/synchronized_batch_norm.hpp"
#include "engine/optimizer/gradient_sums.hpp"
#include "engine/statistics/statistics.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"

#include <ptp/abi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ptp::engine {

// The knowledge of one process that all need to decide what comes next.
struct RankNotes {
    double seconds = 0;              // the first process's time of training
    bool is_checkpoint_due = false;  // by this process's clock
    bool has_change = false;         // a request has come
    int signal = 0;                  // received by one of them
};

// [main]
class SharedTraining {
public:
    struct Parts {
        Group& group;
        const pipeline::Plan& plan;
        const experiment::Distributing& options;
    };

    SharedTraining(const Parts& parts, const Components& components);

    [[nodiscard]] Group& group() const { return parts_.group; }
    [[nodiscard]] const pipeline::Plan& plan() const { return parts_.plan; }

    // Returns the minimum number of samples of a batch in each process that has any: a module of
    // batch normalization refuses a single one before the sums of all are computed.
    [[nodiscard]] std::uint64_t least_share() const { return batch_norm_ ? 2 : 1; }

    // Replaces the components by these.
    void rebind(const Components& components);

    // Sets all parameters and buffers to those of process 0.
    void align(const Components& components);

    // Before a forward pass of training, and before an evaluation: if the experiment specifies
    // "first", sets the components' buffers to those of process 0.
    void share_buffers();
    // After an episode of training, with N samples in this process: if it specifies "mean", sets
    // the buffers to the mean of all. Not before the backward pass, which may have saved them.
    void after_step(std::uint64_t samples);

    // Makes a forward pass over this process's samples of a batch, or takes part without any:
    // synchronized components see the whole batch.
    void forward_pass(const BatchShare& share, std::uint64_t samples,
                      const std::function<void()>& work);
    // After exchange(), makes a backward pass of the same batch, with or without an own loss.
    void backward_pass(bool has_loss, const std::function<void()>& work);
    // Returns backward_pass() for lower layers.
    [[nodiscard]] InBackwardPass backward_passes() {
        return [this](bool has_loss, const std::function<void()>& work) {
            backward_pass(has_loss, work);
        };
    }

    // After a forward pass, even without samples: the losses and statistics become those of the
    // whole batch, the notes are exchanged, and the values that the first process observes are sent
    // to it.
    void exchange(Statistics& statistics, const Frame& frame);
    // Exchanges only the notes, without a batch.
    void exchange();

    // After exchange(): the first process runs all components that only observe, on the whole
    // batch.
    void observe(Executor& executor, Frame& frame, const ptp_step& step);

    // Sets the function that returns this process's notes.
    void look_with(std::function<RankNotes()> look) { look_ = std::move(look); }
    // Returns what they have exchanged last: the same in each.
    [[nodiscard]] const RankNotes& agreed() const { return agreed_; }
    // Returns the exchanged signal, which counts as received here too; 0 if there is none.
    [[nodiscard]] int take_signal() const;

    // Shares the first process's results for a set.
    void agree(std::vector<Aggregate>& aggregates);

private:
    void name_layers(const Components& components);
    std::vector<double> exchange_numbers(std::vector<double> numbers);
    void add_notes(std::vector<double>& numbers) const;
    void take_notes(std::vector<double>& numbers);

    Parts parts_;
    Buffers buffers_;
    std::vector<int> streams_;                           // the observed ones
    std::unique_ptr<SynchronizedBatchNorm> batch_norm_;  // nullptr if none is synchronized
    bool has_samples_ = false;                           // this process, in the current batch
    bool lacks_loss_ = false;  // no loss of the current batch depends on weights
    bool all_have_losses_ = true;
    std::function<RankNotes()> look_;
    RankNotes agreed_;
    Group::Gathering gathering_;
    std::vector<std::uint64_t> counts_;  // samples of the batch, by rank
};

}  // namespace ptp::engine
