// Cuts the streams of a batch down to one process's part, decides whether a task needs whole
// batches, and finds the nodes that only observe.

#include "engine/component/batch_cut.hpp"

#include "engine/component/loader_stage.hpp"
#include "engine/component/sample_call.hpp"
#include "pipeline/sizes.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <set>

namespace ptp::engine {

namespace {

bool is_batch(const pipeline::Dimension& dimension) {
    return dimension.symbol == pipeline::kBatchSymbol;
}

// Returns whether all output sizes except B are known before a step, independent of the batch.
bool has_fixed_sizes(const pipeline::Plan& plan, const pipeline::Node& node) {
    return std::ranges::all_of(node.written_streams(), [&](int written) {
        const pipeline::Stream& stream = plan.stream(written);
        return stream.has_shape &&
               std::ranges::all_of(stream.shape, [&](const pipeline::Dimension& dimension) {
                   return is_batch(dimension) || pipeline::size_of(plan, dimension).has_value();
               });
    });
}

void cut_list(TensorList& list, const BatchShare& share) {
    if (list.count != share.whole) {
        return;
    }
    const auto first = list.tensors().begin() + static_cast<std::ptrdiff_t>(share.first);
    std::vector<at::Tensor> part(first, first + static_cast<std::ptrdiff_t>(share.count));
    list.resize(share.count);
    std::ranges::move(part, list.tensors().begin());
}

void cut_tensor(const pipeline::Plan& plan, int stream, at::Tensor& tensor,
                const BatchShare& share) {
    const std::optional<std::int64_t> dimension = dimension_of_parts(plan, stream);
    if (!tensor.defined() || !dimension || *dimension >= tensor.dim() ||
        tensor.size(*dimension) != static_cast<std::int64_t>(share.whole)) {
        return;
    }
    tensor = tensor.narrow(*dimension, static_cast<std::int64_t>(share.first),
                           static_cast<std::int64_t>(share.count));
}

void cut_slot(const pipeline::Plan& plan, int stream, Slot& slot, const BatchShare& share) {
    if (is_tensor(slot.element)) {
        cut_tensor(plan, stream, slot.tensor, share);
        if (slot.tensor.defined() && !slot.is_dropped) {
            slot.tensor = slot.tensor.contiguous();
        }
    } else if (slot.element == PTP_TENSOR_LIST) {
        cut_list(slot.list, share);
    } else if (slot.text.is_written()) {
        slot.text.assign_part(slot.text, share.first, share.count);
    }
}

bool may_observe(plugin::Kind kind) {
    return kind == plugin::Kind::kStatistic || kind == plugin::Kind::kViewer ||
           kind == plugin::Kind::kPublisher;
}

}  // namespace

std::optional<std::int64_t> dimension_of_parts(const pipeline::Plan& plan, int stream) {
    const pipeline::Stream& of = plan.stream(stream);
    if (!of.has_shape) {
        return 0;
    }
    auto found = std::ranges::find_if(of.shape, is_batch);
    if (found == of.shape.end()) {
        found = std::ranges::find_if(of.shape, [&](const pipeline::Dimension& dimension) {
            return !pipeline::size_of(plan, dimension);
        });
    }
    if (found == of.shape.end()) {
        return std::nullopt;
    }
    return found - of.shape.begin();
}

bool needs_whole_batches(const pipeline::Plan& plan, const Components& components,
                         const Instance& task) {
    const std::vector<Instance*> stage = transform_stage(components, task);
    return task.has_state() || !has_fixed_sizes(plan, task.node()) ||
           std::ranges::any_of(stage, [&](const Instance* transform) {
               return !transform->is_per_sample() || !has_fixed_sizes(plan, transform->node());
           });
}

void cut_batch(const pipeline::Plan& plan, const Instance& task,
               const std::vector<Instance*>& transforms, Frame& frame) {
    BatchSamples& samples = frame.samples();
    const BatchShare share = samples.share;
    assert(!share.is_cut);
    samples.share.is_cut = true;
    const auto cut_outputs = [&](const pipeline::Node& node) {
        for (const int stream : node.written_streams()) {
            cut_slot(plan, stream, frame[stream], share);
        }
    };
    samples.indices = samples.indices.narrow(0, static_cast<std::int64_t>(share.first),
                                             static_cast<std::int64_t>(share.count));
    const auto first = samples.seeds.begin() + static_cast<std::ptrdiff_t>(share.first);
    samples.seeds = {first, first + static_cast<std::ptrdiff_t>(share.count)};
    if (task.node().indices_stream >= 0) {
        frame[task.node().indices_stream].tensor = samples.indices;
    }
    cut_outputs(task.node());
    for (const Instance* transform : transforms) {
        if (!is_called_by_another(transform->node())) {
            cut_outputs(transform->node());
        }
    }
}

// Goes from the last node to the first, so that the readers of a node are known when it is reached.
std::vector<bool> observing_nodes(const Components& components) {
    std::vector<bool> observing(components.nodes.size());
    std::set<int> needed;  // streams
    for (std::size_t i = components.nodes.size(); i-- > 0;) {
        const pipeline::Node& node = components.nodes[i]->node();
        observing[i] = may_observe(node.component->kind) &&
                       std::ranges::none_of(node.written_streams(),
                                            [&](int stream) { return needed.contains(stream); });
        if (!observing[i]) {
            std::ranges::copy(node.read_streams(), std::inserter(needed, needed.end()));
        }
    }
    return observing;
}

std::vector<int> observed_streams(const Components& components) {
    const std::vector<bool> observing = observing_nodes(components);
    std::set<int> read;
    std::set<int> written;
    for (std::size_t i = 0; i < components.nodes.size(); ++i) {
        if (observing[i]) {
            const pipeline::Node& node = components.nodes[i]->node();
            std::ranges::copy(node.read_streams(), std::inserter(read, read.end()));
            std::ranges::copy(node.written_streams(), std::inserter(written, written.end()));
        }
    }
    std::vector<int> streams;
    std::ranges::set_difference(read, written, std::back_inserter(streams));
    return streams;
}

}  // namespace ptp::engine
