// Runs the components in order on a frame. All pointers are resolved once, not in each step.

#pragma once

#include "distributed/rank_state.hpp"
#include "engine/component/components.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/observation.hpp"
#include "engine/component/output_check.hpp"
#include "engine/component/picture.hpp"
#include "engine/component/profiler.hpp"
#include "engine/component/sample_call.hpp"
#include "engine/component/tried_log.hpp"
#include "engine/component/whole_batch.hpp"
#include "pipeline/plan.hpp"

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace ptp::engine {

// [step] The plan, the components and the frame must outlive it.
class Executor {
public:
    Executor(const pipeline::Plan& plan, const Components& components, Frame& frame,
             at::Device device);

    [[nodiscard]] at::Device device() const { return device_; }
    [[nodiscard]] const pipeline::Plan& plan() const { return plan_; }

    // Runs a step on the batch in the frame, which the task and the transforms directly after it
    // have written. Runs all components that run on this task's batches, except statistics without
    // output streams, because no component waits for those: they run in observe(), or never see the
    // step. A thorough step compares everything that components write with their declarations,
    // others only what differs from the previous step. An error about an element of the batch names
    // its sample.
    void run(const Instance& task, const ptp_step& step, bool is_thorough);
    void observe(const ptp_step& step) {
        run_invocations(step, {Part::kObserver}, is_sharing_ ? whole_check_ : check_);
    }

    // After run(), on the same batch: runs only the components that lead to the losses, unchecked.
    void run_again(const ptp_step& step);

    // Like run(), but runs only the components that lead to the losses, and no others, which write
    // files, for example.
    void run_learning(const Instance& task, const ptp_step& step);

    // Runs a step on a batch of these streams, on the executor's device, that a program instead of
    // a task has written into the frame. Runs the components that read only those streams and
    // outputs of such components; returns all streams that are written afterwards.
    [[nodiscard]] std::set<int> run_fed(const ptp_step& step, std::set<int> written);

    // Shares each batch with other processes from now on: observe() runs all components that only
    // observe (observing_nodes()), and a whole batch is cut up after the transforms.
    void share_batches(const Components& components);

    // Like observe(), on streams that hold the whole batch.
    void observe_whole(const ptp_step& step);

    // Runs these components from now on, whose plan must have the same streams and sizes.
    void rebind(const Components& components);

    // Sets the precision in which models and transforms compute while training, where libtorch's
    // autocast does: "float32", "bf16" or "fp16". Streams, losses and everything else stay float32.
    void train_in(std::string_view precision);

    // Times every component from now on; the profiler must outlive the executor.
    void profile(Profiler& profiler) { profiler_ = &profiler; }

    // Writes there from now on which component computes; must outlive the executor.
    void watch(distributed::RankState& state) { rank_state_ = &state; }

    // Counts there from now on what components that are tried in turn do with samples; must outlive
    // the executor.
    void count_tried(TriedLog& log) { tried_log_ = &log; }

    // Shows each component that runs to the observer from now on, until it is nullptr; not again in
    // run_again(). See ObservedForward.
    void show_to(ForwardObserver* observer) { observer_ = observer; }

    // Adds pictures that components show to these from now on, but not again in run_again(); must
    // outlive the executor.
    void collect(std::vector<Picture>& pictures) { pictures_ = &pictures; }

    // Passes this on to components that see a part of a batch, for the rows of the other parts;
    // nullptr: there are none. It must outlive the executor.
    void gather_with(WholeBatch* whole_batch) { whole_batch_ = whole_batch; }

private:
    // When a component runs in a step.
    enum class Part {
        kNever,      // in a loader thread, or not on batches of this section
        kBeforeCut,  // before a whole batch is cut up, if it is
        kAfterCut,   // afterwards
        kObserver
    };
    struct Invocation {
        Instance* instance = nullptr;
        std::optional<SampleCall> call = {};  // of a component that treats each sample by itself
        std::vector<const ptp_value*> inputs;
        std::vector<ptp_value*> outputs;
        bool needs_gradients = true;
        bool may_be_cast = true;
        bool only_observes = false;
        bool passes = false;          // its inputs are its outputs
        Part part = Part::kAfterCut;  // on batches of section_
    };

    void run_invocations(const ptp_step& step, std::initializer_list<Part> parts,
                         OutputCheck& check);
    void enter_section(std::size_t section);
    void run_whole(const Instance& task, const ptp_step& step, bool is_thorough);

    // Returns whether it sees this process's part of a batch, and not the whole one.
    [[nodiscard]] bool sees_part(const Invocation& invocation) const {
        return invocation.part == Part::kAfterCut ||
               (invocation.part == Part::kBeforeCut && !was_cut_);
    }
    void forward(Invocation& invocation, const ptp_step& step, std::vector<Picture>* pictures);
    void compute(Invocation& invocation, const ptp_step& step, std::vector<Picture>* pictures);
    template <class Change>
    void change_outputs(const Instance& instance, Change change);
    void take_loaded(const Instance& task, OutputCheck& check);
    void add_tried();
    void take_loaded_output(const Instance& loaded, OutputCheck& check);
    [[nodiscard]] std::size_t index_of(const Instance& task) const;

    const pipeline::Plan& plan_;
    Frame& frame_;
    at::Device device_;
    bool is_sharing_ = false;
    bool was_cut_ = false;                        // the executor cut up the last step's batch
    std::vector<std::vector<Instance*>> stages_;  // for each task: transform_stage()
    std::vector<std::vector<Instance*>> loaded_;  // for each task: loader_stage()
    Profiler* profiler_ = nullptr;
    distributed::RankState* rank_state_ = nullptr;
    std::vector<Picture>* pictures_ = nullptr;
    ForwardObserver* observer_ = nullptr;
    WholeBatch* whole_batch_ = nullptr;
    TriedLog* tried_log_ = nullptr;
    OutputCheck check_;
    OutputCheck whole_check_;  // for components that see the whole of a shared batch
    std::size_t section_ = 0;  // the index in the plan of the task of the last episode
    std::vector<Invocation> invocations_;
    std::vector<const Instance*> tasks_;
    at::ScalarType training_type_ = at::kFloat;
};

// While it exists, the observer looks at what the executor runs; nothing happens for nullptr.
class ObservedForward {
public:
    ObservedForward(Executor& executor, ForwardObserver* observer) : executor_(executor) {
        if (observer != nullptr) {
            observation_.emplace();
            executor_.show_to(observer);
        }
    }
    ~ObservedForward() {
        if (observation_) {
            executor_.show_to(nullptr);
        }
    }
    ObservedForward(const ObservedForward&) = delete;
    ObservedForward& operator=(const ObservedForward&) = delete;

private:
    Executor& executor_;
    std::optional<Observation> observation_;
};

}  // namespace ptp::engine
