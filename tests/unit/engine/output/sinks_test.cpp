#include "engine/output/sinks.hpp"

#include "base/error.hpp"
#include "support/engine_plan.hpp"
#include "support/small_files.hpp"
#include "support/temp_folder.hpp"

#include <ATen/ops/zeros.h>
#include <doctest/doctest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <sstream>

namespace sinks_test {

using ptp::RunError;
using ptp::Value;
using ptp::engine::Sink;
using ptp::engine::Sinks;

namespace {

constexpr std::uint64_t kNever = 1000;

// Notes its calls, and fails in an episode if it is told to.
class Noted : public Sink {
public:
    Noted(std::string& notes, std::uint64_t failing_episode)
        : notes_(notes), failing_episode_(failing_episode) {}

    [[nodiscard]] std::string_view name() const override { return "records.noted"; }
    void episode(const ptp::engine::EpisodeRow& row) override {
        if (row.at.episode == failing_episode_) {
            throw RunError(ptp::kTrainingError, "No space left on device");
        }
        notes_ += std::to_string(row.at.episode) + " ";
    }
    [[nodiscard]] bool takes_pictures() const override { return failing_episode_ < kNever; }
    void picture(const ptp::engine::Picture& picture) override {
        if (picture.episode == failing_episode_) {
            throw RunError(ptp::kTrainingError, "No space left on device");
        }
        notes_ += picture.tag + " ";
    }
    void end(const ptp::engine::RunOutcome&) override { notes_ += "end "; }
    void sync() override { notes_ += "sync "; }
    [[nodiscard]] Value save() const override { return Value::table({{"size", 7}}); }
    void restore(const Value& saved) override {
        notes_ += "restored " + std::to_string(saved.find("size")->as_integer()) + " ";
    }

private:
    std::string& notes_;
    std::uint64_t failing_episode_;
};

struct Logged {
    std::ostringstream text;
    spdlog::logger log{"ptp", std::make_shared<spdlog::sinks::ostream_sink_st>(text)};
    Logged() { log.set_pattern("%l %v"); }
};

}  // namespace

TEST_CASE("sinks: one that fails is given up with its cause, once, and the others continue") {
    Logged logged;
    std::string failing;
    std::string good;
    Sinks sinks(logged.log);
    sinks.add(std::make_unique<Noted>(failing, 1));
    sinks.add(std::make_unique<Noted>(good, kNever));
    for (std::uint64_t i = 0; i < 3; ++i) {
        sinks.tell(&Sink::episode, {{i, 0}, {}});
    }
    sinks.end({"done", "", 0});
    CHECK(failing == "0 ");
    CHECK(good == "0 1 2 end sync ");
    CHECK(logged.text.str() ==
          "warning records.noted is given up, the training continues: No space left on device\n");
}

TEST_CASE("sinks: pictures go to all sinks if one takes them; one that fails is given up") {
    Logged logged;
    std::string failing;
    std::string good;
    Sinks sinks(logged.log);
    CHECK_FALSE(sinks.take_pictures());
    sinks.add(std::make_unique<Noted>(good, kNever));
    CHECK_FALSE(sinks.take_pictures());
    sinks.add(std::make_unique<Noted>(failing, 1));
    CHECK(sinks.take_pictures());
    const at::Tensor pixels = at::zeros({1, 1, 1}, at::kByte);
    sinks.pictures({{0, "a", pixels}, {1, "b", pixels}, {2, "c", pixels}});
    CHECK(failing == "a ");
    CHECK(good == "a b c ");
    CHECK(logged.text.str() ==
          "warning records.noted is given up, the training continues: No space left on device\n");
}

TEST_CASE("sinks: rows are on the disk before their state is saved") {
    Logged logged;
    std::string notes;
    Sinks sinks(logged.log);
    sinks.add(std::make_unique<Noted>(notes, kNever));
    const ptp::engine::SavedState saved = sinks.save();
    sinks.restore(saved);
    CHECK(notes == "sync restored 7 ");
}

TEST_CASE("sinks: a full disk ends no run with a built-in sink") {
    Logged logged;
    ptp::test::EnginePlan plan;
    plan.add_task(ptp::test::idle_component(), {});
    const std::vector<ptp::engine::Column> columns;
    ptp::experiment::Records records;
    records.get<ptp::experiment::JsonLines>().emplace();
    records.get<ptp::experiment::TensorBoard>().emplace();
    Sinks sinks(logged.log);
    add_record_sinks(sinks, records, "/dev/null");
    sinks.tell(&Sink::begin, {"x", "/dev/null", 1, "cpu", "", plan.plan, columns, 0});
    sinks.tell(&Sink::episode, {{0, 0}, {}});
    sinks.end({"done", "", 0});
    const std::string text = logged.text.str();
    CHECK(text.find("records.json_lines is given up, the training continues: cannot write "
                    "/dev/null/statistics.jsonl: Not a directory\n") != std::string::npos);
    CHECK(text.find("records.tensorboard is given up, the training continues: ") !=
          std::string::npos);
}

TEST_CASE("sinks: rows wait for room, also beyond a checkpoint, which has them for a resume") {
    Logged logged;
    const ptp::test::TempFolder folder;
    ptp::test::EnginePlan plan;
    plan.add_task(ptp::test::idle_component(), {});
    const std::vector<ptp::engine::Column> columns;
    const std::vector<ptp::engine::Aggregate> aggregates;
    ptp::experiment::Records records;
    records.get<ptp::experiment::JsonLines>().emplace();
    Sinks sinks(logged.log);
    add_record_sinks(sinks, records, folder.path());
    sinks.tell(&Sink::begin, {"x", folder.path(), 1, "cpu", "", plan.plan, columns, 0});
    const auto add = [&](std::uint64_t episode) {
        sinks.tell(&Sink::set, {"test", {{episode, 0}, 1}, aggregates});
    };
    const auto line = [](const char* episode) {
        return std::string(R"({"event":"set","set":"test","episode":)") + episode +
               R"(,"epoch":1,"episodes_aggregated":1,"statistics":{}})" + "\n";
    };
    const std::string waits = "warning cannot write " +
                              (folder.path() / "statistics.jsonl").string() +
                              ": File too large; its rows wait in memory and in the checkpoints "
                              "until there is room\n";
    add(1);
    {
        const ptp::test::SmallFiles small(line("1").size() + 10);
        add(2);
        add(3);
        CHECK(folder.read("statistics.jsonl") == line("1"));
        CHECK(logged.text.str() == waits);
    }
    add(4);
    CHECK(folder.read("statistics.jsonl") == line("1") + line("2") + line("3") + line("4"));
    const std::string went_on = "info the rows of records.json_lines that waited are written\n";
    CHECK(logged.text.str() == waits + went_on);
    ptp::engine::SavedState saved;
    const std::string first_four = line("1") + line("2") + line("3") + line("4");
    {
        const ptp::test::SmallFiles small(4 * line("1").size() + 10);
        add(5);
        add(6);
        saved = sinks.save();
        CHECK(saved.record.find("records.json_lines")->find("size")->as_integer() ==
              static_cast<std::int64_t>(first_four.size()));
        CHECK(saved.tensors.size() == 1);
        CHECK(folder.read("statistics.jsonl") == first_four);
    }
    add(7);
    const std::string first_six = first_four + line("5") + line("6");
    CHECK(folder.read("statistics.jsonl") == first_six + line("7"));
    CHECK(logged.text.str() == waits + went_on + waits + went_on);

    Sinks resumed(logged.log);
    add_record_sinks(resumed, records, folder.path());
    resumed.restore(saved);
    resumed.tell(&Sink::begin, {"x", folder.path(), 1, "cpu", "", plan.plan, columns, 0});
    resumed.tell(&Sink::set, {"test", {{8, 0}, 1}, aggregates});
    CHECK(folder.read("statistics.jsonl") == first_six + line("8"));
    CHECK(resumed.save().tensors.empty());
    {
        const ptp::test::SmallFiles small(7 * line("1").size() + 10);
        resumed.tell(&Sink::set, {"test", {{9, 0}, 1}, aggregates});
        resumed.end({"done", "", 0});
    }
    CHECK(folder.read("statistics.jsonl") == first_six + line("8"));
    CHECK(logged.text.str() ==
          waits + went_on + waits + went_on + waits + "warning cannot write " +
              (folder.path() / "statistics.jsonl").string() +
              ": File too large; the rows that wait are written when the run is resumed\n");
}

TEST_CASE("sinks: that another program empties or removes a file of rows is a warning, once") {
    Logged logged;
    const ptp::test::TempFolder folder;
    ptp::test::EnginePlan plan;
    plan.add_task(ptp::test::idle_component(), {});
    const std::vector<ptp::engine::Column> columns;
    const std::vector<ptp::engine::Aggregate> aggregates;
    ptp::experiment::Records records;
    records.get<ptp::experiment::JsonLines>().emplace();
    records.get<ptp::experiment::TensorBoard>().emplace();
    Sinks sinks(logged.log);
    add_record_sinks(sinks, records, folder.path());
    sinks.tell(&Sink::begin, {"x", folder.path(), 1, "cpu", "", plan.plan, columns, 0});
    sinks.tell(&Sink::set, {"test", {{0, 0}, 1}, aggregates});
    const auto lines = folder.path() / "statistics.jsonl";
    const auto size = std::filesystem::file_size(lines);
    const auto events = folder.path() / "tensorboard/events.out.tfevents.0.ptp";
    static_cast<void>(sinks.save());
    CHECK(logged.text.str() == "");
    std::filesystem::resize_file(lines, 0);
    std::filesystem::remove(events);
    sinks.tell(&Sink::set, {"test", {{1, 0}, 1}, aggregates});
    static_cast<void>(sinks.save());
    sinks.end({"done", "", 0});
    CHECK(logged.text.str() ==
          "warning " + lines.string() + " has 0 bytes, but " + std::to_string(size) +
              " were written: another program has changed it; rows of it are lost\n"
              "warning " +
              events.string() +
              " was removed or replaced by another program; rows of it are lost\n");
}

TEST_CASE("sinks: the built-in ones of a run that failed before it began end without a file") {
    Logged logged;
    const ptp::test::TempFolder folder;
    ptp::experiment::Records records;
    records.get<ptp::experiment::JsonLines>().emplace();
    records.get<ptp::experiment::TensorBoard>().emplace();
    Sinks sinks(logged.log);
    add_record_sinks(sinks, records, folder.path());
    sinks.end({"failed", "no such file", 4});
    CHECK(logged.text.str() == "");
    CHECK(std::filesystem::is_empty(folder.path()));
}

}  // namespace sinks_test
