// What each component draws is its own: neither what others there are nor what they draw changes
// it.

#include "runs/support.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace generators_test {

using namespace ptp::test;

namespace {

// Half of the units are dropped, so that a draw that is another shows at once.
Lines with(const std::string& more) {
    return {.training =
                "optimizer = { type = \"Adam\", lr = 0.01 }\n"
                "terminal_conditions = { epoch_limit = 2 }\n",
            .pipeline = more,
            .has_test = false};
}

constexpr const char* kOther =
    "[pipeline.other]\ntype = \"FeedForwardNetwork\"\nhidden_sizes = [8]\ndropout_rate = 0.5\n"
    "streams = { inputs = \"features\", predictions = \"others\" }\n"
    "globals = { prediction_size = \"num_classes\" }\n";

const std::vector<std::string> kDropping = {"--set", "pipeline.net.dropout_rate=0.5"};

}  // namespace

TEST_CASE("generators: a frozen component that nobody reads changes no number of the others") {
    const ExperimentFolder folder(with(""));
    REQUIRE(folder.run("alone", kDropping).status == 0);
    folder.write(with(std::string(kOther) + "freeze = true\n"));
    const ProcessResult beside = folder.run("beside", kDropping);
    CHECK(ptp::test::without_warnings(
              ptp::test::without_warnings(beside.errors, "nothing reads 'others'"),
              "which are usually random") == "");
    REQUIRE(beside.status == 0);
    for (const char* file : {"training.csv", "validation.csv"}) {
        CAPTURE(file);
        CHECK((folder.read(std::string("beside/") + file) ==
               folder.read(std::string("alone/") + file)));
    }
}

TEST_CASE("generators: another component that drops units changes no number of the others") {
    const ExperimentFolder folder(with(""));
    REQUIRE(folder.run("alone", kDropping).status == 0);
    folder.write(with(kOther));
    REQUIRE(folder.run("beside", kDropping).status == 0);
    CHECK((folder.read("beside/training.csv") == folder.read("alone/training.csv")));
    folder.write(with(""));
    std::vector<std::string> seeded = kDropping;
    seeded.insert(seeded.end(), {"--seed", "8"});
    REQUIRE(folder.run("seeded", seeded).status == 0);
    CHECK((folder.read("seeded/training.csv") != folder.read("alone/training.csv")));
}

}  // namespace generators_test
