// Programs that may open few files (ulimit -n).
#pragma once

#include "runs/support.hpp"

#include <cstdint>

namespace ptp::test {

// What this process has inherited, such as the pipes of a program that runs all tests, takes no
// descriptor of the programs that it starts.
void pass_on_no_descriptors();

// The usual experiment, and the run `plain` of it that had all descriptors that it wanted.
class FewDescriptors {
public:
    FewDescriptors();

    // Trains with N descriptors, which ends well, with the tables of `plain`, or with 5 and one
    // sentence; then with all of them a resume makes it whole, if there is a run to resume.
    void check_training(std::uint64_t limit) const;

    // The same of `process` and `predict`, but for the resume.
    void check_evaluation(std::uint64_t limit) const;

private:
    ExperimentFolder folder_;
};

}  // namespace ptp::test
