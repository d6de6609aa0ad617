// Summaries of what the components compute in one episode, and of the gradients that come back.

#pragma once

#include "engine/component/observation.hpp"
#include "engine/component/operation_watch.hpp"
#include "engine/output/tensor_summary.hpp"
#include "pipeline/plan.hpp"

#include <ATen/core/Tensor.h>

#include <cstddef>
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

}  // namespace ptp::engine
