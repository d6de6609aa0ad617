// The gradients of one rank become the sums over all ranks, in buckets that are sent while the
// backward pass still computes those of the layers before.

#pragma once

#include "engine/component/profiler.hpp"
#include "engine/distributed/group.hpp"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ptp::engine {

// [main] The parameters are the same, in the same order, in each process.
class GradientBuckets {
public:
    // The first bucket is small, so that sending begins early; as in PyTorch.
    static constexpr std::size_t kFirstBytes = std::size_t{1} << 20;
    static constexpr std::size_t kBytes = std::size_t{25} << 20;

    struct Limits {
        std::size_t first_bytes = kFirstBytes;
        std::size_t bytes = kBytes;
        bool is_rounded = false;              // sent as bfloat16, where they are float32
        Profiler* const* profiler = nullptr;  // (optional) where the one is that times the sums
    };

    GradientBuckets(const std::vector<at::Tensor>& parameters, Group& group, Limits limits);
    GradientBuckets(const std::vector<at::Tensor>& parameters, Group& group)
        : GradientBuckets(parameters, group, Limits{}) {}
    ~GradientBuckets();
    GradientBuckets(const GradientBuckets&) = delete;
    GradientBuckets& operator=(const GradientBuckets&) = delete;

    // The backward pass of this rank comes: a bucket is sent as soon as all its gradients, and
    // those of the buckets before it, are there. Not to be called where this rank has gradients
    // already, or has no backward pass.
    void begin();

    // All gradients that this rank has are there: sends the rest, and waits. Each parameter that
    // has a gradient in any rank has the sum of them now, with the same bits in each rank; the
    // others have none.
    void finish();

    [[nodiscard]] std::size_t bucket_count() const;

private:
    class Parts;
    std::shared_ptr<Parts> parts_;  // the hooks of the parameters hold on to it weakly
};

}  // namespace ptp::engine
