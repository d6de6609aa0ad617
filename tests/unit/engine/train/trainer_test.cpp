// A whole training of one number, w, towards 3 by SGD: the loss is (w - 3)^2, so that each episode
// with the learning rate 0.1 multiplies its distance by 1 - 2 * 0.1 = 0.8.

#include "engine/train/trainer.hpp"

#include "support/engine_plan.hpp"
#include "support/memory_console.hpp"
#include "support/temp_folder.hpp"

#include <ptp/ext/parameters.h>

#include <ATen/ops/zeros.h>
#include <doctest/doctest.h>
#include <fmt/core.h>
#include <spdlog/sinks/null_sink.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trainer_test {

using ptp::engine::Boundary;
using ptp::engine::LiveTraining;
using ptp::engine::Status;
using ptp::engine::Trainer;
using ptp::plugin::Kind;
using ptp::test::TempFolder;

namespace {

at::Tensor w;  // a functions' table cannot carry anything along

ptp_component_info loss() {
    ptp_component_info info = ptp::test::idle_component();
    info.extension = [](const char* id) -> const void* {
        static const ptp_parameters functions = {
            sizeof(ptp_parameters), [](void*, ptp_visit visit, void* user) -> ptp_status {
                return visit(user, "w", PTP_PARAMETER, reinterpret_cast<ptp_value*>(&w));
            }};
        return std::string_view(id) == PTP_EXTENSION_PARAMETERS ? &functions : nullptr;
    };
    info.forward = [](void*, const ptp_step*, const ptp_value* const*,
                      ptp_value* const* outputs) -> ptp_status {
        ptp::test::tensor_in(outputs[0]) = (w - 3).square();
        return PTP_OK;
    };
    return info;
}

// In a folder, where a training before it may have left checkpoints.
class Training {
public:
    explicit Training(const std::filesystem::path& folder, int epochs = 2) : folder_(folder) {
        std::filesystem::create_directories(folder / "checkpoints");
        w = at::zeros({}).set_requires_grad(true);
        plan_.add_stream("numbers", ptp::plugin::Element::kInteger, {-1});
        plan_.add_stream("loss", ptp::plugin::Element::kFloating, {});
        plan_.add_task(ptp::test::five_samples(), {{"numbers", 0}});
        plan_.add_node("loss", Kind::kLoss, loss(), {}, {{"loss", 1, true}});
        experiment_.training.name = "training";
        experiment_.training.task.batch_size = 2;
        experiment_.training.dataloader.num_workers = 0;
        experiment_.training.optimizer = ptp::optimizer::Sgd{.lr = 0.1};
        experiment_.training.terminal_conditions.epoch_limit = epochs;
        experiment_.checkpoint.every_epochs = 1;
        experiment_.training.terminal_conditions.loss_stop_threshold.reset();
        session_ = std::make_unique<ptp::engine::Session>(experiment_, plan_.component_context,
                                                          plan_.descriptors());
        records_ =
            std::make_unique<ptp::engine::Records>(folder, session_->statistics.columns(), log_);
        trainer_ = std::make_unique<Trainer>(ptp::engine::TrainerParts{
            *session_,
            checkpoints_,
            *records_,
            sinks_,
            status_,
            terminal_.console,
            log_,
            {.begin =
                 [this](std::uint64_t seen, std::uint64_t episodes) {
                     notes.push_back(fmt::format("begin {} {}", seen, episodes));
                 },
             .has_change = [](std::uint64_t) { return false; },
             .at_boundary =
                 [this](LiveTraining& training, bool has_pass) {
                     return at_boundary ? at_boundary(training, has_pass) : Boundary::kContinue;
                 },
             .sync = [this] { notes.emplace_back("sync"); },
             .entries_seen = [] { return std::uint64_t{4}; },
             .plugins = [](std::uint64_t) { return std::vector<ptp::run::ActivePlugin>(); }},
            {}});
    }

    Trainer& operator*() { return *trainer_; }
    Trainer* operator->() { return trainer_.get(); }
    Status train() {
        const Status status = trainer_->train();
        records_->finish();
        return status;
    }
    [[nodiscard]] std::filesystem::path last() const { return checkpoints_.last(); }

    std::vector<std::string> notes;
    std::function<Boundary(LiveTraining&, bool)> at_boundary;

private:
    std::filesystem::path folder_;
    ptp::test::EnginePlan plan_;
    ptp::experiment::Experiment experiment_;
    spdlog::logger log_{"ptp", std::make_shared<spdlog::sinks::null_sink_mt>()};
    ptp::test::MemoryConsole terminal_;
    ptp::engine::Checkpoints checkpoints_{folder_ / "checkpoints", 2, log_};
    ptp::engine::Sinks sinks_{log_};
    ptp::engine::StatusFile status_{folder_ / "status.json"};
    std::unique_ptr<ptp::engine::Session> session_;
    std::unique_ptr<ptp::engine::Records> records_;
    std::unique_ptr<Trainer> trainer_;
};

double distance_after(int episodes) {
    return 3 * std::pow(0.8, episodes);
}

}  // namespace

TEST_CASE("trainer: it trains epoch after epoch until a limit, and saves") {
    const TempFolder folder;
    Training training(folder.path());
    CHECK(training.train() == Status::kEpochLimit);
    CHECK(training->episodes_done() == 6);
    CHECK(3 - w.item<double>() == doctest::Approx(distance_after(6)));
    CHECK(std::filesystem::exists(training.last() / "weights.safetensors"));
    CHECK(training.notes == std::vector<std::string>(2, "sync"));  // one for each checkpoint
    const std::string rows = folder.read("training.csv");
    CHECK(std::count(rows.begin(), rows.end(), '\n') == 1 + 6);
}

TEST_CASE("trainer: one that is interrupted continues with the same bits") {
    const TempFolder whole;
    Training(whole.path()).train();
    const float expected = w.item<float>();

    const TempFolder folder;
    {
        Training training(folder.path());
        training.at_boundary = [](const LiveTraining& live, bool) {
            return live.next_position().episode == 4 ? Boundary::kInterrupted : Boundary::kContinue;
        };
        CHECK(training.train() == Status::kInterrupted);
        CHECK(3 - w.item<double>() == doctest::Approx(distance_after(4)));
    }
    Training training(folder.path());
    training->restore(training.last(), 0);
    CHECK(training.notes == std::vector<std::string>{"begin 4 4"});
    CHECK(training->episodes_done() == 4);
    CHECK(training.train() == Status::kEpochLimit);
    CHECK(w.item<float>() == expected);
    CHECK(folder.read("training.csv") == whole.read("training.csv"));
}

TEST_CASE("trainer: where something needs a new pass it is asked again without one") {
    const TempFolder folder;
    Training training(folder.path());
    std::vector<std::uint64_t> without_pass;
    bool is_done = false;
    training.at_boundary = [&](const LiveTraining& live, bool has_pass) {
        const std::uint64_t episode = live.next_position().episode;
        if (!has_pass) {
            without_pass.push_back(episode);
            is_done = true;
        }
        return episode == 1 && !is_done ? Boundary::kNewPass : Boundary::kContinue;
    };
    CHECK(training.train() == Status::kEpochLimit);
    CHECK(without_pass == std::vector<std::uint64_t>{1});
    CHECK(training->episodes_done() == 6);
    CHECK(3 - w.item<double>() == doctest::Approx(distance_after(6)));
}

TEST_CASE("trainer: it answers requests between two episodes") {
    const TempFolder folder;
    Training training(folder.path(), 1);
    training.at_boundary = [&](LiveTraining& live, bool) {
        if (live.next_position().episode != 1) {
            return Boundary::kContinue;
        }
        const ptp::Value table = live.standing();
        CHECK(table.find("episode")->as_integer() == 1);
        CHECK(table.find("epoch")->as_integer() == 1);
        CHECK(table.find("losses")->find("loss")->as_real() == 9);
        CHECK(live.no_validation() == "the experiment has no [validation]");
        CHECK_THROWS(live.check_group("nowhere"));
        live.save_now();
        CHECK(training.notes == std::vector<std::string>{"sync"});
        live.set_learning_rate(0, "");
        return Boundary::kContinue;
    };
    CHECK(training.train() == Status::kEpochLimit);
    CHECK(3 - w.item<double>() == doctest::Approx(distance_after(1)));
}

}  // namespace trainer_test
