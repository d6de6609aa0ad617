#include "run/run.hpp"

#include <doctest/doctest.h>

namespace run_test {

using namespace ptp::run;

TEST_CASE("run: a number has six digits") {
    CHECK(number_text(0.123456789) == "0.123457");
    CHECK(number_text(40.0) == "40");
    CHECK(number_text({}) == "nan");
}

TEST_CASE("run: a hostile text stays on its line") {
    CHECK(plain("a\nb\x1b[31m\x7f") == "a b [31m ");
}

}  // namespace run_test
