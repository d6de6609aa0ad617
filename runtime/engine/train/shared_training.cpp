#include "engine/train/shared_training.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "engine/component/batch_cut.hpp"
#include "engine/distributed/flat_tensors.hpp"
#include "engine/distributed/observed_values.hpp"
#include "engine/distributed/share.hpp"
#include "engine/train/signals.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <span>
#include <utility>

namespace ptp::engine {

namespace {

// Each has its own number in the exchange, so that several signals do not mix.
constexpr std::array kExchangedSignals = {Signals::kStopCall, SIGINT, SIGTERM, SIGHUP, SIGUSR1};
constexpr std::size_t kOtherNotes = 4;
constexpr std::size_t kNumbersOfNotes = kOtherNotes + kExchangedSignals.size();

at::Tensor tensor_of(std::vector<double>& numbers) {
    return at::from_blob(numbers.data(), {static_cast<std::int64_t>(numbers.size())}, at::kDouble);
}

// This process's samples are part of means and variances, and therefore of gradients of other
// processes' losses, which only a backward pass can compute.
[[noreturn]] void refuse_constant_losses() {
    throw WithFix<RunError>(
        kTrainingError,
        {"distributed.buffers = \"synchronized\": in this process's part of the batch no loss "
         "depends on the weights, so that the gradients of layers before a batch normalization "
         "would be wrong",
         "let a loss for which nothing counts be computed from the predictions all the same, as "
         "their sum times 0, or take buffers = \"first\""});
}

}  // namespace

SharedTraining::SharedTraining(const Parts& parts, const Components& components)
    : parts_(parts), buffers_(components), streams_(observed_streams(components)) {
    if (parts_.options.buffers == experiment::SharedBuffers::kSynchronized) {
        batch_norm_ = std::make_unique<SynchronizedBatchNorm>(parts_.group);
        name_layers(components);
    }
}

void SharedTraining::rebind(const Components& components) {
    buffers_ = Buffers(components);
    streams_ = observed_streams(components);
    name_layers(components);
}

void SharedTraining::name_layers(const Components& components) {
    if (!batch_norm_) {
        return;
    }
    std::vector<SynchronizedBatchNorm::Named> tensors;
    for (const std::shared_ptr<Instance>& node : components.nodes) {
        for (const NamedTensor& named : node->tensors()) {
            tensors.push_back({node->node().name + ": " + named.name, named.tensor});
        }
    }
    batch_norm_->know(tensors);
}

void SharedTraining::align(const Components& components) {
    std::vector<at::Tensor> tensors;
    for (const std::shared_ptr<Instance>& node : components.nodes) {
        for (const NamedTensor& named : node->tensors()) {
            tensors.push_back(named.tensor);
        }
    }
    broadcast_all(parts_.group, tensors, "the broadcast of the weights");
}

void SharedTraining::share_buffers() {
    if (parts_.options.buffers == experiment::SharedBuffers::kFirst ||
        parts_.options.buffers == experiment::SharedBuffers::kSynchronized) {
        broadcast_all(parts_.group, buffers_.tensors(), "the broadcast of the buffers");
    }
}

void SharedTraining::after_step(std::uint64_t samples) {
    if (parts_.options.buffers == experiment::SharedBuffers::kMean) {
        average_all(parts_.group, buffers_.tensors(), static_cast<double>(samples),
                    "the mean of the buffers");
    }
}

void SharedTraining::forward_pass(const BatchShare& share, std::uint64_t samples,
                                  const std::function<void()>& work) {
    has_samples_ = samples > 0;
    if (batch_norm_) {
        const std::uint64_t ranks = parts_.group.size();
        batch_norm_->run(samples > 0, share.whole >= ranks * least_share(), work);
    } else {
        work();
    }
}

void SharedTraining::backward_pass(bool has_loss, const std::function<void()>& work) {
    if (batch_norm_) {
        batch_norm_->run(has_loss, all_have_losses_, work);
        if (!has_loss && has_samples_ && batch_norm_->layer_count() > 0) {
            refuse_constant_losses();
        }
    } else {
        work();
    }
}

void SharedTraining::exchange(Statistics& statistics, const Frame& frame) {
    Group& group = parts_.group;
    static_cast<void>(gathering_.wait());  // a batch that was not observed
    const BatchShare& share = frame.samples().share;
    counts_.clear();
    for (std::uint64_t rank = 0; rank < group.size(); ++rank) {
        counts_.push_back(share_of(share.whole, rank, group.size(), least_share()).count);
    }
    at::Tensor bytes = at::empty({0}, at::kByte);
    if (share.count > 0 && !streams_.empty()) {
        bytes = packed_values(frame, streams_);
    }
    std::vector<double> numbers = statistics.own_sums();
    const std::size_t sum_count = numbers.size();
    lacks_loss_ =
        batch_norm_ && c10::GradMode::is_enabled() &&
        std::ranges::any_of(statistics.weighted_losses(frame), [](const WeightedLoss& each) {
            return !each.loss.defined() || !each.loss.requires_grad();
        });
    numbers.resize(sum_count + group.size());
    numbers[sum_count + group.rank()] = static_cast<double>(bytes.numel());
    numbers = exchange_numbers(std::move(numbers));
    statistics.take_sums(std::span(numbers).first(sum_count));
    std::vector<std::int64_t> sizes;
    for (const double size : std::span(numbers).subspan(sum_count)) {
        sizes.push_back(static_cast<std::int64_t>(size));
    }
    gathering_ = group.begin_gather(bytes, sizes, "the gathering of observed streams");
}

void SharedTraining::exchange() {
    static_cast<void>(exchange_numbers({}));
}

std::vector<double> SharedTraining::exchange_numbers(std::vector<double> numbers) {
    add_notes(numbers);
    parts_.group.sum(tensor_of(numbers), "the exchange of losses");
    take_notes(numbers);
    return numbers;
}

void SharedTraining::add_notes(std::vector<double>& numbers) const {
    const RankNotes notes = look_ ? look_() : RankNotes{};
    const bool is_first = parts_.group.is_first();
    numbers.push_back(is_first ? notes.seconds : 0);
    numbers.push_back(is_first && notes.is_checkpoint_due ? 1 : 0);
    numbers.push_back(notes.has_change ? 1 : 0);
    numbers.push_back(lacks_loss_ ? 1 : 0);
    for (const int signal : kExchangedSignals) {
        numbers.push_back(notes.signal == signal ? 1 : 0);
    }
}

void SharedTraining::take_notes(std::vector<double>& numbers) {
    const std::span<const double> notes = std::span(numbers).last(kNumbersOfNotes);
    agreed_ = {notes[0], notes[1] > 0, notes[2] > 0, 0};
    all_have_losses_ = notes[3] == 0;
    for (std::size_t i = 0; i < kExchangedSignals.size(); ++i) {
        if (notes[kOtherNotes + i] > 0) {
            agreed_.signal = kExchangedSignals[i];
        }
    }
    numbers.resize(numbers.size() - kNumbersOfNotes);
}

int SharedTraining::take_signal() const {
    if (agreed_.signal != 0 && Signals::received() == 0) {
        Signals::receive(agreed_.signal);
    }
    return agreed_.signal;
}

void SharedTraining::observe(Executor& executor, Frame& frame, const ptp_step& step) {
    const std::vector<at::Tensor> parts = gathering_.wait();
    if (!parts_.group.is_first()) {
        return;
    }
    ptp_step whole = step;
    whole.batch_size = frame.samples().share.whole;
    const WholeValues values(parts_.plan, streams_, parts, counts_, frame);
    executor.observe_whole(whole);
}

void SharedTraining::agree(std::vector<Aggregate>& aggregates) {
    std::vector<double> numbers;
    for (const Aggregate& each : aggregates) {
        numbers.insert(numbers.end(), {each.value, each.minimum, each.maximum, each.deviation});
    }
    parts_.group.broadcast(tensor_of(numbers), "the broadcast of statistics");
    for (std::size_t i = 0; i < aggregates.size(); ++i) {
        const double* const of = numbers.data() + 4 * i;
        aggregates[i] = {of[0], of[1], of[2], of[3], aggregates[i].is_absent};
    }
}

}  // namespace ptp::engine
