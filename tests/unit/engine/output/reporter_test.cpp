// Whatever becomes of the program that writes the report, the log states it and nothing else
// happens.

#include "engine/output/reporter.hpp"

#include "support/engine_plan.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace reporter_test {

using ptp::engine::Reporter;

namespace {

// A run with another program of the name ptp-report on the path.
class Run {
public:
    explicit Run(const std::string& script, ptp::experiment::Reporting settings = {})
        : before_(std::getenv("PATH")) {
        std::filesystem::create_directories(folder.path() / "bin");
        if (!script.empty()) {
            const auto program = folder.write("bin/ptp-report", "#!/bin/sh\n" + script + "\n");
            std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        }
        ::setenv("PATH",
                 ((folder.path() / "bin").string() + (script.empty() ? "" : ":" + before_)).c_str(),
                 1);
        log->set_pattern("%l: %v");
        reporter.emplace(std::move(settings), folder.path(), *log);
        reporter->begin({"x", folder.path(), 1, "cpu", "", plan.plan, columns});
    }
    ~Run() { ::setenv("PATH", before_.c_str(), 1); }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    void epoch(std::uint64_t number) {
        reporter->set({"training", {{10 * number, number - 1}, 10}, {}});
    }
    // Returns what is logged, with the run's folder as RUN.
    std::string end(const char* state = "done") {
        reporter->end({state, "", 0});
        std::string text = logged.str();
        const std::string path = folder.path().string();
        for (std::size_t at = 0; (at = text.find(path)) != std::string::npos;) {
            text.replace(at, path.size(), "RUN");
        }
        return text;
    }

    ptp::test::TempFolder folder;
    ptp::test::EnginePlan plan;
    std::vector<ptp::engine::Column> columns;
    std::ostringstream logged;
    std::shared_ptr<spdlog::logger> log = std::make_shared<spdlog::logger>(
        "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(logged));
    std::optional<Reporter> reporter;

private:
    std::string before_;
};

std::string warning(const std::string& reason) {
    return "warning: the report was not written, the training is as it is: " + reason +
           "; to write it: ptprun report RUN\n";
}

}  // namespace

TEST_CASE("reporter: the program gets the run, the file and the options, and leaves no log") {
    Run run("echo \"$@\" > $(dirname $0)/given", {.options = {"--max-size", "1MB"}});
    CHECK(run.end() == "");
    const std::string path = run.folder.path().string();
    CHECK(run.folder.read("bin/given") ==
          "report " + path + " -o " + path + "/report.html --max-size 1MB\n");
    CHECK(!std::filesystem::exists(run.folder.path() / "report.log"));
}

TEST_CASE("reporter: reports are started after each n-th epoch, and at the end") {
    Run run("echo x >> $(dirname $0)/count", {.every_epochs = 2, .max_share = 1});
    for (std::uint64_t epoch = 1; epoch <= 3; ++epoch) {
        run.epoch(epoch);
    }
    CHECK(run.end() == "");
    CHECK(run.folder.read("bin/count") == "x\nx\n");
}

TEST_CASE("reporter: what would take more than its share of the time is left out, but the last") {
    Run run("echo x >> $(dirname $0)/count", {.every_epochs = 1, .max_share = 1e-6});
    for (std::uint64_t epoch = 1; epoch <= 3; ++epoch) {
        run.epoch(epoch);
    }
    CHECK(run.end() == "");
    CHECK(run.folder.read("bin/count") == "x\n");
}

TEST_CASE("reporter: predictions are explained as the experiment states") {
    Run run("echo \"$@\" > $(dirname $0)/given",
            {.explanations = ptp::experiment::Explanations{
                 .section = "test", .methods = {"saliency", "occlusion"}, .samples = 3}});
    CHECK(run.end() == "");
    const std::string path = run.folder.path().string();
    CHECK(run.folder.read("bin/given") ==
          "report " + path + " -o " + path +
              "/report.html --explain-data test --explain saliency occlusion\n");
}

TEST_CASE("reporter: while one is written no second one begins") {
    Run run("cd $(dirname $0); echo x >> count; read wait < go$(wc -l < count)",
            {.every_epochs = 1, .max_share = 1});
    const std::string go = (run.folder.path() / "bin/go").string();
    REQUIRE(std::system(("mkfifo " + go + "1 " + go + "2").c_str()) == 0);
    run.epoch(1);
    run.epoch(2);  // the first one still waits to read
    REQUIRE(std::system(("(echo > " + go + "1; echo > " + go + "2) &").c_str()) == 0);
    CHECK(run.end() == "");
    CHECK(run.folder.read("bin/count") == "x\nx\n");
}

TEST_CASE("reporter: a program that fails, is killed, does not end or is not there is a warning") {
    CHECK(Run("echo 'error: no room' >&2; echo more; exit 5").end() ==
          warning("ptp-report ended with exit code 5: error: no room"));
    CHECK(Run("kill -9 $$").end() == warning("ptp-report was ended by signal 9"));
    CHECK(Run("exec sleep 1000", {.time_limit = {1}}).end() ==
          warning("ptp-report took longer than report.time_limit = \"1s\""));
    CHECK(Run("").end() == warning("ptp-report cannot be started: No such file or directory"));
}

TEST_CASE("reporter: a failure after an epoch is no reason not to report the end") {
    Run run("test -e $(dirname $0)/second && exit 0; touch $(dirname $0)/second; exit 1",
            {.every_epochs = 1, .max_share = 1});
    run.epoch(1);
    CHECK(run.end() == warning("ptp-report ended with exit code 1"));
    CHECK(!std::filesystem::exists(run.folder.path() / "report.log"));
}

TEST_CASE("reporter: a run that a signal has stopped does not wait") {
    Run run("exec sleep 1");
    CHECK(run.end("stopped") == "");
}

TEST_CASE("reporter: a run that has not begun has no report") {
    Run run("touch $(dirname $0)/given");
    run.reporter.emplace(ptp::experiment::Reporting{}, run.folder.path(), *run.log);
    CHECK(run.end("failed") == "");
    CHECK(!std::filesystem::exists(run.folder.path() / "bin/given"));
}

}  // namespace reporter_test
