// Batch normalization over the whole batch that several processes share.
//
// libtorch's operator `batch_norm`, which every module of batch normalization calls, is replaced
// while an object of this class lives. So components need not know of processes, and those that
// were written before have it too. The module itself refuses a single value of a channel in its own
// samples, before it calls the operator: no process may have one sample only. Within run(), an
// operator of the training sums what it has found in its own samples over all processes, in the
// forward and in the backward pass; elsewhere, and for instance normalization, nothing changes.

#pragma once

#include "engine/distributed/group.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptp::engine {

// [main] Its sums are apart from those of the group that it is made with, so that the gradients of
// the layers behind it may be on their way meanwhile.
class SynchronizedBatchNorm {
public:
    explicit SynchronizedBatchNorm(Group& group);
    ~SynchronizedBatchNorm();
    SynchronizedBatchNorm(const SynchronizedBatchNorm&) = delete;
    SynchronizedBatchNorm& operator=(const SynchronizedBatchNorm&) = delete;

    // Weights and buffers, by which layers are known, in the same order in each process. Layers
    // that have none of them are not distinguished.
    struct Named {
        std::string name;  // "net: norm.weight"
        at::Tensor tensor;
    };
    void know(const std::vector<Named>& tensors);

    // A forward or a backward pass, which all processes begin. One that `takes_part` computes on
    // samples of its own; the others add nothing to the sums. Where not all take part, which all of
    // them must know, each sum is announced. Throws RunError where the processes are not in the
    // same layer.
    void run(bool takes_part, bool all_take_part, const std::function<void()>& work);

    // How many layers the last pass has come to, whether this process took part or not.
    [[nodiscard]] std::int64_t layer_count() const { return layers_; }

    // A call of a layer in a pass.
    struct Layer {
        std::int64_t place = 0;   // in the pass, from 1 on
        std::int64_t number = 0;  // of what it is known by; 0: nothing
    };

    // Of all samples, in double precision; [step], within run().
    struct Moments {
        at::Tensor mean;      // of each channel
        at::Tensor variance;  // divided by the count
        double count = 0;     // of values in a channel
        Layer layer;
    };
    // `owned` are weights and buffers of the layer, by which it may be known.
    Moments moments(const at::Tensor& input, std::initializer_list<at::Tensor> owned);

    // `numbers` become their sums over the processes; `layer` is that of moments(). Where another
    // process is in another layer, it throws what run() throws, too.
    void sum(const at::Tensor& numbers, const Layer& layer);

    // Throws RunError, which run() throws too, even if a component makes another error of it.
    [[noreturn]] void refuse(const char* problem, const char* fix);

private:
    class Operators;

    [[nodiscard]] std::int64_t announced_count(std::int64_t count, const Layer& layer);
    void check_layers(const at::Tensor& marks, std::int64_t count, const Layer& layer) const;
    void follow();

    std::unique_ptr<Group> group_;
    std::shared_ptr<Operators> operators_;
    bool is_announced_ = false;
    std::exception_ptr failure_;  // of a sum within a component, which makes it an error of its own
    std::int64_t layers_ = 0;     // that the pass has come to
    std::vector<std::string> names_ = {};             // by these numbers
    std::map<const void*, std::int64_t> known_ = {};  // the numbers, by the memory of tensors
};

}  // namespace ptp::engine
