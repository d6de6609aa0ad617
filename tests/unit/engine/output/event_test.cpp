#include "engine/output/event.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>

namespace event_test {

using namespace ptp::engine;

namespace {

std::string hex(const std::string& bytes) {
    std::string text;
    for (const char byte : bytes) {
        text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    return text;
}

}  // namespace

// CRC-32C of "123456789" is 0xE3069283 (RFC 3720); turned right by 15 it is 0x2507C60D, and with
// 0xA282EAD8 added 0xC78AB0E5.
TEST_CASE(
    "event: the checksum behind the bytes is CRC-32C, turned and shifted as TensorFlow does") {
    const std::string file = hex(ptp::engine::framed("123456789"));
    CHECK(file.starts_with("0900000000000000"));
    CHECK(file.ends_with(hex("123456789") + "e5b08ac7"));
}

// Worked out by hand: field 1 a double, field 2 an integer, field 5 the summary with its one value,
// which has the tag in field 1 and the float in field 2. The checksums are another program's.
TEST_CASE("event: a scalar, to the byte") {
    Summary summary;
    summary.add_scalar("a", 0.5);
    const std::string event = ptp::engine::summary_event({1.5, 3}, summary);
    const std::string wanted = "09000000000000f83f10032a0a0a080a0161150000003f";
    CHECK(hex(event) == wanted);
    CHECK(hex(ptp::engine::framed(event)) == "1700000000000000e7cef81e" + wanted + "de5768cd");
}

TEST_CASE("event: a file's version, to the byte") {
    CHECK(hex(ptp::engine::version_event(1.5)) ==
          "09000000000000f83f1a0d627261696e2e4576656e743a32");
}

TEST_CASE("histogram: sums, ends and buckets of the finite numbers") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    const Histogram made =
        histogram_of(at::tensor({0.0, -2.0, 1e-13, 3.0, nan, 3.0, infinity}, at::kDouble));
    CHECK(made.count == 5);
    CHECK(made.minimum == -2);
    CHECK(made.maximum == 3);
    CHECK(made.sum == doctest::Approx(4));
    CHECK(made.squares == doctest::Approx(22));
    CHECK(std::accumulate(made.counts.begin(), made.counts.end(), 0.0) == 5);
    // In the order of the limits, and with single empty buckets between them: -2, [0, 1e-12), 3.
    REQUIRE(made.counts == std::vector<double>{0, 1, 0, 2, 0, 2, 0});
    CHECK(made.limits[1] > -2);
    CHECK(made.limits[1] < -2 / 1.1);
    CHECK(made.limits[2] == 0);
    CHECK(made.limits[3] == 1e-12);
    CHECK(made.limits[4] <= 3);
    CHECK(made.limits[5] > 3);
}

TEST_CASE("histogram: numbers beyond the last limits, halves, and nothing at all") {
    const Histogram wide = histogram_of(at::tensor({-1e30, 1e300}, at::kDouble));
    CHECK(wide.count == 2);
    CHECK(wide.limits.back() == std::numeric_limits<double>::max());
    CHECK(wide.counts.back() == 1);
    CHECK(histogram_of(at::tensor({0.5F}).to(at::kHalf)).maximum == 0.5);
    const Histogram none = histogram_of(at::empty({0}));
    CHECK(none.count == 0);
    CHECK(none.counts == std::vector<double>{0});
}

TEST_CASE("png: infinities hide none of the other numbers") {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    const auto bytes = [](const std::vector<double>& pixels) {
        return png_of(at::tensor(pixels, at::kDouble).reshape({1, 1, -1})).bytes;
    };
    CHECK(bytes({-kInf, 2, 4, kInf, 3}) == bytes({2, 2, 4, 4, 3}));
    CHECK(bytes({0.25, std::numeric_limits<double>::quiet_NaN()}) == bytes({0.25, 0}));
    CHECK(bytes({kInf, -kInf}) == bytes({0, 0}));
}

TEST_CASE("png: only images with one or three channels are accepted") {
    CHECK_THROWS_WITH(png_of(at::empty({2, 4, 4})),
                      "an image is [1 or 3, height, width], not of 3 dimensions and 32 numbers");
    CHECK_THROWS_WITH(png_of(at::empty({4, 4})),
                      "an image is [1 or 3, height, width], not of 2 dimensions and 16 numbers");
}

}  // namespace event_test
