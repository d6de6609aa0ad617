// Run folders that no run has written.

#pragma once

#include "run/process.hpp"
#include "run/run.hpp"
#include "support/temp_folder.hpp"

#include <string>
#include <vector>

namespace ptp::run::test {

// What a run's folder says, as far as the tests vary it.
struct Words {
    std::string state = "done";
    std::string loss = "0.5";  // of the best weights, as JSON
    int epoch = 3;
    std::string accuracy = "0.9";
    std::string lr = "0.1";
    std::string more = {};  // below [training]
    std::string name = "tiny";
    std::string began = "2026-11-21T08:00:00Z";
    std::string set = "validation";  // that the best weights were measured on
    std::string trial = {};          // "overfit": in run.json, which is not there otherwise
};

std::string status_json(const Words& words);
std::string experiment_toml(const Words& words);

// Writes such a folder.
void write_run(const ptp::test::TempFolder& folder, const std::string& name,
               const Words& words = {});

// A machine "here" on which process 7 alone runs, since tick 100 of the boot "b".
Machine machine();

// The runs below a folder.
std::vector<Run> runs_in(const ptp::test::TempFolder& folder);

}  // namespace ptp::run::test
