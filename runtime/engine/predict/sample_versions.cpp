// Reads samples one by one, as each epoch of a training does: seeds follow from the epoch.

#include "engine/predict/sample_versions.hpp"

#include "base/error.hpp"
#include "engine/predict/stream_tally.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace ptp::engine {

namespace {

// The values of a sample by stream, of one epoch after the other.
using Rows = std::vector<std::vector<ShownValue>>;

// Returns the outputs that have a stream, by their places in a batch.
std::vector<std::pair<std::size_t, StreamFacts>> streams_of(const BatchSource& source,
                                                            const pipeline::Plan& plan) {
    std::vector<std::pair<std::size_t, StreamFacts>> streams;
    std::size_t place = 0;
    const auto add_outputs = [&](const pipeline::Node& node) {
        for (const pipeline::Binding& output : node.outputs) {
            if (output.stream >= 0) {
                streams.emplace_back(
                    place, StreamTally(plan.stream(output.stream), node.port(output)).facts());
            }
            ++place;
        }
    };
    add_outputs(source.task().node());
    for (const Instance* transform : source.stage()) {
        add_outputs(transform->node());
    }
    // A list of tensors is no picture and no text.
    const Batch batch = source.new_batch();
    std::erase_if(streams, [&](const auto& stream) {
        return batch.slots[stream.first].element == PTP_TENSOR_LIST;
    });
    return streams;
}

}  // namespace

Components with_transforms(ComponentContext& context, const Plugins& plugins,
                           std::shared_ptr<Instance> task) {
    std::set<int> known;
    const auto add_outputs = [&known](const pipeline::Node& node) {
        std::ranges::copy(node.written_streams(), std::inserter(known, known.end()));
    };
    add_outputs(task->node());
    Components made{.tasks = {std::move(task)}, .nodes = {}};
    for (const pipeline::Node& node : context.plan.nodes) {
        const bool is_behind = node.component->kind == plugin::Kind::kTransform &&
                               node.share.empty() && node.writes_on(0) &&
                               std::ranges::all_of(node.read_streams(), [&](int stream) {
                                   return known.contains(stream);
                               });
        if (!is_behind) {
            continue;
        }
        try {
            made.nodes.push_back(create_node(context, node, plugins.component(node)));
            add_outputs(node);
        } catch (const RunError&) {  // it needs more than its streams
            continue;
        }
    }
    return made;
}

SampleVersions versions_of(BatchSource& source, const pipeline::Plan& plan,
                           const std::vector<std::int64_t>& samples, std::uint64_t epochs) {
    SampleVersions versions{.epochs = epochs};
    const auto streams = streams_of(source, plan);
    for (const auto& [place, facts] : streams) {
        versions.streams.push_back({facts});
    }
    Batch batch = source.new_batch();
    for (const std::int64_t sample : samples) {
        Rows rows(streams.size());
        try {
            for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
                source.fetch({{sample}, epoch, true}, 0, batch);
                for (std::size_t i = 0; i < streams.size(); ++i) {
                    rows[i].push_back(shown_value(batch.slots[streams[i].first], 0));
                }
            }
        } catch (const RunError& error) {
            if (error.code() != kDataError) {
                throw;
            }
            continue;
        }
        versions.indices.push_back(sample);
        for (std::size_t i = 0; i < streams.size(); ++i) {
            std::ranges::move(rows[i], std::back_inserter(versions.streams[i].values));
        }
    }
    return versions;
}

}  // namespace ptp::engine
