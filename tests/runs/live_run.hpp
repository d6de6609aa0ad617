// What the tests of trainings that are changed while they run share.
#pragma once

#include "runs/support.hpp"
#include "runs/training_process.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ptp::test {

// A build of the plugin of recurrent.cpp: "first", "forgetful", "residual" or "wide".
std::filesystem::path recurrent_build(const std::string& build);

// A training with that net before the one of write(), under Adam.
Lines with_recurrent(int epochs);

// The plugin in a folder of its own in the test's, which builds are copied into: its path. As
// options of ptprun: --plugins FOLDER.
std::filesystem::path install(const ExperimentFolder& folder, const std::string& build = "first");
std::vector<std::string> with_installed(const ExperimentFolder& folder,
                                        std::vector<std::string> options = {});

// Trains anew, into the folder `name`, with all that was done to the run.
void replay(const ExperimentFolder& folder, const std::string& run, const std::string& name);

// Trains anew what was done to the run "run", to the same bits.
void check_replayed(const ExperimentFolder& folder);

// The CSV files and the checkpoints of both have the same bits.
void check_same_bits(const ExperimentFolder& folder, const std::string& left,
                     const std::string& right);

// The losses in training.csv.
std::vector<double> losses(const ExperimentFolder& folder, const std::string& name);

// run.log without the times.
std::string log_of(const ExperimentFolder& folder, const std::string& name);

// What depends on when something was asked: numbers are N, the hashes of files HASH.
std::string without_numbers(const std::string& text);

// The folder is FOLDER, and the beginnings of hashes in names of files are HASH.
std::string without_hashes(const std::string& text, const std::filesystem::path& folder);

// experiment.toml of the folder, being trained. It begins paused.
class LiveRun {
public:
    // Returns when it can be asked for something.
    LiveRun(const ExperimentFolder& folder, const std::string& name,
            const std::vector<std::string>& options = {},
            const std::map<std::string, std::string>& environment = {});
    // The run is replayed into the folder of that name.
    static LiveRun replay(const ExperimentFolder& folder, const std::string& run,
                          const std::string& name);

    // The run continues; it begins paused.
    static LiveRun resume(const ExperimentFolder& folder, const std::string& name,
                          const std::vector<std::string>& options = {});

    // `ptprun control RUN WORDS`
    [[nodiscard]] ProcessResult control(const std::vector<std::string>& words) const;
    [[nodiscard]] ProcessResult swap(const std::vector<std::string>& words) const;

    // The same, and it must be done; returns what it says.
    std::string done(const std::vector<std::string>& words) const;

    // How many episodes are done.
    [[nodiscard]] std::uint64_t episode() const;

    // Lets the training, which is paused, continue for N episodes; then it is paused again.
    void go_on_for(std::uint64_t episodes) const;

    // Returns when run.log has this text N times; false if the training ended before.
    [[nodiscard]] bool wait_for_log(const std::string& text, int count = 1) const;

    int end_with(int signal) { return process_.end_with(signal); }

    // Lets the training, which is paused, continue to its end, which must be good.
    void finish();

private:
    LiveRun(std::string run, const std::vector<std::string>& arguments,
            const std::map<std::string, std::string>& environment = {});

    std::string run_;
    TrainingProcess process_;
};

}  // namespace ptp::test
