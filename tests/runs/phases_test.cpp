// Components that run in some sections only, in a whole run.

#include "runs/support.hpp"

#include <doctest/doctest.h>

using ptp::test::ExperimentFolder;
using ptp::test::ProcessResult;
using ptp::test::samples_seen;
using ptp::test::with_witness;

namespace {

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

}  // namespace

TEST_CASE("phases: what rests in a section neither runs nor is measured there") {
    const ExperimentFolder folder;
    folder.write({.pipeline = "[pipeline.seen]\ntype = \"IndexWitness\"\nphases = "
                              "[\"validation\", \"process\"]\n"});
    const ProcessResult result =
        folder.run("run", with_witness({"--set", "pipeline.accuracy.phases=[\"test\"]", "--set",
                                        "pipeline.nll.phases=[\"training\", \"validation\"]"}));
    CHECK(result.errors == "");
    REQUIRE(result.status == 0);
    CHECK(first_line(folder.read("run/training.csv")) == "episode,epoch,loss");
    CHECK(first_line(folder.read("run/training_epochs.csv")) ==
          "episode,episodes_aggregated,epoch,loss,loss_min,loss_max,loss_std");
    CHECK(first_line(folder.read("run/validation.csv")) ==
          "episode,episodes_aggregated,epoch,loss,loss_min,loss_max,loss_std");
    CHECK(first_line(folder.read("run/test.csv")) ==
          "episode,episodes_aggregated,epoch,accuracy,accuracy_min,accuracy_max,accuracy_std");
    CHECK(result.output.find("test set, best weights  accuracy ") != std::string::npos);
    CHECK(folder.read("run/test.csv").find("nan") == std::string::npos);
    const std::string seen = folder.read("run/seen.txt");
    CHECK(samples_seen(seen, "training").empty());
    CHECK(samples_seen(seen, "test").empty());
    CHECK(samples_seen(seen, "validation").size() == 3);
}

TEST_CASE("phases: a component that rests changes no bit of the training") {
    const ExperimentFolder folder;
    folder.write();
    REQUIRE(folder.run("all").status == 0);
    REQUIRE(folder.run("some", {"--set", "pipeline.accuracy.phases=[\"test\"]"}).status == 0);
    CHECK((folder.read("all/checkpoints/last/weights.safetensors") ==
           folder.read("some/checkpoints/last/weights.safetensors")));
}
