// Sums over the processes within a forward or a backward pass: what a component of the pass
// computes needs the samples of the other processes, as a synchronized batch normalization does.
//
// Each process comes to the same sums in the same order. One that has no sample, or no loss that
// counts, adds nothing to them; then each sum is announced, because that process does not know what
// comes.

#pragma once

#include "base/explanation.hpp"
#include "engine/distributed/group.hpp"

#include <ATen/core/Tensor.h>
#include <c10/util/FunctionRef.h>

#include <cstdint>
#include <exception>
#include <memory>

namespace ptp::engine {

// [main] Its sums are separate from those of the group that it is made with, so that the gradients
// of later layers can be sent at the same time.
class PassSums {
public:
    explicit PassSums(Group& group);
    PassSums(const PassSums&) = delete;
    PassSums& operator=(const PassSums&) = delete;
    ~PassSums() = default;

    // Makes a forward or a backward pass, which all processes begin. One that `takes_part` computes
    // on its own samples; the others add nothing to the sums. If not all take part, which all must
    // know, each sum is announced. Throws RunError if the processes do not come to the same sums.
    void run(bool takes_part, bool all_take_part, c10::function_ref<void()> work);

    // Returns whether this process takes part in a pass that is being made.
    [[nodiscard]] bool is_open() const { return is_open_; }

    // Returns how many places the last pass has reached, whether or not this process took part.
    [[nodiscard]] std::int64_t place_count() const { return places_; }

    // A place in a pass that asks for sums, such as a layer in one call.
    struct Place {
        std::int64_t place = 0;   // in the forward pass, starting at 1
        std::int64_t number = 0;  // identifies what asks; 0: nothing does
    };
    // Returns the next place of a forward pass.
    Place reach(std::int64_t number) { return {++places_, number}; }

    // The texts for users when the processes are in different places.
    class Texts {
    public:
        virtual ~Texts() = default;
        // Return the reason for a sum that each process asks for, and for an announced one.
        [[nodiscard]] virtual Explanation differing(const Place& place,
                                                    std::uint64_t rank) const = 0;
        [[nodiscard]] virtual Explanation differing_announced() const = 0;
    };

    // Sets the numbers of `numbers`, one dimension in double precision, to their sums. [step],
    // within run(); in a backward pass with the place of the forward pass.
    void sum(const at::Tensor& numbers, const Place& place, const Texts& texts);

    // Throws RunError, which run() rethrows even if a component converts it to another error.
    [[noreturn]] void refuse(const Explanation& explanation);

private:
    [[nodiscard]] std::int64_t announced_count(std::int64_t count, const Place& place,
                                               const Texts& texts);
    void follow();

    std::unique_ptr<Group> group_;
    bool is_open_ = false;
    bool is_announced_ = false;
    std::exception_ptr failure_;  // set by a sum within a component, which may convert it
    std::int64_t places_ = 0;     // reached by the pass
};

}  // namespace ptp::engine
