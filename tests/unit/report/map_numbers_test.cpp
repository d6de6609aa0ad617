// The numbers behind maps of explanations.

#include "ptp-report/map_numbers.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace map_numbers_test {

using ptp::Json;
using ptp::report::grid_of;
using ptp::report::NumbersOfFile;
using ptp::report::PixelValue;
using ptp::report::read_npy;

namespace {

// Returns a file as NumPy writes it, with this header.
std::string npy(const std::string& header, const std::vector<float>& numbers) {
    std::string file("\x93NUMPY\x01\x00", 8);
    file += static_cast<char>(header.size());
    file += '\0';
    file += header;
    const std::size_t begin = file.size();
    file.resize(begin + numbers.size() * sizeof(float));
    std::memcpy(file.data() + begin, numbers.data(), numbers.size() * sizeof(float));
    return file;
}

std::string header(const std::string& shape, const std::string& type = "<f4") {
    return "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
}

}  // namespace

TEST_CASE("map numbers: an array of float32 is read with its shape, and nothing else") {
    const auto file = read_npy(npy(header("1, 2, 3,"), {1, 2, 3, 4, 5, 6}));
    REQUIRE(file.has_value());
    CHECK(file->shape == std::vector<std::size_t>{1, 2, 3});
    CHECK(file->numbers == std::vector<float>{1, 2, 3, 4, 5, 6});
    CHECK(read_npy(npy(header("2, "), {1, 2}))->shape == std::vector<std::size_t>{2});
    for (const std::string& other :
         {npy(header("1, 2, 3,"), {1, 2, 3, 4, 5}), npy(header("1, 2, 3,"), {1, 2, 3, 4, 5, 6, 7}),
          npy(header("2,", "<f8"), {1, 2}), npy(header("-2,"), {1, 2}), npy(header("x"), {1, 2}),
          npy(header("4294967296, 4294967296"), {}), npy("{}", {1}), std::string("\x93NUMPY"),
          std::string()}) {
        CAPTURE(other);
        CHECK(!read_npy(other).has_value());
    }
    const std::string whole = npy(header("2,"), {1, 2});
    for (std::size_t size = 0; size < whole.size(); ++size) {
        CHECK(!read_npy(whole.substr(0, size)).has_value());
    }
}

TEST_CASE("map numbers: a table has the sums of parts of the image as shares of the magnitude") {
    // Two channels of 2 x 2: their sums are 3, -1, 0 and 4, whose magnitudes sum to 8.
    const Json grid = grid_of({{2, 2, 2}, {1, -1, 0, 5, 2, 0, 0, -1}}, PixelValue::kSum);
    CHECK(grid.at("grid") == Json::parse("[[0.375, -0.125], [0.0, 0.5]]"));
    CHECK(grid.at("rows") == Json::parse("[0, 1, 2]"));
    CHECK(grid.at("columns") == Json::parse("[0, 1, 2]"));
    CHECK(grid.at("peak") == Json::parse("[1, 1]"));
    // Six rows are parts of one, two, one and two.
    const Json tall = grid_of({{1, 6, 1}, {1, 1, 1, 1, 1, 1}}, PixelValue::kSum);
    CHECK(tall.at("rows") == Json::parse("[0, 1, 3, 4, 6]"));
    CHECK(tall.at("grid").at(1).at(0).get<double>() == doctest::Approx(1.0 / 3).epsilon(1e-5));
}

TEST_CASE("map numbers: where magnitudes count, channels of opposite signs do not cancel") {
    // Two channels of 1 x 3: their sums are 0, -1 and 2, the largest magnitudes 5, 1 and 2.
    const NumbersOfFile map = {{2, 1, 3}, {5, -1, 0, -5, 0, 2}};
    const Json largest = grid_of(map, PixelValue::kMaxMagnitude);
    CHECK(largest.at("grid") == Json::parse("[[0.625, 0.125, 0.25]]"));
    CHECK(largest.at("peak") == Json::parse("[0, 0]"));
    CHECK(grid_of(map, PixelValue::kSum).at("peak") == Json::parse("[0, 2]"));
}

TEST_CASE(
    "map numbers: numbers that are not finite are left out, and a map of zeros has no table") {
    for (const PixelValue shown : {PixelValue::kSum, PixelValue::kMaxMagnitude}) {
        CHECK(grid_of({{1, 1, 2}, {NAN, 2}}, shown).at("grid") == Json::parse("[[0, 1]]"));
        CHECK(grid_of({{2, 1, 2}, {1, 2, INFINITY, 0}}, shown).at("grid") ==
              Json::parse("[[0, 1]]"));
        CHECK(grid_of({{1, 1, 2}, {0, 0}}, shown).is_null());
        CHECK(grid_of({{1, 2}, {1, 2}}, shown).is_null());
        CHECK(grid_of(NumbersOfFile{}, shown).is_null());
    }
}

}  // namespace map_numbers_test
