// What the processes of a training report of one that is halted before they watch over each other.

#include "distributed/held_port.hpp"
#include "runs/ranks.hpp"
#include "runs/support.hpp"
#include "runs/training_process.hpp"
#include "runs/write_failures.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

namespace ranks_start_test {

using namespace ptp::test;

TEST_CASE("ranks: one that is halted before it connects is named, whichever it is") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const ExperimentFolder folder;
    const std::string file = folder.write(with_ranked("")).string();
    for (const std::string rank : {"0", "1"}) {
        CAPTURE(rank);
        std::map<std::string, std::string> environment = ptp::test::refusing({});
        environment["PTP_TEST_HALT"] = rank;
        const ProcessResult said = ptp::test::run_program(
            "ptprun", in_two({file, "--run-dir", folder.run_folder("run" + rank)}), environment);
        CHECK(said.status == 7);
        CHECK(comparable(folder, said.errors) ==
              "ptprun: error: rank " + rank +
                  " of 2 on HOST (process N) was halted by a signal, did not run for 1 s, and was "
                  "killed\n");
    }
}

TEST_CASE(
    "ranks: one that is halted after it has connected is named where none watches over them") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const ExperimentFolder folder;
    const std::string file = folder.write(with_ranked("")).string();
    const ptp::distributed::HeldPort port;
    const std::vector<std::string> arguments = {
        file, "--run-dir", folder.run_folder("run"), "--plugins",
        ptp::test::ranked_build("plain").parent_path().string()};
    std::map<std::string, std::string> environment =
        ptp::test::refusing({.files = "*/ranks/1", .at = "mkdir"});
    environment["PTP_TEST_KILL"] = "halt";
    environment.merge(ptp::test::place_of(1, port.number()));
    const ptp::test::TrainingProcess halted(arguments, environment);
    const ProcessResult said =
        ptp::test::run_program("ptprun", arguments, ptp::test::place_of(0, port.number()));
    CHECK(said.status == 7);
    CHECK(comparable(folder, said.errors) ==
          "ptprun: error: rank 0 of 2 on HOST: the start cannot be done with the other processes: "
          "rank 1 on HOST does not answer\n    fix: look at what the other ranks report; one of "
          "them has ended, hangs or cannot be reached\n");
}

TEST_CASE("ranks: where a secret can be kept nowhere the log warns that anybody can take part") {
    const ExperimentFolder folder;
    const std::string file = folder.write(with_ranked("")).string();
    const ptp::distributed::HeldPort port;
    const std::vector<std::string> arguments = {
        file, "--run-dir", folder.run_folder("run"), "--plugins",
        ptp::test::ranked_build("plain").parent_path().string()};
    std::map<std::string, std::string> first = {{"HOME", ""}, {"XDG_CONFIG_HOME", ""}};
    std::map<std::string, std::string> second = first;
    first.merge(ptp::test::place_of(0, port.number()));
    second.merge(ptp::test::place_of(1, port.number()));
    ptp::test::TrainingProcess other(arguments, second);
    CHECK(ptp::test::run_program("ptprun", arguments, first).status == 0);
    CHECK(other.end_with(0) == 0);
    const std::string log = folder.read("run/run.log");
    CAPTURE(log);
    CHECK(
        log.find("the processes share no secret: any program that reaches 127.0.0.1:" +
                 std::to_string(port.number()) +
                 " can take part in the training; set PTP_SECRET to the same text in all of them "
                 "(it is not set, and there is no home folder in which a secret could be kept)") !=
        std::string::npos);
}

TEST_CASE(
    "ranks: the others report one that the launcher kills because it hangs as one that hangs") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const ExperimentFolder folder;
    const std::string file = folder.write(with_ranked("")).string();
    std::map<std::string, std::string> environment =
        ptp::test::refusing({.files = "*/ranks/1/status*"});
    environment["PTP_TEST_KILL"] = "halt";
    const ProcessResult said = ptp::test::run_program(
        "ptprun", in_two({file, "--run-dir", folder.run_folder("run")}), environment);
    CHECK(said.status == 7);
    CHECK(comparable(folder, said.errors) ==
          "ptprun: error: rank 0 of 2 on HOST cannot continue, in episode 0, in the comparison of "
          "experiments: rank 1 of 2 on HOST gives no sign of life: it is stopped, or cannot be "
          "reached (starting, episode 0)\n    fix: correct what has happened there, then continue "
          "from the last checkpoint: ptprun resume FOLDER/run\n"
          "ptprun: error: rank 1 of 2 on HOST (process N) was halted by a signal, did not run for "
          "1 s, and was killed\n    it was last seen: starting, episode 0\n");
}

}  // namespace ranks_start_test
