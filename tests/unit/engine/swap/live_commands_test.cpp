// Each command on a training that only notes what is asked of it.

#include "engine/swap/live_commands.hpp"

#include "base/error.hpp"
#include "engine/distributed/signals.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

namespace live_commands_test {

using ptp::RunError;
using ptp::Value;
using ptp::control::Reply;
using ptp::control::Request;
using namespace ptp::engine;

namespace {

using Notes = std::vector<std::string>;

class FakeTraining : public LiveTraining {
public:
    explicit FakeTraining(Notes& notes) : notes_(notes) {}

    TrainingPosition position = {12, 1, 2};
    std::string why_no_validation;
    Value learning_rates = Value::table();
    std::optional<std::string> validated = "loss 0.5";
    std::string failure;  // of save_now()

    [[nodiscard]] TrainingPosition next_position() const override { return position; }
    [[nodiscard]] Value status() const override {
        Value table = Value::table({{"episode", 12}});
        if (!learning_rates.members().empty()) {
            table.set("learning_rates", learning_rates);
        }
        return table;
    }
    void swapped(bool) override { notes_.emplace_back("swapped"); }
    void experiment_changed() override { notes_.emplace_back("changed"); }
    void save_now() override {
        if (!failure.empty()) {
            throw RunError(ptp::kTrainingError, failure);
        }
        notes_.emplace_back("saved");
    }
    std::optional<std::string> validate_now() override {
        notes_.emplace_back("validated");
        return validated;
    }
    [[nodiscard]] std::string no_validation() const override { return why_no_validation; }
    void set_learning_rate(double rate, const std::string& group) override {
        notes_.push_back("rate " + std::to_string(rate) + " of '" + group + "'");
    }
    void check_group(const std::string& group) const override {
        if (group == "nte") {
            throw RunError(ptp::kConfigurationError, "there is no group 'nte'");
        }
    }

private:
    Notes& notes_;
};

// What happens to the training, the journal and the person, in this order.
struct Live : LiveCommands::Host {
    Notes notes;
    FakeTraining training{notes};
    LiveCommands commands{*this, false};

    std::optional<Reply> ask(const std::string& command, Value arguments = {}) {
        return commands.answer(training, {command, std::move(arguments)});
    }

    void add_to_journal(const Request& entry) override {
        notes.push_back("journal " + ptp::control::line_of(entry));
    }
    void say(const std::string& text) override { notes.push_back("say " + text); }
    [[nodiscard]] Value generations(std::uint64_t) const override { return Value::list({1, 2}); }
    void order_swap(const ptp::control::Swap& swap) override {
        notes.push_back("order " + swap.files.at(0).string() + (swap.is_dry_run ? " dry" : ""));
    }
};

const Value kAfter12 = Value::table({{"episode", 12}});

}  // namespace

TEST_CASE("live commands: status tells where the training is and leaves no trace") {
    Live live;
    const auto reply = live.ask("status");
    REQUIRE(reply);
    CHECK(reply->is_ok);
    CHECK(reply->message.empty());
    CHECK(reply->result ==
          Value::table(
              {{"episode", 12}, {"state", "running"}, {"generations", Value::list({1, 2})}}));
    CHECK(live.notes.empty());
}

TEST_CASE("live commands: pause and continue change the state, not the journal") {
    Live live;
    const auto paused = live.ask("pause");
    CHECK(live.commands.is_paused());
    CHECK(paused->message == "paused after 12 episodes");
    CHECK(paused->result == kAfter12);
    CHECK(live.ask("status")->result.find("state")->as_string() == "paused");
    CHECK(live.ask("continue")->message == "continues after 12 episodes");
    CHECK(!live.commands.is_paused());
    CHECK(live.notes == Notes{"say paused after 12 episodes", "say continues after 12 episodes"});
}

TEST_CASE("live commands: continue for some episodes pauses again after them") {
    Live live;
    live.ask("pause");
    CHECK(live.ask("continue", Value::table({{"episodes", 3}}))->message ==
          "continues after 12 episodes, for 3");
    live.commands.pause_if_due(14);
    CHECK(!live.commands.is_paused());
    live.commands.pause_if_due(15);
    CHECK(live.commands.is_paused());
    CHECK(live.notes.back() == "say paused after 15 episodes");
    live.ask("continue");
    live.commands.pause_if_due(16);
    CHECK(!live.commands.is_paused());
}

TEST_CASE("live commands: stop ends the training as a signal does, and is not journalled") {
    const ptp::engine::Signals signals(ptp::engine::Signals::Handlers::kNone);
    Live live;
    CHECK(live.ask("stop")->message ==
          "stops after 12 episodes; the run ends once its checkpoint is saved");
    CHECK(live.commands.was_interrupted());
    CHECK(ptp::engine::Signals::name(ptp::engine::Signals::received()) == "control stop");
    CHECK(ptp::engine::Signals::exit_code(ptp::engine::Signals::received()) == 0);
    CHECK(live.notes ==
          Notes{"say stops after 12 episodes; the run ends once its checkpoint is saved"});
}

TEST_CASE("live commands: a checkpoint is in the journal before it is saved") {
    Live live;
    const auto reply = live.ask("checkpoint");
    CHECK(reply->message == "saved a checkpoint after 12 episodes");
    CHECK(reply->result == kAfter12);
    CHECK(live.notes == Notes{R"(journal {"command":"checkpoint","arguments":{}})", "saved",
                              "say saved a checkpoint after 12 episodes"});
}

TEST_CASE("live commands: what ends the training passes on") {
    Live live;
    live.training.failure = "the disk is full";
    CHECK_THROWS_WITH_AS(live.ask("checkpoint"), "the disk is full", RunError);
}

TEST_CASE("live commands: validate returns what was measured") {
    Live live;
    CHECK(live.ask("validate")->message == "loss 0.5");
    CHECK(!live.commands.was_interrupted());
    CHECK(live.notes ==
          Notes{R"(journal {"command":"validate","arguments":{}})", "validated", "say loss 0.5"});
}

TEST_CASE("live commands: a validation that a signal ends is said to be") {
    Live live;
    live.training.validated.reset();
    CHECK(live.ask("validate")->message == "a signal ended the validation");
    CHECK(live.commands.was_interrupted());
}

TEST_CASE("live commands: a validation that cannot be is refused and not in the journal") {
    Live live;
    live.training.why_no_validation = "the experiment has no [validation]";
    const auto reply = live.ask("validate");
    CHECK(!reply->is_ok);
    CHECK(reply->message == "the experiment has no [validation]");
    CHECK(reply->exit_code() == 2);
    CHECK(live.notes.empty());
}

TEST_CASE("live commands: the learning rate of all groups or of one is set") {
    Live live;
    CHECK(live.ask("learning_rate", Value::table({{"rate", 0.25}}))->message ==
          "the learning rate is 0.25 from episode 12 on");
    CHECK(live.ask("learning_rate", Value::table({{"rate", 0.5}, {"group", "net"}}))->message ==
          "the learning rate of 'net' is 0.5 from episode 12 on");
    CHECK(live.notes ==
          Notes{R"(journal {"command":"learning_rate","arguments":{"rate":0.25}})",
                "rate 0.250000 of ''", "say the learning rate is 0.25 from episode 12 on",
                R"(journal {"command":"learning_rate","arguments":{"rate":0.5,"group":"net"}})",
                "rate 0.500000 of 'net'",
                "say the learning rate of 'net' is 0.5 from episode 12 on"});
}

TEST_CASE("live commands: a rate that a schedule changes is said to be the base of it") {
    Live live;
    live.training.learning_rates =
        Value::table({{"learning_rate", 0.01}, {"learning_rate.net", 0.25}});
    CHECK(live.ask("learning_rate", Value::table({{"rate", 0.25}}))->message ==
          "the base learning rate is 0.25 from episode 12 on; the schedule makes 0.01 of it now");
    CHECK(live.ask("learning_rate", Value::table({{"rate", 0.25}, {"group", "net"}}))->message ==
          "the learning rate of 'net' is 0.25 from episode 12 on");
}

TEST_CASE("live commands: an unknown group is refused and not in the journal") {
    Live live;
    const auto reply = live.ask("learning_rate", Value::table({{"rate", 1.0}, {"group", "nte"}}));
    CHECK(!reply->is_ok);
    CHECK(reply->message == "there is no group 'nte'");
    CHECK(live.notes.empty());
}

TEST_CASE("live commands: a swap is ordered, and its reply comes later") {
    Live live;
    CHECK(!live.ask("swap", Value::table({{"files", Value::list({"/a.so"})}})));
    CHECK(!live.ask("swap", Value::table({{"files", Value::list({"/b.so"})}, {"dry_run", true}})));
    CHECK(live.notes == Notes{"order /a.so", "order /b.so dry"});
}

TEST_CASE("live commands: what a journal repeats takes effect and is not in the journal again") {
    Live live;
    live.commands.repeat(live.training, {"learning_rate", Value::table({{"rate", 0.25}})});
    live.commands.repeat(live.training, {"checkpoint", {}});
    CHECK(live.notes == Notes{"rate 0.250000 of ''",
                              "say the learning rate is 0.25 from episode 12 on", "saved",
                              "say saved a checkpoint after 12 episodes"});
}

}  // namespace live_commands_test
