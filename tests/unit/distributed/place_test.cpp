#include "distributed/place.hpp"

#include "unit/distributed/environment.hpp"

#include <doctest/doctest.h>

namespace place_test {

using namespace ptp::distributed;
using ptp::test::place_in;
using ptp::test::Variables;

// What srun sets for the third of four tasks on two nodes, as Slurm's documentation has it.
Variables of_srun() {
    return {{"SLURM_JOB_ID", "4711"},
            {"SLURM_STEP_ID", "0"},
            {"SLURM_PROCID", "2"},
            {"SLURM_STEP_NUM_TASKS", "4"},
            {"SLURM_NTASKS", "4"},
            {"SLURM_LOCALID", "0"},
            {"SLURM_NODEID", "1"},
            {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"},
            {"SLURM_STEP_NODELIST", "gpu[07-08]"}};
}

TEST_CASE("place: an environment without any of the variables is one process") {
    const Place place = place_in({{"PATH", "/bin"}, {"MASTER_ADDR", "node1"}});
    CHECK(place.is_one());
    CHECK(place.is_first());
    CHECK(place.launcher.empty());
    CHECK(place.address.empty());
    CHECK(place.host == "node7");
}

TEST_CASE("place: variables that are set to nothing count as not set") {
    CHECK(place_in({{"RANK", ""}, {"WORLD_SIZE", " "}}).is_one());
}

TEST_CASE("place: a world of one process is one process, without an address") {
    CHECK(place_in({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).is_one());
    CHECK(place_in({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}}).is_one());
}

TEST_CASE("place: RANK and WORLD_SIZE by hand") {
    const Place place = place_in(
        {{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "node1"}, {"MASTER_PORT", "29500"}});
    CHECK(place.rank == 1);
    CHECK(place.size == 2);
    CHECK(place.local_rank == 0);
    CHECK(place.local_size == 1);
    CHECK(place.address == "node1");
    CHECK(place.port == 29500);
    CHECK(place.launcher == "RANK and WORLD_SIZE");
    CHECK_FALSE(place.is_one_host());
}

TEST_CASE("place: the port of torchrun is its agent's, and the store has another in each attempt") {
    Variables variables = {{"RANK", "3"},
                           {"WORLD_SIZE", "4"},
                           {"LOCAL_RANK", "1"},
                           {"LOCAL_WORLD_SIZE", "2"},
                           {"MASTER_ADDR", "node1"},
                           {"MASTER_PORT", "29500"},
                           {"TORCHELASTIC_RUN_ID", "none"},
                           {"TORCHELASTIC_RESTART_COUNT", "2"}};
    const Place place = place_in(variables);
    CHECK(place.launcher == "torchrun");
    CHECK(place.local_rank == 1);
    CHECK(place.local_size == 2);
    CHECK(place.address == "node1");
    CHECK(place.port != 29500);
    CHECK(place.port >= 20000);
    CHECK(place.restart == 2);
    variables["RANK"] = "0";
    CHECK(place_in(variables).port == place.port);
    variables["TORCHELASTIC_RESTART_COUNT"] = "3";
    CHECK(place_in(variables).port != place.port);
}

TEST_CASE("place: torchrun within a task of srun") {
    Variables variables = of_srun();
    variables.insert({{"RANK", "5"},
                      {"WORLD_SIZE", "8"},
                      {"MASTER_ADDR", "gpu07"},
                      {"MASTER_PORT", "29500"},
                      {"TORCHELASTIC_RUN_ID", "1"}});
    CHECK(place_in(variables).rank == 5);
    CHECK(place_in(variables).size == 8);
}

TEST_CASE("place: what ptprun started knows how often, and why") {
    const Place place = place_in({{"RANK", "0"},
                                  {"WORLD_SIZE", "2"},
                                  {"LOCAL_RANK", "0"},
                                  {"LOCAL_WORLD_SIZE", "2"},
                                  {"MASTER_ADDR", "127.0.0.1"},
                                  {"MASTER_PORT", "20001"},
                                  {"PTP_LAUNCHER", "17"},
                                  {"PTP_RESTART", "1"},
                                  {"PTP_RESTART_REASON", "rank 1 was killed by SIGKILL"}});
    CHECK(place.launcher == "ptprun");
    CHECK(place.restart == 1);
    CHECK(place.restart_reason == "rank 1 was killed by SIGKILL");
    CHECK(place.is_one_host());
}

TEST_CASE("place: a task of srun finds rank 0 on the first host of its nodes") {
    const Place place = place_in(of_srun());
    CHECK(place.launcher == "Slurm");
    CHECK(place.rank == 2);
    CHECK(place.size == 4);
    CHECK(place.local_rank == 0);
    CHECK(place.local_size == 2);
    CHECK(place.address == "gpu07");
    CHECK(place.port >= 20000);
    CHECK(place.port < 32000);
}

TEST_CASE("place: MASTER_ADDR and MASTER_PORT win over what Slurm implies") {
    Variables variables = of_srun();
    variables.insert({{"MASTER_ADDR", "10.0.0.7"}, {"MASTER_PORT", "4000"}});
    CHECK(place_in(variables).address == "10.0.0.7");
    CHECK(place_in(variables).port == 4000);
}

TEST_CASE("place: all tasks of a step take the same port, and other steps another one") {
    Variables variables = of_srun();
    const auto port = place_in(variables).port;
    variables["SLURM_PROCID"] = "3";
    variables["SLURM_LOCALID"] = "1";
    CHECK(place_in(variables).port == port);
    variables["SLURM_STEP_ID"] = "1";
    CHECK(place_in(variables).port != port);
}

TEST_CASE("place: a step on one node needs no name of it") {
    Variables variables = of_srun();
    variables["SLURM_STEP_TASKS_PER_NODE"] = "4";
    variables["SLURM_NODEID"] = "0";
    variables["SLURM_LOCALID"] = "2";
    CHECK(place_in(variables).address == "127.0.0.1");
}

TEST_CASE("place: a script of sbatch is one process, and its tasks are counted") {
    Variables variables = of_srun();
    variables.erase("SLURM_STEP_ID");
    CHECK(place_in(variables).is_one());
    CHECK(tasks_without_srun(ptp::test::lookup_in(variables)) == 4);
    CHECK(tasks_without_srun(ptp::test::lookup_in(of_srun())) == 1);
    CHECK(tasks_without_srun([](const char*) { return nullptr; }) == 1);
}

TEST_CASE("place: Open MPI on one host") {
    const Place place = place_in({{"OMPI_COMM_WORLD_RANK", "1"},
                                  {"OMPI_COMM_WORLD_SIZE", "2"},
                                  {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                  {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                                  {"PMIX_NAMESPACE", "2437939201"}});
    CHECK(place.launcher == "Open MPI");
    CHECK(place.rank == 1);
    CHECK(place.local_rank == 1);
    CHECK(place.address == "127.0.0.1");
    CHECK(place.port >= 20000);
}

TEST_CASE("place: mpirun in a job of Slurm, whose daemons srun has started") {
    Variables variables = of_srun();
    variables.insert({{"OMPI_COMM_WORLD_RANK", "6"},
                      {"OMPI_COMM_WORLD_SIZE", "8"},
                      {"PMIX_NAMESPACE", "1"},
                      {"MASTER_ADDR", "gpu07"}});
    CHECK(place_in(variables).launcher == "Open MPI");
    CHECK(place_in(variables).rank == 6);
}

TEST_CASE("place: another MPI") {
    const Place place = place_in({{"PMI_RANK", "1"},
                                  {"PMI_SIZE", "3"},
                                  {"MPI_LOCALRANKID", "0"},
                                  {"MPI_LOCALNRANKS", "2"},
                                  {"MASTER_ADDR", "node1"},
                                  {"MASTER_PORT", "4000"}});
    CHECK(place.launcher == "MPI");
    CHECK(place.rank == 1);
    CHECK(place.local_size == 2);
}

TEST_CASE("place: srun that sets the numbers of MPI, too, is Slurm") {
    Variables variables = of_srun();
    variables.insert({{"PMI_RANK", "2"}, {"PMI_SIZE", "4"}});
    CHECK(place_in(variables).launcher == "Slurm");
}

TEST_CASE("place: without the variables that decide on it every place is that of one process") {
    Variables all = of_srun();
    all.insert({{"RANK", "0"},
                {"WORLD_SIZE", "4"},
                {"OMPI_COMM_WORLD_RANK", "0"},
                {"OMPI_COMM_WORLD_SIZE", "4"},
                {"PMI_RANK", "0"},
                {"PMI_SIZE", "4"}});
    for (const std::string& name : place_variables()) {
        all.erase(name);
    }
    CHECK(place_in(all).is_one());
}

TEST_CASE("place: one process that ptprun has started again knows so") {
    const Place place = place_in({{"RANK", "0"},
                                  {"WORLD_SIZE", "1"},
                                  {"PTP_LAUNCHER", "17"},
                                  {"PTP_RESTART", "2"},
                                  {"PTP_RESTART_REASON", "rank 1 was killed"}});
    CHECK(place.is_one());
    CHECK(place.restart == 2);
    CHECK(place.restart_reason == "rank 1 was killed");
}

}  // namespace place_test
