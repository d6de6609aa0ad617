// The facts of a run for programs: its components with their streams, layers and tensors, and the
// operations of one forward pass.

#pragma once

#include "engine/component/components.hpp"
#include "engine/component/executor.hpp"
#include "engine/output/operation_costs.hpp"
#include "pipeline/plan.hpp"

#include <spdlog/logger.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// While it exists, looks at the components of one forward pass, and passes on what another observer
// wants to see. Nothing in the pass changes. [main]
class ModelFacts final : public ForwardObserver {
public:
    // All must outlive it; `next` may be nullptr.
    ModelFacts(Executor& executor, ForwardObserver* next);
    ~ModelFacts() override;

    void enter(const Instance& instance) noexcept override;
    void leave(const Instance& instance, const Frame& frame) noexcept override;

    // Writes model.json; what keeps it from that is a warning. docs/run-folder.md has the content.
    void write(const std::filesystem::path& file, const pipeline::Plan& plan,
               const Components& components, spdlog::logger& log) const;

private:
    struct Pass {
        std::vector<OperationCost> operations = {};
        std::int64_t multiply_adds = 0;
    };

    [[nodiscard]] std::string text(const pipeline::Plan& plan, const Components& components) const;

    Executor& executor_;
    ForwardObserver* const next_;
    std::optional<OperationCosts> costs_;  // while a model or transform computes
    std::map<const pipeline::Node*, Pass> passes_;
    std::map<int, std::vector<std::int64_t>> streams_;  // the sizes of those that are tensors
    std::int64_t samples_ = 0;
};

}  // namespace ptp::engine
