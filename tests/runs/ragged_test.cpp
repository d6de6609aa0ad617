// Streams that are lists of tensors, and statistics of a whole set, in a whole run.

#include "runs/support.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <string>

namespace ragged_test {

using ptp::test::last_value;

TEST_CASE("ragged: lists of tensors flow from the task on, and a set's median is of all samples") {
    for (const char* workers : {"0", "2"}) {
        CAPTURE(workers);
        const ptp::test::TempFolder folder;
        // Batches of four, so that the batches have other medians than the set.
        const auto file = folder.write(
            "experiment.toml",
            std::string("seed = 1\n[training]\ndataloader = { num_workers = ") + workers +
                " }\noptimizer = { type = \"SGD\", lr = 0.001 }\n"
                "terminal_conditions = { epoch_limit = 2 }\n"
                "task = { type = \"Ragged\", batch_size = 4 }\n"
                "[validation]\ntask = { type = \"Ragged\", batch_size = 4 }\n"
                "[pipeline.doubled]\ntype = \"Doubled\"\n"
                "[pipeline.sums]\ntype = \"Sums\"\n"
                "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nhidden_sizes = []\n"
                "streams = { inputs = \"sums\" }\nglobals = { prediction_size = \"num_classes\" }\n"
                "[pipeline.nll]\ntype = \"NLLLoss\"\n"
                "[pipeline.median]\ntype = \"MedianStatistics\"\n");
        const std::string plugins = (ptp::test::build_dir() / "tests/runs/plugins").string();
        require_success(ptp::test::ptprun(
            {file.string(), "--run-dir", (folder.path() / "run").string(), "--plugins", plugins}));
        // Twice i, 1 + i % 3 times, for i from 0 to 5: 0, 4, 12, 6, 16, 30; between 6 and 12.
        CHECK(last_value(folder.read("run/validation.csv"), "median") == "9");
        CHECK(last_value(folder.read("run/training_epochs.csv"), "median") == "9");
        CHECK(folder.read("run/training.csv").find("median") == std::string::npos);
    }
}

}  // namespace ragged_test
