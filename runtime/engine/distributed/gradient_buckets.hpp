// Sums the gradients over all ranks, in buckets that are sent while the backward pass still
// computes those of earlier layers.

#pragma once

#include "engine/component/profiler.hpp"
#include "engine/distributed/group.hpp"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace ptp::engine {

class Collective;

// [main] The parameters are the same, in the same order, in each process.
class GradientBuckets {
public:
    // The first bucket is small, so that sending begins early; as in PyTorch.
    static constexpr std::size_t kFirstBytes = std::size_t{1} << 20;
    static constexpr std::size_t kBytes = std::size_t{25} << 20;

    struct Limits {
        std::size_t first_bytes = kFirstBytes;
        std::size_t bytes = kBytes;
        bool is_rounded = false;              // float32 is sent as bfloat16
        Profiler* const* profiler = nullptr;  // (optional) where the profiler for the sums is
    };

    GradientBuckets(const std::vector<at::Tensor>& parameters, Group& group, Limits limits);
    GradientBuckets(const std::vector<at::Tensor>& parameters, Group& group)
        : GradientBuckets(parameters, group, Limits{}) {}
    ~GradientBuckets();
    GradientBuckets(const GradientBuckets&) = delete;
    GradientBuckets& operator=(const GradientBuckets&) = delete;

    // Called before the backward pass of this rank: a bucket is sent as soon as all its gradients,
    // and those of the previous buckets, are complete. Not called if this rank already has
    // gradients, or has no backward pass.
    void begin();

    // Called when all gradients of this rank are complete: sends the remaining buckets, and waits.
    // Each parameter with a gradient in any rank then has their sum, with the same bits in each
    // rank; the others have none.
    void finish();

    [[nodiscard]] std::size_t bucket_count() const;

private:
    class Parts;
    std::shared_ptr<Parts> parts_;  // the hooks of the parameters refer to it weakly
};

// Returns buckets for the processes that share each batch; nullptr for a single process.
std::unique_ptr<GradientBuckets> gradient_buckets(const Collective& collective,
                                                  const std::vector<at::Tensor>& parameters,
                                                  GradientBuckets::Limits limits);

}  // namespace ptp::engine
