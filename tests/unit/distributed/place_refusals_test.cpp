#include "base/error.hpp"
#include "support/texts.hpp"
#include "unit/distributed/environment.hpp"

#include <doctest/doctest.h>

namespace place_refusals_test {

using ptp::test::place_in;
using ptp::test::Variables;

std::string refusal(const Variables& variables) {
    return ptp::test::error_of<ptp::RunError>(ptp::kConfigurationError,
                                              [&] { place_in(variables); });
}

constexpr const char* kOneProcess =
    "\n    fix: to train in one process whatever the environment has: ptprun --nproc 1";

TEST_CASE("place: a rank without a number of processes is refused, and the other way round") {
    CHECK(
        refusal({{"RANK", "1"}}) ==
        "the environment has RANK = 1, but no WORLD_SIZE\n"
        "    fix: to train in several processes set RANK and WORLD_SIZE; to train in one: unset RANK");
    CHECK(refusal({{"WORLD_SIZE", "2"}}) ==
          "the environment has WORLD_SIZE = 2, but no RANK\n"
          "    fix: to train in several processes set RANK and WORLD_SIZE; to train in one: unset "
          "WORLD_SIZE");
}

TEST_CASE("place: values that are not numbers, and ranks beyond the last are refused") {
    CHECK(refusal({{"RANK", "first"}, {"WORLD_SIZE", "2"}}) ==
          std::string("RANK = first in the environment: must be an integer from 0 to 999999") +
              kOneProcess);
    CHECK(refusal({{"RANK", "0"}, {"WORLD_SIZE", "2x"}}) ==
          std::string("WORLD_SIZE = 2x in the environment: must be an integer from 1 to 1000000") +
              kOneProcess);
    CHECK(refusal({{"RANK", "2"}, {"WORLD_SIZE", "2"}}) ==
          std::string("the environment has RANK = 2 and WORLD_SIZE = 2: ranks are from 0 to 1") +
              kOneProcess);
}

TEST_CASE("place: local numbers that cannot be are refused") {
    Variables variables = {
        {"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "2"}, {"LOCAL_WORLD_SIZE", "2"}};
    CHECK(
        refusal(variables) ==
        std::string("the environment has LOCAL_RANK = 2 and LOCAL_WORLD_SIZE = 2: local ranks are "
                    "from 0 to 1") +
            kOneProcess);
    variables["LOCAL_RANK"] = "0";
    variables["LOCAL_WORLD_SIZE"] = "3";
    CHECK(refusal(variables) ==
          std::string("the environment has LOCAL_WORLD_SIZE = 3 and WORLD_SIZE = 2: a host cannot "
                      "have more processes than there are") +
              kOneProcess);
}

TEST_CASE("place: where rank 0 is found must be known") {
    CHECK(refusal({{"RANK", "0"}, {"WORLD_SIZE", "2"}}) ==
          "this process is rank 0 of 2 by RANK and WORLD_SIZE, but the environment does not have "
          "where rank 0 is found: no MASTER_ADDR and no MASTER_PORT\n"
          "    fix: set MASTER_ADDR and MASTER_PORT in all processes, to the host of rank 0 and a "
          "free port of it (with mpirun: -x MASTER_ADDR=HOST); to train in one process: ptprun "
          "--nproc 1");
    CHECK(refusal({{"OMPI_COMM_WORLD_RANK", "1"},
                   {"OMPI_COMM_WORLD_SIZE", "2"},
                   {"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
                   {"OMPI_COMM_WORLD_LOCAL_SIZE", "1"},
                   {"PMIX_NAMESPACE", "1"}}) ==
          "this process is rank 1 of 2 by Open MPI, but the environment does not have where rank 0 "
          "is found: no MASTER_ADDR\n"
          "    fix: set MASTER_ADDR in all processes, to the host of rank 0 (with mpirun: -x "
          "MASTER_ADDR=HOST); to train in one process: ptprun --nproc 1");
    CHECK(
        refusal({{"RANK", "0"},
                 {"WORLD_SIZE", "2"},
                 {"MASTER_ADDR", "node1"},
                 {"MASTER_PORT", "70000"}}) ==
        std::string("MASTER_PORT = 70000 in the environment: must be an integer from 1 to 65535") +
            kOneProcess);
}

TEST_CASE("place: RANK that contradicts the launcher is refused") {
    const Variables variables = {
        {"RANK", "0"},           {"WORLD_SIZE", "2"},           {"MASTER_ADDR", "node1"},
        {"MASTER_PORT", "4000"}, {"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}};
    CHECK(
        refusal(variables) ==
        "the environment contradicts itself: RANK = 0 of WORLD_SIZE = 2, but Open MPI has started "
        "this process as OMPI_COMM_WORLD_RANK = 1 of 2\n"
        "    fix: unset RANK and WORLD_SIZE, so that what Open MPI sets is used");
    CHECK(refusal({{"RANK", "1"},
                   {"WORLD_SIZE", "2"},
                   {"MASTER_ADDR", "node1"},
                   {"MASTER_PORT", "4000"},
                   {"SLURM_STEP_ID", "0"},
                   {"SLURM_PROCID", "1"},
                   {"SLURM_STEP_NUM_TASKS", "4"}}) ==
          "the environment contradicts itself: RANK = 1 of WORLD_SIZE = 2, but Slurm has started "
          "this process as SLURM_PROCID = 1 of 4\n"
          "    fix: unset RANK and WORLD_SIZE, so that what Slurm sets is used");
}

}  // namespace place_refusals_test
