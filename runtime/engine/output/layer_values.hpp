// The sizes of weights, of their steps, of activations and of gradients, layer by layer.

#pragma once

#include "engine/component/observation.hpp"
#include "engine/component/operation_watch.hpp"
#include "engine/output/sinks.hpp"
#include "engine/output/tensor_summary.hpp"
#include "experiment/records.hpp"
#include "pipeline/plan.hpp"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

// Looks at the models and transforms of one forward pass: at the streams that they write and at the
// results of the operations within models. Gradients follow in the backward pass. [main]
class LayerTap final : public ForwardObserver {
public:
    struct Row {
        std::string kind;  // "operation" or "stream"
        std::string name;  // "model.3.relu", or that of the stream
        TensorSummary values;
        double gradient_norm = kNoNumber;  // none has come back
    };

    // The plan must outlive it.
    LayerTap(const pipeline::Plan& plan, bool has_operations)
        : plan_(plan), has_operations_(has_operations) {}

    void enter(const Instance& instance) noexcept override;
    void leave(const Instance& instance, const Frame& frame) noexcept override;

    // Returns the rows so far, in the order of the computation. Throws RunError if something could
    // not be summarized.
    [[nodiscard]] const std::vector<Row>& rows() const;

private:
    struct Collected {
        std::vector<Row> rows;
        std::string failure = {};
    };
    class GradientHook;

    void computed(std::string_view operation, const at::Tensor& result) noexcept;
    void add(const char* kind, std::string name, const at::Tensor& tensor);
    template <class Work>
    void guarded(Work work) noexcept;

    const pipeline::Plan& plan_;
    const bool has_operations_;
    std::optional<OperationWatch> watch_;  // while a model computes
    std::string component_;
    std::size_t operation_count_ = 0;  // of the component
    // Shared with hooks, which live as long as the graph of the gradients.
    std::shared_ptr<Collected> collected_ = std::make_shared<Collected>();
};

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
