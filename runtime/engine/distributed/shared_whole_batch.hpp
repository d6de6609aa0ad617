// Gathers the rows of all processes for components that compare each sample with all others.

#pragma once

#include "engine/component/frame.hpp"
#include "engine/component/whole_batch.hpp"
#include "engine/distributed/pass_sums.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

// [main] The sums must outlive it.
class SharedWholeBatch final : public WholeBatch, private PassSums::Texts {
public:
    explicit SharedWholeBatch(PassSums& sums) : sums_(sums) {}

    // The names of the components that may ask, in the same order in each process.
    void know(std::vector<std::string> names) { names_ = std::move(names); }

    // Sets this process's part of the batch whose forward pass follows.
    void begin(const BatchShare& share) { share_ = share; }

    // The rows of all are a sum over the processes: each adds its own, and zeros elsewhere. The
    // gradient of its own rows is the sum of the gradients that all processes have of them.
    Rows gather(const at::Tensor& own, const std::string& asker) override;

    // For the gradients of gather().
    void sum(const at::Tensor& numbers, const PassSums::Place& place) {
        sums_.sum(numbers, place, *this);
    }
    [[noreturn]] void refuse_second_derivative();

private:
    [[nodiscard]] Explanation differing(const PassSums::Place& place,
                                        std::uint64_t rank) const override;
    [[nodiscard]] Explanation differing_announced() const override;

    PassSums& sums_;
    BatchShare share_;
    std::vector<std::string> names_;
};

}  // namespace ptp::engine
