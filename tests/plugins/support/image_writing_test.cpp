// What is written is read back by libpng itself.

#include "image_writing.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <png.h>

#include <filesystem>
#include <vector>

namespace image_writing_test {

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<uint8_t>;
using ptp::support::write_png;
using ptp::test::TempFolder;

struct Read {
    uint32_t height = 0;
    uint32_t width = 0;
    uint32_t channels = 0;
    Bytes bytes;
};

Read read(const fs::path& path) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    REQUIRE(png_image_begin_read_from_file(&image, path.c_str()) != 0);
    Read result{image.height, image.width, PNG_IMAGE_SAMPLE_CHANNELS(image.format), {}};
    result.bytes.resize(PNG_IMAGE_SIZE(image));
    REQUIRE(png_image_finish_read(&image, nullptr, result.bytes.data(), 0, nullptr) != 0);
    return result;
}

}  // namespace

TEST_CASE("image writing: grey and colors arrive with all their bytes, row by row") {
    const TempFolder folder;
    const Bytes grey{0, 1, 2, 127, 128, 255};
    write_png(folder.path(), "grey.png", {.height = 2, .width = 3, .channels = 1, .bytes = grey});
    const Read read_grey = read(folder.path() / "grey.png");
    CHECK(read_grey.height == 2);
    CHECK(read_grey.width == 3);
    CHECK(read_grey.channels == 1);
    CHECK(read_grey.bytes == grey);

    const Bytes colors{255, 0, 0, 0, 128, 255};  // a red pixel, and a blue one below
    write_png(folder.path(), "colors.png",
              {.height = 2, .width = 1, .channels = 3, .bytes = colors});
    const Read read_colors = read(folder.path() / "colors.png");
    CHECK(read_colors.height == 2);
    CHECK(read_colors.width == 1);
    CHECK(read_colors.channels == 3);
    CHECK(read_colors.bytes == colors);
}

TEST_CASE("image writing: folders are made, a file is replaced, and nothing else is left") {
    const TempFolder folder;
    const fs::path file = folder.path() / "a" / "b" / "x.png";
    for (const uint8_t byte : {10, 20}) {
        const Bytes bytes{byte};
        write_png(folder.path(), "a/b/x.png",
                  {.height = 1, .width = 1, .channels = 1, .bytes = bytes});
        CHECK(read(file).bytes == bytes);
    }
    CHECK(std::distance(fs::directory_iterator(file.parent_path()), fs::directory_iterator()) == 1);
}

TEST_CASE("image writing: what cannot be written is said with the file and the reason") {
    const TempFolder folder;
    folder.write("in_the_way", "");
    const Bytes bytes{1};
    const auto write = [&](const fs::path& name) {
        write_png(folder.path(), name, {.height = 1, .width = 1, .channels = 1, .bytes = bytes});
    };
    const fs::path in_the_way = folder.path() / "in_the_way";
    CHECK_THROWS_WITH(write("in_the_way/x.png"),
                      ("cannot write " + in_the_way.string() + ": Not a directory").c_str());
    const fs::path taken = folder.path() / "folder";
    fs::create_directory(taken);
    CHECK_THROWS_WITH(write("folder"),
                      ("cannot write " + taken.string() + ": Is a directory").c_str());
}

}  // namespace image_writing_test
