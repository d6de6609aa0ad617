#include "base/sha256.hpp"

#include <doctest/doctest.h>

namespace sha256_test {

// FIPS 180-2, appendix B.1, and the empty message of NIST's test vectors.
TEST_CASE("hash: the examples of the standard") {
    CHECK(ptp::sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(ptp::sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace sha256_test
