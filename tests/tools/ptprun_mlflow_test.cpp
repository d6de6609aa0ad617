// `ptprun mlflow` on folders of runs that the test writes: files of MLflow's store, byte by byte.

#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ptprun_mlflow_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::ProcessResult;
using ptp::test::TempFolder;

// Writes a run of two episodes in ten seconds.
void write_run(const TempFolder& folder, const std::string& name) {
    folder.write(name + "/experiment.toml",
                 "name = \"net <1>\"\n[training.optimizer]\nlr = 0.1\n[pipeline.net]\n"
                 "type = \"Net\"\nhidden_sizes = [8, 4]\n");
    folder.write(name + "/status.json",
                 R"({"format": 2, "state": "done", "reason": "", "exit_code": 0, "episode": 11,
                     "epoch": 1, "began": "2026-11-21T08:00:00Z", "ended": "2026-11-21T08:00:10Z"})");
    folder.write(name + "/training.csv", "episode,epoch,loss\n0,1,0.5\n5,1,nan\n10,1,0.25\n");
    folder.write(name + "/tags.json", R"({"format": 1, "tags": ["paper"], "note": "the best"})");
}

ProcessResult exported(const TempFolder& folder) {
    return ptp::test::run_program("ptprun", {"mlflow", (folder.path() / "runs").string(), "-o",
                                             (folder.path() / "mlruns").string()});
}

// Returns the folders in a folder, without hidden ones.
std::vector<fs::path> folders_in(const fs::path& folder) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.is_directory() && !entry.path().filename().string().starts_with('.')) {
            found.push_back(entry.path());
        }
    }
    return found;
}

}  // namespace

TEST_CASE("mlflow: settings, statistics, tags and times of a run are files of the store") {
    const TempFolder folder;
    write_run(folder, "runs/a");
    const ProcessResult result = exported(folder);
    require_success(result);
    const std::string store = (folder.path() / "mlruns").string();
    CHECK(result.output == "1 run in " + store +
                               "\n  MLFLOW_ALLOW_FILE_STORE=true mlflow ui --backend-store-uri " +
                               store + "\n");
    const auto experiments = folders_in(folder.path() / "mlruns");
    REQUIRE(experiments.size() == 1);
    const std::string experiment = experiments.front().lexically_relative(folder.path()).string();
    CHECK(folder.read(experiment + "/meta.yaml").find("\nname: \"net <1>\"\n") !=
          std::string::npos);
    const auto runs = folders_in(experiments.front());
    REQUIRE(runs.size() == 1);
    const std::string run = runs.front().lexically_relative(folder.path()).string();
    CHECK(folder.read(run + "/params/training.optimizer.lr") == "0.1");
    CHECK(folder.read(run + "/params/pipeline.net.hidden_sizes") == "[8, 4]");
    // 2026-11-21 08:00 UTC is 1795248000 s after 1970; the rows are 5 s apart.
    CHECK(folder.read(run + "/metrics/training/loss") ==
          "1795248000000 0.5 0\n1795248005000 nan 5\n1795248010000 0.25 10\n");
    CHECK_FALSE(fs::exists(folder.path() / run / "metrics/training/epoch"));
    CHECK(folder.read(run + "/tags/mlflow.note.content") == "the best");
    CHECK(folder.read(run + "/tags/paper") == "");
    const std::string meta = folder.read(run + "/meta.yaml");
    CHECK(meta.find("\nrun_name: \"a\"\n") != std::string::npos);
    CHECK(meta.find("\nstart_time: 1795248000000\nstatus: 3\n") != std::string::npos);
    CHECK(
        meta.starts_with("artifact_uri: \"file://" + (folder.path() / "runs/a").string() + "\"\n"));
}

TEST_CASE("mlflow: a second time replaces what was written of a run, and adds others") {
    const TempFolder folder;
    write_run(folder, "runs/a");
    CHECK(exported(folder).status == 0);
    folder.write("runs/a/training.csv", "episode,epoch,loss\n0,1,0.125\n");
    write_run(folder, "runs/b");
    CHECK(exported(folder).status == 0);
    const auto experiments = folders_in(folder.path() / "mlruns");
    REQUIRE(experiments.size() == 1);
    CHECK(folders_in(experiments.front()).size() == 2);
}

TEST_CASE("mlflow: a folder that cannot be made is an error") {
    const TempFolder folder;
    folder.write("file", "");
    write_run(folder, "runs/a");
    const std::string run = (folder.path() / "runs/a").string();
    const std::string file = (folder.path() / "file/mlruns").string();
    const ProcessResult result = ptp::test::run_program("ptprun", {"mlflow", run, "-o", file});
    CHECK(result.status == 5);
    CHECK(result.errors ==
          "ptp-mlflow: error: cannot write " + file + "/.trash: Not a directory\n");
}

}  // namespace ptprun_mlflow_test
