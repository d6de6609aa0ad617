// Apart from process.cpp, so that a program without tests can start others.

#include "support/process.hpp"

#include <doctest/doctest.h>

#include <source_location>

namespace ptp::test {

void require_success(const ProcessResult& result, const std::source_location& where) {
    INFO(where.file_name(), ":", where.line());
    CHECK(result.errors == "");
    REQUIRE(result.status == 0);
}

}  // namespace ptp::test
