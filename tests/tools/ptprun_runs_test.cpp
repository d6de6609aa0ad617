// `ptprun runs` and `ptprun diff` as a person meets them.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using ptp::test::ProcessResult;
using ptp::test::TempFolder;

void write_run(const TempFolder& folder, const std::string& name, const std::string& lr,
               const std::string& loss) {
    folder.write(name + "/experiment.toml",
                 "name = \"net\"\nseed = 1\n[training.optimizer]\nlr = " + lr + "\n");
    folder.write(
        name + "/status.json",
        R"({"format": 2, "state": "done", "episode": 10, "epoch": 2, "seconds": 1.5, "best":
                     {"set": "validation", "episode": 4, "epoch": 1, "loss": )" +
            loss + R"(, "statistics": {"accuracy": 0.5}}})");
    folder.write(name + "/run.json", R"({"plugins": [], "machine": {"libtorch": "1.13.1"}})");
}

ProcessResult ptprun(const std::vector<std::string>& arguments) {
    return ptp::test::run_program("ptprun", arguments);
}

}  // namespace

TEST_CASE("ptprun runs: lists what differs, filtered and sorted") {
    const TempFolder folder;
    write_run(folder, "a", "0.1", "0.5");
    write_run(folder, "b", "0.01", "0.25");
    write_run(folder, "c", "0.001", "0.75");
    const std::string path = folder.path().string();
    const ProcessResult all = ptprun({"runs", path, "--sort", "loss"});
    CHECK(all.status == 0);
    CHECK(all.errors == "");
    CHECK(all.output ==
          "run  state  best loss  at epoch  lr     accuracy  episodes  time\n"
          "b    done        0.25         1  0.01        0.5        10  1.5s\n"
          "a    done         0.5         1  0.1         0.5        10  1.5s\n"
          "c    done        0.75         1  0.001       0.5        10  1.5s\n");
    CHECK(ptprun({"runs", path, "--where", "lr<0.1", "--where", "loss<0.5", "--csv"}).output ==
          "run,state,best loss,at epoch,accuracy,episodes,time\r\n"
          "b,done,0.25,1,0.5,10,1.5s\r\n");
    const auto json = nlohmann::json::parse(
        ptprun({"runs", path, "--status", "done", "--experiment", "net", "--json"}).output);
    CHECK(json.size() == 3);
    const ProcessResult none = ptprun({"runs", path, "--where", "loss<0.1"});
    CHECK(none.status == 0);
    CHECK(none.output == "");
    CHECK(none.errors == "none of the 3 runs in " + path + " meets that\n");
}

TEST_CASE("ptprun runs: what is piped has lines that can be read, and CSV has all") {
    const TempFolder folder;
    for (const char* name : {"a", "b"}) {
        write_run(folder, name, "0.1", "0.5");
        std::string more;
        for (int i = 0; i < 100; ++i)
            more += "setting_" + std::to_string(i) + " = \"" + name + "\"\n";
        folder.write(std::string(name) + "/experiment.toml",
                     more + "long = \"" + std::string(1000, *name) + "\"\n");
    }
    const std::string path = folder.path().string();
    const std::string table = ptprun({"runs", path}).output;
    CHECK(table.starts_with("run  state  best loss  at epoch  setting_0  setting_1  "));
    CHECK(table.ends_with(" more)\n"));
    std::size_t longest = 0;
    for (std::size_t at = 0; at < table.size(); at = table.find('\n', at) + 1)
        longest = std::max(longest, table.find('\n', at) - at);
    CHECK(longest <= 200);
    CHECK(ptprun({"runs", path, "--csv"}).output.find(std::string(1000, 'b')) != std::string::npos);
}

TEST_CASE("ptprun runs: a narrow terminal gets the columns that fit") {
    const TempFolder folder;
    write_run(folder, "a", "0.1", "0.5");
    const auto said =
        ptp::test::run_program("ptprun", {"runs", folder.path().string()}, {{"COLUMNS", "24"}});
    CHECK(said.output ==
          "run  state  best loss\n"
          "a    done         0.5\n"
          "(too narrow for: at epoch, accuracy, episodes, time)\n");
}

TEST_CASE("ptprun runs: a thousand runs are listed") {
    const TempFolder folder;
    for (int i = 0; i < 1000; ++i)
        write_run(folder, "net/" + std::to_string(i), std::to_string(i), "0.5");
    const ProcessResult said = ptprun({"runs", folder.path().string()});
    CHECK(std::ranges::count(said.output, '\n') == 1001);
}

TEST_CASE("ptprun runs: what it cannot do ends with 2") {
    const TempFolder folder;
    write_run(folder, "a", "0.1", "0.5");
    const std::string path = folder.path().string();
    struct Case {
        std::vector<std::string> arguments;
        std::string errors;
    };
    const Case cases[] = {
        {{"runs", "/nowhere"}, "/nowhere: is not a folder"},
        {{"runs", path, "--where", "lrr<1"}, "--where: no run has 'lrr'; did you mean 'lr'?"},
        {{"runs", path, "--where", "lr"},
         "--where: 'lr' is not of the form KEY<VALUE (or <=, =, !=, >=, >)"},
        {{"runs", path, "--sort", "accuracyy"},
         "--sort: no run has 'accuracyy'; did you mean 'accuracy'?"},
        {{"runs", path, "--status", "dne"}, "--status dne: unknown state; did you mean 'done'?"},
        {{"runs", path, "--json", "--csv"}, "--json and --csv exclude each other"},
        {{"diff", path}, "two run folders are needed"},
        {{"diff", path, path},
         path + " is not a run folder but holds 1 run: a; name one, or " + path + "/last or " +
             path + "/best"},
        {{"diff", path, path, "x"}, "'x' is one word too many"},
    };
    for (const Case& c : cases) {
        const ProcessResult said = ptprun(c.arguments);
        CHECK(said.status == 2);
        CHECK(said.errors == "ptprun: " + c.errors + "; see ptprun --help\n");
    }
    const TempFolder empty;
    const ProcessResult none = ptprun({"runs", empty.path().string(), "--where", "lr<1"});
    CHECK(none.status == 0);
    CHECK(none.errors == "no runs in " + empty.path().string() + "\n");
}

TEST_CASE("ptprun runs: a table that could not be printed is no success") {
    const TempFolder folder;
    write_run(folder, "a", "0.1", "0.5");
    const std::string path = folder.path().string();
    const std::string program = (ptp::test::build_dir() / "bin" / "ptprun").string();
    for (const char* option : {"", " --csv", " --json"}) {
        CAPTURE(option);
        const std::string command =
            program + " runs " + path + option + " > /dev/full 2> " + path + "/errors";
        CHECK(std::system(command.c_str()) == 5 << 8);
        CHECK(folder.read("errors") ==
              "ptprun: cannot write the standard output: No space left on device\n");
    }
}

TEST_CASE("ptprun diff: ends with 0 for equal runs and with 1 for others") {
    const TempFolder folder;
    write_run(folder, "a", "0.1", "0.5");
    write_run(folder, "b", "0.1", "0.5");
    write_run(folder, "c", "0.2", "0.5");
    const auto path = [&](const char* name) { return (folder.path() / name).string(); };
    const ProcessResult same = ptprun({"diff", path("a"), path("b")});
    CHECK(same.status == 0);
    CHECK(same.output.ends_with("the runs are the same\n"));
    const ProcessResult other = ptprun({"diff", path("a"), path("c")});
    CHECK(other.status == 1);
    CHECK(other.output.starts_with("settings: 1 of 2 differs\n"));
    folder.write("c/run.json", "");
    const ProcessResult broken = ptprun({"diff", path("a"), path("c")});
    CHECK(broken.status == 2);
    CHECK(broken.errors == path("c") + ": run.json is broken\n");
}
