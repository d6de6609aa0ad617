// Sums of small tensors that each process sends to each other one. gloo's own go around a ring, in
// messages that wait for one another; here the process that comes last waits for none.

#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace c10d {
class ProcessGroupGloo;
}

namespace ptp::engine {

// [main] Of tensors of the CPU without gaps. All processes begin the same sums in the same order,
// and wait for them in the same order.
class DirectSums {
public:
    // `gloo` must outlive it.
    DirectSums(c10d::ProcessGroupGloo& gloo, std::int64_t rank, std::int64_t size);
    ~DirectSums();
    DirectSums(const DirectSums&) = delete;
    DirectSums& operator=(const DirectSums&) = delete;

    // Two processes send no more bytes so than in a ring, but add all of them twice; more processes
    // send more, and win while a message costs more than its bytes.
    static constexpr std::size_t kMaxBytesOfTwo = std::size_t{1} << 20;
    static constexpr std::size_t kMaxBytesOfMore = std::size_t{64} << 10;
    static constexpr std::int64_t kMaxProcesses = 8;

    // Whether it is faster so; the same for each process.
    [[nodiscard]] bool is_for(const at::Tensor& tensor) const;

    class Sum;
    // `tensor` is to become the sum, and is not to be touched before wait(): numbers are added in
    // the order of the ranks, in each process.
    std::shared_ptr<Sum> begin(const at::Tensor& tensor);
    // Throws what c10d throws where another process does not take part.
    void wait(Sum& sum);

private:
    struct Channel;
    class Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace ptp::engine
