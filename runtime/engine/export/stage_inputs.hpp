// The inputs of a forward stage, read from samples of a section: batches as they come, and batches
// of other sizes made of them.

#pragma once

#include "engine/component/frame.hpp"
#include "engine/data/pass.hpp"
#include "engine/export/forward_stage.hpp"
#include "engine/export_request.hpp"
#include "engine/predict/evaluated.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// [main] Its parts must outlive it.
class StageInputs {
public:
    // Reads the first batch. Throws RunError where there are no samples, and for names in `fixed`
    // that no size has.
    StageInputs(EvaluatedPipeline& pipeline, EvaluatedSection& section, const ForwardStage& stage,
                const std::vector<std::string>& fixed);

    // The sizes that vary, the batch first; as `ForwardGraph::dimensions`.
    [[nodiscard]] const std::vector<DynamicSize>& dimensions() const { return dimensions_; }

    // Returns where a size is found in one of these inputs, with its index among them; nullopt if
    // none has it.
    [[nodiscard]] std::optional<DynamicSize> place_in(const std::string& name,
                                                      const std::vector<std::size_t>& inputs) const;

    // Returns the sizes of the current batch, at least 2 each, in the order of dimensions().
    [[nodiscard]] std::vector<std::int64_t> sizes() const;

    // Reads the next batch. Returns false after the last one, which stays.
    bool next();

    // Returns the current batch in other sizes: samples and steps are left out, or repeated.
    // Other values of `first` begin with another sample.
    [[nodiscard]] std::vector<at::Tensor> resized(const std::vector<std::int64_t>& sizes,
                                                  std::int64_t first = 0) const;

private:
    // A dimension of an input, and what its size is.
    struct Axis {
        std::size_t input = 0;
        std::size_t axis = 0;
        std::size_t dimension = 0;  // index into dimensions_
    };

    void find_dimensions(const std::vector<std::string>& fixed);
    void add(std::size_t input, std::size_t axis, const std::string& name);

    EvaluatedPipeline& pipeline_;
    EvaluatedSection& section_;
    const ForwardStage& stage_;
    Pass pass_;
    std::vector<at::Tensor> batch_;
    std::vector<DynamicSize> dimensions_;
    std::vector<Axis> axes_;
};

// Returns other samples: their real numbers times numbers in [0.5, 1), and whole numbers and
// flags of other samples at the same place. They follow from the seed. For each eighth one the
// real numbers are zeros, or times 1e-40.
std::vector<at::Tensor> varied(std::vector<at::Tensor> inputs, std::uint64_t seed);

// Returns what the components of an evaluation learn about a batch of this section.
ptp_step evaluation_step(const EvaluatedSection& section, std::int64_t batch_size);

}  // namespace ptp::engine
