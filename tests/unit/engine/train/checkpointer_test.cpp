// Checkpoints of the training of a number w, which here stands for all that is trained; the test
// says how many episodes are done, in epochs of three batches.

#include "engine/train/checkpointer.hpp"

#include "base/error.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "run/status.hpp"
#include "support.hpp"

#include <c10/core/GradMode.h>
#include <doctest/doctest.h>

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace checkpointer_test {

using ptp::RunError;
using ptp::engine::Checkpointer;
using ptp::engine::Status;
using ptp::test::trained_number;
namespace fs = std::filesystem;

namespace {

struct Bench {
    Bench() {
        training.facts.experiment = "lenet";
        training.facts.seed = 5;
        context.facts = training.facts;
        context.state.last = {"validation", 5, 2, 0.5, {}};
        set_number(7);
    }

    static void set_number(double value) {
        const c10::AutoGradMode without_gradients(false);
        trained_number.fill_(value);
    }

    // After N episodes, in epochs of 3.
    void set_episodes(std::uint64_t episodes) {
        context.state.episodes_done = episodes;
        context.state.epoch = episodes / 3;
        context.state.batches_done = episodes % 3;
    }
    [[nodiscard]] bool is_due() const {
        return context.policy.is_due(context.state, context.policy.is_due_by_time());
    }
    [[nodiscard]] ptp::run::CheckpointRecord record() const {
        return ptp::run::read_checkpoint_record(checkpoints.last());
    }
    [[nodiscard]] fs::path checkpoint(const std::string& name) const {
        return folder.path() / "checkpoints" / name;
    }
    void restore(double seconds = 0) { checkpointer.restore(checkpoints.last(), seconds); }
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
    ptp::test::NumberTraining training{folder.path()};
    ptp::engine::TrainerContext context{training.parts()};
    Checkpointer checkpointer{context};
    ptp::experiment::Experiment& experiment = training.experiment;
    ptp::engine::CheckpointFolder& checkpoints = training.checkpoints;
    std::vector<std::string>& notes = training.live.notes;
    std::string& shown = training.shown;
};

}  // namespace

TEST_CASE("checkpointer: one is due after every N episodes, once") {
    Bench bench;
    bench.experiment.checkpoint.every_episodes = 3;
    std::vector<std::uint64_t> due;
    for (std::uint64_t episodes = 0; episodes <= 7; ++episodes) {
        bench.set_episodes(episodes);
        if (bench.is_due()) {
            due.push_back(episodes);
            bench.checkpointer.save(Status::kRunning, false);
            CHECK(!bench.is_due());
        }
    }
    CHECK(due == std::vector<std::uint64_t>{3, 6});
}

TEST_CASE("checkpointer: one is due when the time since the last has passed") {
    Bench bench;
    bench.set_episodes(1);
    CHECK(!bench.is_due());
    bench.experiment.checkpoint.every.seconds = std::numeric_limits<double>::min();
    CHECK(bench.is_due());
    bench.experiment.checkpoint.every.seconds = std::numeric_limits<double>::max();
    CHECK(!bench.is_due());
}

TEST_CASE(
    "checkpointer: a checkpoint has a folder, a record, a place in the status and the sinks") {
    Bench bench;
    bench.set_episodes(6);
    bench.checkpointer.save(Status::kInterrupted, false);
    CHECK(fs::read_symlink(bench.checkpoints.last()) == "episode_0000000006");
    CHECK(!fs::exists(bench.checkpoints.best()));
    const ptp::run::CheckpointRecord record = bench.record();
    CHECK(record.experiment == "lenet");
    CHECK(record.seed == 5);
    CHECK(record.status == "interrupted");
    CHECK(record.measured.set == "validation");
    CHECK(record.measured.loss == 0.5);
    REQUIRE(record.plugins.size() == 1);
    CHECK(record.plugins[0].from_episode == 6);
    const ptp::run::Status status = ptp::run::read_status(bench.folder.path() / "status.json");
    CHECK(status.episode == 6);
    CHECK(status.epoch == 2);
    REQUIRE(status.last);
    CHECK(status.last->loss == 0.5);
    CHECK(!status.best);
    CHECK(bench.notes == std::vector<std::string>{"sync"});
    CHECK(bench.shown == "last after 5 of 1; ");
    CHECK(bench.context.state.status() == Status::kRunning);
    CHECK(bench.context.state.best_saved == 0);
}

TEST_CASE("checkpointer: what is not reproducible stays so after a resume") {
    Bench bench;
    bench.set_episodes(3);
    bench.checkpointer.save(Status::kRunning, false);
    CHECK(bench.record().is_reproducible);
    bench.context.facts.is_reproducible = false;
    bench.set_episodes(6);
    bench.checkpointer.save(Status::kRunning, false);
    CHECK(!bench.record().is_reproducible);
    bench.context.facts.is_reproducible = true;  // as in a new process
    bench.restore();
    bench.set_episodes(9);
    bench.checkpointer.save(Status::kRunning, false);
    CHECK(!bench.record().is_reproducible);
}

TEST_CASE("checkpointer: the best one is found by its name, and by its episode after a resume") {
    Bench bench;
    bench.set_episodes(3);
    bench.checkpointer.save(Status::kRunning, true);
    CHECK(bench.context.state.best_saved == 3);
    bench.set_episodes(6);
    bench.checkpointer.save(Status::kRunning, false);
    CHECK(fs::read_symlink(bench.checkpoints.best()) == "episode_0000000003");
    CHECK(fs::read_symlink(bench.checkpoints.last()) == "episode_0000000006");
    bench.context.state.best_saved = 0;
    bench.restore();
    CHECK(bench.context.state.best_saved == 3);
    CHECK(fs::exists(bench.checkpoints.best()));
}

TEST_CASE("checkpointer: the first epoch is saved, and a later one where the last is 30 s old") {
    Bench bench;
    bench.context.time.restart(100);
    bench.context.policy.begin(bench.context.seconds());
    bench.set_episodes(3);
    bench.checkpointer.save_or_keep(true);
    CHECK(fs::read_symlink(bench.checkpoints.last()) == "episode_0000000003");
    CHECK(fs::read_symlink(bench.checkpoints.best()) == "episode_0000000003");
    bench.set_episodes(6);
    bench.checkpointer.save_or_keep(false);
    CHECK(fs::read_symlink(bench.checkpoints.last()) == "episode_0000000003");
    CHECK(ptp::run::read_status(bench.folder.path() / "status.json").epoch == 2);
    bench.context.time.restart(131);
    bench.set_episodes(9);
    bench.checkpointer.save_or_keep(false);
    CHECK(fs::read_symlink(bench.checkpoints.last()) == "episode_0000000009");
    bench.set_episodes(12);
    bench.checkpointer.save_or_keep(false);
    CHECK(fs::read_symlink(bench.checkpoints.last()) == "episode_0000000009");
}

TEST_CASE("checkpointer: a run that continues is saved again after 30 s, not at its first epoch") {
    Bench bench;
    bench.set_episodes(3);
    bench.checkpointer.save(Status::kInterrupted, false);
    ptp::engine::CheckpointPolicy continued(bench.experiment);
    continued.restored(3);
    continued.begin(100);
    bench.set_episodes(6);
    CHECK(continued.may_wait(bench.context.state, 129));
    CHECK(!continued.may_wait(bench.context.state, 130));
}

TEST_CASE("checkpointer: the ends of epochs that are saved can be asked for by their number") {
    const auto saved = [](std::optional<std::int64_t> every_epochs, const char* on_bad_loss) {
        Bench bench;
        bench.experiment.checkpoint.every_epochs = every_epochs;
        bench.experiment.training.bad_loss.action = on_bad_loss;
        std::vector<std::uint64_t> epochs;
        for (std::uint64_t epoch = 1; epoch <= 4; ++epoch) {
            bench.set_episodes(epoch * 3);
            bench.checkpointer.save_or_keep(false);
            if (fs::exists(bench.checkpoint(ptp::engine::CheckpointFolder::name_of(epoch * 3)))) {
                epochs.push_back(epoch);
            }
        }
        return epochs;
    };
    CHECK(saved(std::nullopt, "stop") == std::vector<std::uint64_t>{1});
    CHECK(saved(0, "stop").empty());
    CHECK(saved(1, "stop") == std::vector<std::uint64_t>{1, 2, 3, 4});
    CHECK(saved(2, "stop") == std::vector<std::uint64_t>{2, 4});
    // What a training is rolled back to must not depend on the time.
    CHECK(saved(std::nullopt, "rollback") == std::vector<std::uint64_t>{1, 2, 3, 4});
}

TEST_CASE("checkpointer: the best weights wait in memory for the next checkpoint") {
    Bench bench;
    bench.set_episodes(3);
    bench.checkpointer.save_or_keep(false);
    bench.set_episodes(6);
    bench.checkpointer.save_or_keep(true);
    CHECK(bench.context.state.best_saved == 6);
    CHECK(!fs::exists(bench.checkpoints.best()));
    Bench::set_number(9);  // the training continues
    bench.set_episodes(9);
    bench.checkpointer.save(Status::kInterrupted, false);
    CHECK(fs::read_symlink(bench.checkpoints.best()) == "episode_0000000006");
    CHECK(fs::read_symlink(bench.checkpoints.last()) == "episode_0000000009");
    const auto number_in = [](const fs::path& checkpoint) {
        return ptp::engine::read_safetensors(checkpoint / "weights.safetensors")
            .tensors.front()
            .second.item<double>();
    };
    CHECK(number_in(bench.checkpoints.best()) == 7);
    CHECK(number_in(bench.checkpoints.last()) == 9);
    CHECK(ptp::run::read_checkpoint_record(bench.checkpoints.best()).status == "not_converged");
    bench.context.state.best_saved = 0;
    bench.restore();
    CHECK(bench.context.state.best_saved == 6);
}

TEST_CASE("checkpointer: within an epoch the record has what the epoch has measured so far") {
    Bench bench;
    bench.set_episodes(5);
    ptp::engine::Frame frame(bench.training.session->executor.plan());
    frame[1].tensor = at::zeros({}) + 0.75;
    bench.training.session->statistics.read(ptp::engine::kTrainingSet, frame, 2);
    bench.training.session->statistics.count();
    bench.checkpointer.save(Status::kRunning, false);
    CHECK(bench.record().measured.set == "training");
    CHECK(bench.record().measured.loss == 0.75);
    CHECK(bench.record().measured.episode == 4);
    CHECK(bench.record().measured.epoch == 2);

    bench.experiment.training.worker = ptp::experiment::Worker::kOnline;  // judged within epochs
    bench.checkpointer.save(Status::kRunning, false);
    CHECK(bench.record().measured.set == "validation");
    bench.context.state.last = {};
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
    bench.context.stop.validated(0.25);
    bench.checkpointer.save(Status::kRunning, false);
    const std::size_t sink_size = bench.shown.size() - std::string("last after 5 of 1; ").size();
    Bench::set_number(0);
    bench.context.stop.validated(0.125);
    bench.context.state = {};
    bench.notes.clear();
    bench.shown.clear();
    bench.restore(100);
    CHECK(trained_number.item<double>() == 7);
    CHECK(bench.context.stop.best() == 0.25);
    CHECK(bench.context.state.episodes_done == 6);
    CHECK(bench.context.state.epoch == 2);
    CHECK(bench.context.state.batches_done == 0);
    CHECK(bench.context.state.journal == 3);
    CHECK(bench.context.state.last.loss == 0.5);
    CHECK(bench.notes == std::vector<std::string>{"begin 3 6"});
    CHECK(bench.shown == "restored " + std::to_string(sink_size) + "; ");
    CHECK(bench.context.time.seconds() >= 100);
    CHECK(!bench.is_due());
    CHECK(ptp::run::read_status(bench.folder.path() / "status.json").episode == 6);
}

TEST_CASE("checkpointer: the time of training is saved where it is limited, and continued") {
    Bench bench;
    bench.context.time.restart(50);
    bench.checkpointer.save(Status::kRunning, false);
    CHECK(!bench.context.state.seconds);
    bench.experiment.training.terminal_conditions.wall_time.seconds = 1000;
    bench.checkpointer.save(Status::kRunning, false);
    REQUIRE(bench.context.state.seconds);
    CHECK(*bench.context.state.seconds >= 50);
    bench.context.time.restart();
    bench.restore(20);
    CHECK(bench.context.time.seconds() >= 50);
}

TEST_CASE("checkpointer: what cannot be restored is refused with the checkpoint and the cause") {
    Bench bench;
    bench.experiment.training.worker = ptp::experiment::Worker::kOnline;  // has a measurement
    bench.set_episodes(4);
    bench.context.state.batches_done = 4;
    bench.checkpointer.save(Status::kRunning, false);
    CHECK(bench.problem(ptp::kDataError) ==
          "cannot continue from LAST: 4 episodes of the epoch are done, which has 3 now");
    fs::remove(bench.checkpoints.last() / "training.toml");
    CHECK(bench.problem(ptp::kDataError).starts_with("cannot continue from LAST: "));
}

TEST_CASE("checkpointer: where the best weights are lost, the next ones count as the best") {
    Bench bench;
    bench.set_episodes(3);
    bench.context.stop.validated(0.25);
    bench.context.state.best = bench.context.state.last;
    bench.checkpointer.save(Status::kRunning, true);
    bench.set_episodes(6);
    bench.checkpointer.save(Status::kRunning, false);
    fs::remove_all(bench.checkpoint("episode_0000000003"));
    bench.restore();
    CHECK(bench.training.log.text.str() ==
          "warning the best weights are lost, the next ones count as the best: cannot read " +
              bench.checkpoint("episode_0000000003/SHA256SUMS").string() +
              ": No such file or directory\n");
    CHECK(bench.context.state.best_saved == 0);
    CHECK(bench.context.state.best.set.empty());
    CHECK(bench.context.stop.best() == std::numeric_limits<double>::infinity());
}

TEST_CASE("checkpointer: best weights that are forgotten are forgotten everywhere") {
    Bench bench;
    bench.set_episodes(3);
    bench.context.stop.validated(0.25);
    bench.context.state.best = bench.context.state.last;
    bench.checkpointer.save(Status::kRunning, true);
    bench.checkpointer.forget_best();
    CHECK(!fs::exists(bench.checkpoints.best()));
    CHECK(fs::exists(bench.checkpoint("episode_0000000003")));
    CHECK(bench.context.state.best_saved == 0);
    CHECK(bench.context.state.best.set.empty());
    CHECK(bench.context.stop.best() == std::numeric_limits<double>::infinity());
}

}  // namespace checkpointer_test
