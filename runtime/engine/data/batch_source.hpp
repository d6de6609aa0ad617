// Where batches come from: a task, its samples in the order of an epoch, cut into batches, and the
// transforms that run right behind it. Batch k of an epoch is a function of k, whichever thread
// asks for it and when.

#pragma once

#include "engine/component/copy_ahead.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/instance.hpp"
#include "engine/component/slot.hpp"
#include "engine/data/sampler.hpp"
#include "experiment/experiment.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ptp::engine {

// The values of one batch on their way into a frame.
struct Batch {
    // What a transform reads and writes.
    struct Invocation {
        std::vector<const ptp_value*> inputs;
        std::vector<ptp_value*> outputs;
    };

    std::vector<Slot> slots;         // one for each output of the task, then of the transforms
    std::vector<ptp_value*> values;  // of the task; NULL where an output has no stream
    std::vector<Invocation> hops;    // one for each transform
    BatchSamples samples;
    std::uint64_t size = 0;  // of the share of this process, which has all of it if it is alone
};

// One pass over the samples of a section.
struct PassPlan {
    std::vector<std::int64_t> order;
    std::uint64_t epoch = 0;
    bool is_training = false;
};

// The transforms behind a task: those in its loader threads, which loader_stage() returns, and
// those whose streams a sampler may read, which per_sample_stage() returns.
struct BatchTransforms {
    std::vector<Instance*> loaded = {};
    std::vector<Instance*> sampled = {};
};

class Reservoir;

class BatchSource {
public:
    // The section, the plan, the task and the transforms behind it must outlive it. Throws
    // RunError.
    BatchSource(const experiment::Section& section, const pipeline::Plan& plan, Instance& task,
                std::uint64_t seed, BatchTransforms transforms = {});
    ~BatchSource();
    BatchSource(const BatchSource&) = delete;
    BatchSource& operator=(const BatchSource&) = delete;

    [[nodiscard]] Instance& task() const { return task_; }
    [[nodiscard]] const std::vector<Instance*>& stage() const { return stage_; }
    // Whether other transforms behind the task may change its batches, or their order.
    [[nodiscard]] bool depends_on(const BatchTransforms& others) const;
    [[nodiscard]] const experiment::Section& section() const { return section_; }

    // Batches in a pass, samples in a pass.
    [[nodiscard]] std::uint64_t batch_count() const;
    [[nodiscard]] std::uint64_t sample_count() const;
    // All samples of the task, drawn or not.
    [[nodiscard]] std::int64_t task_size() const { return task_size_; }

    // How many threads load batches ahead. None for a task that keeps state: a checkpoint must hold
    // what belongs to the batches that were trained on, not to those that were loaded. A
    // reservoir's batches belong to no position, so its threads stay.
    [[nodiscard]] std::uint64_t loader_count() const;

    // Whether each pass over another source has the samples of this one, in their order.
    [[nodiscard]] bool samples_like(const BatchSource& other) const {
        return sampling_ == other.sampling_;
    }

    // From now on each batch is shared with other processes. `is_whole`: this one loads all of it,
    // and the executor cuts it up. Before the first pass.
    struct Sharing {
        std::uint64_t rank = 0;
        std::uint64_t ranks = 1;
        bool is_whole = false;
        std::uint64_t least = 1;  // samples of a rank that has any
    };
    void share(const Sharing& sharing) { sharing_ = sharing; }

    [[nodiscard]] PassPlan plan_pass(std::uint64_t epoch, bool is_training) const;

    // From now on batches are copied to a device ahead of their step; nullptr for the CPU. Before
    // the first pass.
    void copy_ahead(std::unique_ptr<CopyAhead> copies) { copies_ = std::move(copies); }

    [[nodiscard]] Batch new_batch() const;

    // [any] Several threads at once.
    void fetch(const PassPlan& pass, std::uint64_t batch_index, Batch& batch);

    // From now on the contents of these streams are freed as soon as a batch is loaded. Before the
    // first pass.
    void drop(const std::vector<int>& streams);
    [[nodiscard]] std::vector<int> dropped() const;

    // [any] A fetched batch is about to wait for its step: frees what is dropped and, where batches
    // are copied ahead, moves the rest to memory from which it can be.
    void make_ready(Batch& batch) const;

    // Where batches are copied ahead: begins to copy it, unless it has begun already.
    void send(Batch& batch) const;

    // Puts the batch into the frame, and the frame's old texts into the batch, whose memory the
    // next fetch uses again.
    void exchange(Batch& batch, Frame& frame) const;

    // Puts the batch into the frame and keeps it; tensors are shared. The frame takes its copies on
    // the device along, so that no memory there is kept for it.
    void show(Batch& batch, Frame& frame) const;

    // Whether the same seed produces the same batches; the batches of a reservoir depend on timing.
    [[nodiscard]] bool is_reproducible() const { return !section_.dataloader.is_reservoir(); }

    // The reservoir of a section that has one, begun with this batch when it is first asked for;
    // it lives as long as the source.
    Reservoir& reservoir(std::uint64_t epoch, std::uint64_t batch);

private:
    void show_indices(Frame& frame) const;

    const experiment::Section& section_;
    Instance& task_;
    std::vector<Instance*> stage_;
    std::vector<Instance*> sampled_;
    std::int64_t task_size_;
    Sampling sampling_;
    std::vector<int> streams_;  // of the task's outputs, then of the transforms'; -1 for none
    std::vector<ptp_element> elements_;  // of the same
    std::vector<bool> dropped_;          // of the same
    Sharing sharing_;
    std::unique_ptr<CopyAhead> copies_;     // nullptr: of the CPU
    std::unique_ptr<Reservoir> reservoir_;  // the last member: its threads use the others
};

}  // namespace ptp::engine
