#include "base/number.hpp"

#include <doctest/doctest.h>

namespace number_test {

using ptp::rate_text;

TEST_CASE("rate: fast ones have a comma for each thousand, slow ones two digits") {
    CHECK(rate_text(1234567) == "1,234,567/s");
    CHECK(rate_text(1770.4) == "1,770/s");
    CHECK(rate_text(999.4) == "999/s");
    CHECK(rate_text(12.345) == "12/s");
    CHECK(rate_text(2.54) == "2.5/s");
    CHECK(rate_text(0.25) == "0.25/s");
}

}  // namespace number_test
