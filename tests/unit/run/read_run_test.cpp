#include "run/read_run.hpp"

#include "support.hpp"
#include "support/paths.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

namespace read_run_test {

using namespace ptp::run;
using ptp::run::test::machine;
using ptp::test::TempFolder;

namespace {

Run read(const std::string& status, const std::string& experiment = "name = \"x\"\n") {
    const TempFolder folder;
    folder.write("status.json", status);
    folder.write("experiment.toml", experiment);
    return read_run(folder.path(), machine());
}

std::string running(const std::string& process) {
    return R"({"state": "running", )" + process + "}";
}

}  // namespace

TEST_CASE("read run: what the folder says") {
    const TempFolder folder;
    test::write_run(folder, "a");
    const Run run = read_run(folder.path() / "a", machine());
    CHECK(run.problem == "");
    CHECK(run.state == "done");
    CHECK(run.reason == "epoch limit");
    CHECK(run.exit_code == 0);
    CHECK(run.experiment == "tiny");
    CHECK(run.episode == 40);
    CHECK(run.epoch == 5);
    CHECK(run.seconds == 61.5);
    CHECK(run.began == "2026-11-21T08:00:00Z");
    REQUIRE(run.best);
    CHECK(run.best->epoch == 3);
    CHECK(run.best->loss == 0.5);
    REQUIRE(run.best->statistics.size() == 2);
    CHECK(run.best->statistics[1].first == "accuracy");
    CHECK(run.best->statistics[1].second == 0.9);
    CHECK(run.last->epoch == 4);
    CHECK(*run.settings.find_path("training.optimizer.lr") == ptp::Value(0.1));
}

TEST_CASE("read run: epochs count from 1, also of a folder that has them from 0") {
    const Run run = read_run(ptp::test::source_dir() / "tests/golden/old_run", machine());
    CHECK(run.problem == "");
    CHECK(run.episode == 12);
    CHECK(run.epoch == 4);  // how many were begun
    REQUIRE(run.best);
    CHECK(run.best->epoch == 2);
    REQUIRE(run.last);
    CHECK(run.last->epoch == 4);
}

TEST_CASE("read run: a format that is newer is a problem, whichever file has it") {
    const Run newer = read(R"({"format": 3, "state": "done"})");
    CHECK(newer.problem == "status.json: written by format 3; this ptprun reads up to 2");
    CHECK(newer.state == "unreadable");
    const TempFolder folder;
    test::write_run(folder, "a");
    folder.write("a/run.json", R"({"format": 4})");
    folder.write("a/tags.json", R"({"format": 2, "tags": []})");
    const Run run = read_run(folder.path() / "a", machine());
    CHECK(run.problem ==
          "run.json: written by format 4; this ptprun reads up to 2; "
          "tags.json: written by format 2; this ptprun reads up to 1");
    CHECK(run.state == "done");
}

TEST_CASE("read run: what a newer ptp began is refused before anything is made of it") {
    const TempFolder folder;
    test::write_run(folder, "a");
    const auto run = folder.path() / "a";
    CHECK(ptp::test::error_of([&] { refuse_newer(run); }) == "");
    folder.write("a/run.json", "[");  // is for who reads it
    CHECK(ptp::test::error_of([&] { refuse_newer(run); }) == "");
    folder.write("a/run.json", R"({"format": 3})");
    CHECK(ptp::test::error_of([&] { refuse_newer(run); }) ==
          (run / "run.json").string() +
              ": written by format 3; this ptprun reads up to 2\n"
              "    fix: use the ptprun that wrote it, or a newer one");
}

TEST_CASE("read run: a run whose process is gone has died") {
    struct Case {
        const char* process;
        const char* state;
    };
    const Case cases[] = {
        {R"("pid": 7, "host": "here", "boot": "b", "process_began": 100)", "running"},
        {R"("pid": 8, "host": "here", "boot": "b", "process_began": 100)", "died"},
        {R"("pid": 7, "host": "here", "boot": "b", "process_began": 99)", "died"},
        {R"("pid": 7, "host": "here", "boot": "a", "process_began": 100)", "died"},
        {R"("pid": 8, "host": "there", "boot": "a", "process_began": 1)", "running"},
        {R"("pid": 7, "host": "here")", "running"},
        {R"("pid": -1, "host": "here", "boot": "b", "process_began": -1)", "died"},
        {R"("host": "here")", "running"},
    };
    for (const Case& c : cases) {
        const std::string process = c.process;
        CAPTURE(process);
        CHECK(read(running(process)).state == c.state);
    }
}

TEST_CASE("read run: what is broken is said and the rest is read") {
    struct Case {
        const char* status;
        const char* state;
        const char* problem;
    };
    const Case cases[] = {
        {"", "unreadable", "status.json is broken"},
        {"{\"state\": \"done\"", "unreadable", "status.json is broken"},
        {"[]", "unreadable", "status.json is broken"},
        {"null", "unreadable", "status.json is broken"},
        {"{}", "unreadable", "status.json has the unknown state ''"},
        {R"({"state": 3})", "unreadable", "status.json has the unknown state ''"},
        {R"({"state": "gone\u001b[2J"})", "unreadable",
         "status.json has the unknown state 'gone [2J'"},
        {R"({"state": "done", "best": 3, "last": [], "seconds": "1", "episode": 1.5})", "done", ""},
        {R"({"state": "done", "best": {"statistics": [1], "loss": null, "epoch": {}}})", "done",
         ""},
        {R"({"state": "done", "episode": 18446744073709551615})", "done", ""},
    };
    for (const Case& c : cases) {
        const std::string status = c.status;
        CAPTURE(status);
        const Run run = read(status);
        CHECK(run.state == c.state);
        CHECK(run.problem == c.problem);
        CHECK(run.experiment == "x");
    }
    CHECK(read(std::string(100000, '[')).problem == "status.json is broken");
}

TEST_CASE("read run: a broken experiment is said with its place") {
    const Run run = read(R"({"state": "done"})", "name = \"x\"\nseed = \n");
    CHECK(run.state == "done");
    CHECK(run.problem.starts_with("experiment.toml:2:"));
    CHECK(read(R"({"state": "done"})", "name = \"\xff\"\n")
              .problem.starts_with("experiment.toml:1:"));
}

TEST_CASE("read run: a run whose experiment is not written yet is starting") {
    const TempFolder folder;
    folder.write("a/status.json", R"({"format": 2, "state": "running", "episode": 0})");
    const Run run = read_run(folder.path() / "a", machine());
    CHECK(run.state == "running");
    CHECK(run.problem.ends_with("it is starting: experiment.toml is not written yet"));
}

TEST_CASE("read run: files that are missing, folders, pipes or endless are problems, not traps") {
    const TempFolder folder;
    CHECK(read_run(folder.path() / "none", machine()).problem ==
          "status.json is missing; experiment.toml is missing");
    folder.write("a/status.json/x", "");
    std::filesystem::create_directories(folder.path() / "a/experiment.toml");
    CHECK(read_run(folder.path() / "a", machine()).problem ==
          "status.json cannot be read; experiment.toml cannot be read");
    std::filesystem::create_directories(folder.path() / "b");
    REQUIRE(mkfifo((folder.path() / "b/status.json").c_str(), 0600) == 0);
    std::filesystem::create_symlink("/dev/zero", folder.path() / "b/experiment.toml");
    const Run run = read_run(folder.path() / "b", machine());
    CHECK(run.state == "unreadable");
    CHECK(run.problem == "status.json cannot be read; experiment.toml cannot be read");
    folder.write("c/status.json", std::string((16u << 20) + 1, ' '));
    folder.write("c/experiment.toml", "");
    CHECK(read_run(folder.path() / "c", machine()).problem == "status.json is larger than 16 MiB");
}

}  // namespace read_run_test
