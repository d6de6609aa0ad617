// The source of batches: a task, its samples in the order of an epoch, cut into batches, and the
// transforms that run directly after it. Batch k of an epoch depends only on k, not on which thread
// requests it or when.

#pragma once

#include "engine/component/copy_ahead.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/instance.hpp"
#include "engine/component/sample_call.hpp"
#include "engine/component/slot.hpp"
#include "engine/data/sampler.hpp"
#include "experiment/experiment.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ptp::engine {

// The values of one batch before they enter a frame.
struct Batch {
    // The inputs and outputs of a transform.
    struct Invocation {
        std::vector<const ptp_value*> inputs;
        std::vector<ptp_value*> outputs;
    };

    std::vector<Slot> slots;         // one for each output of the task, then of the transforms
    std::vector<ptp_value*> values;  // the task's; NULL for an output without a stream
    std::vector<Invocation> hops;    // one for each transform
    BatchSamples samples;
    std::uint64_t size = 0;  // this process's share, which is everything if it is alone
};

// One pass over the samples of a section.
struct PassPlan {
    std::vector<std::int64_t> order;
    std::uint64_t epoch = 0;
    bool is_training = false;
    bool is_shared = true;  // as the source is; false: this process has the whole of each batch
};

// The transforms after a task: those in its loader threads, returned by loader_stage(), and those
// whose streams a sampler may read, returned by per_sample_stage().
struct BatchTransforms {
    std::vector<Instance*> loaded = {};
    std::vector<Instance*> sampled = {};
};

class Reservoir;

class BatchSource {
public:
    // The section, the plan, the task and the transforms after it must outlive it. Throws RunError.
    BatchSource(const experiment::Section& section, const pipeline::Plan& plan, Instance& task,
                std::uint64_t seed, BatchTransforms transforms = {});
    ~BatchSource();
    BatchSource(const BatchSource&) = delete;
    BatchSource& operator=(const BatchSource&) = delete;

    [[nodiscard]] Instance& task() const { return task_; }
    [[nodiscard]] const std::vector<Instance*>& stage() const { return stage_; }
    // Returns whether other transforms after the task may change its batches, or their order.
    [[nodiscard]] bool depends_on(const BatchTransforms& others) const;
    [[nodiscard]] const experiment::Section& section() const { return section_; }

    // Return the number of batches and of samples in a pass.
    [[nodiscard]] std::uint64_t batch_count() const;
    [[nodiscard]] std::uint64_t sample_count() const;

    [[nodiscard]] const std::string& sampler_warning() const { return sampling_.warning(); }
    // Returns the number of all samples of the task, drawn or not.
    [[nodiscard]] std::int64_t task_size() const { return task_size_; }
    // Returns how many of them the passes may have.
    [[nodiscard]] std::int64_t drawable_count() const {
        return sampling_.drawable_count(sample_count());
    }

    // Returns the number of threads that load batches ahead. 0 for a task with state: a checkpoint
    // must hold the state after the batches that were trained on, not after those that were loaded.
    // A reservoir's batches have no position, so its threads remain.
    [[nodiscard]] std::uint64_t loader_count() const;

    // Returns whether each pass over another source has the same samples in the same order.
    [[nodiscard]] bool samples_like(const BatchSource& other) const {
        return sampling_ == other.sampling_;
    }

    // The way in which each batch is shared with other processes. If `is_whole`, this one loads the
    // whole batch, and the executor cuts it up. Set before the first pass.
    struct Sharing {
        std::uint64_t rank = 0;
        std::uint64_t ranks = 1;
        bool is_whole = false;
        std::uint64_t least = 1;  // minimum samples of a rank that has any
    };
    void share(const Sharing& sharing) { sharing_ = sharing; }

    [[nodiscard]] PassPlan plan_pass(std::uint64_t epoch, bool is_training) const;

    // Copies batches to a device ahead of their step; nullptr for the CPU. Called before the first
    // pass.
    void copy_ahead(std::unique_ptr<CopyAhead> copies) { copies_ = std::move(copies); }

    [[nodiscard]] Batch new_batch() const;

    // [any] May be called by several threads at once.
    void fetch(const PassPlan& pass, std::uint64_t batch_index, Batch& batch);

    // Frees the contents of these streams as soon as a batch is loaded. Called before the first
    // pass.
    void drop(const std::vector<int>& streams);
    [[nodiscard]] std::vector<int> dropped() const;

    // [any] Prepares a fetched batch to wait for its step: frees dropped streams and, if batches
    // are copied ahead, moves the rest to pinned memory.
    void make_ready(Batch& batch) const;

    // If batches are copied ahead, begins to copy this one, unless it has already begun.
    void send(Batch& batch) const;

    // Moves the batch into the frame, and the frame's old texts into the batch, whose memory the
    // next fetch reuses.
    void exchange(Batch& batch, Frame& frame) const;

    // Copies the batch into the frame; tensors are shared. The frame takes its copies on the
    // device, so that no memory there is kept for it.
    void show(Batch& batch, Frame& frame) const;

    // Returns whether the same seed produces the same batches; a reservoir's depend on timing.
    [[nodiscard]] bool is_reproducible() const { return !section_.dataloader.is_reservoir(); }

    // Returns the section's reservoir, begun with this batch on the first call; it exists as long
    // as the source.
    Reservoir& reservoir(std::uint64_t epoch, std::uint64_t batch);

private:
    void show_indices(Frame& frame) const;

    const experiment::Section& section_;
    Instance& task_;
    std::vector<Instance*> stage_;
    std::vector<SampleCall> calls_;  // of the stage; those that are tried in turn are one
    std::vector<Instance*> sampled_;
    std::size_t place_;  // of the task in the plan
    std::int64_t task_size_;
    Sampling sampling_;
    std::vector<int> streams_;           // the task's outputs, then the transforms'; -1: no stream
    std::vector<ptp_element> elements_;  // like streams_
    std::vector<bool> dropped_;          // like streams_
    Sharing sharing_;
    std::unique_ptr<CopyAhead> copies_;     // nullptr for the CPU
    std::unique_ptr<Reservoir> reservoir_;  // the last member: its threads use the others
};

}  // namespace ptp::engine
