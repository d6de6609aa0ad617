// Batch normalization over the whole batch that several processes share.
//
// libtorch's operator `batch_norm`, which every module of batch normalization calls, is replaced
// while an object of this class exists. So components need not know about processes, and older ones
// are synchronized too. The module itself refuses a single value of a channel in its own samples,
// before it calls the operator: no process may have only one sample. Within run(), an operator of
// the training sums the values of its own samples over all processes, in the forward and in the
// backward pass; elsewhere, and for instance normalization, nothing changes.

#pragma once

#include "engine/distributed/pass_sums.hpp"

#include <ATen/core/Tensor.h>
#include <c10/util/FunctionRef.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptp::engine {

// [main] The sums must outlive it.
class SynchronizedBatchNorm final : private PassSums::Texts {
public:
    explicit SynchronizedBatchNorm(PassSums& sums);
    ~SynchronizedBatchNorm() override;
    SynchronizedBatchNorm(const SynchronizedBatchNorm&) = delete;
    SynchronizedBatchNorm& operator=(const SynchronizedBatchNorm&) = delete;

    // Weights and buffers that identify layers, in the same order in each process. Layers without
    // any are not distinguished.
    struct Named {
        std::string name;  // "net: norm.weight"
        at::Tensor tensor;
    };
    void know(const std::vector<Named>& tensors);

    // Makes a pass of the sums, in which the operator is that of the whole batch.
    void run(bool takes_part, bool all_take_part, c10::function_ref<void()> work);

    // Moments over all samples, in double precision; [step], within run().
    struct Moments {
        at::Tensor mean;      // for each channel
        at::Tensor variance;  // divided by the count
        double count = 0;     // the number of values in a channel
        PassSums::Place layer;
    };
    // `owned` are weights and buffers of the layer, which may identify it.
    Moments moments(const at::Tensor& input, std::initializer_list<at::Tensor> owned);

    // Sets `numbers` to their sums over the processes; `layer` is that of moments(). If another
    // process is in another layer, it throws the same as run().
    void sum(const at::Tensor& numbers, const PassSums::Place& layer);

    // Throws RunError, which run() rethrows even if a component converts it to another error.
    [[noreturn]] void refuse(const char* problem, const char* fix);

private:
    class Operators;

    [[nodiscard]] Explanation differing(const PassSums::Place& layer,
                                        std::uint64_t rank) const override;
    [[nodiscard]] Explanation differing_announced() const override;

    PassSums& sums_;
    std::shared_ptr<Operators> operators_;
    std::vector<std::string> names_ = {};             // by number
    std::map<const void*, std::int64_t> known_ = {};  // the numbers, by tensor memory
};

}  // namespace ptp::engine
