// The sizes of weights, of their steps, of activations and of gradients, layer by layer.

#pragma once

#include "engine/output/layer_tap.hpp"
#include "engine/output/sinks.hpp"
#include "experiment/records.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::engine {

// Writes layers.csv: for each n-th episode a row for each stream of a model or transform, for each
// operation within a model, and for each parameter. docs/records.md has the columns. The training
// keeps its bits.
class LayerValues : public SinkWithFile {
public:
    LayerValues(std::filesystem::path path, const experiment::LayerValues& settings);

    [[nodiscard]] std::string_view name() const override { return "records.layer_values"; }
    void begin(const RunInfo& facts) override;
    [[nodiscard]] ForwardObserver* observer(Position at, const Components& components) override;
    void learned(Position at, const Components& components) override;
    [[nodiscard]] Value save() const override;
    void restore(const Value& saved) override;

private:
    struct Row {
        std::string_view kind;
        std::string_view name;
        TensorSummary values;
        double gradient_norm = kNoNumber;
        double update_ratio = kNoNumber;
    };

    void add(Position at, const Row& row);
    void add_parameters(Position at, const Components& components);

    experiment::LayerValues settings_;
    const pipeline::Plan* plan_ = nullptr;
    std::uint64_t first_epoch_ = 1;
    std::optional<LayerTap> tap_;  // of the episode that runs, if it is recorded
    // Parameters of an episode without a step of the optimizer are recorded at the next step.
    bool are_parameters_due_ = false;
    std::map<std::string, at::Tensor> before_;  // parameters before that step, by name
};

// Makes the sink of the run with this folder.
std::unique_ptr<Sink> make_sink(const experiment::LayerValues& options,
                                const std::filesystem::path& run_folder);

}  // namespace ptp::engine
