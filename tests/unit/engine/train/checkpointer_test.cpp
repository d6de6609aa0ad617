// Checkpoints of a training without components: its folders have the state of the trainer and one
// number that stands for all else.

#include "engine/train/checkpointer.hpp"

#include "base/error.hpp"
#include "engine/checkpoint/checkpoint.hpp"
#include "run/status.hpp"
#include "support.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

namespace checkpointer_test {

using ptp::RunError;
using ptp::Value;
using ptp::engine::Checkpointer;
using ptp::engine::Measurement;
using ptp::engine::Position;
using ptp::engine::SavedState;
using ptp::engine::Status;
namespace fs = std::filesystem;

namespace {

struct Bench {
    Bench() {
        fs::create_directories(folder.path() / "checkpoints");
        sinks.add(std::make_unique<ptp::test::NotedSink>(shown));
        experiment.checkpoint.every.seconds = 0;
        state.status = Status::kRunning;
        state.last = {"validation", {5, 1}, 0.5, {}, ""};
    }

    Checkpointer::Contents contents() {
        return {[this] {
                    SavedState saved;
                    ptp::engine::add_part(saved, "number", {Value::table({{"is", number}}), {}});
                    return saved;
                },
                [](ptp::engine::Tensors) { return ptp::engine::Weights{}; },
                [this](const fs::path&, const SavedState& saved) {
                    if (failure) {
                        throw RunError(*failure, "no");
                    }
                    number = ptp::engine::integer_in(part_of(saved, "number").record, "is");
                },
                [] { return std::uint64_t{4}; },
                [this] { return is_deterministic; },
                [](Position at) {
                    return Measurement{"training", at, 0.75, {}, ""};
                }};
    }

    // After N episodes, in epochs of 4.
    void set_episodes(std::uint64_t episodes) {
        state.episodes_done = episodes;
        state.epoch = episodes / 4;
        state.batches_done = episodes % 4;
    }
    [[nodiscard]] ptp::run::CheckpointRecord record() const {
        return ptp::run::read_checkpoint_record(checkpoints.last());
    }
    [[nodiscard]] fs::path checkpoint(const std::string& name) const {
        return folder.path() / "checkpoints" / name;
    }
    void restore(double seconds = 0) {
        checkpointer.restore(checkpoints.last(), seconds, [this] { notes += "resume "; });
    }
    // What restoring throws, but for the folder of the checkpoint.
    std::string problem(ptp::ExitCode code) {
        try {
            restore();
        } catch (const RunError& error) {
            CHECK(error.code() == code);
            std::string text = error.what();
            const std::string path = checkpoints.last().string();
            REQUIRE(text.find(path) != std::string::npos);
            return text.replace(text.find(path), path.size(), "LAST");
        }
        return "";
    }

    ptp::test::TempFolder folder;
    ptp::test::MemoryLog log;
    std::string shown;  // to the sink
    std::string notes;
    std::int64_t number = 7;
    bool is_deterministic = true;
    std::optional<ptp::ExitCode> failure;  // of restoring the weights
    ptp::experiment::Experiment experiment;
    std::vector<ptp::engine::Column> columns;
    ptp::engine::Checkpoints checkpoints{folder.path() / "checkpoints", 2, *log.log};
    ptp::engine::Records records{folder.path(), columns, *log.log};
    ptp::engine::Sinks sinks{*log.log};
    ptp::engine::StatusFile status{folder.path() / "status.json"};
    ptp::engine::LiveHooks live{.begin = {},
                                .has_change = {},
                                .at_boundary = {},
                                .sync = [this] { notes += "sync "; },
                                .entries_seen = [] { return std::uint64_t{3}; },
                                .plugins =
                                    [](std::uint64_t episodes) {
                                        ptp::run::ActivePlugin plugin;
                                        plugin.name = "nets";
                                        plugin.sha256 = "ab";
                                        plugin.generation = 1;
                                        plugin.from_episode = static_cast<std::int64_t>(episodes);
                                        return std::vector{plugin};
                                    }};
    ptp::engine::StopRules stop{experiment.training.terminal_conditions};
    ptp::engine::TrainerState state;
    ptp::Stopwatch time;
    ptp::run::CheckpointRecord facts{.experiment = "lenet",
                                     .seed = 5,
                                     .globals = {},
                                     .measured = {},
                                     .plugins = {},
                                     .status = ""};
    Checkpointer checkpointer{{experiment, contents(), checkpoints, records, sinks, status,
                               *log.log, live, facts, stop, state, time}};
};

}  // namespace

TEST_CASE("checkpointer: one is due after every N episodes, once") {
    Bench bench;
    bench.experiment.checkpoint.every_episodes = 3;
    std::vector<std::uint64_t> due;
    for (std::uint64_t episodes = 0; episodes <= 7; ++episodes) {
        bench.set_episodes(episodes);
        if (bench.checkpointer.is_due()) {
            due.push_back(episodes);
            bench.checkpointer.save(Status::kRunning, false);
            CHECK(!bench.checkpointer.is_due());
        }
    }
    CHECK(due == std::vector<std::uint64_t>{3, 6});
}

TEST_CASE("checkpointer: one is due when the time since the last has passed") {
    Bench bench;
    bench.set_episodes(1);
    CHECK(!bench.checkpointer.is_due());
    bench.experiment.checkpoint.every.seconds = std::numeric_limits<double>::min();
    CHECK(bench.checkpointer.is_due());
    bench.experiment.checkpoint.every.seconds = std::numeric_limits<double>::max();
    CHECK(!bench.checkpointer.is_due());
}

TEST_CASE(
    "checkpointer: a checkpoint has a folder, a record, a place in the status and the sinks") {
    Bench bench;
    bench.set_episodes(8);
    bench.checkpointer.save(Status::kInterrupted, false);
    CHECK(fs::read_symlink(bench.checkpoints.last()) == "episode_0000000008");
    CHECK(!fs::exists(bench.checkpoints.best()));
    const ptp::run::CheckpointRecord record = bench.record();
    CHECK(record.experiment == "lenet");
    CHECK(record.seed == 5);
    CHECK(record.status == "interrupted");
    CHECK(record.measured.set == "validation");
    CHECK(record.measured.loss == 0.5);
    REQUIRE(record.plugins.size() == 1);
    CHECK(record.plugins[0].from_episode == 8);
    const ptp::run::Status status = ptp::run::read_status(bench.folder.path() / "status.json");
    CHECK(status.episode == 8);
    CHECK(status.epoch == 2);
    REQUIRE(status.last);
    CHECK(status.last->loss == 0.5);
    CHECK(!status.best);
    CHECK(bench.notes == "sync ");
    CHECK(bench.shown == "last after 7 of 1; ");
    CHECK(bench.state.status == Status::kRunning);
    CHECK(bench.state.best_saved == 0);
}

TEST_CASE(
    "checkpointer: after an operation whose bits vary the records state it, also of a resume") {
    Bench bench;
    bench.set_episodes(4);
    bench.checkpointer.save(Status::kRunning, false);
    CHECK(bench.record().is_reproducible);
    bench.is_deterministic = false;
    bench.set_episodes(8);
    bench.checkpointer.save(Status::kRunning, false);
    CHECK(!bench.record().is_reproducible);
    bench.is_deterministic = true;  // as in a new process
    bench.restore();
    bench.set_episodes(12);
    bench.checkpointer.save(Status::kRunning, false);
    CHECK(!bench.record().is_reproducible);
}

TEST_CASE("checkpointer: the best one is found by its name, and by its episode after a resume") {
    Bench bench;
    bench.set_episodes(4);
    bench.checkpointer.save(Status::kRunning, true);
    CHECK(bench.state.best_saved == 4);
    bench.set_episodes(8);
    bench.checkpointer.save(Status::kRunning, false);
    CHECK(fs::read_symlink(bench.checkpoints.best()) == "episode_0000000004");
    CHECK(fs::read_symlink(bench.checkpoints.last()) == "episode_0000000008");
    bench.state.best_saved = 0;
    bench.restore();
    CHECK(bench.state.best_saved == 4);
    CHECK(fs::exists(bench.checkpoints.best()));
}

TEST_CASE("checkpointer: the end of an epoch is saved where the last one is 30 s old or more") {
    Bench bench;
    bench.time.restart(100);
    bench.checkpointer.begin();
    bench.set_episodes(4);
    bench.checkpointer.save_or_keep(false);
    CHECK(!fs::exists(bench.checkpoints.last()));
    CHECK(ptp::run::read_status(bench.folder.path() / "status.json").epoch == 1);
    bench.time.restart(130);
    bench.set_episodes(8);
    bench.checkpointer.save_or_keep(false);
    CHECK(fs::read_symlink(bench.checkpoints.last()) == "episode_0000000008");
    bench.set_episodes(12);
    bench.checkpointer.save_or_keep(false);
    CHECK(fs::read_symlink(bench.checkpoints.last()) == "episode_0000000008");
}

TEST_CASE("checkpointer: the ends of epochs that are saved can be asked for by their number") {
    const auto saved = [](std::optional<std::int64_t> every_epochs, const char* on_bad_loss) {
        Bench bench;
        bench.experiment.checkpoint.every_epochs = every_epochs;
        bench.experiment.training.bad_loss.action = on_bad_loss;
        std::vector<std::uint64_t> epochs;
        for (std::uint64_t epoch = 1; epoch <= 4; ++epoch) {
            bench.set_episodes(epoch * 4);
            bench.checkpointer.save_or_keep(false);
            if (fs::exists(bench.checkpoint(ptp::engine::Checkpoints::name_of(epoch * 4)))) {
                epochs.push_back(epoch);
            }
        }
        return epochs;
    };
    CHECK(saved(std::nullopt, "stop").empty());
    CHECK(saved(0, "stop").empty());
    CHECK(saved(1, "stop") == std::vector<std::uint64_t>{1, 2, 3, 4});
    CHECK(saved(2, "stop") == std::vector<std::uint64_t>{2, 4});
    // What a training is rolled back to must not depend on the time.
    CHECK(saved(std::nullopt, "rollback") == std::vector<std::uint64_t>{1, 2, 3, 4});
}

TEST_CASE("checkpointer: the best weights wait in memory for the next checkpoint") {
    Bench bench;
    bench.set_episodes(4);
    bench.checkpointer.save_or_keep(true);
    CHECK(bench.state.best_saved == 4);
    CHECK(!fs::exists(bench.checkpoints.best()));
    bench.number = 9;  // the training continues
    bench.set_episodes(8);
    bench.checkpointer.save(Status::kInterrupted, false);
    CHECK(fs::read_symlink(bench.checkpoints.best()) == "episode_0000000004");
    CHECK(fs::read_symlink(bench.checkpoints.last()) == "episode_0000000008");
    const auto number_in = [](const fs::path& checkpoint) {
        const SavedState saved = ptp::engine::read_training_state(checkpoint);
        return ptp::engine::integer_in(part_of(saved, "number").record, "is");
    };
    CHECK(number_in(bench.checkpoints.best()) == 7);
    CHECK(number_in(bench.checkpoints.last()) == 9);
    CHECK(ptp::run::read_checkpoint_record(bench.checkpoints.best()).status == "not_converged");
    bench.state.best_saved = 0;
    bench.restore();
    CHECK(bench.state.best_saved == 4);
}

TEST_CASE("checkpointer: within an epoch the record has what the epoch has measured so far") {
    Bench bench;
    bench.set_episodes(6);
    bench.checkpointer.save(Status::kRunning, false);
    CHECK(bench.record().measured.set == "training");
    CHECK(bench.record().measured.loss == 0.75);
    CHECK(bench.record().measured.episode == 5);
    CHECK(bench.record().measured.epoch == 2);

    bench.experiment.training.worker = ptp::experiment::Worker::kOnline;  // judged within epochs
    bench.checkpointer.save(Status::kRunning, false);
    CHECK(bench.record().measured.set == "validation");
    bench.state.last = {};
    bench.checkpointer.save(Status::kRunning, false);
    CHECK(bench.record().measured.set == "training");
}

TEST_CASE("checkpointer: the one from before a limit stays until the training continues") {
    Bench bench;
    bench.set_episodes(6);
    CHECK(!bench.checkpointer.has_saved_before_limit());
    bench.checkpointer.save_before_limit();
    CHECK(bench.checkpointer.has_saved_before_limit());
    CHECK(bench.checkpoints.before_limit() == bench.checkpoint("before_limit"));
    CHECK(!fs::exists(bench.checkpoints.last()));
    bench.checkpointer.save(Status::kEpisodeLimit, false);
    CHECK(bench.checkpoints.before_limit());
    bench.checkpointer.save(Status::kRunning, false);
    CHECK(!bench.checkpoints.before_limit());
    CHECK(!bench.checkpointer.has_saved_before_limit());
}

TEST_CASE("checkpointer: restoring brings back what was saved, and then resumes") {
    Bench bench;
    bench.experiment.checkpoint.every_episodes = 3;
    bench.set_episodes(6);
    bench.stop.validated(0.25);
    bench.checkpointer.save(Status::kRunning, false);
    const std::size_t sink_size = bench.shown.size() - std::string("last after 5 of 1; ").size();
    bench.number = 0;
    bench.stop.validated(0.125);
    bench.state = {};
    bench.notes.clear();
    bench.shown.clear();
    bench.restore(100);
    CHECK(bench.number == 7);
    CHECK(bench.stop.best() == 0.25);
    CHECK(bench.state.episodes_done == 6);
    CHECK(bench.state.epoch == 1);
    CHECK(bench.state.batches_done == 2);
    CHECK(bench.state.entries_seen == 3);
    CHECK(bench.state.last.loss == 0.5);
    CHECK(bench.notes == "resume ");
    CHECK(bench.shown == "restored " + std::to_string(sink_size) + "; ");
    CHECK(bench.time.seconds() >= 100);
    CHECK(!bench.checkpointer.is_due());
    CHECK(ptp::run::read_status(bench.folder.path() / "status.json").episode == 6);
}

TEST_CASE("checkpointer: the time of training is saved where it is limited, and continued") {
    Bench bench;
    bench.time.restart(50);
    bench.checkpointer.save(Status::kRunning, false);
    CHECK(!bench.state.seconds);
    bench.experiment.training.terminal_conditions.wall_time.seconds = 1000;
    bench.checkpointer.save(Status::kRunning, false);
    REQUIRE(bench.state.seconds);
    CHECK(*bench.state.seconds >= 50);
    bench.time.restart();
    bench.restore(20);
    CHECK(bench.time.seconds() >= 50);
}

TEST_CASE("checkpointer: what cannot be restored is refused with the checkpoint and the cause") {
    Bench bench;
    bench.set_episodes(7);
    bench.checkpointer.save(Status::kRunning, false);
    bench.failure = ptp::kPluginError;
    CHECK(bench.problem(ptp::kPluginError) == "cannot continue from LAST: no");
    bench.failure = ptp::kTrainingError;
    CHECK(bench.problem(ptp::kDataError) == "cannot continue from LAST: no");
    CHECK(bench.notes == "sync ");
    bench.failure.reset();
    bench.state.batches_done = 5;
    bench.checkpointer.save(Status::kRunning, false);
    CHECK(bench.problem(ptp::kDataError) ==
          "cannot continue from LAST: 5 episodes of the epoch are done, which has 4 now");
}

TEST_CASE("checkpointer: where the best weights are lost, the next ones count as the best") {
    Bench bench;
    bench.set_episodes(4);
    bench.stop.validated(0.25);
    bench.state.best = bench.state.last;
    bench.checkpointer.save(Status::kRunning, true);
    bench.set_episodes(8);
    bench.checkpointer.save(Status::kRunning, false);
    fs::remove_all(bench.checkpoint("episode_0000000004"));
    bench.restore();
    CHECK(bench.log.text.str() ==
          "warning the best weights are lost, the next ones count as the best: cannot read " +
              bench.checkpoint("episode_0000000004/SHA256SUMS").string() +
              ": No such file or directory\n");
    CHECK(bench.state.best_saved == 0);
    CHECK(bench.state.best.set.empty());
    CHECK(bench.stop.best() == std::numeric_limits<double>::infinity());
}

TEST_CASE("checkpointer: best weights that are forgotten are forgotten everywhere") {
    Bench bench;
    bench.set_episodes(4);
    bench.stop.validated(0.25);
    bench.state.best = bench.state.last;
    bench.checkpointer.save(Status::kRunning, true);
    bench.checkpointer.forget_best();
    CHECK(!fs::exists(bench.checkpoints.best()));
    CHECK(fs::exists(bench.checkpoint("episode_0000000004")));
    CHECK(bench.state.best_saved == 0);
    CHECK(bench.state.best.set.empty());
    CHECK(bench.stop.best() == std::numeric_limits<double>::infinity());
}

}  // namespace checkpointer_test
