#include "support.hpp"

#include "run/read_run.hpp"

#include <fmt/core.h>

namespace ptp::run::test {

std::string status_json(const Words& words) {
    return fmt::format(
        R"({{"format": 2, "state": "{}", "reason": "epoch limit", "exit_code": 0, "episode": 40, "epoch": 5,
  "seconds": 61.5, "began": "{}", "ended": "2026-11-21T08:01:02Z",
  "best": {{"set": "{}", "episode": 23, "epoch": {}, "loss": {},
           "statistics": {{"loss": {}, "accuracy": {}}}}},
  "last": {{"set": "validation", "episode": 39, "epoch": 4, "loss": 0.75,
           "statistics": {{"loss": 0.75, "accuracy": 0.8}}}},
  "pid": 7, "host": "here", "boot": "b", "process_began": 100}})",
        words.state, words.began, words.set, words.epoch, words.loss, words.loss, words.accuracy);
}

std::string experiment_toml(const Words& words) {
    return fmt::format(
        "name = \"{}\"\nseed = 1\n[training]\n{}\n[training.optimizer]\ntype = \"Adam\"\n"
        "lr = {}\n[pipeline.net]\ntype = \"Net\"\nwidths = [4, 5]\n",
        words.name, words.more, words.lr);
}

void write_run(const ptp::test::TempFolder& folder, const std::string& name, const Words& words) {
    folder.write(name + "/status.json", status_json(words));
    folder.write(name + "/experiment.toml", experiment_toml(words));
    if (!words.trial.empty()) {
        folder.write(name + "/run.json", fmt::format(R"({{"trial": "{}"}})", words.trial));
    }
}

Machine machine() {
    return {"here", "b", [](std::int64_t pid) {
                return pid == 7 ? std::optional<std::uint64_t>(100) : std::nullopt;
            }};
}

std::vector<Run> runs_in(const ptp::test::TempFolder& folder) {
    return find_runs(folder.path(), machine());
}

}  // namespace ptp::run::test
