// The data in the page of a report.
#pragma once

#include "support/process.hpp"

#include <doctest/doctest.h>

#include <string>

namespace ptp::test {

// Returns the JSON that the script of a page, a file, unpacks.
inline std::string data_of(const std::string& page) {
    const ProcessResult unpacked = run_program(
        "/usr/bin/env",
        {"python3", "-c",
         "import base64, re, sys, zlib; text = re.search('id=.data.>([^<]*)<', "
         "open(sys.argv[1]).read()); print(zlib.decompress(base64.b64decode(text[1])).decode())",
         page});
    REQUIRE_MESSAGE(unpacked.status == 0, unpacked.errors);
    return unpacked.output;
}

}  // namespace ptp::test
