#include "experiment/libtorch_version.hpp"

#include <doctest/doctest.h>

#include <string>

namespace libtorch_version_test {

using ptp::experiment::is_from;
using ptp::experiment::libtorch_version;

TEST_CASE("libtorch_version: a version is compared number by number") {
    CHECK_FALSE(is_from("1.13.1 (libtorch_cpu.so.1.13)", {2, 4}));
    CHECK_FALSE(is_from("2.3.1 (libtorch_cpu.so)", {2, 4}));
    CHECK(is_from("2.4.0 (libtorch_cpu.so)", {2, 4}));
    CHECK(is_from("2.15.0+cpu", {2, 4}));
    CHECK(is_from("3.0", {2, 4}));
}

TEST_CASE("libtorch_version: the version is the fingerprint's without the name of the library") {
    const std::string fingerprint = PTP_TEST_LIBTORCH;
    CHECK(fingerprint.starts_with(libtorch_version() + " ("));
}

}  // namespace libtorch_version_test
