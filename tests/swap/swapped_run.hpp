// A training that is asked to take up other builds of its plugins while it continues.
#pragma once

#include "control/protocol.hpp"
#include "runs/training_process.hpp"

#include <filesystem>
#include <future>
#include <string>
#include <vector>

namespace ptp::test {

// The build of `mischief` that does this wrong; "none" is right.
std::filesystem::path mischief(const std::string& what);

// Writes experiment.toml: the pipeline of mischief.cpp with a gate, that trains for N episodes,
// in epochs of 1000.
void write_mischief(const ExperimentFolder& folder, int episodes, const std::string& swap);

// Trains it undisturbed, to its end, with this build.
ProcessResult train_undisturbed(const ExperimentFolder& folder, const std::string& name,
                                const std::string& build = "none");

class SwappedRun {
public:
    // Starts it, with a gate that is shut, and this build.
    SwappedRun(const ExperimentFolder& folder, const std::string& name,
               const std::string& build = "none", const std::vector<std::string>& options = {});
    ~SwappedRun();
    SwappedRun(const SwappedRun&) = delete;
    SwappedRun& operator=(const SwappedRun&) = delete;

    // Asks for a swap in the background.
    [[nodiscard]] std::future<control::Reply> ask(const std::vector<std::filesystem::path>& files,
                                                  bool is_dry_run = false) const;

    // Lets episodes pass, ever more slowly, until the reply is there.
    control::Reply wait_for(std::future<control::Reply> reply);

    // The refusal of a swap, without the line that the training continues with the running build,
    // with FOLDER, BUILD and COPY for what differs from run to run. FAILs if it is not
    // refused.
    std::string refusal(const std::vector<std::filesystem::path>& files);
    [[nodiscard]] std::string refusal_in(const control::Reply& reply) const;

    // Opens the gate and gives the exit status.
    int finish();

    [[nodiscard]] int episodes_passed() const { return passed_; }

private:
    void let_pass(int episodes);

    const ExperimentFolder& folder_;
    std::string run_;
    int gate_ = -1;
    int passed_ = 0;
    TrainingProcess process_;
};

}  // namespace ptp::test
