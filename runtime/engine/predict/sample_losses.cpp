// Runs loss components on single samples of a batch.

#include "engine/predict/sample_losses.hpp"

#include "base/ranges.hpp"
#include "engine/predict/prediction_columns.hpp"
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
        out.text.assign_part(batch.text, static_cast<std::uint64_t>(sample), 1);
    }
}

}  // namespace

SampleLosses::SampleLosses(const Components& components, Frame& frame,
                           const pipeline::Prediction& prediction,
                           const std::vector<experiment::LossWeight>& weights)
    : frame_(frame) {
    for (const pipeline::PredictionLoss& found : prediction.losses) {
        Loss& loss = losses_.emplace_back();
        loss.name = found.name;
        loss.instance = components.nodes[static_cast<std::size_t>(found.node)].get();
        loss.output = static_cast<std::size_t>(found.output);
        const pipeline::Node& node = loss.instance->node();
        loss.weight = weight_statistic(node, node.outputs[loss.output].name);
        const auto own = std::ranges::find(weights, found.name, &experiment::LossWeight::loss);
        loss.factor = own == weights.end() ? 1 : own->weight;
        loss.inputs.resize(node.inputs.size());
        loss.outputs.resize(node.outputs.size());
        loss.statistics.resize(node.component->statistics.size());
    }
    has_total_ = losses_.size() > 1 || (!losses_.empty() && losses_.front().factor != 1);
}

std::vector<std::string> SampleLosses::names() const {
    std::vector<std::string> names =
        transformed(losses_, [&](const Loss& loss) { return has_total_ ? loss.name : "loss"; });
    if (has_total_) {
        names.emplace_back(pipeline::kTotalStatistic);
    }
    return names;
}

std::vector<Cell> SampleLosses::of_sample(const ptp_step& batch, std::int64_t sample) {
    std::vector<Cell> cells;
    double total = 0;
    bool counts = false;
    for (Loss& loss : losses_) {
        run(loss, batch, sample);
        if (loss.weight >= 0 && loss.statistics[static_cast<std::size_t>(loss.weight)] == 0) {
            cells.emplace_back(nullptr);
            continue;
        }
        const at::Tensor& value = loss.outputs[loss.output].tensor;
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

void SampleLosses::run(Loss& loss, const ptp_step& batch, std::int64_t sample) {
    const pipeline::Node& node = loss.instance->node();
    std::vector<const ptp_value*> inputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (node.inputs[i].stream >= 0) {
            slice(frame_[node.inputs[i].stream], batch, sample, loss.inputs[i]);
        }
        inputs.push_back(node.inputs[i].stream < 0 ? nullptr : loss.inputs[i].value());
    }
    std::vector<ptp_value*> outputs;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        const int stream = node.outputs[i].stream;
        if (stream >= 0) {
            loss.outputs[i].element = frame_[stream].element;
            loss.outputs[i].clear();
        }
        outputs.push_back(stream < 0 ? nullptr : loss.outputs[i].value());
    }
    ptp_step step = batch;
    step.batch_size = 1;
    loss.instance->forward(step, inputs.data(), outputs.data());
    if (loss.instance->has_statistics()) {
        loss.instance->collect_statistics(step.set, loss.statistics.data());
    }
}

}  // namespace ptp::engine
