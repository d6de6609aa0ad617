#include "schema/device.hpp"

#include <doctest/doctest.h>

namespace device_test {

using ptp::schema::device_problem;

TEST_CASE("device: the number of a CUDA device must be that of one that is there") {
    CHECK(device_problem("cpu", 0).empty());
    CHECK(device_problem("cuda", 1).empty());
    CHECK(device_problem("cuda:0", 1).empty());
    CHECK(device_problem("cuda:3", 4).empty());
    CHECK(device_problem("cuda", 0) == "libtorch finds no CUDA device here");
    CHECK(device_problem("cuda:1", 1) == "the one CUDA device here is cuda:0");
    CHECK(device_problem("cuda:4", 4) == "the 4 CUDA devices here are cuda:0 to cuda:3");
}

TEST_CASE("device: a number that libtorch's 8 bits do not hold is not another device") {
    CHECK(device_problem("cuda:256", 1) == "the one CUDA device here is cuda:0");
    CHECK(device_problem("cuda:257", 4) == "the 4 CUDA devices here are cuda:0 to cuda:3");
}

}  // namespace device_test
