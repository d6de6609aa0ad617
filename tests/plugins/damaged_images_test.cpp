// JPEG and PNG files that are missing or damaged: refused with their whole message, never a crash.

#include "image_files.hpp"
#include "image_reading.hpp"
#include "pictures.hpp"
#include "support/temp_folder.hpp"

#include <ptp/error.hpp>

#include <doctest/doctest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <vector>

namespace damaged_images_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::TempFolder;
using test::Bytes;

// "read", or the message without the folder's name.
std::string result_of(const fs::path& file) {
    try {
        ptp::support::read_image(file, 3);
    } catch (const ptp::DataError& error) {
        const std::string message = error.what();
        REQUIRE(message.starts_with(file.string()));
        return message.substr(file.parent_path().string().size() + 1);
    }
    return "read";
}

std::string result_of(const TempFolder& folder, const Bytes& bytes) {
    test::write_file(folder.path() / "x", bytes);
    return result_of(folder.path() / "x");
}

test::Picture noise() {
    test::Picture picture{24, 24, {}, test::exif(6)};
    for (uint32_t i = 0; i < 24 * 24; ++i) {
        picture.rows.push_back(static_cast<uint8_t>(i * i * 2654435761u >> 13));
    }
    return picture;
}

Bytes jpeg_bytes(const TempFolder& folder, bool is_progressive = false) {
    test::write_jpeg(folder.path() / "good.jpg", noise(), {.is_progressive = is_progressive});
    return test::read_file(folder.path() / "good.jpg");
}

Bytes png_bytes(const TempFolder& folder) {
    test::write_png(folder.path() / "good.png", noise());
    return test::read_file(folder.path() / "good.png");
}

// Where the first chunk or marker of this name ends: behind the name.
size_t end_of(const Bytes& bytes, std::string_view name) {
    const auto is_same = [](uint8_t byte, char c) { return byte == static_cast<uint8_t>(c); };
    const auto found = std::search(bytes.begin(), bytes.end(), name.begin(), name.end(), is_same);
    return static_cast<size_t>(found - bytes.begin()) + name.size();
}

void append(Bytes& bytes, std::string_view text) {
    for (const char c : text) {
        bytes.push_back(static_cast<uint8_t>(c));
    }
}

void append_number(Bytes& bytes, uint32_t number) {
    for (const int shift : {24, 16, 8, 0}) {
        bytes.push_back(static_cast<uint8_t>(number >> shift));
    }
}

// A PNG file that states this size, and nothing else.
Bytes png_head(uint32_t width, uint32_t height) {
    Bytes bytes;
    append(bytes, "\x89PNG\r\n\x1a\n");
    append_number(bytes, 13);  // bytes of the chunk
    append(bytes, "IHDR");
    append_number(bytes, width);
    append_number(bytes, height);
    append(bytes, std::string_view("\x08\0\0\0\0", 5));  // 8 bits, grey
    append_number(bytes, static_cast<uint32_t>(crc32(0, bytes.data() + 12, 17)));
    append_number(bytes, 0);
    append(bytes, "IDAT");
    return bytes;
}

}  // namespace

TEST_CASE("damaged images: what is not an image is refused") {
    const TempFolder folder;
    CHECK(result_of(folder.path() / "x") == "x: cannot be opened: No such file or directory");
    CHECK(result_of(folder, {}) == "x: is empty, expected a JPEG, PNG, TIFF or WebP file");
    CHECK(result_of(folder, {'h', 'e', 'l', 'l', 'o'}) == "x: is no JPEG, PNG, TIFF or WebP file");
    fs::create_directory(folder.path() / "d");
    CHECK(result_of(folder.path() / "d") == "d: cannot be opened: Is a directory");
}

TEST_CASE("damaged images: a JPEG file that is cut short anywhere is refused") {
    const TempFolder folder;
    for (const bool is_progressive : {false, true}) {
        const Bytes bytes = jpeg_bytes(folder, is_progressive);
        REQUIRE(result_of(folder, bytes) == "read");
        for (size_t length = 3; length < bytes.size(); ++length) {
            CAPTURE(length);
            const std::string result =
                result_of(folder, {bytes.begin(), bytes.begin() + static_cast<long>(length)});
            CHECK(result.starts_with("x: is a JPEG file that cannot be read ("));
        }
        const auto without_end = bytes.end() - 2;
        CHECK(result_of(folder, {bytes.begin(), without_end}) ==
              "x: is a JPEG file that cannot be read (Premature end of JPEG file)");
    }
}

TEST_CASE("damaged images: a PNG file that is cut short anywhere is refused") {
    const TempFolder folder;
    const Bytes bytes = png_bytes(folder);
    REQUIRE(result_of(folder, bytes) == "read");
    for (size_t length = 8; length < bytes.size(); ++length) {
        CAPTURE(length);
        CHECK(result_of(folder, {bytes.begin(), bytes.begin() + static_cast<long>(length)}) ==
              "x: is a PNG file that cannot be read (Read Error)");
    }
}

TEST_CASE("damaged images: pixels that do not match their checksum are refused") {
    const TempFolder folder;
    Bytes bytes = png_bytes(folder);
    bytes[end_of(bytes, "IDAT") + 40] ^= 1;
    CHECK(result_of(folder, bytes).starts_with("x: is a PNG file that cannot be read (IDAT: "));
    bytes = png_bytes(folder);
    bytes[end_of(bytes, "IEND") - 9] ^= 1;  // before the chunk IEND and its length
    CHECK(result_of(folder, bytes).starts_with("x: is a PNG file that cannot be read (IDAT"));
}

TEST_CASE("damaged images: whatever is wrong with a byte, it is an answer and not a crash") {
    const TempFolder folder;
    for (const Bytes& good : {jpeg_bytes(folder), jpeg_bytes(folder, true), png_bytes(folder)}) {
        for (size_t i = 2; i < good.size(); i += 3) {
            CAPTURE(i);
            Bytes bytes = good;
            bytes[i] ^= 0xff;
            CHECK_FALSE(result_of(folder, bytes).empty());
        }
    }
}

TEST_CASE("damaged images: a head that states too many pixels takes no memory") {
    const TempFolder folder;
    CHECK(result_of(folder, png_head(20000, 20000)) ==
          "x: has 20000 x 20000 pixels, at most 100000000 are read");
    Bytes bytes = jpeg_bytes(folder);
    const size_t sizes = end_of(bytes, std::string_view("\xff\xc0\0\x0b\x08", 5));
    REQUIRE(sizes < bytes.size());
    std::fill_n(bytes.begin() + static_cast<long>(sizes), 4, 0xfd);
    CHECK(result_of(folder, bytes) == "x: has 65021 x 65021 pixels, at most 100000000 are read");
    CHECK(result_of(folder, png_head(0, 3)) ==
          "x: is a PNG file that cannot be read (Invalid IHDR data)");
}

TEST_CASE("damaged images: several threads may read good and bad ones at once") {
    const TempFolder folder;
    Bytes cut_jpeg = jpeg_bytes(folder);
    cut_jpeg.resize(cut_jpeg.size() / 2);
    test::write_file(folder.path() / "cut.jpg", cut_jpeg);
    Bytes cut_png = png_bytes(folder);
    cut_png.resize(cut_png.size() / 2);
    test::write_file(folder.path() / "cut.png", cut_png);
    std::array<int, 4> refused{};
    {
        std::vector<std::jthread> threads;
        threads.reserve(refused.size());
        for (int& count : refused) {
            threads.emplace_back([&] {
                for (int i = 0; i < 50; ++i) {
                    for (const char* name : {"good.jpg", "cut.jpg", "good.png", "cut.png"}) {
                        try {
                            ptp::support::read_image(folder.path() / name, 1);
                        } catch (const ptp::DataError&) {
                            ++count;
                        }
                    }
                }
            });
        }
    }
    CHECK(refused == std::array<int, 4>{100, 100, 100, 100});
}

}  // namespace damaged_images_test
