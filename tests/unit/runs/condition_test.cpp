#include "ptp-runs/columns.hpp"

#include "../run/support.hpp"
#include "common/command.hpp"

#include <doctest/doctest.h>

#include <string>

namespace condition_test {

using namespace ptp::run;
using namespace ptp::runs;
using ptp::test::TempFolder;

namespace {

std::vector<Run> runs() {
    const TempFolder folder;
    test::write_run(folder, "a", {.loss = "0.5", .lr = "0.1"});
    test::write_run(folder, "b", {.loss = "0.25", .lr = "0.01"});
    test::write_run(folder, "c", {.loss = "null", .lr = "\"${lr}\""});
    return test::runs_in(folder);
}

// The names of the runs that meet it, or why it is not a condition.
std::string met(const std::string& text) {
    const auto all = runs();
    std::string names;
    try {
        const Condition condition = read_condition(text, all);
        for (const Run& run : all) {
            names += meets(run, condition) ? run.folder.filename().string() : "";
        }
    } catch (const ptp::tools::UsageError& error) {
        return error.what();
    }
    return names;
}

}  // namespace

TEST_CASE("condition: of a learning rate that control has set the last one is compared") {
    const TempFolder folder;
    test::write_run(folder, "a", {.loss = "0.5", .lr = "\"0.1, then 0.03, then 0.0005\""});
    test::write_run(folder, "b", {.loss = "0.25", .lr = "0.1"});
    const auto all = test::runs_in(folder);
    CHECK(meets(all[0], read_condition("lr<0.01", all)));
    CHECK(!meets(all[0], read_condition("lr=0.1", all)));
    CHECK(!meets(all[1], read_condition("lr<0.01", all)));
}

TEST_CASE("condition: numbers are compared as numbers") {
    CHECK(met("lr<0.1") == "b");
    CHECK(met("lr<=0.1") == "ab");
    CHECK(met("lr = 0.10") == "a");
    CHECK(met("lr==1e-2") == "b");
    CHECK(met("lr>0.01") == "a");
    CHECK(met("lr>=0.01") == "ab");
    CHECK(met("epoch<10") == "abc");
}

TEST_CASE("condition: nan is neither small nor large") {
    CHECK(met("loss<1") == "ab");
    CHECK(met("loss>=0") == "ab");
}

TEST_CASE("condition: texts, and different types") {
    CHECK(met("experiment=tiny") == "abc");
    CHECK(met("experiment!=\"tiny\"") == "");
    CHECK(met("state<e") == "abc");
    CHECK(met("lr!=0.1") == "bc");
    CHECK(met("widths=[4, 5]") == "abc");
}

TEST_CASE("condition: what is none is refused") {
    const std::string fix = "\n    fix: --where 'lr>0.5', with the value you mean";
    CHECK(met("lr") == "'lr' is not of the form KEY<VALUE (or <=, =, !=, >=, >)" + fix);
    CHECK(met("<3") == "'<3' is not of the form KEY<VALUE (or <=, =, !=, >=, >)");
    CHECK(met("lr<") == "'lr<' is not of the form KEY<VALUE (or <=, =, !=, >=, >)" + fix);
    CHECK(met("lr!3") == "'lr!3' is not of the form KEY<VALUE (or <=, =, !=, >=, >)" + fix);
    CHECK(met("lrr<3") == "no run has 'lrr'; did you mean 'lr'?");
}

TEST_CASE("condition: a column of numbers is compared with a number only") {
    CHECK(met("loss>abc") ==
          "loss>\"abc\": must be a number, because loss is one in all runs\n"
          "    fix: compare with a number, such as 'loss>0.5'");
    CHECK(met("epoch=[1, 2]") ==
          "epoch=[1, 2]: must be a number, because epoch is one in all runs\n"
          "    fix: compare with a number, such as 'epoch=0.5'");
    // A text in one run makes it no column of numbers.
    CHECK(met("lr=abc") == "");
}

TEST_CASE("condition: a column of texts is compared with the text that stands there") {
    CHECK(met("experiment=5") == "");
    CHECK(met("experiment!=5") == "abc");
    CHECK(met("experiment>1e3") == "abc");
}

}  // namespace condition_test
