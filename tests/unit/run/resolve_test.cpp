#include "run/resolve.hpp"

#include "base/tar.hpp"
#include "run/process.hpp"
#include "run/status.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace resolve_test {

namespace fs = std::filesystem;

using namespace ptp::run;
using ptp::run::test::machine;
using ptp::test::TempFolder;

namespace {

// The test runs in the folder, as a person does who types `last`.
class InFolder {
public:
    explicit InFolder(const TempFolder& folder) : before_(fs::current_path()) {
        fs::current_path(folder.path());
    }
    ~InFolder() { fs::current_path(before_); }
    InFolder(const InFolder&) = delete;
    InFolder& operator=(const InFolder&) = delete;

private:
    fs::path before_;
};

std::string run_of(const std::string& word) {
    const auto found = find_run(word, machine());
    const auto* unknown = std::get_if<UnknownRun>(&found);
    return unknown != nullptr ? "! " + unknown->why : std::get<fs::path>(found).string();
}

std::string path_of(const std::string& word) {
    const auto found = resolve(word, machine());
    const auto* unknown = std::get_if<UnknownRun>(&found);
    return unknown != nullptr ? "! " + unknown->why : std::get<fs::path>(found).string();
}

}  // namespace

TEST_CASE("resolve: last is the run that was started or resumed most recently") {
    const TempFolder folder;
    test::write_run(folder, "runs/net/a", {.began = "2026-11-21T08:00:02Z"});
    test::write_run(folder, "runs/net/b", {.began = "2026-11-21T08:00:01Z"});
    test::write_run(folder, "runs/other/sweep/c",
                    {.name = "other", .began = "2026-11-21T08:00:03Z"});
    const InFolder here(folder);
    CHECK(run_of("runs/net/last") == "runs/net/a");
    CHECK(run_of("runs/other/last") == "runs/other/sweep/c");
    CHECK(run_of("runs/last") == "runs/other/sweep/c");
    CHECK(run_of("last") == "runs/other/sweep/c");
    CHECK(run_of("net/last") == "runs/net/a");
    CHECK(run_of("net/last/") == "runs/net/a");
    CHECK(run_of("net/b") == "runs/net/b");
    CHECK(run_of(folder.path().string() + "/runs/net/last") ==
          folder.path().string() + "/runs/net/a");
}

TEST_CASE("resolve: of runs that began in one second the last is the one with the last name") {
    const TempFolder folder;
    test::write_run(folder, "runs/net/20261121_080000");
    test::write_run(folder, "runs/net/20261121_080000_2");
    const InFolder here(folder);
    CHECK(run_of("last") == "runs/net/20261121_080000_2");
}

TEST_CASE(
    "resolve: last is a run that failed before its first checkpoint only where there is no other") {
    const TempFolder folder;
    test::write_run(folder, "runs/net/a", {.began = "2026-11-21T08:00:01Z"});
    test::write_run(folder, "runs/net/b", {.state = "failed", .began = "2026-11-21T08:00:02Z"});
    test::write_run(folder, "runs/net/c", {.state = "failed", .began = "2026-11-21T08:00:03Z"});
    const InFolder here(folder);
    CHECK(run_of("net/last") == "runs/net/a");
    fs::create_directories("runs/net/b/checkpoints/last");
    CHECK(run_of("net/last") == "runs/net/b");
    test::write_run(folder, "runs/other/d", {.state = "failed"});
    CHECK(run_of("other/last") == "runs/other/d");
}

TEST_CASE("resolve: last is a trial only if it has checkpoints, runs, or there is no other") {
    const TempFolder folder;
    test::write_run(folder, "runs/net/a", {.began = "2026-11-21T08:00:01Z"});
    test::write_run(folder, "runs/net/b",
                    {.began = "2026-11-21T08:00:02Z", .trial = "fast_dev_run"});
    test::write_run(folder, "runs/net/c", {.began = "2026-11-21T08:00:03Z", .trial = "find_lr"});
    const InFolder here(folder);
    CHECK(run_of("net/last") == "runs/net/a");
    test::write_run(folder, "runs/net/d",
                    {.state = "running", .began = "2026-11-21T08:00:04Z", .trial = "find_lr"});
    CHECK(run_of("net/last") == "runs/net/d");
    test::write_run(folder, "runs/net/e", {.began = "2026-11-21T08:00:05Z", .trial = "overfit"});
    fs::create_directories("runs/net/e/checkpoints/last");
    CHECK(run_of("net/last") == "runs/net/e");
    test::write_run(folder, "runs/other/f", {.trial = "fast_dev_run"});
    CHECK(run_of("other/last") == "runs/other/f");
}

TEST_CASE("resolve: best is the run with the lowest validation loss, and no trial") {
    const TempFolder folder;
    test::write_run(folder, "runs/net/a", {.loss = "0.5"});
    test::write_run(folder, "runs/net/b", {.loss = "0.25"});
    test::write_run(folder, "runs/net/c", {.loss = "0.1", .trial = "overfit"});
    test::write_run(folder, "runs/net/d", {.loss = "0.1", .set = "training_epochs"});
    test::write_run(folder, "runs/net/e", {.loss = "null"});
    test::write_run(folder, "runs/net/f", {.loss = "0.75", .set = "partial_validation"});
    const InFolder here(folder);
    CHECK(run_of("runs/net/best") == "runs/net/b");
    CHECK(run_of("best") == "runs/net/b");
    CHECK(run_of("net/best") == "runs/net/b");
}

TEST_CASE("resolve: best goes by the statistic that judged the runs, which must be the same") {
    const TempFolder folder;
    const std::string larger = "judge = { statistic = \"accuracy\", better = \"larger\" }\n";
    test::write_run(folder, "runs/net/a", {.loss = "0.1", .accuracy = "0.7", .more = larger});
    test::write_run(folder, "runs/net/b", {.loss = "0.9", .accuracy = "0.9", .more = larger});
    test::write_run(folder, "runs/net/c", {.loss = "0.5", .accuracy = "null", .more = larger});
    const InFolder here(folder);
    CHECK(run_of("net/best") == "runs/net/b");
    const std::string smaller = "judge = { statistic = \"accuracy\", better = \"smaller\" }\n";
    test::write_run(folder, "runs/low/a", {.accuracy = "0.7", .more = smaller});
    test::write_run(folder, "runs/low/b", {.accuracy = "0.9", .more = smaller});
    CHECK(run_of("low/best") == "runs/low/a");
    test::write_run(folder, "runs/net/d", {.loss = "0.2"});
    CHECK(run_of("net/best") ==
          "! runs/net/best: the runs in runs/net were judged by different statistics (loss and "
          "accuracy (larger)), and their values cannot be compared; name the folder of a run");
}

TEST_CASE("resolve: best goes by the statistic of the validation set that judged the runs") {
    const TempFolder folder;
    const std::string hard = "judge = { statistic = \"hard.accuracy\", better = \"larger\" }\n";
    const char* const set = "validation.hard";
    test::write_run(folder, "runs/net/a", {.accuracy = "0.7", .more = hard, .set = set});
    test::write_run(folder, "runs/net/b", {.accuracy = "0.9", .more = hard, .set = set});
    test::write_run(folder, "runs/net/c", {.accuracy = "0.8", .more = hard, .set = set});
    const std::string loss = "judge = \"hard\"\n";
    test::write_run(folder, "runs/low/a", {.loss = "0.5", .more = loss, .set = set});
    test::write_run(folder, "runs/low/b", {.loss = "0.25", .more = loss, .set = set});
    const InFolder here(folder);
    CHECK(run_of("net/best") == "runs/net/b");
    CHECK(run_of("low/best") == "runs/low/b");
}

TEST_CASE("resolve: the best of several experiments is not asked for") {
    const TempFolder folder;
    test::write_run(folder, "runs/net/a");
    test::write_run(folder, "runs/xor/b", {.name = "xor"});
    const InFolder here(folder);
    CHECK(run_of("best") ==
          "! runs/best: there are runs of 2 experiments in runs (xor and tiny), and their losses "
          "cannot be compared; name the folder of one, such as runs/net/best");
    CHECK(run_of("xor/best") == "runs/xor/b");
}

TEST_CASE("resolve: best among runs of several experiments in one folder names a run") {
    const TempFolder folder;
    test::write_run(folder, "runs/a");
    test::write_run(folder, "runs/b", {.name = "xor"});
    const InFolder here(folder);
    const std::string begin =
        "! runs/best: there are runs of 2 experiments in runs (xor and tiny), and their losses "
        "cannot be compared; name a run, such as runs/";
    CHECK(run_of("best").starts_with(begin));
    CHECK(run_of(run_of("best").substr(begin.size() - 5)).starts_with("runs/"));
}

TEST_CASE("resolve: a folder that is really there wins") {
    const TempFolder folder;
    test::write_run(folder, "runs/net/a", {.began = "2026-11-21T09:00:00Z"});
    test::write_run(folder, "runs/net/last");
    test::write_run(folder, "last");
    const InFolder here(folder);
    CHECK(run_of("runs/net/last") == "runs/net/last");
    CHECK(run_of("last") == "last");
}

TEST_CASE("resolve: a folder of data with the name of an experiment hides no runs") {
    const TempFolder folder;
    test::write_run(folder, "runs/images/a", {});
    folder.write("images/cat.png", "");
    folder.write("images.toml", "");
    const InFolder here(folder);
    CHECK(run_of("images/last") == "runs/images/a");
    CHECK(run_of("images.toml") ==
          "! images.toml is a file, not a run folder; its last run is runs/images/last\n"
          "    fix: write runs/images/last in its place");
    CHECK(run_of("imagse.toml") ==
          "! imagse.toml: no such file; did you mean 'images.toml'?\n"
          "    fix: write images.toml in its place");
}

TEST_CASE("resolve: a path may continue below a named run") {
    const TempFolder folder;
    test::write_run(folder, "runs/net/a");
    const InFolder here(folder);
    CHECK(path_of("runs/net/last/experiment.toml") == "runs/net/a/experiment.toml");
    CHECK(path_of("last/checkpoints/best") == "runs/net/a/checkpoints/best");
    CHECK(path_of("experiment.toml") == "experiment.toml");
    CHECK(path_of("nowhere/last") == "nowhere/last");
}

TEST_CASE("resolve: a folder with the lock of a run alone is said to be starting") {
    const TempFolder folder;
    folder.write("runs/begun/lock", "");
    const InFolder here(folder);
    CHECK(run_of("runs/begun") ==
          "! runs/begun has no experiment.toml yet: its run is starting, try again; or it has "
          "failed before it began");
}

TEST_CASE("resolve: a run that was killed while it was starting is said to be killed") {
    const TempFolder folder;
    folder.write("runs/begun/lock", "");
    ptp::run::Status status;
    status.state = "running";
    status.process = ptp::run::this_process();
    status.process->began = *status.process->began - 1;  // that of another process of its number
    ptp::run::write_status(folder.path() / "runs/begun/status.json", status);
    const InFolder here(folder);
    CHECK(without_experiment("runs/begun") ==
          "runs/begun has no experiment.toml: its run was killed before it began; remove the "
          "folder, and train again");
}

TEST_CASE("resolve: an error lists the runs that exist") {
    const TempFolder folder;
    test::write_run(folder, "runs/net/20261121", {.loss = "null"});
    test::write_run(folder, "runs/net/20261122", {.loss = "null"});
    folder.write("runs/empty/notes.txt", "");
    folder.write("notes.txt", "");
    const InFolder here(folder);
    CHECK(run_of("runs/net/best") ==
          "! runs/net/best: none of the 2 runs in runs/net has had a validation with a finite "
          "value of what it is judged by; there are 20261122 and 20261121");
    CHECK(run_of("runs/net") ==
          "! runs/net is not a run folder but holds 2 runs: 20261122 and 20261121\n"
          "    fix: write runs/net/last or runs/net/best in its place, or one of them by its name");
    CHECK(run_of("net") ==
          "! runs/net is not a run folder but holds 2 runs: 20261122 and 20261121\n"
          "    fix: write runs/net/last or runs/net/best in its place, or one of them by its name");
    CHECK(run_of("runs/empty") == "! runs/empty is not a run folder: it has no experiment.toml");
    folder.write("mine/experiment.toml", "");
    CHECK(run_of("mine") == "! mine is not a run folder: it has no run.json");
    CHECK(run_of("runs/empty/last") == "! runs/empty/last: no runs in runs/empty");
    CHECK(run_of("runs/net/20261121/last") ==
          "! runs/net/20261121/last: runs/net/20261121 is a run itself, name it without "
          "/last; its checkpoints are in runs/net/20261121/checkpoints");
    CHECK(run_of("notes.txt") == "! notes.txt is a file, not a run folder");
    folder.write("model.ptpm", ptp::tar_header("manifest.toml", 0) + ptp::tar_end());
    CHECK(run_of("model.ptpm") ==
          "! model.ptpm is a bundle with a trained model, not a run folder");
    CHECK(run_of("runs/net/20261211") ==
          "! runs/net/20261211: no such run; did you mean 'runs/net/20261121'?\n"
          "    fix: write runs/net/20261121 in its place");
    CHECK(run_of("runs/net/x") ==
          "! runs/net/x: no such run; known: runs/net/20261121, runs/net/20261122");
    CHECK(run_of("runs/nett/last") ==
          "! runs/nett/last: no such run; did you mean 'runs/net/last'?\n"
          "    fix: write runs/net/last in its place");
    CHECK(run_of("nett/last") ==
          "! nett/last: no such run; did you mean 'runs/net/last'?\n"
          "    fix: write runs/net/last in its place");
    CHECK(run_of("note/last") == "! note/last: no such run; known: runs/empty, runs/net");
    folder.write("runs/net/20261121/checkpoints/best/weights.safetensors", "");
    CHECK(run_of("runs/net/20261121/checkpoints/best") ==
          "! runs/net/20261121/checkpoints/best is a checkpoint of the run runs/net/20261121\n"
          "    fix: write runs/net/20261121 in its place");
}

TEST_CASE("resolve: the folder of a checkpoint is found with a slash, and within that of its run") {
    const TempFolder folder;
    test::write_run(folder, "run");
    folder.write("run/checkpoints/best/weights.safetensors", "");
    const InFolder here(folder);
    CHECK(run_of("run/checkpoints/best/") ==
          "! run/checkpoints/best is a checkpoint of the run run\n    fix: write run in its place");
    fs::current_path("run");
    CHECK(run_of("checkpoints/best") ==
          "! checkpoints/best is a checkpoint of the run .\n    fix: write . in its place");
    CHECK(run_of(".") == ".");
}

TEST_CASE("resolve: of very many runs the newest are listed") {
    const TempFolder folder;
    for (int i = 10; i < 30; ++i) {
        test::write_run(folder, "runs/net/" + std::to_string(i));
    }
    const InFolder here(folder);
    CHECK(run_of("net") ==
          "! runs/net is not a run folder but holds 20 runs: 29, 28, 27, 26, 25, 24, 23 and 13 "
          "more\n    fix: write runs/net/last or runs/net/best in its place, or one of them by its "
          "name");
}

}  // namespace resolve_test
