// An experiment of these tests in libptp, which is closed at the end.
#pragma once

#include "runs/support.hpp"

#include <ptp/host.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::test {

class Embedded {
public:
    struct Options {
        std::vector<std::string> set = {};
        std::string run_folder = {};  // "": a new one
        std::string checkpoint = {};  // "": none
        bool handles_signals = false;
        std::vector<std::string> plugins = {};  // folders
        bool skips_self_test = false;
        bool with_plugins = false;
        bool is_resumed = false;  // a run's folder is opened, to continue it
    };

    // Opens the file; `text` is what it has, "" for what is in it.
    explicit Embedded(const std::filesystem::path& file) : Embedded(file, Options()) {}
    Embedded(const std::filesystem::path& file, const Options& options,
             const std::string& text = "");
    ~Embedded() { ptp_experiment_close(experiment); }
    Embedded(const Embedded&) = delete;
    Embedded& operator=(const Embedded&) = delete;

    // Of the last call that failed.
    [[nodiscard]] std::string error() const { return ptp_experiment_error(experiment); }

    // Steps that many times; the number of those after which it was still running.
    int steps(int count);

    // A stream of reals, in row-major order; empty with `error` set where it cannot be read.
    [[nodiscard]] std::vector<float> read(const char* stream) const;

    ptp_experiment* experiment = nullptr;
    ptp_result opened = 0;
};

// Feeds images of 2 x 2 pixels.
ptp_result feed(const Embedded& to, std::vector<float> pixels, std::vector<int64_t> shape,
                const char* stream = "inputs");

// Predicts for images of 2 x 2 pixels. Returns the predictions; empty with `error` set where there
// are none.
std::vector<float> predict(const Embedded& with, const std::vector<float>& pixels);

// Checks that two runs in the folder have the same tables and the same last checkpoint.
void check_same_run(const ExperimentFolder& folder, const std::string& one,
                    const std::string& other);

}  // namespace ptp::test
