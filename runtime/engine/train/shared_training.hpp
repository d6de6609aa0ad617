// What a session has besides where several processes train together: each runs the same training on
// its share of every batch, and takes the same decisions, because what they are taken from is
// exchanged once in each batch.

#pragma once

#include "engine/component/buffers.hpp"
#include "engine/component/components.hpp"
#include "engine/component/executor.hpp"
#include "engine/component/frame.hpp"
#include "engine/distributed/group.hpp"
#include "engine/distributed/synchronized_batch_norm.hpp"
#include "engine/optim/gradient_sums.hpp"
#include "engine/stats/statistics.hpp"
#include "experiment/distributing.hpp"
#include "pipeline/plan.hpp"

#include <ptp/abi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ptp::engine {

// What one process knows, and all must know when they decide what comes next.
struct RankNotes {
    double seconds = 0;              // of training, of the first process
    bool is_checkpoint_due = false;  // by its clock
    bool has_change = false;         // a request has come
    int signal = 0;                  // that one of them has been sent
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

    // How many samples of a batch each process has that has any: a module of batch normalization
    // refuses a single one before it comes to the sums of all.
    [[nodiscard]] std::uint64_t least_share() const { return batch_norm_ ? 2 : 1; }

    // The components are others from now on.
    void rebind(const Components& components);

    // All parameters and buffers become those of process 0.
    void align(const Components& components);

    // Before a forward pass of training, and before an evaluation: where the experiment specifies
    // "first", the components' buffers become those of process 0.
    void share_buffers();
    // After an episode of training, in which this process had N samples: where it specifies "mean",
    // the buffers become the mean of all. Not before the backward pass, which may have them saved.
    void after_step(std::uint64_t samples);

    // Makes a forward pass over this process's samples of a batch, or does what is done without
    // any: components that are synchronized see the whole batch.
    void forward_pass(const BatchShare& share, std::uint64_t samples,
                      const std::function<void()>& work);
    // After exchange(), makes a backward pass of the same batch, of a process that has one or not.
    void backward_pass(bool has_loss, const std::function<void()>& work);
    // The same, for what is lower than this.
    [[nodiscard]] InBackwardPass backward_passes() {
        return [this](bool has_loss, const std::function<void()>& work) {
            backward_pass(has_loss, work);
        };
    }

    // After a forward pass, also of none: the losses and statistics become those of the whole
    // batch, the notes are exchanged, and what the first process will observe is on its way to it.
    void exchange(Statistics& statistics, const Frame& frame);
    // The notes alone, where there is no batch.
    void exchange();

    // After exchange(): the first process runs all that only looks on, on the whole batch.
    void observe(Executor& executor, Frame& frame, const ptp_step& step);

    // What this process knows by now.
    void look_with(std::function<RankNotes()> look) { look_ = std::move(look); }
    // What they have exchanged last: the same in each.
    [[nodiscard]] const RankNotes& agreed() const { return agreed_; }
    // The signal among that, which counts as received here too; 0: none.
    [[nodiscard]] int take_signal() const;

    // What the first process has found for a set.
    void agree(std::vector<Aggregate>& aggregates);

private:
    void name_layers(const Components& components);
    std::vector<double> exchange_numbers(std::vector<double> numbers);
    void add_notes(std::vector<double>& numbers) const;
    void take_notes(std::vector<double>& numbers);

    Parts parts_;
    Buffers buffers_;
    std::vector<int> streams_;                           // that are observed
    std::unique_ptr<SynchronizedBatchNorm> batch_norm_;  // nullptr: none is synchronized
    bool has_samples_ = false;                           // this process, in the batch at hand
    bool lacks_loss_ = false;                            // the same: one that depends on weights
    bool all_have_losses_ = true;
    std::function<RankNotes()> look_;
    RankNotes agreed_;
    Group::Gathering gathering_;
    std::vector<std::uint64_t> counts_;  // samples of the batch, by the ranks
};

}  // namespace ptp::engine
