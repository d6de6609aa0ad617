// What a resume says of the machine, of files that are lost and of what cannot be the same.

#include "runs/interrupted.hpp"
#include "runs/support.hpp"
#include "runs/training_process.hpp"
#include "support/paths.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace resume_record_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

// A run that is done, as if it had been killed after its last checkpoint.
fs::path killed_at_its_end(const ExperimentFolder& folder) {
    folder.write(stateful(1));
    REQUIRE(folder.run("run").status == 0);
    fs::remove(folder.path() / "run" / "status.json");
    return folder.path() / "run";
}

std::string warnings_in(const std::string& errors) {
    std::string warnings;
    for (const std::string& line : lines_of(errors)) {
        warnings += line.starts_with("warning: ") ? line + "\n" : "";
    }
    return warnings;
}

}  // namespace

TEST_CASE("resume record: another processor, device or driver is said") {
    const ExperimentFolder folder;
    const fs::path file = killed_at_its_end(folder) / "run.json";
    auto record = nlohmann::ordered_json::parse(folder.read("run/run.json"));
    auto& machine = record["machine"];
    CHECK(machine["device"] == "cpu");
    CHECK(machine["driver"] == "");
    CHECK_FALSE(machine["instructions"].get<std::string>().empty());
    std::string expected;
    for (const char* key : {"cpu", "instructions", "device"}) {
        expected +=
            "warning: the numbers may differ in their last bits from the uninterrupted run: " +
            std::string(key) + " is " + machine[key].dump() + ", was \"another\"\n";
        machine[key] = "another";
    }
    expected +=
        "warning: the numbers may differ in their last bits from the "
        "uninterrupted run: driver is \"\", was not recorded\n";
    machine.erase("driver");
    std::ofstream(file) << record.dump();
    const ProcessResult result = resume(folder, "run");
    CHECK(result.status == 0);
    CHECK(warnings_in(result.errors) == expected);
}

TEST_CASE("resume record: variables that change how numbers are computed are said") {
    const ExperimentFolder folder(stateful(1));
    const std::string experiment = (folder.path() / "experiment.toml").string();
    const ProcessResult first = ptp::test::run_program(
        "ptprun", {experiment, "--run-dir", folder.run_folder("run")},
        {{"OMP_NUM_THREADS", "1"}, {"MKL_CBWR", "AVX2"}, {"OMP_DYNAMIC", "false"}});
    REQUIRE(first.status == 0);
    fs::remove(folder.path() / "run" / "status.json");
    const ProcessResult resumed = ptp::test::run_program(
        "ptprun", {"resume", folder.run_folder("run")},
        {{"OMP_NUM_THREADS", "1"}, {"GLIBC_TUNABLES", "a.b=c"}, {"OMP_DYNAMIC", "true"}});
    CHECK(resumed.status == 0);
    const std::string prefix =
        "warning: the numbers may differ in their last bits from the uninterrupted run: ";
    CHECK(warnings_in(resumed.errors) == prefix + "GLIBC_TUNABLES is \"a.b=c\", was not set\n" +
                                             prefix + "MKL_CBWR is not set, was \"AVX2\"\n" +
                                             prefix + "OMP_DYNAMIC is \"true\", was \"false\"\n");
}

namespace {

using Environment = std::map<std::string, std::string>;

// OpenBLAS finds itself on a processor that it does not know, and takes the kernels of Prescott.
Environment unknown_processor(Environment more = {}) {
    more["OMP_NUM_THREADS"] = "1";
    more["LD_PRELOAD"] = (ptp::test::build_dir() / "tests/unknown_processor.so").string();
    return more;
}

ProcessResult run_on(Environment environment, const std::vector<std::string>& arguments) {
    environment.emplace("OPENBLAS_CORETYPE", "");  // not that of whoever runs the tests
    return ptp::test::run_program("ptprun", arguments, environment);
}

// The family that a run computed with; "" where there is nothing to choose, or nothing newer.
std::string kernels_in(const ExperimentFolder& folder, const std::string& run) {
    const auto machine = nlohmann::json::parse(folder.read(run + "/run.json"))["machine"];
    const auto& kernels = machine["blas_kernels"];
    return kernels.empty() ? "" : kernels["family"].get<std::string>();
}

bool has_text(const ProcessResult& result, const std::string& text) {
    return result.output.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("resume record: on a processor that OpenBLAS does not know it takes newer kernels") {
    const ExperimentFolder folder;
    const std::string experiment = folder.write(stateful(1)).string();
    const ProcessResult first =
        run_on(unknown_processor(), {experiment, "--run-dir", folder.run_folder("run")});
    require_success(first);
    CHECK(warnings_in(first.errors) == "");
    const std::string family = kernels_in(folder, "run");
    if (family.empty()) {
        MESSAGE("skipped: the active BLAS has no kernels to choose from, or the processor no AVX2");
        return;
    }
    CHECK(has_text(first, "\nOpenBLAS computes with its kernels for " + family +
                              ", the newest that run on this processor, instead of those for "
                              "Prescott\n"));
    const auto machine = nlohmann::json::parse(folder.read("run/run.json"))["machine"];
    CHECK(machine["blas_kernels"]["instead_of"] == "Prescott");
    CHECK(machine["blas_build"].get<std::string>().find(" " + family + " ") != std::string::npos);
    CHECK_FALSE(machine["environment"].contains("OPENBLAS_CORETYPE"));

    const ProcessResult asked = run_on(unknown_processor({{"OPENBLAS_CORETYPE", "Nehalem"}}),
                                       {experiment, "--run-dir", folder.run_folder("asked")});
    CHECK(asked.status == 0);
    CHECK(warnings_in(asked.errors) == "");
    CHECK_FALSE(has_text(asked, "OpenBLAS"));
    CHECK(kernels_in(folder, "asked") == "");
    CHECK(folder.read("asked/run.json").find(" Nehalem ") != std::string::npos);
}

TEST_CASE("resume record: a resume and a replay take the kernels that the run computed with") {
    const ExperimentFolder folder;
    const std::string experiment = folder.write(stateful(1)).string();
    const ProcessResult first = run_on({{"OMP_NUM_THREADS", "1"}, {"OPENBLAS_CORETYPE", "Nehalem"}},
                                       {experiment, "--run-dir", folder.run_folder("run")});
    REQUIRE(first.status == 0);
    if (folder.read("run/run.json").find(" Nehalem ") == std::string::npos) {
        MESSAGE("skipped: the active BLAS has no kernels to choose from");
        return;
    }
    fs::remove(folder.path() / "run" / "status.json");
    for (const Environment& environment :
         {Environment{{"OMP_NUM_THREADS", "1"}}, unknown_processor()}) {
        const ProcessResult resumed = run_on(environment, {"resume", folder.run_folder("run")});
        CHECK(resumed.status == 0);
        CHECK(warnings_in(resumed.errors) == "");
        CHECK(has_text(resumed,
                       "\nOpenBLAS computes with its kernels for Nehalem, as the run did, "
                       "instead of those for "));
        fs::remove(folder.path() / "run" / "status.json");
        const ProcessResult again = run_on(environment, {"replay", folder.run_folder("run"),
                                                         "--run-dir", folder.run_folder("again")});
        CHECK(again.status == 0);
        CHECK(warnings_in(again.errors) == "");
        CHECK((folder.read("again/training.csv") == folder.read("run/training.csv")));
        CHECK(folder.read("again/run.json").find(" Nehalem ") != std::string::npos);
        fs::remove_all(folder.path() / "again");
    }
}

TEST_CASE("resume record: kernels of OpenBLAS that are asked for, or do not run here, are said") {
    const ExperimentFolder folder;
    killed_at_its_end(folder);
    const std::string text = folder.read("run/run.json");
    const auto record = nlohmann::json::parse(text);
    const auto build = record["machine"]["blas_build"].get<std::string>();
    if (build.find("DYNAMIC_ARCH") == std::string::npos) {
        MESSAGE("skipped: the active BLAS has no kernels to choose from");
        return;
    }
    const std::string prefix =
        "warning: the numbers may differ in their last bits from the uninterrupted run: ";
    const std::string other = build.find("Prescott") == std::string::npos ? "Prescott" : "Nehalem";
    const ProcessResult resumed = run_on({{"OMP_NUM_THREADS", "1"}, {"OPENBLAS_CORETYPE", other}},
                                         {"resume", folder.run_folder("run")});
    CHECK(resumed.status == 0);
    CHECK(warnings_in(resumed.errors).starts_with(prefix + "blas_build is \"OpenBLAS "));
    CHECK_FALSE(has_text(resumed, "OPENBLAS_CORETYPE"));

    fs::remove(folder.path() / "run" / "status.json");
    auto changed = record;
    changed["machine"]["blas_build"] = "OpenBLAS 1.0 DYNAMIC_ARCH Katmai MAX_THREADS=64";
    std::ofstream(folder.path() / "run/run.json") << changed.dump();
    const ProcessResult impossible =
        run_on({{"OMP_NUM_THREADS", "1"}}, {"resume", folder.run_folder("run")});
    CHECK(impossible.status == 0);
    CHECK(warnings_in(impossible.errors).starts_with(prefix + "blas_build is \"OpenBLAS "));
    CHECK(warnings_in(impossible.errors)
              .ends_with(prefix + "OpenBLAS cannot compute with its kernels for Katmai here\n"));
}

TEST_CASE("resume record: a replay computes with the threads of its run, and says what differs") {
    const ExperimentFolder folder(stateful(1));
    REQUIRE(folder.run("run").status == 0);
    const ProcessResult again = ptp::test::run_program(
        "ptprun", {"replay", folder.run_folder("run"), "--run-dir", folder.run_folder("again")},
        {{"OMP_NUM_THREADS", "2"}, {"GLIBC_TUNABLES", "a.b=c"}});
    CHECK(again.errors ==
          "ptprun: warning: OMP_NUM_THREADS=2 is ignored: the run computed with 1 thread, and a "
          "replay does too\n"
          "warning: the numbers may differ in their last bits from the replayed run: "
          "GLIBC_TUNABLES is \"a.b=c\", was not set\n");
    REQUIRE(again.status == 0);
    CHECK((folder.read("again/training.csv") == folder.read("run/training.csv")));
    const auto record = nlohmann::json::parse(folder.read("again/run.json"));
    CHECK(record["machine"]["threads"] == 1);
}

TEST_CASE("resume record: without the record of its beginning a run does not continue") {
    const ExperimentFolder folder;
    const fs::path file = killed_at_its_end(folder) / "run.json";
    std::ofstream(file) << "[";
    const ProcessResult damaged = resume(folder, "run");
    CHECK(damaged.status == 4);
    CHECK(
        without_folder(damaged.errors, folder.path()) ==
        "ptprun: error: FOLDER/run/run.json is not the record of a run; no other file records with "
        "which plugins and which experiment the run began\n");
    fs::remove(file);
    const ProcessResult missing = resume(folder, "run");
    CHECK(missing.status == 4);
    CHECK(
        without_folder(missing.errors, folder.path()) ==
        "ptprun: error: cannot read FOLDER/run/run.json: No such file or directory; no other file "
        "records with which plugins and which experiment the run began\n");
}

TEST_CASE("resume record: the time that counts for wall_time needs no status.json") {
    const ExperimentFolder folder(
        {.training = "optimizer = { type = \"SGD\", lr = 0.1 }\n"
                     "terminal_conditions = { epoch_limit = 3, wall_time = \"1h\" }\n"});
    REQUIRE(folder.run("run").status == 0);
    const std::string state = folder.read("run/checkpoints/last/training.toml");
    const std::size_t at = state.find("seconds = ");
    REQUIRE(at != std::string::npos);
    const double seconds = std::stod(state.substr(at + 10));
    CHECK(seconds > 0);
    std::ofstream(folder.path() / "run" / "status.json") << "{";
    REQUIRE(resume(folder, "run").status == 0);
    const auto status = nlohmann::json::parse(folder.read("run/status.json"));
    CHECK(status["seconds"].get<double>() >= seconds);
}

TEST_CASE("resume record: with a reservoir a run says that it is not reproducible, and continues") {
    const ExperimentFolder folder(
        {.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                     "terminal_conditions = { epoch_limit = 1000, episode_limit = 400, "
                     "loss_stop_threshold = 0.0, early_stop_validations = 0 }\n"
                     "dataloader = { mode = \"reservoir\", num_workers = 2, reservoir_size = 4, "
                     "reservoir_exchange = 2 }\n"});
    TrainingProcess process(folder, "run");
    REQUIRE(process.wait_for_lines("validation  ", 2));
    REQUIRE(process.end_with(SIGKILL) == 128 + SIGKILL);
    const ProcessResult result = resume(folder, "run");
    CHECK(result.status == 0);
    CHECK(result.errors ==
          "warning: this run cannot be repeated: which batches an episode sees depends on how fast "
          "the reservoir is filled\n"
          "warning: the reservoir begins empty: the run does not continue with the bits of the "
          "uninterrupted one\n");
    CHECK(result.output.find("continuing after episode ") != std::string::npos);
    CHECK(status_in(folder.path() / "run") == "done: episode limit of 400 reached (0)");
    // Every episode has its row, once; 6 of them are an epoch, and the last has 4.
    const auto rows = [&](const char* file) {
        std::vector<std::string> first;
        for (const std::string& line : lines_of(folder.read(fs::path("run") / file))) {
            first.push_back(line.substr(0, line.find(',')));
        }
        return first;
    };
    const std::vector<std::string> episodes = rows("training.csv");
    REQUIRE(episodes.size() == 401);
    for (std::size_t i = 0; i < 400; ++i) {
        CHECK(episodes[i + 1] == std::to_string(i));
    }
    CHECK(rows("validation.csv").size() == 68);
    CHECK(rows("training_epochs.csv").back() == "399");
}

namespace {

// 6 batches of a task that counts them, and a validation of 6 that can be interrupted in the
// middle.
void write_counted(const ExperimentFolder& folder) {
    std::ofstream(folder.path() / "experiment.toml")
        << "name = \"counted\"\nseed = 7\n[training]\n"
           "optimizer = { type = \"SGD\", lr = 0.1 }\n"
           "terminal_conditions = { epoch_limit = 4, loss_stop_threshold = 0.0 }\n"
           "dataloader = { num_workers = 3 }\ntask = { type = \"Counted\", batch_size = 8 }\n"
           "[validation]\ntask = { type = \"Counted\", batch_size = 8 }\n"
           "[pipeline.net]\ntype = \"FeedForwardNetwork\"\n"
           "globals = { prediction_size = \"num_classes\" }\n[pipeline.nll]\ntype = \"NLLLoss\"\n"
           "[checkpoint]\nevery_episodes = 4\nkeep = 100\n";
}

}  // namespace

TEST_CASE("resume record: a task's state covers the batches that were trained on") {
    const ExperimentFolder folder;
    write_counted(folder);
    const ProcessResult result = folder.run("undisturbed", ptp::test::with_witness());
    REQUIRE(result.errors == "");
    CHECK(result.output.find(
              "\nthe task of [training] (Counted) keeps state: its batches are loaded when "
              "they are due, not ahead\n") != std::string::npos);
    for (const auto& [episodes, validated] : {std::pair("04", 0), {"06", 6}, {"20", 18}}) {
        CAPTURE(episodes);
        const std::string state = folder.read(std::string("undisturbed/checkpoints/episode_") +
                                              "00000000" + episodes + "/training.toml");
        CAPTURE(state);
        CHECK(state.find("state = " + std::to_string(std::stoi(episodes)) + "\n") !=
              std::string::npos);
        CHECK(state.find("state = " + std::to_string(validated) + "\n") != std::string::npos);
    }
    // The third batch of the second validation begins again when the run continues.
    const ProcessResult stopped =
        folder.run("stopped", ptp::test::with_witness({"--set", "validation.task.interrupt_at=9"}));
    CHECK(stopped.status == 143);
    CHECK(resume(folder, "stopped").status == 0);
    ptp::test::check_same_results(folder, "undisturbed", "stopped");
}

}  // namespace resume_record_test
