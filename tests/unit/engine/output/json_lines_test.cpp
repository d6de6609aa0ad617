#include "engine/output/json_lines.hpp"

#include "base/error.hpp"
#include "support/engine_plan.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace json_lines_test {

using ptp::RunError;
using ptp::Value;
using namespace ptp::engine;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<Column> make_columns() {
    std::vector<Column> columns(6);
    columns[0].name = "loss";
    columns[0].has_spread = true;
    columns[1].name = "support";
    columns[1].is_shown = false;
    columns[2].name = "f1";
    columns[2].is_set_only = true;
    columns[3].name = "accuracy";
    columns[4].name = "resting";
    columns[4].in_set = {false, false, true};
    columns[5].name = "rate";
    columns[5].is_batch_only = true;
    return columns;
}

const std::vector<Column> kColumns = make_columns();
const std::vector<double> kValues = {0.1, 4, 0, 0.75, kNan, 0.5};
const std::vector<Aggregate> kAggregates = {{0.25, 0.1, 0.5, kNan}, {8, 0, 0, 0},
                                            {0.5, 0, 0, 0},         {1, 0, 0, 0},
                                            {kNan, 0, 0, 0, true},  {0, 0, 0, 0, true}};

constexpr const char* kSetText =
    R"({"event":"set","set":"validation","episode":9,"epoch":2,"episodes_aggregated":2,)"
    R"("statistics":{"loss":0.25,"loss_min":0.1,"loss_max":0.5,"loss_std":null,"f1":0.5,)"
    R"("accuracy":1.0}})";

struct Lines {
    RunInfo facts() { return {"x", folder.path(), 1, "cpu", "", plan.plan, kColumns, 0}; }
    JsonLines sink(std::int64_t every = 1) { return {folder.path() / "s.jsonl", {every}}; }

    ptp::test::TempFolder folder;
    ptp::test::EnginePlan plan;
};

void add_episodes(JsonLines& sink, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
        sink.episode({{i, 0}, kValues});
    }
}

std::string episodes(std::initializer_list<int> numbers) {
    std::string text;
    for (const int number : numbers) {
        text += R"({"event":"episode","episode":)" + std::to_string(number) +
                R"(,"epoch":1,"statistics":{"loss":0.1,"accuracy":0.75,"rate":0.5}})" + "\n";
    }
    return text;
}

}  // namespace

TEST_CASE("json text: what is hidden is left out, a number that JSON does not have is null") {
    CHECK(json_text({{3, 1}, kValues}, kColumns, 1) ==
          R"({"event":"episode","episode":3,"epoch":2,"statistics":{"loss":0.1,"accuracy":0.75,)"
          R"("rate":0.5}})");
    CHECK(json_text(ptp::engine::SetRow{"validation", {{9, 1}, 2}, kAggregates}, kColumns, 1) ==
          kSetText);
}

TEST_CASE("json text: the other events of a run") {
    Lines lines;
    lines.plan.add_stream("scores", ptp::plugin::Element::kFloating, {-1});
    lines.plan.add_node("net", ptp::plugin::Kind::kModel, ptp::test::idle_component(), {},
                        {{"scores", 0}});
    const std::vector<Column> none;
    CHECK(ptp::engine::json_text(RunInfo{"x", "/r", 7, "cpu", "", lines.plan.plan, none, 0}) ==
          R"({"event":"begin","name":"x","run_folder":"/r","seed":7,"device":"cpu",)"
          R"("first_episode":0,"components":[{"name":"net","type":"Idle","outputs":["scores"]}]})");
    CHECK(ptp::engine::json_text(ptp::engine::SavedCheckpoint{"/r/c", {4, 2}}) ==
          R"({"event":"checkpoint","episode":4,"epoch":3,"folder":"/r/c"})");
    CHECK(
        ptp::engine::json_text(ptp::engine::RunOutcome{"failed", "bad \xff", 5}) ==
        "{\"event\":\"end\",\"state\":\"failed\",\"reason\":\"bad \xef\xbf\xbd\",\"exit_code\":5}");
}

TEST_CASE("json lines: each n-th episode and every set has its line") {
    Lines lines;
    JsonLines sink = lines.sink(3);
    sink.begin(lines.facts());
    add_episodes(sink, 0, 5);
    sink.set({"validation", {{9, 1}, 2}, kAggregates});
    CHECK(lines.folder.read("s.jsonl") == episodes({0, 3}) + kSetText + "\n");
}

TEST_CASE("json lines: a resumed run continues where the checkpoint was") {
    Lines lines;
    Value saved;
    {
        JsonLines sink = lines.sink();
        sink.begin(lines.facts());
        add_episodes(sink, 0, 2);
        sink.sync();
        saved = sink.save();
        add_episodes(sink, 2, 4);
        sink.sync();
    }
    JsonLines resumed = lines.sink();
    resumed.restore(saved);
    resumed.begin(lines.facts());
    add_episodes(resumed, 2, 3);
    resumed.sync();
    CHECK(lines.folder.read("s.jsonl") == episodes({0, 1, 2}));
}

TEST_CASE("json lines: a file that lost lines, or is in the way, is refused") {
    Lines lines;
    const std::string file = (lines.folder.path() / "s.jsonl").string();
    lines.folder.write("s.jsonl", "abc");
    JsonLines sink = lines.sink();
    CHECK_THROWS_WITH_AS(sink.begin(lines.facts()),
                         ("cannot write " + file + ": File exists").c_str(), RunError);
    CHECK_THROWS_WITH_AS(
        sink.restore(Value::table({{"size", 4}})),
        ("cannot continue with " + file +
         ": it has 3 bytes, had 4 when the checkpoint was written"
         "\n    fix: put the file back as it was; without it, ptprun replay RUN trains anew")
            .c_str(),
        RunError);
    CHECK(sink.save() == Value::table({{"size", 4}, {"sha256", ""}}));
    CHECK_THROWS_WITH_AS(sink.restore(Value::table({{"size", -1}})),
                         "the saved state has no usable 'size'", RunError);
}

}  // namespace json_lines_test
