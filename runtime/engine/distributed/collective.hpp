// The processes of a training, and what all of them do at the same places: each trains on its share
// of every batch, and makes the same decisions, because they depend on values that are exchanged
// once in each batch. A single process, which shares nothing, is the class Collective itself.

#pragma once

#include "base/error.hpp"
#include "distributed/place.hpp"
#include "distributed/rank_state.hpp"
#include "engine/component/components.hpp"
#include "engine/component/executor.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/profiler.hpp"
#include "engine/distributed/signals.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"

#include <ptp/abi.h>

#include <c10/core/Device.h>
#include <c10/util/FunctionRef.h>
#include <spdlog/logger.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ptp::engine {

class Group;

// The knowledge of one process that all need to decide what comes next.
struct RankNotes {
    double seconds = 0;              // the first process's time of training
    bool is_checkpoint_due = false;  // by this process's clock
    int signal = 0;                  // received by one of them
};

// The source of a process's notes, which are read when they are exchanged.
class OwnNotes {
public:
    virtual ~OwnNotes() = default;
    [[nodiscard]] virtual RankNotes notes() const = 0;
    // Returns whether one has come that all must serve together.
    [[nodiscard]] virtual bool has_request() const = 0;
};

// The losses and statistics of a batch: those of this process's share until the sums of all are
// taken.
class SharedValues {
public:
    virtual ~SharedValues() = default;
    [[nodiscard]] virtual std::vector<double> own_sums() = 0;
    virtual void take_sums(std::span<const double> sums) = 0;
    // Return the minimized loss of a batch that is not shared, and a share's part of it. Undefined
    // if nothing in it counts and the loss is a constant, and for a share without a sample.
    [[nodiscard]] virtual at::Tensor whole_loss(const Frame& frame) const = 0;
    [[nodiscard]] virtual at::Tensor loss_of_share(const Frame& frame) const = 0;
    // Returns whether a loss of the share is missing or depends on no weight.
    [[nodiscard]] virtual bool lacks_loss(const Frame& frame) const = 0;
};

// The parts of a training that it shares with other processes.
struct SharedTraining {
    const pipeline::Plan& plan;
    const experiment::Distributing& options;
    const Components& components;
    Executor& executor;
    Profiler* const& profiler;  // times the waits for the others, if there is one in this place
};

// [main] What each function does is stated for several processes; all of them call it, in the same
// order. A single process only does its own work. Most throw RunError.
class Collective {
public:
    using Work = c10::function_ref<void()>;
    using Text = c10::function_ref<std::string()>;

    Collective() = default;
    virtual ~Collective() = default;
    Collective(const Collective&) = delete;
    Collective& operator=(const Collective&) = delete;

    [[nodiscard]] virtual std::uint64_t rank() const { return 0; }
    [[nodiscard]] virtual std::uint64_t size() const { return 1; }
    // Returns "rank 1 of 4 on node7", for users.
    [[nodiscard]] virtual std::string name() const { return "this process"; }
    // Returns nullptr for a single process.
    [[nodiscard]] virtual Group* group() const { return nullptr; }

    // Returns the minimum number of samples of a batch in each process that has any: a module of
    // batch normalization refuses a single one before the sums of all are computed.
    [[nodiscard]] virtual std::uint64_t least_share() const { return 1; }

    // Makes the file of this process in the run's folder, by which the others find out about it.
    virtual void watch(const std::filesystem::path& /*run_folder*/) {}
    // Returns the error with which this process ends, after it has informed the others of it. One
    // that another process has caused names that process; this takes seconds.
    [[nodiscard]] virtual RunError explained(const RunError& error) { return error; }

    // Returns when all have called it. Connects their devices, and reports how gradients are summed
    // unless these are CPUs; `is_compressed`: as bfloat16.
    virtual void start(at::Device /*device*/, bool /*is_compressed*/, spdlog::logger& /*log*/) {}
    // Starts to share the batches of this training, whose parts must outlive it. After watch().
    virtual void begin(const SharedTraining& /*training*/) {}
    // The training is over, also after an error: frees what was made for it.
    virtual void end() {}
    // Replaces the components by these.
    virtual void rebind(const Components& /*components*/) {}
    // Sets all parameters and buffers to those of process 0.
    virtual void align(const Components& /*components*/) {}

    // Informs the others about what this process does.
    virtual void enter(distributed::Phase /*phase*/) {}
    virtual void begin_episode(std::uint64_t /*episode*/) {}

    // Before a forward pass of training, and before an evaluation: if the experiment specifies
    // "first", sets the components' buffers to those of process 0.
    virtual void share_buffers() {}
    // After an episode of training, with N samples in this process: if it specifies "mean", sets
    // the buffers to the mean of all. Not before the backward pass, which may have saved them.
    virtual void after_step(std::uint64_t /*samples*/) {}

    // Makes a forward pass over this process's samples of a batch, or takes part without any:
    // synchronized components see the whole batch.
    virtual void forward_pass(const BatchShare& /*share*/, std::uint64_t /*samples*/, Work work) {
        work();
    }
    // After exchange(), makes a backward pass of the same batch, with or without an own loss.
    virtual void backward_pass(bool /*has_loss*/, Work work) { work(); }

    // After a forward pass, even without samples: the losses and statistics become those of the
    // whole batch, the notes are exchanged, and the values that the first process observes are sent
    // to it.
    virtual void exchange(SharedValues& /*values*/, const Frame& /*frame*/) {}
    // Exchanges only the notes, without a batch.
    virtual void exchange() {}
    // After exchange(): returns the loss whose gradients this process computes; see SharedValues.
    [[nodiscard]] virtual at::Tensor own_loss(const SharedValues& values,
                                              const Frame& frame) const {
        return values.whole_loss(frame);
    }

    // After exchange(): the first process runs all components that only observe, on the whole
    // batch.
    virtual void observe(Executor& executor, Frame& /*frame*/, const ptp_step& step) {
        executor.observe(step);
    }
    // Returns whether the first process receives the values it observes of others while gradients
    // are computed, so that observe() waits until then.
    [[nodiscard]] virtual bool observes_late() const { return false; }

    // Sets the source of this process's notes, which must outlive the exchanges.
    void look_with(const OwnNotes& own) { own_ = &own; }
    // Return the notes that were exchanged last, the same in each process.
    [[nodiscard]] virtual RankNotes agreed() const { return own_notes(); }
    [[nodiscard]] virtual bool has_request() const { return has_own_request(); }
    // Returns the exchanged signal, which counts as received here too; 0 if there is none.
    [[nodiscard]] virtual int take_signal() const { return Signals::received(); }

    // Do the work in the first process, or in all others; no process waits for it.
    void on_first(Work work) const {
        if (is_first()) {
            work();
        }
    }
    void on_others(Work work) const {
        if (!is_first()) {
            work();
        }
    }
    // Does the work in the first process alone, for which the others wait; `what` names it.
    virtual void in_first(const char* /*what*/, Work work, spdlog::logger& /*log*/) { work(); }
    // Returns when all have called it.
    virtual void barrier(const char* /*what*/) {}
    // Returns the text that the first process makes, in all.
    [[nodiscard]] virtual std::string from_first(const char* /*what*/, Text make) { return make(); }
    // Returns the texts that the others make in the first process, by rank, and none in them.
    [[nodiscard]] virtual std::vector<std::string> from_others(const char* /*what*/,
                                                               Text /*make*/) {
        return {};
    }
    // Sets the numbers to the sums of all.
    virtual void sum(std::vector<double>& /*numbers*/, const char* /*what*/) {}
    // Sets the numbers to the first process's.
    virtual void broadcast(std::vector<double>& /*numbers*/, const char* /*what*/) {}

protected:
    [[nodiscard]] bool is_first() const { return rank() == 0; }
    [[nodiscard]] RankNotes own_notes() const {
        return own_ == nullptr ? RankNotes{} : own_->notes();
    }
    [[nodiscard]] bool has_own_request() const { return own_ != nullptr && own_->has_request(); }

private:
    const OwnNotes* own_ = nullptr;
};

// Finds the other processes, if there are any. Throws RunError.
std::unique_ptr<Collective> join_processes(const distributed::Place& place,
                                           const experiment::Distributing& options);

}  // namespace ptp::engine
