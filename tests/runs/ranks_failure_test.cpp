// What the processes of a training say, and how they end, where one of them is lost.

#include "distributed/held_port.hpp"
#include "runs/ranks.hpp"
#include "runs/support.hpp"
#include "runs/training_process.hpp"
#include "runs/write_failures.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <regex>
#include <string>
#include <vector>

namespace ranks_failure_test {

using namespace ptp::test;

namespace {

// Of the lines that an error begins, the first with this.
std::string error_with(const std::string& errors, const std::string& part) {
    const std::string title = "ptprun: error: ";
    for (std::size_t at = errors.find(title); at != std::string::npos;
         at = errors.find(title, at + 1)) {
        const std::string line = errors.substr(at, errors.find('\n', at) - at);
        if (has(line, part)) {
            return line.substr(title.size());
        }
    }
    return errors;
}

}  // namespace

TEST_CASE("ranks: where a component throws in one process, the other names it and its error") {
    const ExperimentFolder folder(with_ranked("deed = \"throw\""));
    const ProcessResult said = folder.run("run", in_two());
    CHECK(said.status == 4);
    const std::string errors = comparable(folder, said.errors);
    CHECK(
        error_with(errors, "rank 0 of 2") ==
        "rank 0 of 2 on HOST cannot continue, in episode 7, in the exchange of losses: rank 1 of "
        "2 on HOST has failed: FOLDER/experiment.toml:28:1: 'ranked' (Ranked): this sample cannot "
        "be had (training, episode 7, in component ranked, last collective the gathering of "
        "observed streams (number N))");
    CHECK(has(errors,
              "    fix: correct what has happened there, then continue from the last "
              "checkpoint: ptprun resume FOLDER/run\n"));
    CHECK(status_in(folder.path() / "run").starts_with("failed: rank 0 of 2 on "));
    CHECK(ptp::test::has_whole_checkpoints(folder.path() / "run"));
}

TEST_CASE("ranks: a process that never comes back is named, with the component that it is in") {
    const ExperimentFolder folder(with_ranked("deed = \"stall\""));
    const ProcessResult said = folder.run("run", in_two());
    CHECK(said.status == 7);
    const std::string errors = comparable(folder, said.errors);
    CHECK(error_with(errors, "rank 0 of 2") ==
          "rank 0 of 2 on HOST cannot continue, in episode 7, in the exchange of losses: rank 1 of "
          "2 on HOST has not come to where the others wait for it (training, episode 7, in "
          "component ranked, last collective the gathering of observed streams (number N))");
}

TEST_CASE("ranks: a process that is halted is named, also where nothing watches over them") {
    const ExperimentFolder folder;
    const std::string file = folder.write(with_ranked("", "")).string();
    const ptp::distributed::HeldPort port;
    std::vector<std::string> arguments = {
        file,       "--run-dir", folder.run_folder("run"),
        "--paused", "--plugins", ptp::test::ranked_build("plain").parent_path().string()};
    ptp::test::TrainingProcess second(arguments, place_of(1, port.number()));
    ptp::test::TrainingProcess first(arguments, place_of(0, port.number()));
    while (!folder.has("run/control.sock")) {
        REQUIRE(first.read_for(20));
    }
    second.signal(SIGSTOP);
    CHECK(first.end_with(0) == 7);
    const std::string status = comparable(folder, status_in(folder.path() / "run"));
    CHECK(has(status,
              "rank 1 of 2 on HOST gives no sign of life: it is stopped, or cannot be reached"));
}

TEST_CASE("ranks: a number that is not one in one process is bad for all, with the same decision") {
    const ExperimentFolder folder(with_ranked("deed = \"poison\""));
    const ProcessResult diverged = folder.run("run", in_two());
    CHECK(diverged.status == 6);
    folder.write(with_ranked("deed = \"poison\"", "on_bad_loss = \"skip\"\n"));
    const ProcessResult skipped = folder.run("skipped", in_two());
    CHECK_FALSE(has(skipped.errors, "error"));
    CHECK(skipped.status == 0);
    CHECK(status_in(folder.path() / "skipped") == "done: epoch limit of 2 reached (0)");
}

TEST_CASE("ranks: a full disk in one process ends all, and says in which") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const ExperimentFolder folder;
    const std::string file = folder.write(with_ranked("")).string();
    const ProcessResult said = ptp::test::run_refused(
        in_two({file, "--run-dir", folder.run_folder("run")}), {.files = "*/ranks/1/*"});
    CHECK(said.status == 5);
    const std::string errors = comparable(folder, said.errors);
    CHECK(has(errors, "No space left on device"));
    CHECK(has(errors, "rank 0 of 2 on HOST cannot continue, "));
    CHECK(has(errors, ": rank 1 of 2 on HOST has failed: "));
}

TEST_CASE("ranks: records that cannot be written are given up, and all train to the end") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const ExperimentFolder folder;
    ptp::test::Lines lines = with_ranked("");
    lines.pipeline += "[records.sample_values]\n";
    const std::string file = folder.write(lines).string();
    const ProcessResult said = ptp::test::run_refused(
        in_two({file, "--run-dir", folder.run_folder("run")}), {.files = "*/samples/*"});
    CHECK(said.status == 0);
    CHECK(has(said.errors,
              "records.sample_values is given up, the training continues: cannot write "));
    CHECK(status_in(folder.path() / "run") == "done: epoch limit of 2 reached (0)");
}

TEST_CASE("ranks: another build of a plugin is refused at the start by all, with its hash") {
    const ExperimentFolder folder;
    const std::string file = folder.write(with_ranked("")).string();
    const ptp::distributed::HeldPort port;
    const auto arguments = [&](const char* build) {
        return std::vector<std::string>{file, "--run-dir", folder.run_folder("run"), "--plugins",
                                        ptp::test::ranked_build(build).parent_path().string()};
    };
    ptp::test::TrainingProcess second(arguments("objecting"), place_of(1, port.number()));
    ptp::test::TrainingProcess first(arguments("plain"), place_of(0, port.number()));
    CHECK(first.end_with(0) == 3);
    CHECK(second.end_with(0) == 3);
    const std::string status = std::regex_replace(
        comparable(folder, status_in(folder.path() / "run")), std::regex("[0-9a-f]{64}"), "HASH");
    CHECK(
        status ==
        "failed: rank 1 on HOST has other builds of plugins than rank 0 on HOST: name = "
        "\"ranked\", version = \"2.0.0\", sha256 = \"HASH\"; rank 0 has name = \"ranked\", "
        "version = \"1.0.0\", sha256 = \"HASH\"\n    fix: have the same ptp, libtorch and plugins on all hosts (3)\n");
}

TEST_CASE("ranks: another experiment is refused at the start by all") {
    const ExperimentFolder folder;
    const std::string file = folder.write(with_ranked("")).string();
    const ptp::distributed::HeldPort port;
    const auto arguments = [&](const char* rate) {
        return std::vector<std::string>{file,
                                        "--run-dir",
                                        folder.run_folder("run"),
                                        "--set",
                                        std::string("training.optimizer.lr=") + rate,
                                        "--plugins",
                                        ptp::test::ranked_build("plain").parent_path().string()};
    };
    ptp::test::TrainingProcess second(arguments("0.01"), place_of(1, port.number()));
    ptp::test::TrainingProcess first(arguments("0.02"), place_of(0, port.number()));
    CHECK(first.end_with(0) == 2);
    CHECK(second.end_with(0) == 2);
    CHECK(comparable(folder, status_in(folder.path() / "run")) ==
          "failed: rank 1 on HOST has another experiment than rank 0 on HOST\n"
          "    fix: start all processes with the same experiment and the same options (2)\n");
}

TEST_CASE("ranks: another run folder is refused at the start by all, and is not made") {
    const ExperimentFolder folder;
    const std::string file = folder.write(with_ranked("")).string();
    const ptp::distributed::HeldPort port;
    const auto arguments = [&](const char* name) {
        return std::vector<std::string>{file, "--run-dir", folder.run_folder(name), "--plugins",
                                        ptp::test::ranked_build("plain").parent_path().string()};
    };
    ptp::test::TrainingProcess second(arguments("b"), place_of(1, port.number()));
    ptp::test::TrainingProcess first(arguments("a"), place_of(0, port.number()));
    CHECK(first.end_with(0) == 2);
    CHECK(second.end_with(0) == 2);
    CHECK(comparable(folder, status_in(folder.path() / "a")) ==
          "failed: rank 1 on HOST has another run folder than rank 0 on HOST: FOLDER/b and "
          "FOLDER/a\n"
          "    fix: start all processes with the same experiment and the same options (2)\n");
    CHECK_FALSE(folder.has("b"));
}

}  // namespace ranks_failure_test
