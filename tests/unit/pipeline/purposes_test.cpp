#include "support.hpp"

#include <doctest/doctest.h>

namespace purposes_test {

using namespace ptp;
using plugin::Element;
using plugin::Kind;
using plugin::Purpose;
using test::Make;

namespace {

// A task, a model and a loss whose parts have names of their own, with these purposes or without.
plugin::Catalog catalog(bool with_purposes) {
    Make task(Kind::kTask, "Flowers");
    task.out("photos", "B, 4").out("truth", "B", Element::kInteger);
    Make loss(Kind::kLoss, "Surprise");
    loss.in("guesses", "B, kinds").in("truth", "B", Element::kInteger).loss("surprise");
    Make model(Kind::kModel, "Guesser");
    model.in("photos", "B, 4").out("guesses", "B, width").reads("width");
    task.writes("kinds_of_flowers", "3");
    if (with_purposes) {
        task.purpose(Purpose::kClassCount);
        model.purpose(Purpose::kScoreCount);
    }
    plugin::Component flowers = task;
    if (with_purposes) {
        flowers.ports[1].purpose = Purpose::kTargets;
    }
    return test::catalog_of({flowers, model, loss});
}

std::string problems_of(const std::string& globals, bool with_purposes) {
    return test::assemble_text(R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Flowers", batch_size = 1 }
[pipeline.net]
type = "Guesser"
)" + globals + R"([pipeline.loss]
type = "Surprise"
)",
                               catalog(with_purposes))
        .problems;
}

}  // namespace

TEST_CASE("purposes: scores are counted against classes, whatever their names are") {
    const std::string two = "globals = { width = 2 }\n";
    CHECK(
        problems_of(two, true) ==
        "e.toml:6:21: pipeline.net.globals.width: warning: 2 is less than the 3 classes of the "
        "targets of 'loss' (Surprise): kinds_of_flowers is 3, published by the task of [training] "
        "(Flowers)\n"
        "    fix: write globals = { width = \"kinds_of_flowers\" } in pipeline.net");
    CHECK(problems_of(two, false) == "");
}

TEST_CASE("purposes: the number of scores is proposed to be that of the classes") {
    CHECK(problems_of("", true) ==
          "e.toml:4:1: pipeline.net: reads global 'width', which nothing publishes; did you mean "
          "'kinds_of_flowers'? Then write globals = { width = \"kinds_of_flowers\" }");
    CHECK(problems_of("", false).find("did you mean") == std::string::npos);
}

}  // namespace purposes_test
