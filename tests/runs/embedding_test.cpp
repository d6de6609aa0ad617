// libptp: trainings in this process, and what they have in common with ptprun's.

#include "runs/embedding_support.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace embedding_test {

using namespace ptp::test;

namespace {

// As in the runs of ptprun that it is compared with. Before the engine is opened.
const int kIsOneThread = setenv("OMP_NUM_THREADS", "1", 1);

// 48 samples in batches of 8, three epochs.
constexpr int kEpisodes = 18;

std::array<struct sigaction, 65> handlers() {
    std::array<struct sigaction, 65> all{};
    for (int signal = 1; signal < 65; ++signal) {
        sigaction(signal, nullptr, &all[static_cast<std::size_t>(signal)]);
    }
    return all;
}

// The signals whose handlers differ.
std::vector<int> changed(const std::array<struct sigaction, 65>& before) {
    const auto now = handlers();
    std::vector<int> signals;
    for (std::size_t signal = 1; signal < now.size(); ++signal) {
        if (now[signal].sa_handler != before[signal].sa_handler) {
            signals.push_back(static_cast<int>(signal));
        }
    }
    return signals;
}

volatile std::sig_atomic_t own_handler_ran = 0;

void own_handler(int) {
    own_handler_ran = 1;
}

}  // namespace

TEST_CASE("libptp: a training by steps, and one at once after it, have the bits of ptprun") {
    const ExperimentFolder folder;
    const auto file = folder.write();
    REQUIRE(folder.run("ptprun").status == 0);
    {
        Embedded stepped(file, {.run_folder = folder.run_folder("stepped")});
        REQUIRE(stepped.opened == PTP_RESULT_DONE);
        CHECK(std::string(ptp_experiment_run_folder(stepped.experiment)).empty());
        CHECK(stepped.steps(kEpisodes) == kEpisodes - 1);
        CHECK(ptp_experiment_episodes(stepped.experiment) == kEpisodes);
        CHECK(ptp_experiment_run_folder(stepped.experiment) == folder.run_folder("stepped"));
        int32_t is_running = 1;
        CHECK(ptp_experiment_step(stepped.experiment, &is_running) == PTP_RESULT_DONE);
        CHECK(is_running == 0);
    }
    Embedded at_once(file, {.run_folder = folder.run_folder("at_once")});
    CHECK(ptp_experiment_run(at_once.experiment) == PTP_RESULT_DONE);
    check_same_run(folder, "ptprun", "stepped");
    check_same_run(folder, "ptprun", "at_once");
    CHECK(ptp::test::status_in(folder.run_folder("stepped")) ==
          "done: epoch limit of 3 reached (0)");
}

TEST_CASE("libptp: an experiment comes from text too, with values in place of its own") {
    const ExperimentFolder folder;
    const auto file = folder.write();
    const std::string text = folder.read("experiment.toml");
    Embedded parsed("no/such/file.toml",
                    {.set = {"training.terminal_conditions.epoch_limit=1"},
                     .run_folder = folder.run_folder("parsed")},
                    text);
    REQUIRE(parsed.opened == PTP_RESULT_DONE);
    CHECK(ptp_experiment_run(parsed.experiment) == PTP_RESULT_DONE);
    CHECK(ptp_experiment_episodes(parsed.experiment) == kEpisodes / 3);
    CHECK(ptp::test::status_in(folder.run_folder("parsed")) ==
          "done: epoch limit of 1 reached (0)");
}

TEST_CASE("libptp: all that is wrong is listed, with file, line, value and fix") {
    Embedded wrong("wrong.toml", {},
                   "[training]\noptimizer = { type = \"Adam\", lr = -1 }\n"
                   "terminal_conditions = { epoch_limit = 3 }\n"
                   "task = { type = \"FashionMNIST\", batch_size = 0 }\n"
                   "[pipeline.net]\ntype = \"FeedForwardNetwrk\"\n");
    CHECK(wrong.opened == PTP_RESULT_CONFIGURATION);
    const ptp_problem* problems = nullptr;
    REQUIRE(ptp_experiment_problems(wrong.experiment, &problems) == 3);
    const std::string found[] = {problems[0].key, problems[1].key, problems[2].key};
    CHECK(found[0] == "training.optimizer.lr");
    CHECK(found[1] == "training.task.batch_size");
    CHECK(found[2] == "pipeline.net.type");
    CHECK(std::string(problems[0].file) == "wrong.toml");
    CHECK(problems[0].line == 2);
    CHECK(problems[0].column == 35);
    CHECK(std::string(problems[0].value) == "-1");
    CHECK(problems[0].is_warning == 0);
    CHECK(problems[2].line == 6);
    CHECK(std::string(problems[2].message) ==
          "no plugin has such a component; did you mean 'FeedForwardNetwork'?");
    int32_t is_running = 1;
    CHECK(ptp_experiment_step(wrong.experiment, &is_running) == PTP_RESULT_MISUSE);
    CHECK(wrong.error() == "the experiment has errors, or was not checked");
    CHECK(is_running == 0);
}

TEST_CASE("libptp: an error in one experiment leaves the library usable for the next") {
    const ExperimentFolder folder;
    const auto file = folder.write();
    {
        Embedded missing(file, {.set = {"training.task.data_folder=\"/no/such\""}});
        CHECK(missing.opened == PTP_RESULT_DATA);
        CHECK(
            missing.error() ==
            "--set: training.task.data_folder: no such file or folder: /no/such; install Debian's "
            "package dataset-fashion-mnist, or take the four files from "
            "https://github.com/zalandoresearch/fashion-mnist and set data_folder to where they "
            "are");
    }
    {
        // While it trains: the folder of the run is not empty.
        Embedded refused(file, {.run_folder = folder.path().string()});
        REQUIRE(refused.opened == PTP_RESULT_DONE);
        CHECK(ptp_experiment_run(refused.experiment) == PTP_RESULT_CONFIGURATION);
        CHECK(refused.error() == "the run folder " + folder.path().string() +
                                     " is there already and not empty; name another one, or none "
                                     "to get a new one");
        CHECK(ptp_experiment_run(refused.experiment) == PTP_RESULT_CONFIGURATION);
    }
    Embedded next(file, {.run_folder = folder.run_folder("next")});
    CHECK(ptp_experiment_run(next.experiment) == PTP_RESULT_DONE);
}

TEST_CASE("libptp: between steps there are statistics and streams, and a checkpoint on request") {
    const ExperimentFolder folder;
    Embedded one(folder.write(), {.run_folder = folder.run_folder("one")});
    double loss = 0;
    CHECK(ptp_experiment_statistic(one.experiment, "loss", &loss) == PTP_RESULT_MISUSE);
    CHECK(one.error() == "no episode has run yet");
    CHECK(one.steps(2) == 2);
    REQUIRE(ptp_experiment_statistic(one.experiment, "loss", &loss) == PTP_RESULT_DONE);
    // Log-probabilities of ten classes for eight samples; the loss is the mean of those of the
    // targets, which are k mod 4.
    const std::vector<float> predictions = one.read("predictions");
    REQUIRE(predictions.size() == 80);
    DLManagedTensor* targets = nullptr;
    REQUIRE(ptp_experiment_read(one.experiment, "targets", &targets) == PTP_RESULT_DONE);
    CHECK(targets->dl_tensor.dtype.code == kDLInt);
    CHECK(targets->dl_tensor.shape[0] == 8);
    const auto* classes = static_cast<const int64_t*>(targets->dl_tensor.data);
    double sum = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        sum -= predictions[10 * i + static_cast<std::size_t>(classes[i])];
    }
    CHECK(loss == doctest::Approx(sum / 8).epsilon(1e-6));
    const char* const* names = nullptr;
    size_t count = 0;
    REQUIRE(ptp_experiment_read_strings(one.experiment, "labels", &names, &count) ==
            PTP_RESULT_DONE);
    REQUIRE(count == 8);
    const char* const known[] = {"T-shirt/top", "Trouser", "Pullover", "Dress"};
    CHECK(std::string(names[3]) == known[classes[3]]);
    targets->deleter(targets);
    CHECK(ptp_experiment_read(one.experiment, "label", &targets) == PTP_RESULT_CONFIGURATION);
    CHECK(targets == nullptr);
    CHECK(one.error() == "unknown stream 'label'; did you mean 'labels'?");
    CHECK(ptp_experiment_statistic(one.experiment, "los", &loss) == PTP_RESULT_CONFIGURATION);
    CHECK(one.error() == "unknown statistic 'los'; did you mean 'loss'?");
    CHECK_FALSE(folder.has("one/checkpoints/last"));
    CHECK(ptp_experiment_save(one.experiment) == PTP_RESULT_DONE);
    CHECK(folder.has("one/checkpoints/last/weights.safetensors"));
}

TEST_CASE("libptp: a training that is stopped, or closed in its middle, is resumed to its bits") {
    const ExperimentFolder folder;
    const auto file = folder.write();
    REQUIRE(folder.run("whole").status == 0);
    {
        Embedded stopped(file, {.run_folder = folder.run_folder("stopped")});
        CHECK(stopped.steps(7) == 7);
        std::thread([&] { ptp_experiment_stop(stopped.experiment); }).join();
        int32_t is_running = 1;
        CHECK(ptp_experiment_step(stopped.experiment, &is_running) == PTP_RESULT_STOPPED);
        CHECK(is_running == 0);
        CHECK(ptp_experiment_episodes(stopped.experiment) == 7);
        Embedded closed(file, {.run_folder = folder.run_folder("closed")});
        CHECK(closed.steps(3) == 3);
    }
    CHECK(ptp::test::status_in(folder.run_folder("stopped")) ==
          "stopped: the program that runs it (130)");
    for (const char* name : {"stopped", "closed"}) {
        CAPTURE(name);
        const auto resumed = ptprun({"resume", folder.run_folder(name), "--quiet"});
        CHECK(resumed.status == 0);
        check_same_run(folder, "whole", name);
    }
}

TEST_CASE("libptp: one experiment of a process trains at a time") {
    const ExperimentFolder folder;
    const auto file = folder.write();
    Embedded first(file, {.run_folder = folder.run_folder("first")});
    Embedded second(file, {.run_folder = folder.run_folder("second")});
    CHECK(first.steps(1) == 1);
    int32_t is_running = 1;
    CHECK(ptp_experiment_step(second.experiment, &is_running) == PTP_RESULT_MISUSE);
    CHECK(second.error() ==
          "another experiment of this process is open in the middle of its training or prediction; "
          "close it, or run a training to its end");
    CHECK(ptp_experiment_run(first.experiment) == PTP_RESULT_DONE);
    CHECK(ptp_experiment_run(second.experiment) == PTP_RESULT_DONE);
    check_same_run(folder, "first", "second");
}

TEST_CASE("libptp: no signal handler is changed unless the experiment asks for it") {
    const ExperimentFolder folder;
    const auto file = folder.write();
    const auto before = handlers();
    {
        Embedded quiet(file, {.run_folder = folder.run_folder("quiet")});
        CHECK(quiet.steps(2) == 2);
        CHECK(changed(before).empty());
    }
    CHECK(changed(before).empty());
    {
        Embedded handling(file,
                          {.run_folder = folder.run_folder("handling"), .handles_signals = true});
        CHECK(handling.steps(2) == 2);
        const std::vector<int> all = {SIGHUP, SIGINT,  SIGILL,  SIGTRAP, SIGABRT, SIGBUS,
                                      SIGFPE, SIGUSR1, SIGSEGV, SIGPIPE, SIGTERM, SIGSYS};
        CHECK(changed(before) == all);
        std::raise(SIGTERM);
        int32_t is_running = 1;
        CHECK(ptp_experiment_step(handling.experiment, &is_running) == 143);
    }
    CHECK(changed(before) == std::vector<int>{SIGPIPE});  // ignored from then on, as documented
    std::signal(SIGPIPE, SIG_DFL);
    CHECK(ptp::test::status_in(folder.run_folder("handling")) == "stopped: SIGTERM (143)");
}

TEST_CASE("libptp: while a program feeds, SIGTERM is its own, also with handles_signals") {
    const ExperimentFolder folder;
    Embedded one(folder.write(), {.run_folder = folder.run_folder("one"), .handles_signals = true});
    CHECK(ptp_experiment_run(one.experiment) == PTP_RESULT_DONE);
    own_handler_ran = 0;
    std::signal(SIGTERM, own_handler);
    const auto before = handlers();
    float pixels[] = {0.1f, 0.2f, 0.3f, 0.4f};
    int64_t shape[] = {1, 1, 2, 2};
    const DLTensor input{pixels, {kDLCPU, 0}, 4, {kDLFloat, 32, 1}, shape, nullptr, 0};
    CHECK(ptp_experiment_feed(one.experiment, "inputs", &input) == PTP_RESULT_DONE);
    CHECK(changed(before) ==
          std::vector<int>{SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS});
    std::raise(SIGTERM);
    CHECK(own_handler_ran == 1);
    CHECK(ptp_experiment_predict(one.experiment) == PTP_RESULT_DONE);
    std::signal(SIGTERM, SIG_DFL);
    std::signal(SIGPIPE, SIG_DFL);
}

TEST_CASE("libptp: its threads leave the signals of the process to the program's threads") {
    const ExperimentFolder folder;
    Embedded one(folder.write({.training = "dataloader = { num_workers = 2 }\n"
                                           "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                                           "terminal_conditions = { epoch_limit = 3 }\n"}),
                 {.run_folder = folder.run_folder("one")});
    CHECK(one.steps(2) == 2);
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &own, nullptr);
    kill(getpid(), SIGUSR2);  // would end the process on a thread that does not block it
    const timespec no_time{};
    CHECK(sigtimedwait(&own, nullptr, &no_time) == SIGUSR2);
    pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
    CHECK(ptp_experiment_run(one.experiment) == PTP_RESULT_DONE);
}

TEST_CASE("libptp: a plugin that crashes when it is loaded is refused, and remembered") {
    const ExperimentFolder folder;
    const auto file = folder.write(
        {.pipeline = "[pipeline.odd]\ntype = \"HostileModel\"\nstreams = { inputs = \"features\", "
                     "predictions = \"odd_features\" }\n"});
    const std::string plugins = (ptp::test::build_dir() / "tests/hostile/crash").string();
    const std::string how =
        plugins +
        "/hostile.so: loading it ended by signal 11 (Segmentation fault) in its start-up code or its "
        "entry\n    fix: repair and rebuild it; to try this file again: ptp-inspect why " +
        plugins + "/hostile.so --retry";
    const char* const before = std::getenv("XDG_CACHE_HOME");
    const std::string own_cache = before == nullptr ? "" : before;
    setenv("XDG_CACHE_HOME", (folder.path() / "cache").c_str(), 1);
    {
        Embedded first(file, {.run_folder = folder.run_folder("run"), .plugins = {plugins}});
        REQUIRE(first.opened == PTP_RESULT_DONE);
        CHECK(ptp_experiment_run(first.experiment) == PTP_RESULT_PLUGIN);
        CHECK(first.error() == how);
        CHECK_FALSE(std::filesystem::exists(folder.run_folder("run")));
        const Embedded again(file, {.plugins = {plugins}});
        CHECK(again.opened == PTP_RESULT_PLUGIN);
        CHECK(again.error().find(": it is not loaded again\n") != std::string::npos);
    }
    if (before == nullptr) {
        unsetenv("XDG_CACHE_HOME");
    } else {
        setenv("XDG_CACHE_HOME", own_cache.c_str(), 1);
    }
}

TEST_CASE("libptp: calls that are not allowed do nothing but return a code and a reason") {
    ptp_experiment* none = nullptr;
    CHECK(ptp_experiment_open(nullptr, nullptr, &none) == PTP_RESULT_MISUSE);
    CHECK(std::string(ptp_experiment_error(nullptr)) == "an argument is NULL that must not be");
    CHECK(ptp_experiment_open("x.toml", nullptr, nullptr) == PTP_RESULT_MISUSE);
    CHECK(ptp_experiment_run(nullptr) == PTP_RESULT_MISUSE);
    CHECK(ptp_experiment_problems(nullptr, nullptr) == 0);
    CHECK(std::string(ptp_experiment_run_folder(nullptr)).empty());
    ptp_experiment_stop(nullptr);
    ptp_experiment_close(nullptr);
    struct {
        ptp_experiment_options known;
        const char* later;
    } options{PTP_EXPERIMENT_OPTIONS, "set"};
    options.known.struct_size = sizeof(options);
    CHECK(ptp_experiment_parse("", "x.toml", &options.known, &none) == PTP_RESULT_MISUSE);
    CHECK(none == nullptr);
    CHECK(std::string(ptp_experiment_error(nullptr)) ==
          "this libptp does not know an option that is set; install the libptp of the "
          "<ptp/host.h> that the program was compiled with, or leave the option out");
    options.later = nullptr;
    CHECK(ptp_experiment_parse("", "x.toml", &options.known, &none) == PTP_RESULT_CONFIGURATION);
    ptp_experiment_close(none);

    const ExperimentFolder folder;
    Embedded one(folder.write(), {.run_folder = folder.run_folder("one")});
    DLManagedTensor unread{};
    DLManagedTensor* tensor = &unread;
    CHECK(ptp_experiment_save(one.experiment) == PTP_RESULT_MISUSE);
    const char* const kept = ptp_experiment_error(one.experiment);
    CHECK(ptp_experiment_predict(one.experiment) == PTP_RESULT_MISUSE);
    CHECK(std::string(kept) ==
          "no training waits between two steps, so that there is nothing to save");
    CHECK(ptp_experiment_predict(one.experiment) == PTP_RESULT_MISUSE);
    CHECK(one.error() == "nothing was fed");
    CHECK(ptp_experiment_read(one.experiment, "targets", &tensor) == PTP_RESULT_MISUSE);
    CHECK(one.error() == "nothing was computed yet");
    CHECK(ptp_experiment_read(one.experiment, nullptr, &tensor) == PTP_RESULT_MISUSE);
    CHECK(tensor == nullptr);
    CHECK(one.error() == "the stream or the result is NULL");
    CHECK(one.steps(1) == 1);
    CHECK(ptp_experiment_check(one.experiment) == PTP_RESULT_MISUSE);
    float value = 0;
    int64_t shape[] = {1};
    const DLTensor input{&value, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0};
    CHECK(ptp_experiment_feed(one.experiment, "inputs", &input) == PTP_RESULT_MISUSE);
    CHECK(one.error() == "the training is not at its end: run it, or stop it and step once more");
    CHECK(ptp_experiment_run(one.experiment) == PTP_RESULT_DONE);
}

}  // namespace embedding_test
