// What is made of JPEG and PNG files that are right; the others are in damaged_images_test.cpp.

#include "image_reading.hpp"
#include "pictures.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <png.h>

#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

namespace image_reading_test {

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<uint8_t>;
using ptp::support::Image;
using ptp::support::ImageHead;
using ptp::support::kWholeImage;
using ptp::support::read_image;
using ptp::test::TempFolder;

Bytes png(const test::Picture& picture, const test::PngKind& kind, int64_t channels) {
    const TempFolder folder;
    test::write_png(folder.path() / "x.png", picture, kind);
    return read_image(folder.path() / "x.png", channels).pixels;
}

Image jpeg(const test::Picture& picture, const test::JpegKind& kind, int64_t channels) {
    const TempFolder folder;
    test::write_jpeg(folder.path() / "x.jpg", picture, kind);
    return read_image(folder.path() / "x.jpg", channels);
}

// 16 x 16 pixels of these bytes each.
test::Picture plain(const Bytes& pixel) {
    test::Picture picture{16, 16, {}, {}};
    for (int i = 0; i < 16 * 16; ++i) {
        picture.rows.insert(picture.rows.end(), pixel.begin(), pixel.end());
    }
    return picture;
}

using Words = std::vector<uint16_t>;

Words words_of(const Image& image) {
    REQUIRE(image.value_bytes == 2);
    Words words(image.pixels.size() / sizeof(uint16_t));
    std::memcpy(words.data(), image.pixels.data(), image.pixels.size());
    return words;
}

// JPEG is not exact.
bool is_near(const Bytes& found, const Bytes& expected) {
    for (size_t i = 0; i < found.size(); ++i) {
        if (std::abs(int{found[i]} - int{expected[i % expected.size()]}) > 2) {
            return false;
        }
    }
    return !found.empty();
}

// 16 x 32 pixels, each of other colors than those around it.
test::Picture slope() {
    test::Picture picture{32, 16, {}, {}};
    for (int i = 0; i < 16 * 32; ++i) {
        for (const int pixel : {i % 32 * 8, i / 32 * 16, 255 - i % 32 * 4}) {
            picture.rows.push_back(static_cast<uint8_t>(pixel));
        }
    }
    return picture;
}

struct ByRows {
    Bytes pixels;
    bool is_in_order = true;
    Image image;
};

// What is handed over, and the image that is returned.
ByRows read_rows(const fs::path& file, int64_t channels, ImageHead least, ImageHead size) {
    ByRows result;
    int64_t next = 0;
    const ptp::support::RowSink rows{size, [&](int64_t row, std::span<const uint8_t> pixels) {
                                         result.is_in_order = result.is_in_order && row == next++;
                                         result.pixels.insert(result.pixels.end(), pixels.begin(),
                                                              pixels.end());
                                     }};
    result.image = ptp::support::read_reduced_image(file, channels, least, {}, &rows);
    return result;
}

}  // namespace

TEST_CASE("images: grey PNG files of every depth fill the range from 0 to 255") {
    struct Case {
        int bit_depth;
        uint32_t width;
        Bytes row;
        Bytes expected;
    };
    const Case cases[] = {
        {1, 3, {0b10100000}, {255, 0, 255}},
        {2, 4, {0b00011011}, {0, 85, 170, 255}},
        {4, 3, {0x01, 0xf0}, {0, 17, 255}},
        {8, 3, {0, 100, 255}, {0, 100, 255}},
        // round(v / 257): leaving out the lower byte would give 0 and 127
        {16, 3, {0x00, 0xff, 0x80, 0x00, 0xff, 0xff}, {1, 128, 255}},
    };
    for (const Case& c : cases) {
        CAPTURE(c.bit_depth);
        const test::PngKind kind{.bit_depth = c.bit_depth};
        CHECK(png({c.width, 1, c.row, {}}, kind, 1) == c.expected);
    }
}

TEST_CASE("images: grey is the same in all three colors") {
    CHECK(png({2, 1, {7, 200}, {}}, {}, 3) == Bytes{7, 7, 7, 200, 200, 200});
}

TEST_CASE("images: colors become grey as BT.601 weighs them") {
    const test::Picture picture{4, 1, {255, 0, 0, 0, 255, 0, 0, 0, 255, 90, 90, 90}, {}};
    const test::PngKind colors{.color_type = PNG_COLOR_TYPE_RGB};
    CHECK(png(picture, colors, 3) == picture.rows);
    CHECK(png(picture, colors, 1) == Bytes{76, 150, 29, 90});
}

TEST_CASE("images: colors with 16 bits keep the upper ones, rounded") {
    const test::Picture picture{1, 1, {0x12, 0x34, 0x00, 0x80, 0xff, 0x7f}, {}};
    const test::PngKind kind{.color_type = PNG_COLOR_TYPE_RGB, .bit_depth = 16};
    // 4660, 128 and 65407 times 255 / 65535: 18.13, 0.498, 254.502
    CHECK(png(picture, kind, 3) == Bytes{18, 0, 255});
}

TEST_CASE("images: values of 16 bits are kept where that is asked for") {
    const auto words = [](const test::Picture& picture, const test::PngKind& kind,
                          int64_t channels) {
        const TempFolder folder;
        test::write_png(folder.path() / "x.png", picture, kind);
        return words_of(
            ptp::support::read_reduced_image(folder.path() / "x.png", channels, kWholeImage));
    };
    const test::PngKind colors{.color_type = PNG_COLOR_TYPE_RGB, .bit_depth = 16};
    const test::Picture one{1, 1, {0x12, 0x34, 0x00, 0x80, 0xff, 0x7f}, {}};
    CHECK(words(one, colors, 3) == Words{0x1234, 0x0080, 0xff7f});
    // (19595 * 4660 + 38470 * 128 + 7471 * 65407 + 32768) / 65536 = 8925.2, rounded down
    CHECK(words(one, colors, 1) == Words{8925});
    CHECK(words({2, 1, {0x00, 0x01, 0xff, 0xff}, {}}, {.bit_depth = 16}, 3) ==
          Words{1, 1, 1, 65535, 65535, 65535});
    // 1000 * 32768 / 65535 + 65535 * 32767 / 65535 = 33267.0
    const test::PngKind opacity{.color_type = PNG_COLOR_TYPE_GRAY_ALPHA, .bit_depth = 16};
    CHECK(words({1, 1, {0x03, 0xe8, 0x80, 0x00}, {}}, opacity, 1) == Words{33267});
    // Turned to the right: the column from below becomes the row.
    CHECK(words({1, 2, {0x00, 0x01, 0x00, 0x02}, test::exif(6)}, {.bit_depth = 16}, 1) ==
          Words{2, 1});
    const test::PngKind interlaced{.bit_depth = 16, .is_interlaced = true};
    CHECK(words({1, 2, {0x00, 0x01, 0x01, 0x02}, {}}, interlaced, 1) == Words{1, 0x0102});
}

TEST_CASE("images: a palette is looked up") {
    const test::PngKind kind{.color_type = PNG_COLOR_TYPE_PALETTE,
                             .bit_depth = 2,
                             .palette = {255, 0, 0, 1, 2, 3, 0, 0, 255}};
    CHECK(png({3, 1, {0b10010000}, {}}, kind, 3) == Bytes{0, 0, 255, 1, 2, 3, 255, 0, 0});
}

TEST_CASE("images: what can be seen through shows white") {
    // 100 * 128 / 255 + 255 * 127 / 255 = 177.2; opacity 0 is white, 255 as it is
    const test::PngKind palette{.color_type = PNG_COLOR_TYPE_PALETTE,
                                .palette = {100, 100, 100, 5, 6, 7, 5, 6, 7},
                                .opacity = {128, 0}};
    CHECK(png({3, 1, {0, 1, 2}, {}}, palette, 3) == Bytes{177, 177, 177, 255, 255, 255, 5, 6, 7});
    const test::PngKind grey{.color_type = PNG_COLOR_TYPE_GRAY_ALPHA};
    CHECK(png({3, 1, {100, 128, 9, 0, 9, 255}, {}}, grey, 1) == Bytes{177, 255, 9});
    const test::PngKind colors{.color_type = PNG_COLOR_TYPE_RGB_ALPHA};
    const test::Picture picture{2, 1, {100, 0, 255, 128, 10, 20, 30, 255}, {}};
    CHECK(png(picture, colors, 3) == Bytes{177, 127, 255, 10, 20, 30});
    // 0.299 * 177 + 0.587 * 127 + 0.114 * 255 = 156.5; 0.299 * 10 + 0.587 * 20 + 0.114 * 30 = 18.2
    const Bytes weighted = png(picture, colors, 1);
    CHECK(std::abs(weighted[0] - 156) <= 1);
    CHECK(weighted[1] == 18);
}

TEST_CASE("images: interlaced files give the same pixels") {
    test::Picture picture{19, 11, {}, {}};
    for (int i = 0; i < 19 * 11; ++i) {
        picture.rows.push_back(static_cast<uint8_t>(i * 7));
    }
    CHECK(png(picture, {.is_interlaced = true}, 1) == picture.rows);
}

TEST_CASE("images: orientations are applied") {
    struct Case {
        uint8_t orientation;
        int64_t height;
        Bytes expected;
    };
    // As stored: 1 2 3 above 4 5 6. EXIF says of each where its first row and first column belong.
    const Case cases[] = {
        {1, 2, {1, 2, 3, 4, 5, 6}}, {2, 2, {3, 2, 1, 6, 5, 4}}, {3, 2, {6, 5, 4, 3, 2, 1}},
        {4, 2, {4, 5, 6, 1, 2, 3}}, {5, 3, {1, 4, 2, 5, 3, 6}}, {6, 3, {4, 1, 5, 2, 6, 3}},
        {7, 3, {6, 3, 5, 2, 4, 1}}, {8, 3, {3, 6, 2, 5, 1, 4}}, {0, 2, {1, 2, 3, 4, 5, 6}},
        {9, 2, {1, 2, 3, 4, 5, 6}},  // mean nothing
    };
    const TempFolder folder;
    const fs::path file = folder.path() / "x.png";
    for (const Case& c : cases) {
        for (const bool is_little_endian : {true, false}) {
            CAPTURE(int{c.orientation});
            CAPTURE(is_little_endian);
            test::write_png(
                file, {3, 2, {1, 2, 3, 4, 5, 6}, test::exif(c.orientation, is_little_endian)});
            const Image image = read_image(file, 1);
            CHECK(image.height == c.height);
            CHECK(image.width == 5 - c.height);
            CHECK(image.pixels == c.expected);
            CHECK(ptp::support::read_image_head(file).height == c.height);
            CHECK(ptp::support::read_image_head(file).width == 5 - c.height);
        }
    }
}

TEST_CASE("images: an orientation that is cut off counts for nothing") {
    const Bytes whole = test::exif(6);
    for (size_t length = 4; length < 18; ++length) {
        CAPTURE(length);
        const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
        CHECK(png({3, 2, {1, 2, 3, 4, 5, 6}, part}, {}, 1) == Bytes{1, 2, 3, 4, 5, 6});
    }
}

TEST_CASE("images: orientations of JPEG files are applied") {
    test::Picture picture{32, 16, {}, test::exif(6)};
    for (int i = 0; i < 32 * 16; ++i) {
        picture.rows.push_back(i % 32 < 16 ? 20 : 220);  // dark to the left, bright to the right
    }
    const Image image = jpeg(picture, {}, 1);  // dark above, bright below
    CHECK(image.height == 32);
    CHECK(image.width == 16);
    CHECK(is_near({image.pixels.begin(), image.pixels.begin() + 256}, {20}));
    CHECK(is_near({image.pixels.begin() + 256, image.pixels.end()}, {220}));
}

TEST_CASE("images: JPEG files give their colors, sequential or progressive") {
    for (const bool is_progressive : {false, true}) {
        CAPTURE(is_progressive);
        const test::JpegKind colors{.channels = 3, .is_progressive = is_progressive};
        const test::JpegKind grey{.channels = 1, .is_progressive = is_progressive};
        CHECK(is_near(jpeg(plain({200, 100, 40}), colors, 3).pixels, {200, 100, 40}));
        // 0.299 * 200 + 0.587 * 100 + 0.114 * 40
        CHECK(is_near(jpeg(plain({200, 100, 40}), colors, 1).pixels, {123}));
        CHECK(is_near(jpeg(plain({77}), grey, 1).pixels, {77}));
        CHECK(is_near(jpeg(plain({77}), grey, 3).pixels, {77}));
    }
}

TEST_CASE("images: inks of JPEG files become colors") {
    // Cyan 0, magenta 0.2, yellow 0.6 and black 0.5 leave 0.5, 0.4 and 0.2 of the light. Files with
    // Adobe's marker have the light that is left, 255, 204, 102 and 127.
    const Bytes expected{128, 102, 51};
    CHECK(is_near(jpeg(plain({255, 204, 102, 128}), {.channels = 4}, 3).pixels, expected));
    const test::JpegKind without{.channels = 4, .has_adobe_marker = false};
    CHECK(is_near(jpeg(plain({0, 51, 153, 127}), without, 3).pixels, expected));
    CHECK(is_near(jpeg(plain({0, 51, 153, 127}), without, 1).pixels, {104}));
}

TEST_CASE("images: which kind a file is says its beginning, not its name") {
    const TempFolder folder;
    test::write_png(folder.path() / "x.jpg", {1, 1, {42}, {}});
    CHECK(read_image(folder.path() / "x.jpg", 1).pixels == Bytes{42});
}

// The file's pixels are 16 x 32: lines that become brighter from the left to the right.
TEST_CASE("images: a JPEG file is reduced to the eighths that are not smaller than asked for") {
    struct Case {
        ptp::support::ImageHead least;
        int64_t height;
        int64_t width;
    };
    const Case cases[] = {{{1, 1}, 2, 4},    {{2, 4}, 2, 4},     {{3, 4}, 4, 8},
                          {{2, 13}, 8, 16},  {{14, 28}, 14, 28}, {{15, 1}, 16, 32},
                          {{17, 1}, 16, 32}, {{1, 1000}, 16, 32}};
    test::Picture picture{32, 16, {}, {}};
    for (int i = 0; i < 16 * 32; ++i) {
        picture.rows.push_back(static_cast<uint8_t>(i % 32 * 8));
    }
    const TempFolder folder;
    const fs::path file = folder.path() / "x.jpg";
    test::write_jpeg(file, picture, {});
    for (const Case& c : cases) {
        CAPTURE(c.height);
        const Image image = ptp::support::read_reduced_image(file, 1, c.least);
        CHECK(image.height == c.height);
        CHECK(image.width == c.width);
        const ptp::support::ImageHead head = ptp::support::read_reduced_head(file, c.least);
        CHECK(head.height == c.height);
        CHECK(head.width == c.width);
        REQUIRE(std::ssize(image.pixels) == c.height * c.width);
        const double step = 256.0 / static_cast<double>(c.width);
        for (int64_t x = 0; x < c.width; ++x) {  // the middle of the new pixel, of lines 8 apart
            const double expected = (static_cast<double>(x) + 0.5) * step - 4;
            CHECK(std::abs(image.pixels[static_cast<size_t>(x)] - expected) < 6);
        }
    }
    CHECK(ptp::support::read_reduced_image(file, 1, {16, 32}).pixels == read_image(file, 1).pixels);
}

TEST_CASE("images: a PNG file is read as it is, whatever is asked for") {
    const TempFolder folder;
    test::write_png(folder.path() / "x.png", {4, 2, {1, 2, 3, 4, 5, 6, 7, 8}, {}});
    const Image image = ptp::support::read_reduced_image(folder.path() / "x.png", 1, {1, 1});
    CHECK(image.height == 2);
    CHECK(image.width == 4);
    CHECK(ptp::support::read_reduced_head(folder.path() / "x.png", {1, 1}).width == 4);
}

// Orientation 6 is turned by a quarter: the file's pixels are 16 x 32, and it is shown as 32 x 16.
TEST_CASE("images: the size of a reduced JPEG file is that of the image as it is shown") {
    const TempFolder folder;
    const fs::path file = folder.path() / "x.jpg";
    test::write_jpeg(file, {32, 16, Bytes(16 * 32, 9), test::exif(6)});
    const ptp::support::ImageHead head = ptp::support::read_reduced_head(file, {13, 2});
    const Image image = ptp::support::read_reduced_image(file, 1, {13, 2});
    CHECK(head.height == 16);
    CHECK(head.width == 8);
    CHECK(image.height == 16);
    CHECK(image.width == 8);
}

TEST_CASE("images: an upright JPEG file hands over its rows in order, and has no pixels then") {
    const TempFolder folder;
    const fs::path file = folder.path() / "x.jpg";
    for (const bool is_progressive : {false, true}) {
        test::write_jpeg(file, slope(), {.channels = 3, .is_progressive = is_progressive});
        for (const int64_t channels : {1, 3}) {
            for (const ptp::support::ImageHead least : {kWholeImage, ImageHead{14, 28}}) {
                CAPTURE(is_progressive);
                CAPTURE(channels);
                const Image whole = ptp::support::read_reduced_image(file, channels, least);
                const ByRows found = read_rows(file, channels, least, {whole.height, whole.width});
                CHECK(found.pixels == whole.pixels);
                CHECK(found.is_in_order);
                CHECK(found.image.pixels.empty());
                CHECK(found.image.height == whole.height);
                CHECK(found.image.width == whole.width);
                CHECK(found.image.channels == channels);
            }
        }
    }
}

TEST_CASE("images: what is turned, of another size, of inks or no JPEG file hands over no rows") {
    const TempFolder folder;
    test::Picture turned = slope();
    turned.exif = test::exif(3);
    test::write_jpeg(folder.path() / "turned", turned, {.channels = 3});
    constexpr size_t kPixels = 512;
    test::write_jpeg(folder.path() / "high", {16, 32, Bytes(3 * kPixels, 9), {}}, {.channels = 3});
    test::write_jpeg(folder.path() / "inks", {32, 16, Bytes(4 * kPixels, 9), {}}, {.channels = 4});
    test::write_png(folder.path() / "png", {32, 16, Bytes(kPixels, 9), {}});
    for (const char* const name : {"turned", "high", "inks", "png"}) {
        CAPTURE(name);
        const fs::path file = folder.path() / name;
        const ByRows found = read_rows(file, 3, kWholeImage, {16, 32});
        CHECK(found.pixels.empty());
        CHECK(found.image.pixels == read_image(file, 3).pixels);
    }
}

}  // namespace image_reading_test
