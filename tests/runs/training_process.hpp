// A ptprun that continues while the test does something to it.
#pragma once

#include "runs/support.hpp"

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace ptp::test {

class TrainingProcess {
public:
    // Starts `ptprun ARGUMENTS`. Its standard output is read by this object.
    // `environment` are further variables.
    explicit TrainingProcess(const std::vector<std::string>& arguments,
                             const std::map<std::string, std::string>& environment = {});
    ~TrainingProcess();  // kills it if it is still there
    TrainingProcess(const TrainingProcess&) = delete;
    TrainingProcess& operator=(const TrainingProcess&) = delete;

    // Trains experiment.toml of the folder into the run folder `name`, and prints every line.
    TrainingProcess(const ExperimentFolder& folder, const std::string& name);

    // Returns when N lines with this word have come; false if the output ended before. A set
    // that was measured has a line with its name and two spaces, "validation  ", if all are
    // printed.
    [[nodiscard]] bool wait_for_lines(const std::string& word, int count);

    // Reads the output for so long; false if the process ended meanwhile.
    [[nodiscard]] bool read_for(int milliseconds);

    // The reader of its output goes away.
    void stop_reading();

    void signal(int signal) const;

    // The exit status; of a process that a signal ended, 128 more than the signal. 0 sends none.
    int end_with(int signal);

private:
    pid_t child_ = -1;
    int output_ = -1;
};

}  // namespace ptp::test
