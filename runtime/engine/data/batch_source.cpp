// The batches of an epoch: which samples each has, and how they get into the frame.

#include "engine/data/batch_source.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/number.hpp"
#include "engine/data/labels.hpp"
#include "engine/data/loader_memory.hpp"
#include "engine/data/loader_threads.hpp"
#include "engine/data/reservoir.hpp"
#include "engine/distributed/share.hpp"

#include <ptp/ext/task.h>

#include <ATen/ops/empty.h>
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace ptp::engine {

BatchSource::BatchSource(const experiment::Section& section, const pipeline::Plan& plan,
                         Instance& task, std::uint64_t seed, BatchTransforms transforms)
    : section_(section),
      task_(task),
      stage_(std::move(transforms.loaded)),
      sampled_(std::move(transforms.sampled)),
      place_(static_cast<std::size_t>(
          std::ranges::find(plan.tasks, task.node().section, &pipeline::Node::section) -
          plan.tasks.begin())),
      task_size_(task.size()),
      sampling_(section, task_size_, seed, sample_facts({section, plan, task, sampled_, seed})) {
    const auto add_outputs = [&](const pipeline::Node& node) {
        for (const pipeline::Binding& output : node.outputs) {
            streams_.push_back(output.stream);
            elements_.push_back(
                output.stream < 0
                    ? PTP_FLOAT
                    : static_cast<ptp_element>(
                          plan.streams[static_cast<std::size_t>(output.stream)].element));
        }
    };
    add_outputs(task.node());
    for (Instance* transform : stage_) {
        if (!is_called_by_another(transform->node())) {
            add_outputs(transform->node());
            calls_.push_back(call_of(*transform, stage_));
        }
    }
    dropped_.resize(streams_.size());
    if (batch_count() == 0) {
        throw WithFix<RunError>(
            kConfigurationError,
            {fmt::format(
                 "{}: {}.batch_size = {}: with drop_last there is no batch, the section has "
                 "{}",
                 section.task.place.text(), section.task.path, section.task.batch_size,
                 counted(sampling_.size(), "sample")),
             fmt::format("set {0}.batch_size = {1} or less, or {2}.dataloader.drop_last = false",
                         section.task.path, sampling_.size(),
                         section.task.path.substr(0, section.task.path.rfind('.')))});
    }
}

BatchSource::~BatchSource() = default;

bool BatchSource::depends_on(const BatchTransforms& others) const {
    const std::optional<experiment::Sampler>& sampler = section_.sampler;
    const bool reads_streams = sampler && (sampler->needs_labels() || sampler->needs_lengths());
    return others.loaded != stage_ || (reads_streams && others.sampled != sampled_);
}

std::uint64_t BatchSource::batch_count() const {
    const auto size = static_cast<std::uint64_t>(section_.task.batch_size);
    const std::uint64_t whole = section_.dataloader.drop_last
                                    ? sampling_.size() / size
                                    : (sampling_.size() + size - 1) / size;
    const std::int64_t limit =
        section_.batch_limit.value_or(std::numeric_limits<std::int64_t>::max());
    return std::min(whole, static_cast<std::uint64_t>(limit));
}

std::uint64_t BatchSource::sample_count() const {
    return std::min<std::uint64_t>(
        sampling_.size(), batch_count() * static_cast<std::uint64_t>(section_.task.batch_size));
}

std::uint64_t BatchSource::loader_count() const {
    return task_.has_state() && !section_.dataloader.is_reservoir()
               ? 0
               : static_cast<std::uint64_t>(section_.dataloader.num_workers);
}

PassPlan BatchSource::plan_pass(std::uint64_t epoch, bool is_training) const {
    return {sampling_.order(epoch), epoch, is_training};
}

Batch BatchSource::new_batch() const {
    Batch batch;
    batch.slots.resize(elements_.size());
    for (std::size_t i = 0; i < elements_.size(); ++i) {
        batch.slots[i].element = elements_[i];
    }
    std::size_t next = 0;
    std::map<int, ptp_value*> written;
    const auto outputs_of = [&](const pipeline::Node& node) {
        std::vector<ptp_value*> values;
        for (const pipeline::Binding& output : node.outputs) {
            Slot& slot = batch.slots[next++];
            values.push_back(output.stream < 0 ? nullptr : slot.value());
            written[output.stream] = values.back();
        }
        return values;
    };
    batch.values = outputs_of(task_.node());
    for (const SampleCall& call : calls_) {
        Batch::Invocation hop;
        for (const pipeline::Binding& input : call.node().inputs) {
            hop.inputs.push_back(input.stream < 0 ? nullptr : written.at(input.stream));
        }
        hop.outputs = outputs_of(call.node());
        batch.hops.push_back(std::move(hop));
    }
    return batch;
}

void BatchSource::fetch(const PassPlan& pass, std::uint64_t batch_index, Batch& batch) {
    const auto batch_size = static_cast<std::uint64_t>(section_.task.batch_size);
    std::uint64_t first = batch_index * batch_size;
    std::uint64_t count = std::min<std::uint64_t>(batch_size, pass.order.size() - first);
    const Sharing sharing = pass.is_shared ? sharing_ : Sharing{};
    const BatchPart share = share_of(count, sharing.rank, sharing.ranks, sharing.least);
    batch.size = share.count;
    BatchSamples& samples = batch.samples;
    samples.share = {count, share.first, share.count, !sharing.is_whole};
    if (!sharing.is_whole) {
        first += share.first;
        count = share.count;
    }
    samples.epoch = pass.epoch;
    samples.is_training = pass.is_training;
    samples.indices = at::empty({static_cast<std::int64_t>(count)}, at::TensorOptions(at::kLong));
    std::copy_n(pass.order.begin() + static_cast<std::ptrdiff_t>(first), count,
                samples.indices.data_ptr<std::int64_t>());
    samples.seeds.clear();
    samples.sent.reset();
    samples.tried.clear();
    for (std::uint64_t i = first; i < first + count; ++i) {
        samples.seeds.push_back(sampling_.sample_seed(pass.epoch, pass.order[i]));
    }
    for (Slot& slot : batch.slots) {
        slot.clear();
    }
    if (count == 0) {
        return;  // The few samples of this batch are in other processes.
    }

    ptp_fetch fetch{};
    fetch.struct_size = sizeof(ptp_fetch);
    fetch.is_training = pass.is_training ? 1 : 0;
    fetch.indices = pass.order.data() + first;
    fetch.seeds = samples.seeds.data();
    fetch.count = count;
    fetch.epoch = pass.epoch;
    const OneThread alone;
    const LoaderMemory memory;
    task_.fetch(fetch, batch.values.data());
    for (std::size_t i = 0; i < calls_.size(); ++i) {
        const Batch::Invocation& hop = batch.hops[i];
        if (calls_[i].node().passes_on(place_)) {
            calls_[i].pass_through(hop.inputs.data(), hop.outputs.data());
        } else {
            calls_[i].run(samples, hop.inputs.data(), hop.outputs.data());
        }
    }
}

void BatchSource::drop(const std::vector<int>& streams) {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
        dropped_[i] = streams_[i] >= 0 && std::ranges::find(streams, streams_[i]) != streams.end();
    }
}

std::vector<int> BatchSource::dropped() const {
    std::vector<int> streams;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
        if (dropped_[i]) {
            streams.push_back(streams_[i]);
        }
    }
    return streams;
}

void BatchSource::make_ready(Batch& batch) const {
    for (std::size_t i = 0; i < dropped_.size(); ++i) {
        if (dropped_[i]) {
            batch.slots[i].drop();
        }
    }
    if (copies_) {
        copies_->pin(batch.slots);
    }
}

void BatchSource::send(Batch& batch) const {
    if (copies_ && !batch.samples.sent) {
        batch.samples.sent = copies_->send(batch.slots);
    }
}

void BatchSource::exchange(Batch& batch, Frame& frame) const {
    for (std::size_t i = 0; i < batch.slots.size(); ++i) {
        if (streams_[i] >= 0) {
            std::swap(frame[streams_[i]], batch.slots[i]);
            if (is_tensor(elements_[i])) {  // the next fetch makes a new one
                batch.slots[i].clear();
            }
        }
    }
    std::swap(frame.samples(), batch.samples);
    show_indices(frame);
}

void BatchSource::show(Batch& batch, Frame& frame) const {
    for (std::size_t i = 0; i < batch.slots.size(); ++i) {
        if (streams_[i] < 0) {
            continue;
        }
        Slot& from = batch.slots[i];
        Slot& to = frame[streams_[i]];
        to.ahead = std::exchange(from.ahead, {});
        to.is_dropped = from.is_dropped;
        if (is_tensor(from.element)) {
            to.tensor = from.tensor;
        } else if (from.element == PTP_TENSOR_LIST) {
            to.list.resize(from.list.tensors().size());
            to.list.tensors() = from.list.tensors();
        } else {
            to.text.assign(from.text);
        }
    }
    frame.samples() = batch.samples;
    batch.samples.sent.reset();
    show_indices(frame);
}

void BatchSource::show_indices(Frame& frame) const {
    if (task_.node().indices_stream >= 0) {
        frame[task_.node().indices_stream].tensor = frame.samples().indices;
    }
}

Reservoir& BatchSource::reservoir(std::uint64_t epoch, std::uint64_t batch) {
    if (!reservoir_) {
        reservoir_ = std::make_unique<Reservoir>(*this, epoch, batch);
    }
    return *reservoir_;
}

}  // namespace ptp::engine
