// What a user may trust of a training in several processes: the same losses as in one, and the same
// bits each time.

#include "runs/together.hpp"
#include "runs/support.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace together_test {

using namespace ptp::test;

namespace {

// 48 samples in batches of 5: the last of an epoch has 3, so that of four processes one has none.
const std::vector<std::string> kUneven = {"--set", "training.task.batch_size=5",
                                          "--set", "validation.task.batch_size=5",
                                          "--set", "pipeline.net.dropout_rate=0"};

Lines steps(int epochs) {
    Lines lines;
    lines.training =
        "optimizer = { type = \"SGD\", lr = 0.05 }\n"
        "gradient_clipping = { norm = 1.0 }\n"
        "terminal_conditions = { epoch_limit = " +
        std::to_string(epochs) + ", loss_stop_threshold = 0 }\n";
    return lines;
}

void check_all_done(const std::vector<ProcessResult>& ranks) {
    for (const ProcessResult& rank : ranks) {
        CHECK(ptp::test::without_warnings(rank.errors, "the checkpoint was written by") == "");
        CHECK(rank.status == 0);
    }
}

}  // namespace

TEST_CASE("together: one, two and four processes have the same losses over 100 steps") {
    const ExperimentFolder folder(steps(10));
    REQUIRE(folder.run("one", kUneven).status == 0);
    const std::string alone = folder.read("one/training.csv");
    const std::string validated = folder.read("one/validation.csv");
    REQUIRE(column_of(alone, "loss").size() == 100);
    for (const int count : {2, 4}) {
        CAPTURE(count);
        const std::string name = std::to_string(count);
        check_all_done(run_together(folder, name, count, kUneven));
        CHECK(status_in(folder.path() / name) == "done: epoch limit of 10 reached (0)");
        const std::string table = folder.read(name + "/training.csv");
        CHECK(largest_difference(column_of(table, "loss"), column_of(alone, "loss")) < 1e-6);
        CHECK(column_of(table, "accuracy") == column_of(alone, "accuracy"));
        const std::string found = folder.read(name + "/validation.csv");
        CHECK(largest_difference(column_of(found, "loss"), column_of(validated, "loss")) < 1e-6);
        CHECK(column_of(found, "accuracy") == column_of(validated, "accuracy"));
        CHECK(largest_difference(column_of(found, "loss_std"), column_of(validated, "loss_std")) <
              1e-5);
    }
}

TEST_CASE("together: the same number of processes has the same bits, with dropout too") {
    const ExperimentFolder folder(steps(2));
    for (const int count : {2, 4}) {
        CAPTURE(count);
        const std::string name = std::to_string(count);
        check_all_done(run_together(folder, name + "a", count));
        check_all_done(run_together(folder, name + "b", count));
        for (const char* file :
             {"/training.csv", "/validation.csv", "/test.csv",
              "/checkpoints/last/weights.safetensors", "/checkpoints/last/training.safetensors"}) {
            CAPTURE(file);
            CHECK((folder.read(name + "a" + file) == folder.read(name + "b" + file)));
        }
    }
}

TEST_CASE("together: a resumed run has the bits of one that was not interrupted") {
    const ExperimentFolder folder(steps(4));
    check_all_done(run_together(folder, "whole", 2));
    folder.write(steps(2));
    check_all_done(run_together(folder, "parts", 2));
    const std::string longer = "training.terminal_conditions.epoch_limit=4";
    const auto resume = [&](const std::string& name, int count) {
        return run_together(count, {"resume", folder.run_folder(name), "--set", longer});
    };
    std::filesystem::copy(
        folder.path() / "parts", folder.path() / "alone",
        std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
    check_all_done(resume("parts", 2));
    for (const char* file : {"/training.csv", "/validation.csv", "/test.csv",
                             "/checkpoints/last/weights.safetensors"}) {
        CAPTURE(file);
        CHECK(
            (folder.read(std::string("whole") + file) == folder.read(std::string("parts") + file)));
    }
    check_all_done(resume("alone", 4));
    CHECK(folder.read("alone/run.log")
              .find("the checkpoint was written by 2 processes, and the run continues with 4: with "
                    "the next sample of the epoch, and the same batches; what components draw at "
                    "random differs after episode 12, and results in their last bits") !=
          std::string::npos);
    CHECK(column_of(folder.read("alone/training.csv"), "loss").size() == 24);
}

TEST_CASE("together: accumulated gradients and a sharded optimizer change no loss") {
    const ExperimentFolder folder;
    Lines lines;
    lines.training =
        "optimizer = { type = \"Adam\", lr = 0.01 }\naccumulate = 3\n"
        "terminal_conditions = { epoch_limit = 3 }\n";
    folder.write(lines);
    REQUIRE(folder.run("one", kUneven).status == 0);
    std::vector<std::string> more = kUneven;
    more.insert(more.end(), {"--set", "distributed.sharded_optimizer=true"});
    check_all_done(run_together(folder, "two", 2, more));
    CHECK(largest_difference(column_of(folder.read("two/training.csv"), "loss"),
                             column_of(folder.read("one/training.csv"), "loss")) < 1e-5);
    const std::string state = folder.read("one/checkpoints/last/training.safetensors");
    CHECK(folder.read("two/checkpoints/last/training.safetensors").size() > state.size());
    check_all_done(run_together(2, {"resume", folder.run_folder("two"), "--set",
                                    "training.terminal_conditions.epoch_limit=4"}));
}

TEST_CASE("together: a step that gradients are still added for continues with those of all") {
    const ExperimentFolder folder;
    const auto write = [&folder](int episodes) {
        Lines lines;
        lines.training =
            "optimizer = { type = \"SGD\", lr = 0.1 }\naccumulate = 3\n"
            "terminal_conditions = { episode_limit = " +
            std::to_string(episodes) + " }\n";
        folder.write(lines);
    };
    write(8);
    REQUIRE(folder.run("alone", kUneven).status == 0);
    check_all_done(run_together(folder, "whole", 2, kUneven));
    write(4);  // one batch after a step
    for (const char* name : {"same", "fewer"}) {
        check_all_done(run_together(folder, name, 2, kUneven));
    }
    REQUIRE(folder.run("more", kUneven).status == 0);
    const std::string longer = "training.terminal_conditions.episode_limit=8";
    const auto resume = [&](const std::string& name, int count) {
        check_all_done(run_together(count, {"resume", folder.run_folder(name), "--set", longer}));
    };
    resume("same", 2);
    const std::string weights = "/checkpoints/last/weights.safetensors";
    CHECK((folder.read("same" + weights) == folder.read("whole" + weights)));
    resume("fewer", 1);
    resume("more", 2);
    const std::vector<double> expected = column_of(folder.read("alone/training.csv"), "loss");
    REQUIRE(expected.size() == 8);
    for (const std::string name : {"fewer", "more"}) {
        CAPTURE(name);
        const std::string found = folder.read(name + "/training.csv");
        CHECK(largest_difference(column_of(found, "loss"), expected) < 1e-5);
    }
}

TEST_CASE("together: an optimizer with a closure sees the whole batch") {
    const ExperimentFolder folder;
    Lines lines;
    lines.training =
        "optimizer = { type = \"LBFGS\", lr = 0.1, max_iter = 3 }\n"
        "terminal_conditions = { epoch_limit = 1 }\n";
    folder.write(lines);
    REQUIRE(folder.run("one", kUneven).status == 0);
    check_all_done(run_together(folder, "four", 4, kUneven));
    const std::vector<double> alone = column_of(folder.read("one/training.csv"), "loss");
    const std::vector<double> found = column_of(folder.read("four/training.csv"), "loss");
    CHECK(largest_difference(found, alone) < 1e-2);  // its line of steps magnifies rounding
    CHECK(largest_difference({found[0], found[1]}, {alone[0], alone[1]}) < 1e-5);
    std::vector<std::string> sharded = {"--set", "distributed.sharded_optimizer=true"};
    for (const ProcessResult& rank : run_together(folder, "sharded", 2, sharded)) {
        CHECK(rank.status == 2);
        CHECK(rank.errors ==
              "ptprun: error: distributed.sharded_optimizer = true: a step of LBFGS needs all "
              "parameters\n    fix: leave it out, or take another optimizer\n");
    }
}

TEST_CASE("together: batches that depend on how fast each process loads are refused") {
    const ExperimentFolder folder;
    Lines lines;
    lines.training =
        "optimizer = { type = \"SGD\", lr = 0.05 }\n"
        "dataloader = { mode = \"reservoir\", num_workers = 1, reservoir_size = 4, "
        "reservoir_exchange = 2 }\n";
    const std::string file = folder.write(lines).string();
    const std::string refusal =
        "training.dataloader.mode = \"reservoir\": several processes cannot share its batches, "
        "which depend on how fast each of them loads\n    fix: take mode = \"ordered\", or train in "
        "one process\n";
    const std::vector<ProcessResult> ranks = run_together(folder, "run", 2);
    const auto errors_of = [&](std::size_t rank) {
        return ptp::test::without_folder(ranks[rank].errors, folder.path());
    };
    CHECK(ranks[0].status == 2);
    CHECK(ranks[1].status == 2);
    CHECK(errors_of(0) == "FOLDER/experiment.toml:3:1: error: " + refusal);
    CHECK(errors_of(1) == "ptprun: error: FOLDER/experiment.toml:3:1: " + refusal);
}

TEST_CASE("together: a rank with another experiment is named, and nothing is trained") {
    const ExperimentFolder folder(steps(1));
    const std::string other = (folder.path() / "other.toml").string();
    std::string text = folder.read("experiment.toml");
    text.replace(text.find("lr = 0.05"), 9, "lr = 0.06");
    std::ofstream(other) << text;
    const std::vector<ProcessResult> ranks = ptp::test::run_each_together(
        {{(folder.path() / "experiment.toml").string(), "--run-dir", folder.run_folder("run")},
         {other, "--run-dir", folder.run_folder("run")}});
    const std::string host = ptp::test::this_host();
    for (const ProcessResult& rank : ranks) {
        CHECK(rank.status == 2);
        CHECK(rank.errors == "ptprun: error: rank 1 on " + host +
                                 " has another experiment than rank 0 on " + host +
                                 "\n    fix: start all processes with the same experiment and the "
                                 "same options\n");
    }
    CHECK_FALSE(folder.has("run/training.csv"));
}

}  // namespace together_test
