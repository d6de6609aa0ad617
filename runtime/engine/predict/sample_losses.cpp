#include "engine/predict/sample_losses.hpp"

#include "engine/predict/cells.hpp"
#include "pipeline/globals.hpp"

#include <algorithm>
#include <cmath>

namespace ptp::engine {

namespace {

int weight_statistic(const pipeline::Node& node, const std::string& port) {
    const auto& declared = node.component->statistics;
    for (std::size_t i = 0; i < declared.size(); ++i) {
        if (declared[i].name == port + "_weight" && declared[i].is_hidden &&
            !declared[i].is_set_only && node.has_statistic[i]) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

void slice_text(const TextBuffer& batch, std::int64_t sample, TextBuffer& out) {
    const auto at = static_cast<std::uint64_t>(sample);
    const bool has_rows = batch.rows != nullptr;
    const std::uint64_t first = has_rows ? batch.rows[at] : at;
    const std::uint64_t last = has_rows ? batch.rows[at + 1] : at + 1;
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t i = first; i <= last; ++i) {
        offsets.push_back(batch.offsets[i] - batch.offsets[first]);
    }
    const std::uint64_t rows[] = {0, last - first};
    const std::uint64_t row_count = has_rows ? 1 : 0;
    out.assign({batch.bytes + batch.offsets[first], offsets.data(), last - first,
                has_rows ? rows : nullptr, row_count});
}

// Copies the sample's part of a stream, or all of a stream without a value for each sample.
void slice(const Slot& batch, const ptp_step& step, std::int64_t sample, Slot& out) {
    out.element = batch.element;
    if (is_tensor(batch.element)) {
        const bool has_samples = batch.tensor.dim() > 0 &&
                                 batch.tensor.size(0) == static_cast<std::int64_t>(step.batch_size);
        out.tensor = has_samples ? batch.tensor.narrow(0, sample, 1) : batch.tensor;
    } else if (batch.element == PTP_TENSOR_LIST) {
        out.list.resize(1);
        out.list.tensors()[0] = batch.list.tensors()[static_cast<std::size_t>(sample)];
    } else {
        slice_text(batch.text, sample, out.text);
    }
}

}  // namespace

SampleLosses::SampleLosses(const pipeline::Plan& plan, const Components& components, Frame& frame,
                           const pipeline::Prediction& prediction,
                           const std::vector<experiment::LossWeight>& weights)
    : plan_(plan), frame_(frame) {
    for (const pipeline::PredictionLoss& found : prediction.losses) {
        Instance& instance = *components.nodes[static_cast<std::size_t>(found.node)];
        const pipeline::Node& node = instance.node();
        const auto output = static_cast<std::size_t>(found.output);
        const auto own = std::ranges::find(weights, found.name, &experiment::LossWeight::loss);
        losses_.push_back({found.name, &instance, output,
                           weight_statistic(node, node.outputs[output].name),
                           own == weights.end() ? 1 : own->weight});
        const auto known = std::ranges::find(sources_, &instance, &Source::instance);
        if (known == sources_.end()) {
            Source& source = sources_.emplace_back();
            source.instance = &instance;
            source.inputs.resize(node.inputs.size());
            source.outputs.resize(node.outputs.size());
            source.statistics.resize(node.component->statistics.size());
        }
    }
    has_total_ = losses_.size() > 1 || (!losses_.empty() && losses_.front().factor != 1);
}

std::vector<std::string> SampleLosses::names() const {
    if (!has_total_) {
        return losses_.empty() ? std::vector<std::string>() : std::vector<std::string>{"loss"};
    }
    std::vector<std::string> names;
    for (const Loss& loss : losses_) {
        names.push_back(loss.name);
    }
    names.emplace_back(pipeline::kTotalStatistic);
    return names;
}

SampleLosses::Source& SampleLosses::source_of(const Loss& loss) {
    return *std::ranges::find(sources_, loss.instance, &Source::instance);
}

void SampleLosses::run(Source& source, const ptp_step& batch, std::int64_t sample) {
    const pipeline::Node& node = source.instance->node();
    std::vector<const ptp_value*> inputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (node.inputs[i].stream >= 0) {
            slice(frame_[node.inputs[i].stream], batch, sample, source.inputs[i]);
        }
        inputs.push_back(node.inputs[i].stream < 0 ? nullptr : source.inputs[i].value());
    }
    std::vector<ptp_value*> outputs;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        const int stream = node.outputs[i].stream;
        if (stream >= 0) {
            source.outputs[i].element = frame_[stream].element;
            source.outputs[i].clear();
        }
        outputs.push_back(stream < 0 ? nullptr : source.outputs[i].value());
    }
    ptp_step step = batch;
    step.batch_size = 1;
    source.instance->forward(step, inputs.data(), outputs.data());
    if (source.instance->has_statistics()) {
        source.instance->collect_statistics(step.set, source.statistics.data());
    }
}

std::vector<Cell> SampleLosses::of_sample(const ptp_step& batch, std::int64_t sample) {
    for (Source& source : sources_) {
        run(source, batch, sample);
    }
    std::vector<Cell> cells;
    double total = 0;
    bool counts = false;
    for (const Loss& loss : losses_) {
        const Source& source = source_of(loss);
        const bool has_weight =
            loss.weight < 0 || source.statistics[static_cast<std::size_t>(loss.weight)] != 0;
        if (!has_weight) {
            cells.emplace_back(nullptr);
            continue;
        }
        const at::Tensor& value = source.outputs[loss.output].tensor;
        cells.push_back(number_cell(value));
        total += loss.factor * value.item<double>();
        counts = true;
    }
    if (has_total_) {
        cells.push_back(counts ? real_cell(total) : Cell());
    }
    last_ = counts ? total : -HUGE_VAL;
    return cells;
}

}  // namespace ptp::engine
