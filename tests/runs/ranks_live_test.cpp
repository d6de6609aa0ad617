// What is asked of a training in several processes takes effect in all of them, before the same
// episode.

#include "distributed/held_port.hpp"
#include "runs/live_run.hpp"
#include "runs/ranks.hpp"
#include "runs/support.hpp"
#include "runs/training_process.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <vector>

namespace ranks_live_test {

using namespace ptp::test;

namespace {

// Requests of each sort, to a training that is paused before its eighth episode.
void ask_in_two(const ExperimentFolder& folder, const std::string& name) {
    LiveRun run(folder, name, {"--nproc", "2"});
    run.go_on_for(7);
    CHECK(run.episode() == 7);
    CHECK(run.done({"learning-rate", "0.03"}) == "the learning rate is 0.03 from episode 7 on\n");
    CHECK(run.done({"validate"}).starts_with("validation after 7 episodes: loss "));
    CHECK(run.done({"checkpoint"}) == "saved a checkpoint after 7 episodes\n");
    CHECK(run.control({"learning-rate", "0.1", "--group", "nte"}).status == 2);
    run.finish();
}

}  // namespace

TEST_CASE("ranks: requests take effect in all processes, and each time with the same bits") {
    const ExperimentFolder folder(with_recurrent(3));
    install(folder);
    ask_in_two(folder, "run");
    const std::string second = folder.read("run/ranks/1.log");
    CHECK(has(second, "paused after 7 episodes"));
    CHECK(has(second, "the learning rate is 0.03 from episode 7 on"));
    CHECK(has(second, "validation after 7 episodes: loss "));
    ask_in_two(folder, "again");
    check_same_bits(folder, "run", "again");
}

TEST_CASE("ranks: a signal to a paused training ends all processes, and it can be resumed") {
    const ExperimentFolder folder(with_recurrent(2));
    install(folder);
    {
        LiveRun run(folder, "run", {"--nproc", "2"});
        run.go_on_for(5);
        CHECK(run.end_with(SIGTERM) == 143);
    }
    CHECK(ptp::test::status_in(folder.path() / "run") == "stopped: SIGTERM (143)");
    CHECK(ptp::test::ptprun({"resume", folder.run_folder("run"), "--nproc", "2"}).status == 0);
    CHECK(ptp::test::status_in(folder.path() / "run") == "done: epoch limit of 2 reached (0)");
}

TEST_CASE("ranks: a signal to one process alone ends all of them after the same episode") {
    const ExperimentFolder folder;
    const std::string file =
        folder.write({.training = ptp::test::with_ranked("").training, .has_test = false}).string();
    const ptp::distributed::HeldPort port;
    const std::vector<std::string> arguments = {file, "--run-dir", folder.run_folder("run"),
                                                "--paused"};
    ptp::test::TrainingProcess second(arguments, ptp::test::place_of(1, port.number()));
    ptp::test::TrainingProcess first(arguments, ptp::test::place_of(0, port.number()));
    while (!folder.has("run/control.sock")) {
        REQUIRE(first.read_for(20));
    }
    CHECK(second.end_with(SIGTERM) == 143);
    CHECK(first.end_with(0) == 143);
    CHECK(ptp::test::status_in(folder.path() / "run") == "stopped: SIGTERM (143)");
}

}  // namespace ranks_live_test
