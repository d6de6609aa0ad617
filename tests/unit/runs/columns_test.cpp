#include "ptp-runs/columns.hpp"

#include "../run/support.hpp"
#include "common/command.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <string>

namespace columns_test {

using namespace ptp::run;
using namespace ptp::runs;
using ptp::Value;
using ptp::test::TempFolder;

namespace {

std::vector<Run> three() {
    const TempFolder folder;
    test::write_run(folder, "a", {.lr = "0.1"});
    test::write_run(folder, "b", {.lr = "0.2", .more = "gradient_clipping = 1.0", .name = "big"});
    test::write_run(folder, "c", {.loss = "null", .lr = "0.1"});
    return test::runs_in(folder);
}

Column column(const std::string& key) {
    return find_column(key, three());
}

std::string why_not(const std::string& key) {
    return ptp::test::error_of<ptp::tools::UsageError>([&] { column(key); });
}

}  // namespace

TEST_CASE("columns: keys name facts, statistics of the best or the last weights, and settings") {
    const Run run = three().front();
    CHECK(cell_text(run, column("loss")) == "0.5");
    CHECK(cell_text(run, column("epoch")) == "3");
    CHECK(cell_text(run, column("accuracy")) == "0.9");
    CHECK(cell_text(run, column("last.loss")) == "0.75");
    CHECK(cell_text(run, column("last.accuracy")) == "0.8");
    CHECK(cell_text(run, column("episodes")) == "40");
    CHECK(cell_text(run, column("seconds")) == "1m02s");
    CHECK(cell_text(run, column("lr")) == "0.1");
    CHECK(cell_text(run, column("training.optimizer.lr")) == "0.1");
    CHECK(cell_text(run, column("optimizer.type")) == "Adam");  // as in the help of --where
    CHECK(cell_text(run, column("widths")) == "[4, 5]");
    CHECK(cell_text(run, column("gradient_clipping")) == "");
    CHECK(cell_text(three().back(), column("loss")) == "nan");
}

TEST_CASE("columns: a key that means nothing or too much is refused") {
    CHECK(why_not("lrr") == "no run has 'lrr'; did you mean 'lr'?");
    CHECK(why_not("acuracy") == "no run has 'acuracy'; did you mean 'accuracy'?");
    CHECK(why_not("acc") == "no run has 'acc'; did you mean 'accuracy'?");
    CHECK(why_not("optimizer") == "no run has 'optimizer'; did you mean 'optimizer.type'?");
    CHECK(why_not("val_loss") == "no run has 'val_loss'; did you mean 'loss'?");
    CHECK(why_not("val_acc") == "no run has 'val_acc'; did you mean 'accuracy'?");
    CHECK(why_not("learning_rate") == "no run has 'learning_rate'; did you mean 'lr'?");
    CHECK(why_not("something_else") == "no run has 'something_else'; known: loss, accuracy");
    CHECK(why_not("type") ==
          "'type' may be pipeline.net.type or training.optimizer.type\n"
          "    fix: write the whole key: pipeline.net.type");
}

TEST_CASE("columns: only settings that differ, missing ones too, but no names") {
    const auto columns = differing_settings(three());
    REQUIRE(columns.size() == 2);
    CHECK(columns[0].title == "lr");
    CHECK(columns[0].name == "training.optimizer.lr");
    CHECK(columns[1].title == "gradient_clipping");
    CHECK(differing_settings({three().front()}).empty());
}

TEST_CASE("columns: a run without a record of its settings makes none differ") {
    auto runs = three();
    runs.erase(runs.begin() + 1);
    runs.front().settings = Value();
    CHECK(differing_settings(runs).empty());
}

TEST_CASE("columns: defaults that only runs of another optimizer have do not distinguish runs") {
    const auto settings = [](Value optimizer) {
        return Value::table({{"training", Value::table({{"optimizer", std::move(optimizer)}})}});
    };
    Run adam;
    adam.settings = settings(Value::table({{"type", "Adam"},
                                           {"lr", 0.1},
                                           {"eps", 1e-8},
                                           {"betas", Value::list({0.9, 0.999})},
                                           {"amsgrad", false}}));
    Run sgd;
    sgd.settings = settings(Value::table({{"type", "SGD"},
                                          {"lr", 0.1},
                                          {"momentum", 0.9},
                                          {"dampening", 0.0},
                                          {"nesterov", false}}));
    const auto titles = [](const std::vector<Column>& columns) {
        std::string all;
        for (const Column& column : columns) {
            all += column.title + " ";
        }
        return all;
    };
    CHECK(titles(varied_settings({adam, sgd})) == "type momentum ");
    Run other = adam;
    other.settings = settings(Value::table({{"type", "Adam"},
                                            {"lr", 0.1},
                                            {"eps", 1e-8},
                                            {"betas", Value::list({0.5, 0.999})},
                                            {"amsgrad", false}}));
    CHECK(titles(varied_settings({adam, other, sgd})) == "type betas momentum ");
    // A table for programs has all that differs.
    CHECK(titles(differing_settings({adam, sgd})) ==
          "type eps betas amsgrad momentum dampening nesterov ");
}

TEST_CASE("columns: titles are as short as tells them apart") {
    Run one;
    Run other;
    one.settings = Value::table({{"a", Value::table({{"b", Value::table({{"x", 1}})}})},
                                 {"c", Value::table({{"b", Value::table({{"x", 1}})}})},
                                 {"x", 1}});
    other.settings = Value::table({{"a", Value::table({{"b", Value::table({{"x", 2}})}})},
                                   {"c", Value::table({{"b", Value::table({{"x", 2}})}})},
                                   {"x", 2}});
    const auto columns = differing_settings({one, other});
    REQUIRE(columns.size() == 3);
    CHECK(columns[0].title == "a.b.x");
    CHECK(columns[1].title == "c.b.x");
    CHECK(columns[2].title == "x");
}

}  // namespace columns_test
