#include "distributed/place.hpp"

#include <doctest/doctest.h>

namespace slurm_test {

using namespace ptp::distributed;

TEST_CASE("slurm: the first host of a list of nodes") {
    CHECK(first_host("login1") == "login1");
    CHECK(first_host("login1,gpu[1-3]") == "login1");
    CHECK(first_host("gpu[07-12,15],login1") == "gpu07");
    CHECK(first_host("gpu[15,17-20]") == "gpu15");
    CHECK(first_host("rack[2-3]node[08-09]x") == "rack2node08x");
    CHECK(first_host("gpu[07") == "");
    CHECK(first_host("") == "");
}

TEST_CASE("slurm: the tasks of a node") {
    CHECK(tasks_on_node("4", 0) == 4);
    CHECK(tasks_on_node("4(x2),3", 0) == 4);
    CHECK(tasks_on_node("4(x2),3", 1) == 4);
    CHECK(tasks_on_node("4(x2),3", 2) == 3);
    CHECK_FALSE(tasks_on_node("4(x2),3", 3));
    CHECK_FALSE(tasks_on_node("", 0));
    CHECK_FALSE(tasks_on_node("4(x", 0));
    CHECK_FALSE(tasks_on_node("many", 0));
}

}  // namespace slurm_test
