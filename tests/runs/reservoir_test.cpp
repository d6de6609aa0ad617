// A training with a reservoir: it runs, and says that it cannot be repeated.

#include "runs/support.hpp"

#include <doctest/doctest.h>

namespace reservoir_test {

using ptp::test::ExperimentFolder;
using ptp::test::ProcessResult;

TEST_CASE("reservoir: a run trains with it and says that it cannot be repeated") {
    const ExperimentFolder folder({.training =
                                       "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                                       "terminal_conditions = { epoch_limit = 3 }\n"
                                       "dataloader = { mode = \"reservoir\", num_workers = 2, "
                                       "reservoir_size = 4, reservoir_exchange = 2 }\n"});
    const ProcessResult result = folder.run("run");
    REQUIRE(result.status == 0);
    const std::string warning =
        "this run cannot be repeated: which batches an episode sees depends on how fast the "
        "reservoir is filled";
    CHECK(folder.read("run/run.log").find(warning) != std::string::npos);
    CHECK((result.output + result.errors).find(warning) != std::string::npos);
    CHECK(folder.read("run/checkpoints/last/checkpoint.toml").find("is_reproducible = false") !=
          std::string::npos);

    folder.write();
    REQUIRE(folder.run("ordered").status == 0);
    CHECK(folder.read("ordered/checkpoints/last/checkpoint.toml").find("is_reproducible = true") !=
          std::string::npos);
}

}  // namespace reservoir_test
