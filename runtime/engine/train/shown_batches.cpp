// Collects the values of a batch, in several processes those of its parts, and passes them to the
// sinks.

#include "engine/train/shown_batches.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/json.hpp"
#include "engine/component/batch_cut.hpp"
#include "engine/distributed/observed_values.hpp"
#include "engine/distributed/packed_state.hpp"
#include "engine/train/failure.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>
#include <c10/util/Exception.h>
#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>

namespace ptp::engine {

namespace {

std::string text_of_packed(const at::Tensor& packed) {
    return {static_cast<const char*>(packed.data_ptr()), packed.nbytes()};
}

std::vector<at::Tensor> unpacked_text(const std::string& text) {
    return unpacked_tensors(at::from_blob(const_cast<char*>(text.data()),  // NOLINT: only read
                                          {static_cast<std::int64_t>(text.size())}, at::kByte));
}

// Returns the packed value of a stream; if it cannot be packed, the reason, a text of type kChar.
at::Tensor packed_or_reason(const Frame& frame, const std::vector<int>& stream) {
    try {
        return packed_values(frame, stream);
    } catch (const c10::Error& error) {
        const std::string reason = error.what_without_backtrace();
        at::Tensor text = at::empty({static_cast<std::int64_t>(reason.size())}, at::kChar);
        reason.copy(static_cast<char*>(text.data_ptr()), reason.size());
        return text;
    }
}

// Throws RunError with the reason if one is none.
void require_packed(const std::vector<at::Tensor>& packed) {
    for (const at::Tensor& part : packed) {
        if (part.scalar_type() == at::kChar) {
            throw RunError(kTrainingError, fmt::format("the parts of a stream cannot be sent: {}",
                                                       text_of_packed(part)));
        }
    }
}

// While it exists, the frame's samples are those of the whole batch.
class WholeSamples {
public:
    WholeSamples(Frame& frame, at::Tensor indices)
        : frame_(frame), own_(frame.samples().indices, frame.samples().share) {
        const auto count = static_cast<std::uint64_t>(indices.numel());
        frame_.samples().share = {count, 0, count, true};
        frame_.samples().indices = std::move(indices);
    }
    ~WholeSamples() { std::tie(frame_.samples().indices, frame_.samples().share) = own_; }
    WholeSamples(const WholeSamples&) = delete;
    WholeSamples& operator=(const WholeSamples&) = delete;

private:
    Frame& frame_;
    std::pair<at::Tensor, BatchShare> own_;
};

}  // namespace

ShownBatches::ShownBatches(TrainingSession& session, const BatchSource& source, Sinks* sinks,
                           std::optional<std::uint64_t> epoch)
    : session_(session), sinks_(sinks), section_(source.section().name), epoch_(epoch) {
    const std::vector<pipeline::Node>& tasks = session.executor.plan().tasks;
    const auto task = std::ranges::find(tasks, section_, &pipeline::Node::section);
    place_ = static_cast<std::size_t>(task - tasks.begin());
}

void ShownBatches::show(std::uint64_t index) {
    if (index == 0 && sinks_ != nullptr && !sinks_->take_batches(epoch_)) {
        sinks_ = nullptr;
    }
    if (sinks_ == nullptr) {
        return;
    }
    SampleNumbers values;
    add_values(values, static_cast<std::uint64_t>(session_.frame.samples().indices.numel()));
    sinks_->tell(&Sink::evaluated, {section_, index, session_.frame, values});
}

void ShownBatches::add_values(SampleNumbers& values, std::uint64_t count,
                              std::optional<bool> observes) const {
    const auto& nodes = session_.components.nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::vector<std::string> names = nodes[i]->sample_value_names();
        if (names.empty() || !nodes[i]->node().runs_on(place_) ||
            (observes && *observes != observing_[i])) {
            continue;
        }
        const std::vector<double> collected = collect(*nodes[i], names.size(), count);
        for (std::size_t k = 0; k < names.size(); ++k) {
            const auto row = collected.begin() + static_cast<std::ptrdiff_t>(k * count);
            values[fmt::format("{}.{}", nodes[i]->node().name, names[k])].assign(
                row, row + static_cast<std::ptrdiff_t>(count));
        }
    }
}

// Returns the values of a component; if it throws, numbers that are none, because a record ends no
// training. Logs its first error.
std::vector<double> ShownBatches::collect(Instance& node, std::size_t names,
                                          std::uint64_t count) const {
    try {
        return node.collect_sample_values(count);
    } catch (const RunError& error) {
        if (session_.left_out.components.insert(node.node().name).second) {
            session_.log.warn(Explanation{
                fmt::format("the values of samples of [{}] lack those of '{}', the training "
                            "continues: {}",
                            section_, node.node().name, error.what()),
                "correct collect_samples() of the component, or train without "
                "[records.sample_values]"}
                                  .text());
        }
        return std::vector<double>(names * count, std::numeric_limits<double>::quiet_NaN());
    }
}

GatheredBatches::GatheredBatches(TrainingSession& session, const BatchSource& source, Sinks* sinks,
                                 std::optional<std::uint64_t> epoch)
    : ShownBatches(session, source, sinks, epoch) {
    observing_ = observing_nodes(session.components);
}

// Decides with the first batch, in which the first process has a sample if there is one.
void GatheredBatches::agree(std::uint64_t index) {
    const std::string agreed = session_.collective.from_first("the streams that records read", [&] {
        if (!sinks_->take_batches(epoch_)) {
            return text_of(Json());
        }
        std::set<int> streams = sinks_->batch_streams({section_, index, session_.frame, {}});
        std::erase_if(streams, [&](int stream) { return left_out().contains(stream); });
        return text_of(Json(streams));
    });
    const std::optional<Json> streams = parsed_json(agreed);
    if (!streams || !streams->is_array()) {
        sinks_ = nullptr;
        return;
    }
    for (const Json& stream : *streams) {
        const auto is_writer = [&](const std::shared_ptr<Instance>& node) {
            return node->node().writes_on(place_) && node->node().writes(stream.get<int>());
        };
        const auto& nodes = session_.components.nodes;
        const auto writer = std::ranges::find_if(nodes, is_writer);
        // The first process has the whole of what observing nodes write.
        if (writer == nodes.end() ||
            !observing_[static_cast<std::size_t>(writer - nodes.begin())]) {
            streams_.push_back({stream.get<int>()});
        }
    }
}

// Returns the values of this process, and what others send: the numbers of the samples, the values
// by their names, and the packed streams.
GatheredBatches::OwnPart GatheredBatches::own_part() const {
    const at::Tensor& indices = session_.frame.samples().indices;
    OwnPart own;
    add_values(own.values, static_cast<std::uint64_t>(indices.numel()), false);
    own.part = {indices};
    for (const auto& [name, numbers] : own.values) {
        own.part.push_back(at::tensor(numbers, at::kDouble));
    }
    for (const std::vector<int>& stream : streams_) {
        own.part.push_back(packed_or_reason(session_.frame, stream));
    }
    return own;
}

void GatheredBatches::show(std::uint64_t index) {
    if (index == 0 && sinks_ != nullptr) {
        agree(index);
    }
    if (sinks_ == nullptr) {
        return;
    }
    Collective& collective = session_.collective;
    const bool has_samples = session_.frame.samples().share.count > 0;
    const std::vector<std::string> others = collective.from_others("the values of samples", [&] {
        return has_samples ? text_of_packed(packed_tensors(own_part().part)) : std::string();
    });
    collective.on_first([&] {
        OwnPart own = own_part();
        std::vector<std::vector<at::Tensor>> parts = {std::move(own.part)};
        for (const std::string& other : others) {
            if (!other.empty()) {
                parts.push_back(unpacked_text(other));
            }
        }
        show_whole(std::move(own.values), parts, index);
    });
}

// Shows the batch that these parts make; `values` has the names of the values.
void GatheredBatches::show_whole(SampleNumbers values,
                                 const std::vector<std::vector<at::Tensor>>& parts,
                                 std::uint64_t index) {
    Frame& frame = session_.frame;
    // Returns these tensors of all parts.
    const auto of_all = [&](std::size_t place) {
        std::vector<at::Tensor> tensors;
        for (const std::vector<at::Tensor>& part : parts) {
            tensors.push_back(part.at(place));
        }
        return tensors;
    };
    std::vector<std::uint64_t> counts;
    for (const at::Tensor& indices : of_all(0)) {
        counts.push_back(static_cast<std::uint64_t>(indices.numel()));
    }
    std::size_t place = 1;
    for (auto& [name, numbers] : values) {
        const at::Tensor whole = at::cat(of_all(place++));
        numbers.assign(whole.data_ptr<double>(), whole.data_ptr<double>() + whole.numel());
    }
    std::vector<std::unique_ptr<WholeValues>> whole_streams;
    for (const std::vector<int>& stream : streams_) {
        const std::vector<at::Tensor> packed = of_all(place++);
        if (left_out().contains(stream.front())) {
            continue;
        }
        try {
            require_packed(packed);
            whole_streams.push_back(std::make_unique<WholeValues>(session_.executor.plan(), stream,
                                                                  packed, counts, frame));
        } catch (const std::exception& error) {
            leave_out(stream.front(), as_run_error(error).what());
        }
    }
    for (const int stream : left_out()) {
        frame[stream].clear();  // The part of this process is no batch.
    }
    const WholeSamples samples(frame, at::cat(of_all(0)));
    add_values(values, frame.samples().share.whole, true);
    sinks_->tell(&Sink::evaluated, {section_, index, frame, values});
}

// Leaves out a stream of this section from now on. Logs it if it is asked for: others are only
// perhaps of use.
void GatheredBatches::leave_out(int stream, const char* reason) {
    left_out().insert(stream);
    if (sinks_->read(session_.executor.plan().stream(stream).name)) {
        session_.log.warn(Explanation{
            fmt::format("the values of samples of [{}] lack a stream: {}", section_, reason),
            "train in one process to record it"}
                              .text());
    }
}

}  // namespace ptp::engine
