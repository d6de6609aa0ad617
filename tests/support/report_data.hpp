// The data in the page of a report.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <string>

namespace ptp::test {

// Returns the JSON that the script of a page, a file, unpacks.
inline std::string data_of(const std::string& page) {
    const std::string command =
        "python3 -c 'import base64, re, sys, zlib; text = re.search(\"id=.data.>([^<]*)<\", "
        "open(sys.argv[1]).read()); print(zlib.decompress(base64.b64decode(text[1])).decode())' " +
        page;
    std::FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string output;
    std::array<char, 4096> part{};
    for (std::size_t count = 0; (count = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
        output.append(part.data(), count);
    }
    CHECK(pclose(pipe) == 0);
    return output;
}

}  // namespace ptp::test
