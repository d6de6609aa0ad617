// Batch normalization over the whole batch that several processes share.
//
// libtorch's operator `batch_norm`, which every module of batch normalization calls, is replaced
// while an object of this class exists. So components need not know about processes, and older ones
// are synchronized too. The module itself refuses a single value of a channel in its own samples,
// before it calls the operator: no process may have only one sample. Within run(), an operator of
// the training sums the values of its own samples over all processes, in the forward and in the
// backward pass; elsewhere, and for instance normalization, nothing changes.

#pragma once

#include "engine/distributed/group.hpp"

#include <ATen/core/Tensor.h>
#include <c10/util/FunctionRef.h>

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptp::engine {

// [main] Its sums are separate from those of the group that it is made with, so that the gradients
// of later layers can be sent at the same time.
class SynchronizedBatchNorm {
public:
    explicit SynchronizedBatchNorm(Group& group);
    ~SynchronizedBatchNorm();
    SynchronizedBatchNorm(const SynchronizedBatchNorm&) = delete;
    SynchronizedBatchNorm& operator=(const SynchronizedBatchNorm&) = delete;

    // Weights and buffers that identify layers, in the same order in each process. Layers without
    // any are not distinguished.
    struct Named {
        std::string name;  // "net: norm.weight"
        at::Tensor tensor;
    };
    void know(const std::vector<Named>& tensors);

    // Makes a forward or a backward pass, which all processes begin. One that `takes_part` computes
    // on its own samples; the others add nothing to the sums. If not all take part, which all must
    // know, each sum is announced. Throws RunError if the processes are not in the same layer.
    void run(bool takes_part, bool all_take_part, c10::function_ref<void()> work);

    // Returns how many layers the last pass has reached, whether or not this process took part.
    [[nodiscard]] std::int64_t layer_count() const { return layers_; }

    // A call of a layer in a pass.
    struct Layer {
        std::int64_t place = 0;   // in the pass, starting at 1
        std::int64_t number = 0;  // the tensor that identifies it; 0: none
    };

    // Moments over all samples, in double precision; [step], within run().
    struct Moments {
        at::Tensor mean;      // for each channel
        at::Tensor variance;  // divided by the count
        double count = 0;     // the number of values in a channel
        Layer layer;
    };
    // `owned` are weights and buffers of the layer, which may identify it.
    Moments moments(const at::Tensor& input, std::initializer_list<at::Tensor> owned);

    // Sets `numbers` to their sums over the processes; `layer` is that of moments(). If another
    // process is in another layer, it throws the same as run().
    void sum(const at::Tensor& numbers, const Layer& layer);

    // Throws RunError, which run() rethrows even if a component converts it to another error.
    [[noreturn]] void refuse(const char* problem, const char* fix);

private:
    class Operators;

    [[nodiscard]] std::int64_t announced_count(std::int64_t count, const Layer& layer);
    void check_layers(const at::Tensor& marks, std::int64_t count, const Layer& layer) const;
    void follow();

    std::unique_ptr<Group> group_;
    std::shared_ptr<Operators> operators_;
    bool is_announced_ = false;
    std::exception_ptr failure_;           // set by a sum within a component, which may convert it
    std::int64_t layers_ = 0;              // reached by the pass
    std::vector<std::string> names_ = {};  // by number
    std::map<const void*, std::int64_t> known_ = {};  // the numbers, by tensor memory
};

}  // namespace ptp::engine
