// What can be asked of a training while it runs, and that a replay does it all again.

#include "runs/live_run.hpp"
#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace live_control_test {

using namespace ptp::test;

namespace {

std::string said(const ProcessResult& result) {
    return without_numbers(result.output + result.errors) + std::to_string(result.status);
}

}  // namespace

TEST_CASE("control: a training says where it stands, and with which generations") {
    const ExperimentFolder folder(with_recurrent(20));
    install(folder);
    LiveRun run(folder, "run");
    run.go_on_for(13);
    CHECK(run.episode() == 13);
    const auto reply = nlohmann::json::parse(run.done({"status", "--json"}));
    CHECK(reply["ok"] == true);
    CHECK(reply["message"] == "");
    const auto& status = reply["result"];
    const auto episode = status["episode"].get<std::uint64_t>();
    CHECK(episode == 13);
    CHECK(status["epoch"] == 3);  // of 6 episodes
    CHECK(status["state"] == "paused");
    CHECK(status["seconds"].get<double>() > 0);
    CHECK(status["last"]["set"] == "validation");
    CHECK(status["last"]["statistics"].size() == 2);
    const auto& generations = status["generations"];
    REQUIRE(generations.size() == 6);
    const auto& recurrent = generations[2];
    CHECK(recurrent["plugin"] == "recurrent");
    CHECK(recurrent["generation"] == 1);
    CHECK(recurrent["version"] == "1.0.0");
    CHECK(recurrent["sha256"].get<std::string>().size() == 64);
    CHECK(recurrent["from_episode"] == 0);
    CHECK(recurrent["is_active"] == true);
    CHECK(recurrent["components"] == 1);
    CHECK(recurrent["memory_kb"].get<int>() > 0);
    const std::string text = without_numbers(run.done({"status", "--all"}));
    CHECK(text.starts_with("episode = N\nepoch = N\nseconds = N\n"));
    CHECK(text.find("\nstate = \"paused\"\n") != std::string::npos);
    const std::string few = run.done({"status"});
    CHECK(few.starts_with("paused    epoch "));
    CHECK(few.find("\nrate      learning_rate ") != std::string::npos);
    CHECK(std::ranges::count(few, '\n') <= 10);
    CHECK(text.find("\n[[generations]]\nplugin = \"recurrent\"\ngeneration = N\nversion = \"N\"\n"
                    "sha256 = \"HASH\"\nfrom_episode = N\nis_active = true\ncomponents = N\n"
                    "memory_kb = N\n") != std::string::npos);
    CHECK(run.end_with(SIGTERM) == 143);
    CHECK(status_in(folder.path() / "run") == "stopped: SIGTERM (143)");
}

TEST_CASE(
    "control: a stopped training has a checkpoint, ends with 0, and is resumed with its bits") {
    const ExperimentFolder folder(with_recurrent(20));
    install(folder);
    LiveRun run(folder, "run");
    run.go_on_for(13);
    CHECK(said(run.control({"stop"})) ==
          "stops after N episodes; the run ends once its checkpoint is saved\n0");
    CHECK(run.end_with(0) == 0);
    CHECK(status_in(folder.path() / "run") == "stopped: control stop (0)");
    replay(folder, "run", "again");
    CHECK(status_in(folder.path() / "again").starts_with("stopped: "));
    CHECK(folder.read("again/training.csv") == folder.read("run/training.csv"));
    REQUIRE(ptp::test::ptprun({"resume", folder.run_folder("run"), "--quiet"}).status == 0);
    REQUIRE(folder.run("undisturbed", with_installed(folder)).status == 0);
    check_same_bits(folder, "run", "undisturbed");
}

TEST_CASE("control: of a training that was stopped before its first episode nothing is replayed") {
    const ExperimentFolder folder(with_recurrent(20));
    install(folder);
    LiveRun run(folder, "run");
    run.done({"stop"});
    CHECK(run.end_with(0) == 0);
    const ProcessResult result = ptp::test::ptprun(
        {"replay", folder.run_folder("run"), "--run-dir", folder.run_folder("again")});
    CHECK(result.status == 2);
    CHECK(without_folder(result.errors, folder.path()) ==
          "ptprun: error: the run in FOLDER/run was stopped before its first episode: there is "
          "nothing to repeat\n"
          "    fix: ptprun FOLDER/run/experiment.toml trains its experiment\n");
}

TEST_CASE("control: a replay does again what was asked of a training") {
    const ExperimentFolder folder(with_recurrent(30));
    install(folder);
    LiveRun run(folder, "run");
    CHECK(said(run.control({"continue", "7"})) == "continues after N episodes, for N\n0");
    CHECK(said(run.control({"continue"})) == "continues after N episodes\n0");
    CHECK(said(run.control({"pause"})) == "paused after N episodes\n0");
    run.go_on_for(8);
    CHECK(said(run.control({"learning-rate", "0.05"})) ==
          "the learning rate is N from episode N on\n0");
    CHECK(said(run.control({"validate"})) == "validation after N episodes: loss N  accuracy N\n0");
    CHECK(said(run.control({"checkpoint"})) == "saved a checkpoint after N episodes\n0");
    CHECK(said(run.control({"learning-rate", "0.05", "--group", "encoder"})) ==
          "ptprun: error: unknown parameter group 'encoder'; known: net\n"
          "    fix: --group net\n2");
    run.go_on_for(8);
    CHECK(said(run.control({"learning-rate", "0.001", "--group", "net"})) ==
          "the learning rate of 'net' is N from episode N on\n0");
    const std::string wide = recurrent_build("wide").string();
    CHECK(said(run.swap({wide, "--dry-run"})) ==
          "could be swapped in: recurrent N before episode N: inspect N ms, load N ms, "
          "rehearse N ms\n0");
    CHECK(said(run.swap({wide})) ==
          "swapped in recurrent N before episode N: inspect N ms, load N ms, rehearse N ms, "
          "create N ms, migrate N ms, commit N ms\n"
          "  'encoder' (RecurrentNetwork): 'hidden.weight' was [N, N], is [N, N]\n"
          "  'encoder' (RecurrentNetwork): 'hidden.bias' was [N], is [N]\n"
          "  'encoder' (RecurrentNetwork): 'output.weight' was [N, N], is [N, N]\n0");
    CHECK(said(run.swap({wide})) == "unchanged: what is active was built from the same file\n0");
    run.finish();

    check_replayed(folder);
    replay(folder, "again", "third");
    check_same_bits(folder, "run", "third");
    REQUIRE(folder.run("plain", with_installed(folder)).status == 0);
    CHECK(folder.read("plain/training.csv") != folder.read("run/training.csv"));
}

TEST_CASE("control: a pause and a dry run change no bit") {
    const ExperimentFolder folder(with_recurrent(20));
    install(folder);
    LiveRun run(folder, "run");
    run.go_on_for(3);
    REQUIRE(run.swap({recurrent_build("wide").string(), "--dry-run"}).status == 0);
    run.go_on_for(3);
    REQUIRE(run.swap({recurrent_build("residual").string(), "--dry-run"}).status == 0);
    run.finish();
    CHECK_FALSE(folder.has("run/journal.jsonl"));
    REQUIRE(folder.run("plain", with_installed(folder)).status == 0);
    check_same_bits(folder, "plain", "run");
}

TEST_CASE("control: the plugin of a task is exchanged while the training is paused") {
    const ExperimentFolder folder(with_recurrent(20));
    install(folder);
    LiveRun run(folder, "run");
    run.go_on_for(3);
    const auto copies = ptp::test::build_dir() / "lib" / "ptp" / "plugins";
    const auto changed = folder.path() / "changed" / "vision_tasks.so";
    std::filesystem::create_directories(changed.parent_path());
    std::filesystem::copy_file(copies / "vision_tasks.so", changed);
    std::ofstream(changed, std::ios::app) << "another build";  // beyond what is loaded
    CHECK(said(run.swap({changed.string()})) ==
          "swapped in vision_tasks N before episode N: inspect N ms, load N ms, rehearse N ms, "
          "create N ms, migrate N ms, commit N ms\n0");
    CHECK(nlohmann::json::parse(run.done({"status", "--json"}))["result"]["state"] == "paused");
    run.finish();
    REQUIRE(folder.run("plain", with_installed(folder)).status == 0);
    CHECK(folder.read("plain/training.csv") == folder.read("run/training.csv"));

    // What is asked for where the journal has something to do comes after it.
    LiveRun again = LiveRun::replay(folder, "run", "again");
    again.go_on_for(3);
    CHECK(said(again.swap({changed.string()})) ==
          "unchanged: what is active was built from the same file\n0");
    CHECK(said(again.swap({recurrent_build("residual").string()}))
              .starts_with("swapped in recurrent N before episode N: "));
    again.finish();
    CHECK(folder.read("again/journal.jsonl").starts_with(folder.read("run/journal.jsonl")));
}

TEST_CASE("control: a run in safe mode takes no build that does not come with ptp") {
    const ExperimentFolder folder;
    install(folder);
    LiveRun run(folder, "run", {"--safe-mode"});
    run.go_on_for(3);
    const auto installed = ptp::test::build_dir() / "lib" / "ptp" / "plugins" / "losses.so";
    const auto changed = folder.path() / "changed" / "losses.so";
    std::filesystem::create_directories(changed.parent_path());
    std::filesystem::copy_file(installed, changed);
    std::ofstream(changed, std::ios::app) << "another build";  // beyond what is loaded
    const ProcessResult refused = run.swap({changed.string()});
    CHECK(refused.status == 3);
    CHECK(refused.errors ==
          "ptprun: error: " + changed.string() +
              ": cannot be swapped in (stage): does not come with this ptp, and the run is in safe "
              "mode\n    the training continues with the running build\n"
              "    fix: begin or resume the run without --safe-mode\n");
    run.finish();
}

TEST_CASE("control: who uses the weights of a training before its end is warned") {
    const ExperimentFolder folder(with_recurrent(20));
    install(folder);
    LiveRun run(folder, "run");
    run.go_on_for(8);  // of the 6 before the first checkpoint
    const std::string model = folder.run_folder("model.ptpm");
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"bundle", folder.run_folder("run"), "-o", model},
          {"process", folder.run_folder("run")},
          {"predict", folder.run_folder("run"), "--data", "test"}}) {
        const std::string errors =
            without_folder(run_program("ptprun", words).errors, folder.path());
        CHECK(
            errors.starts_with("FOLDER/run: warning: is still training: what is used are the "
                               "weights of FOLDER/run, epoch 1 (best)\n"));
    }
    CHECK(run.end_with(SIGTERM) == 143);
}

}  // namespace live_control_test
