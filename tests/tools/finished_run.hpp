// Writes the files of a finished run that lists and comparisons of runs read.

#pragma once

#include "support/temp_folder.hpp"

#include <string>

namespace ptp::test {

// Writes a run of 2 epochs with this learning rate and this best loss of the validation, or of
// another set.
inline void write_run(const TempFolder& folder, const std::string& name, const std::string& lr,
                      const std::string& loss, const std::string& set = "validation") {
    folder.write(name + "/experiment.toml",
                 "name = \"net\"\nseed = 1\n[training.optimizer]\nlr = " + lr + "\n");
    folder.write(
        name + "/status.json",
        R"({"format": 2, "state": "done", "episode": 10, "epoch": 2, "seconds": 1.5, "best":
                     {"set": ")" +
            set + R"(", "episode": 4, "epoch": 1, "loss": )" + loss +
            R"(, "statistics": {"accuracy": 0.5}}})");
    folder.write(name + "/run.json", R"({"plugins": [], "machine": {"libtorch": "1.13.1"}})");
}

}  // namespace ptp::test
