#include "png_files.hpp"

#include <doctest/doctest.h>

#include <cstddef>

#include <png.h>

namespace test {

std::vector<int> PngPicture::at(int64_t y, int64_t x) const {
    const auto first = static_cast<std::size_t>((y * width + x) * 3);
    return {bytes.at(first), bytes.at(first + 1), bytes.at(first + 2)};
}

int64_t PngPicture::count(int64_t top, int64_t bottom, int64_t left, int64_t right,
                          const std::vector<int>& color) const {
    int64_t found = 0;
    for (int64_t y = top; y < bottom; ++y) {
        for (int64_t x = left; x < right; ++x) {
            found += at(y, x) == color ? 1 : 0;
        }
    }
    return found;
}

PngPicture read_png(const std::filesystem::path& path) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    REQUIRE_MESSAGE(png_image_begin_read_from_file(&image, path.c_str()) != 0, path.string());
    image.format = PNG_FORMAT_RGB;
    PngPicture picture{image.height, image.width, {}};
    picture.bytes.resize(PNG_IMAGE_SIZE(image));
    REQUIRE(png_image_finish_read(&image, nullptr, picture.bytes.data(), 0, nullptr) != 0);
    return picture;
}

}  // namespace test
