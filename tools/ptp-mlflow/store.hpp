// A file store of MLflow: a folder for each experiment, in it one for each run, with a file for
// each parameter, metric and tag.
#pragma once

#include "run/run.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::mlflow {

class Store {
public:
    // Opens or creates the store. Throws RunError if the folder cannot be written.
    explicit Store(std::filesystem::path folder);

    // Writes a run, in place of what was written of it before: its settings as parameters, its
    // statistics as metrics by episode, and its tags. Its artifacts are the folder of the run,
    // which is not copied. Returns why parts of it are left out, with their places. Throws
    // RunError.
    std::vector<std::string> write(const run::Run& run);

private:
    // Returns the folder of the experiment of this name, a new one if there is none.
    std::filesystem::path experiment(const std::string& name);

    std::filesystem::path folder_;
};

}  // namespace ptp::mlflow
