#include "experiment/libtorch_version.hpp"
#include "optimization_text.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace fused_test {

using namespace ptp::experiment;
using ptp::experiment::test::experiment_text;
using ptp::experiment::test::problems_of;

namespace {

// What is reported of a key at a place.
std::string refusal(const std::string& place, const std::string& key) {
    return is_from(libtorch_version(), kFirstWithFusedSteps)
               ? ""
               : "x.toml:" + place + ": training.optimizer." + key + " = true: libtorch " +
                     libtorch_version() +
                     " has no fused steps (from 2.4 on it does)\n    fix: write fused = false";
}

}  // namespace

TEST_CASE("fused: it is refused where libtorch has no such steps, also of a group") {
    for (const std::string name : {"SGD", "Adam", "AdamW"}) {
        CAPTURE(name);
        const std::string text = "type = '" + name + "'\nlr = 0.1\n";
        CHECK(problems_of(experiment_text(text)) == "");
        CHECK(problems_of(experiment_text(text + "fused = false")) == "");
        CHECK(problems_of(experiment_text(text + "fused = true")) == refusal("9:9", "fused"));
        CHECK(problems_of(experiment_text(text + "groups.net = { fused = true }")) ==
              refusal("9:24", "groups.net.fused"));
    }
}

TEST_CASE("fused: the optimizers that libtorch does not step so do not have the option") {
    CHECK(problems_of(experiment_text("type = 'NAdam'\nfused = true")) ==
          "x.toml:8:1: training.optimizer.fused: NAdam has no option 'fused' (SGD, Adam and AdamW "
          "have)");
}

}  // namespace fused_test
