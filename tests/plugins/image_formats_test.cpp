// The pixels of TIFF and WebP files that Pillow, and those of 16 bits tifffile, wrote from the
// numbers given here.

#include "image_reading.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <ptp/error.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace image_formats_test {

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<uint8_t>;
using ptp::support::Image;
using ptp::support::read_image;
using ptp::test::content_of;
using ptp::test::TempFolder;

// 2 x 3 pixels.
const Bytes kColors = {255, 0,  0,  0,  255, 0,  0,  0,  255,  //
                       10,  20, 30, 40, 50,  60, 70, 80, 90};
// The image with the first pixel opaque, the second transparent and the third a fifth opaque: white
// in place of the second, and 255 - 51 = 204 more in each channel of the third.
const Bytes kBlended = {255, 0,  0,  255, 255, 255, 204, 204, 255,  //
                        10,  20, 30, 40,  50,  60,  70,  80,  90};
// The first one turned to the right, which EXIF calls 6: the columns from below become rows.
const Bytes kTurned = {10, 20, 30, 255, 0,   0,  //
                       40, 50, 60, 0,   255, 0,  //
                       70, 80, 90, 0,   0,   255};

fs::path file_named(const std::string& name) {
    return ptp::test::source_dir() / "tests/plugins/image_formats" / name;
}

// Returns the error about the file, without its folder.
std::string error_of(const fs::path& file) {
    try {
        read_image(file, 3);
    } catch (const ptp::DataError& error) {
        const std::string text = error.what();
        const std::string folder = file.parent_path().string() + "/";
        return text.starts_with(folder) ? text.substr(folder.size()) : text;
    }
    return "";
}

// Returns the error about a file with the first part of another one's content.
std::string error_of_part(const std::string& name, std::size_t missing) {
    const std::string whole = content_of(file_named(name));
    const TempFolder folder;
    return error_of(folder.write("x", whole.substr(0, whole.size() - missing)));
}

}  // namespace

TEST_CASE("images: TIFF and WebP files of colors have their pixels") {
    for (const char* name : {"rgb.tif", "palette.tif", "rgb.webp"}) {
        CAPTURE(name);
        const Image image = read_image(file_named(name), 3);
        CHECK(image.height == 2);
        CHECK(image.width == 3);
        CHECK(image.pixels == kColors);
    }
}

TEST_CASE("images: transparent pixels of TIFF and WebP files are blended with white") {
    CHECK(read_image(file_named("opacity.tif"), 3).pixels == kBlended);
    CHECK(read_image(file_named("opacity.webp"), 3).pixels == kBlended);
}

TEST_CASE("images: orientations of TIFF and WebP files are applied") {
    for (const char* name : {"turned.tif", "turned.webp"}) {
        CAPTURE(name);
        const Image image = read_image(file_named(name), 3);
        CHECK(image.height == 3);
        CHECK(image.width == 2);
        CHECK(image.pixels == kTurned);
        CHECK(ptp::support::read_image_head(file_named(name)) == ptp::support::ImageHead{3, 2});
    }
}

TEST_CASE("images: 16-bit, 8-bit and 1-bit grey of TIFF files becomes 8-bit grey") {
    // The upper 8 bits of 0, 257, 65535, 128 * 257, 64 * 257 and 1000.
    CHECK(read_image(file_named("grey16.tif"), 1).pixels == Bytes{0, 1, 255, 128, 64, 3});
    // 0.299 R + 0.587 G + 0.114 B, rounded by Pillow.
    CHECK(read_image(file_named("grey.tif"), 1).pixels == Bytes{76, 150, 29, 18, 48, 78});
    CHECK(read_image(file_named("bilevel.tif"), 1).pixels == Bytes{0, 255, 255, 0});
}

TEST_CASE("images: values of 16 bits of TIFF files are kept where that is asked for") {
    const auto words = [](const char* name, int64_t channels) {
        const Image image =
            ptp::support::read_reduced_image(file_named(name), channels, ptp::support::kWholeImage);
        REQUIRE(image.value_bytes == 2);
        std::vector<uint16_t> values(image.pixels.size() / sizeof(uint16_t));
        std::memcpy(values.data(), image.pixels.data(), image.pixels.size());
        return values;
    };
    const std::vector<uint16_t> colors = {65535, 0,  1,  0,    65535, 2,    3,     256,   65535,
                                          10,    20, 30, 1000, 2000,  3000, 40000, 50000, 60000};
    // With the more significant bytes first, in compressed tiles; color after color.
    for (const char* name : {"rgb16_tiled.tif", "rgb16_planar.tif"}) {
        CAPTURE(name);
        CHECK(words(name, 3) == colors);
    }
    const std::vector<uint16_t> red = {65535, 0, 3, 10, 1000, 40000};
    CHECK(words("grey16_big_tiled.tif", 1) == red);
    std::vector<uint16_t> inverse;
    for (const uint16_t value : red) {
        inverse.push_back(static_cast<uint16_t>(65535 - value));
    }
    CHECK(words("white16.tif", 1) == inverse);
    // White in place of the second pixel, and 65535 - 13107 = 52428 more in the third, a fifth
    // opaque: 3 / 5 = 0.6, 256 / 5 = 51.2.
    const std::vector<uint16_t> blended = {65535, 0,  1,  65535, 65535, 65535, 52429, 52479, 65535,
                                           10,    20, 30, 1000,  2000,  3000,  40000, 50000, 60000};
    for (const char* name : {"opacity16.tif", "opacity16_apart.tif"}) {
        CAPTURE(name);
        CHECK(words(name, 3) == blended);
    }
    // A reader of bytes gets the upper ones.
    CHECK(read_image(file_named("rgb16_tiled.tif"), 3).pixels ==
          Bytes{255, 0, 0, 0, 255, 0, 0, 1, 255, 0, 0, 0, 4, 8, 12, 156, 195, 233});
}

TEST_CASE("images: TIFF and WebP files that end too early are refused") {
    CHECK(error_of_part("rgb.tif", 40).starts_with("x: is a TIFF file that cannot be read ("));
    CHECK(error_of_part("rgb.webp", 20) ==
          "x: is a WebP file that cannot be read (its content is damaged, or ends too early)");
}

TEST_CASE("images: whatever is wrong with a byte of a TIFF file of 16 bits, it is an answer") {
    const TempFolder folder;
    size_t refused = 0;
    for (const char* name : {"rgb16_tiled.tif", "rgb16_planar.tif", "opacity16.tif"}) {
        const std::string good = content_of(file_named(name));
        for (size_t i = 0; i < good.size(); ++i) {
            std::string bytes = good;
            bytes[i] = static_cast<char>(bytes[i] ^ 0xff);
            const fs::path file = folder.write("x", bytes);
            try {
                const Image image =
                    ptp::support::read_reduced_image(file, 3, ptp::support::kWholeImage);
                CHECK(image.pixels.size() ==
                      static_cast<size_t>(image.height * image.width * 3 * image.value_bytes));
            } catch (const ptp::DataError&) {
                ++refused;
            }
        }
    }
    CHECK(refused > 100);
}

TEST_CASE("images: an animation is refused") {
    CHECK(error_of(file_named("animation.webp")) ==
          "animation.webp: is an animation, expected one image");
}

TEST_CASE("images: a TIFF file that claims too many pixels is refused before memory is taken") {
    std::string bytes = content_of(file_named("rgb.tif"));
    // The tag 256 is the width; its type becomes 4 (32 bits), its value 200 million.
    const std::size_t tag = bytes.find(std::string("\x00\x01\x03\x00\x01\x00\x00\x00\x03\x00", 10));
    REQUIRE(tag != std::string::npos);
    bytes.replace(tag, 12, std::string("\x00\x01\x04\x00\x01\x00\x00\x00\x00\xc2\xeb\x0b", 12));
    const TempFolder folder;
    CHECK(error_of(folder.write("x", bytes)) ==
          "x: has 2 x 200000000 pixels, at most 100000000 are read");
}

}  // namespace image_formats_test
