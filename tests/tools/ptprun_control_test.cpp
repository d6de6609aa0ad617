// `ptprun control` and `ptprun swap` as a person meets them. The training is played by this
// process.

#include "control/server.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace ptprun_control_test {

namespace {

using ptp::Value;
using ptp::control::Reply;
using ptp::control::Request;
using ptp::test::ProcessResult;
using ptp::test::ptprun;
using ptp::test::TempFolder;

constexpr const char* kLongRefusal =
    "/home/me/build/long.so: cannot be swapped in (migrate): 'encoder' (Net): 'weight' [4, 4] has "
    "vanished\n    'bias' was [4], is [8]\n    the training continues with the running build\n"
    "    fix: give the component migrate(), which converts them";

// A run that is going on, and repeats what it is asked.
class Run {
public:
    Run() {
        std::array<char, 256> host{};
        gethostname(host.data(), host.size() - 1);
        folder_.write("experiment.toml", "name = \"net\"\n");
        folder_.write(
            "status.json",
            nlohmann::json{{"state", "running"}, {"pid", getpid()}, {"host", host.data()}}.dump());
        server_.emplace(folder_.path());
        trainer_ = std::thread([this] { train(); });
    }
    ~Run() {
        is_over_ = true;
        trainer_.join();
    }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    [[nodiscard]] std::string path() const { return folder_.path().string(); }

private:
    void train() {
        while (!is_over_) {
            server_->wait(std::chrono::milliseconds(10));
            while (auto pending = server_->next()) {
                pending->reply(reply_to(pending->request()));
            }
        }
    }

    static Reply reply_to(const Request& request) {
        if (request.command == "validate") {
            return Reply::failure("there is no validation set");
        }
        if (request.command == "swap" && !request.arguments.find("dry_run")->as_bool()) {
            const std::string file = request.arguments.find("files")->items().front().as_string();
            return Reply::failure(file.ends_with("long.so") ? kLongRefusal : "good.so: no",
                                  ptp::kPluginError);
        }
        if (request.command == "checkpoint") {
            return {true, "checkpoint after 500 episodes", Value::table({{"episode", 500}})};
        }
        if (request.command == "status") {
            return {true, "", status()};
        }
        return {true, request.command, request.arguments};
    }

    static Value generation(const char* plugin, std::int64_t number, bool is_active) {
        return Value::table({{"plugin", plugin}, {"generation", number}, {"is_active", is_active}});
    }

    // As a training gives it, after an hour.
    static Value status() {
        const Value measured =
            Value::table({{"set", "validation"},
                          {"episode", 399},
                          {"epoch", 2},
                          {"loss", 0.25},
                          {"statistics", Value::table({{"loss", 0.25}, {"accuracy", 0.875}})}});
        return Value::table({{"episode", 500},
                             {"epoch", 3},
                             {"seconds", 3725.5},
                             {"last", measured},
                             {"best", measured},
                             {"epoch_count", 10},
                             {"episode_count", 2000},
                             {"seconds_left", 95.7},
                             {"episodes_per_second", 12.345},
                             {"losses", Value::table({{"total_loss", 0.3}})},
                             {"learning_rates", Value::table({{"learning_rate", 0.001}})},
                             {"memory_bytes", 851443712},
                             {"state", "paused"},
                             {"generations", Value::list({generation("losses", 1, true),
                                                          generation("small_net", 1, false),
                                                          generation("small_net", 2, true)})}});
    }

    TempFolder folder_;
    std::optional<ptp::control::Server> server_;
    std::atomic<bool> is_over_ = false;
    std::thread trainer_;
};

std::string refusal_of(const std::vector<std::string>& arguments) {
    const ProcessResult said = ptprun(arguments);
    CHECK(said.status == 2);
    CHECK(said.output == "");
    return said.errors;
}

}  // namespace

TEST_CASE("ptprun control: asks, and says the reply") {
    const Run run;
    for (const char* request : {"pause", "continue"}) {
        const ProcessResult said = ptprun({"control", run.path(), request});
        require_success(said);
        CHECK(said.output == std::string(request) + "\n");
    }
    const ProcessResult rate =
        ptprun({"control", run.path(), "learning-rate", "1e-3", "--group", "lenet5"});
    CHECK(rate.status == 0);
    CHECK(rate.output == "learning_rate\nrate = 0.001\ngroup = \"lenet5\"\n");
    CHECK(ptprun({"control", run.path(), "learning-rate", "2", "--json"}).output ==
          R"({"ok":true,"message":"learning_rate","result":{"rate":2.0}})"
          "\n");
}

TEST_CASE("ptprun control: the status fits on a few lines, and --all has the rest") {
    const Run run;
    const ProcessResult few = ptprun({"control", run.path(), "status"});
    require_success(few);
    CHECK(few.output ==
          "paused    epoch 3/10, 500/2000 episodes done, 12/s\n"
          "time      1m35s left, 1h2m so far\n"
          "loss      total_loss 0.3\n"
          "rate      learning_rate 0.001\n"
          "last      epoch 2  validation  loss 0.25  accuracy 0.875\n"
          "best      epoch 2  validation  loss 0.25  accuracy 0.875\n"
          "memory    812 MiB\n"
          "plugins   2; small_net is at generation 2\n");
    const std::string all = ptprun({"control", run.path(), "status", "--all"}).output;
    CHECK(all.starts_with("episode = 500\nepoch = 3\nseconds = 3725.5\n"));
    CHECK(all.find("\n[[generations]]\nplugin = \"losses\"\ngeneration = 1\n") != all.npos);
    CHECK(ptprun({"control", run.path(), "status", "--json"})
              .output.starts_with(R"({"ok":true,"message":"","result":{"episode":500,)"));
}

TEST_CASE("ptprun control: a pause is confirmed once") {
    const Run run;
    CHECK(ptprun({"control", run.path(), "checkpoint"}).output ==
          "checkpoint after 500 episodes\n");
    CHECK(ptprun({"control", run.path(), "checkpoint", "--json"}).output ==
          R"({"ok":true,"message":"checkpoint after 500 episodes","result":{"episode":500}})"
          "\n");
}

TEST_CASE("ptprun control: the status of a run that has ended is its last one, and how it ended") {
    const TempFolder folder;
    folder.write("experiment.toml", "name = \"net\"\n");
    folder.write("status.json",
                 R"({"format": 2, "state": "done", "reason": "epoch limit of 5 reached",
        "exit_code": 0, "episode": 4300, "epoch": 5, "seconds": 83.25,
        "last": {"set": "validation", "episode": 4299, "epoch": 5, "loss": 0.375,
                 "statistics": {"loss": 0.375, "accuracy": 0.875}},
        "best": {"set": "validation", "episode": 3439, "epoch": 4, "loss": 0.25,
                 "statistics": {"loss": 0.25, "accuracy": 0.9}},
        "began": "2026-01-01T10:00:00Z", "ended": "2026-01-01T10:01:24Z", "pid": 1, "host": "a"})");
    const std::string path = folder.path().string();
    const ProcessResult few = ptprun({"control", path, "status"});
    require_success(few);
    CHECK(few.output ==
          "done      epoch 5, 4300 episodes done\n"
          "result    epoch limit of 5 reached (exit code 0)\n"
          "time      1m23s\n"
          "last      epoch 5  validation  loss 0.375  accuracy 0.875\n"
          "best      epoch 4  validation  loss 0.25  accuracy 0.9\n");
    CHECK(ptprun({"control", path, "status", "--all"})
              .output.starts_with("episode = 4300\nepoch = 5\nseconds = 83.25\n"));
    CHECK(ptprun({"control", path, "status", "--json"})
              .output.starts_with(R"({"ok":true,"message":"","result":{"episode":4300,)"));
    CHECK(refusal_of({"control", path, "pause"}) ==
          "ptprun: error: the run in " + path + " is done\n");
}

TEST_CASE("ptprun control: of a run that failed the reason is shown, on one line") {
    const TempFolder folder;
    folder.write("experiment.toml", "name = \"net\"\n");
    folder.write("status.json", R"({"format": 2, "state": "failed", "reason": "no memory\n  at a",
        "exit_code": 5, "episode": 3, "epoch": 1, "seconds": 1.5, "last": null, "best": null})");
    CHECK(ptprun({"control", folder.path().string(), "status"}).output ==
          "failed    epoch 1, 3 episodes done\n"
          "result    no memory   at a (exit code 5)\n"
          "time      1.5s\n");
}

TEST_CASE("ptprun swap: a refusal is shown as the run says it, with what to do last") {
    const Run run;
    const TempFolder files;
    const std::string file = files.write("long.so", "").string();
    const ProcessResult refused = ptprun({"swap", run.path(), file});
    CHECK(refused.status == 3);
    CHECK(refused.errors ==
          "ptprun: error: /home/me/build/long.so: cannot be swapped in (migrate): 'encoder' (Net): "
          "'weight' [4, 4] has vanished\n"
          "    'bias' was [4], is [8]\n"
          "    the training continues with the running build\n"
          "    fix: give the component migrate(), which converts them\n");
}

TEST_CASE("ptprun control: what the run refuses is said, with its code") {
    const Run run;
    const ProcessResult said = ptprun({"control", run.path(), "validate"});
    CHECK(said.status == 2);
    CHECK(said.output == "");
    CHECK(said.errors == "ptprun: error: there is no validation set\n");
    const ProcessResult json = ptprun({"control", run.path(), "validate", "--json"});
    CHECK(json.status == 2);
    CHECK(json.output ==
          R"({"ok":false,"message":"there is no validation set","result":{"exit_code":2}})"
          "\n");
}

TEST_CASE("ptprun swap: it sends absolute paths, wherever the run's folder is") {
    const Run run;
    const TempFolder files;
    const std::string first = files.write("a.so", "").string();
    const std::string second = files.write("b/../b.so", "").string();
    const ProcessResult said = ptprun({"swap", run.path(), first, second, "--dry-run"});
    CHECK(said.status == 0);
    const std::string folder = files.path().string();
    CHECK(said.output ==
          "swap\nfiles = [\"" + folder + "/a.so\", \"" + folder + "/b.so\"]\ndry_run = true\n");
    const auto relative = std::filesystem::relative(first).string();
    CHECK(ptprun({"swap", run.path(), relative, "--dry-run"}).output ==
          "swap\nfiles = [\"" + folder + "/a.so\"]\ndry_run = true\n");
    const ProcessResult refused = ptprun({"swap", run.path(), first});
    CHECK(refused.status == 3);
    CHECK(refused.errors == "ptprun: error: good.so: no\n");
    CHECK(refused.output == "");
}

TEST_CASE("ptprun control: words that make no sense end with 2") {
    const std::string help = "\n    help: ptprun help control\n";
    CHECK(refusal_of({"control", "x"}) ==
          "ptprun: error: a run folder and a request are needed\n"
          "    fix: ptprun control x REQUEST" +
              help);
    CHECK(refusal_of({"control", "x", "puase"}) ==
          "ptprun: error: 'puase': unknown request; did you mean 'pause'?\n"
          "    fix: ptprun control x pause" +
              help);
    CHECK(refusal_of({"control", "x", "pause", "now"}) ==
          "ptprun: error: 'now' is one word too many after 'pause'\n"
          "    fix: ptprun control x pause" +
              help);
    CHECK(refusal_of({"control", "x", "learning-rate", "0.1", "0.2"}) ==
          "ptprun: error: '0.2' is one word too many after '0.1'\n"
          "    fix: ptprun control x learning-rate 0.1" +
              help);
    CHECK(refusal_of({"control", "x", "pause", "--group", "a"}) ==
          "ptprun: error: --group: only learning-rate has it" + help);
    CHECK(refusal_of({"control", "x", "pause", "--all"}) ==
          "ptprun: error: --all: only status has it" + help);
    CHECK(refusal_of({"control", "x", "continue", "soon"}) ==
          "ptprun: error: continue soon: must be an integer in [1, inf)" + help);
    CHECK(refusal_of({"control", "x", "continue", "0"}) ==
          "ptprun: error: continue.episodes = 0: must be in [1, inf)" + help);
    CHECK(refusal_of({"control", "x", "learning-rate"}) ==
          "ptprun: error: learning-rate: the rate is needed\n"
          "    fix: ptprun control x learning-rate NUMBER" +
              help);
    CHECK(refusal_of({"control", "x", "learning-rate", "fast"}) ==
          "ptprun: error: learning-rate fast: must be a real in [0, inf)" + help);
    CHECK(refusal_of({"control", "x", "learning-rate", "nan"}) ==
          "ptprun: error: learning_rate.rate = nan: must be in [0, inf)" + help);
    CHECK(refusal_of({"control", "x", "pause", "--timeout", "0"}) ==
          "ptprun: error: --timeout 0: must be 1 or more" + help);
    CHECK(refusal_of({"control", "/nowhere", "pause"}) ==
          "ptprun: error: /nowhere: no such run" + help);
}

TEST_CASE("ptprun control: words of other programs are answered with the whole command") {
    const auto answer = [](const std::vector<std::string>& words) {
        std::vector<std::string> line = {"control", "my run"};
        line.insert(line.end(), words.begin(), words.end());
        const std::string text = refusal_of(line);
        const std::string help = "\n    help: ptprun help control\n";
        const std::string begin = "ptprun: error: ";
        CHECK(text.ends_with(help));
        return text.substr(begin.size(), text.size() - begin.size() - help.size());
    };
    CHECK(answer({"resume"}) ==
          "'resume': unknown request; did you mean 'continue'?\n"
          "    fix: ptprun control 'my run' continue");
    CHECK(answer({"unpause", "5"}) ==
          "'unpause': unknown request; did you mean 'continue'?\n"
          "    fix: ptprun control 'my run' continue 5");
    const std::string rate =
        ": unknown request; did you mean 'learning-rate'?\n"
        "    fix: ptprun control 'my run' learning-rate ";
    CHECK(answer({"lr", "0.001"}) == "'lr'" + rate + "0.001");
    CHECK(answer({"set", "lr", "0.001"}) == "'set'" + rate + "0.001");
    CHECK(answer({"set", "training.optimizer.lr=0.001"}) == "'set'" + rate + "0.001");
    CHECK(answer({"lr=0.001", "--group", "net"}) == "'lr=0.001'" + rate + "0.001 --group net");
    CHECK(answer({"lr"}) == "'lr'" + rate + "NUMBER");
    CHECK(answer({"quit", "now"}) ==
          "'quit': unknown request; did you mean 'stop'?\n    fix: ptprun control 'my run' stop");
    const std::string step =
        "'step': unknown request; did you mean 'continue'?\n"
        "    fix: ptprun control 'my run' continue ";
    CHECK(answer({"step", "3"}) == step + "3");
    CHECK(answer({"step"}) == step + "1");
    CHECK(answer({"sotp"}) ==
          "'sotp': unknown request; did you mean 'stop'?\n    fix: ptprun control 'my run' stop");
    // The command that ends a run is proposed for no other word.
    for (const char* const word : {"top", "stap", "setp", "shop"}) {
        CHECK(answer({word}) == "'" + std::string(word) +
                                    "': unknown request; known: status, pause, continue, stop, "
                                    "checkpoint, validate, learning-rate");
    }
    CHECK(answer({"save"}) ==
          "'save': unknown request; did you mean 'checkpoint'?\n"
          "    fix: ptprun control 'my run' checkpoint");
    CHECK(answer({"evaluate"}) ==
          "'evaluate': unknown request; did you mean 'validate'?\n"
          "    fix: ptprun control 'my run' validate");
    CHECK(answer({"dance"}).starts_with("'dance': unknown request; known: "));
}

TEST_CASE("ptprun swap: files that cannot be sent end with 2") {
    const TempFolder folder;
    const std::string help = "\n    help: ptprun help swap\n";
    CHECK(refusal_of({"swap", "x"}) ==
          "ptprun: error: a run folder and a plugin file are needed\n"
          "    fix: ptprun swap x PLUGIN-FILE" +
              help);
    CHECK(refusal_of({"swap", "x", "/no.so"}) == "ptprun: error: /no.so: no such file" + help);
    const std::string path = folder.path().string();
    CHECK(refusal_of({"swap", "x", path}) == "ptprun: error: " + path + ": is not a file" + help);
    folder.write("experiment.toml", "");
    folder.write("run.json", "{}");
    folder.write("plugins.lock",
                 "# format 1\n[[plugins.mine]]\ngeneration = 1\nversion = \"1.0.0\"\nsha256 = \"" +
                     std::string(64, 'a') +
                     "\"\nfile = \"mine.so\"\nsource = \"/build/mine.so\"\nfrom_episode = 0\n");
    for (const char* name : {"mine", "loss"}) {
        CHECK(refusal_of({"swap", path, name}) ==
              std::string("ptprun: error: ") + name +
                  ": no such file; a newer build is named by its file\n"
                  "    fix: ptprun swap " +
                  path + " /build/mine.so" + help);
    }
    const std::string odd = folder.write("\xff.so", "").string();
    CHECK(refusal_of({"swap", "x", odd}) ==
          "ptprun: error: " + path + "/\\xff.so: a name that is not UTF-8 cannot be sent" + help);
}

TEST_CASE("ptprun control: a run that is over, or does not answer") {
    const TempFolder folder;
    const std::string path = folder.path().string();
    folder.write("experiment.toml", "");
    folder.write("status.json", R"({"state": "stopped", "reason": "SIGTERM"})");
    CHECK(refusal_of({"control", path, "pause"}) == "ptprun: error: the run in " + path +
                                                        " has stopped (SIGTERM); `ptprun resume " +
                                                        path + "` continues it\n");
    const ptp::control::Server server(folder.path());
    CHECK(refusal_of({"control", path, "pause", "--timeout", "1"}) ==
          "ptprun: error: the run in " + path +
              " has not replied within 1 s: it replies between two episodes. The request is "
              "withdrawn unless it has begun\n");
}

}  // namespace ptprun_control_test
