// Writes folders of PNG files, and files of CIFAR.

#include "image_data.hpp"

#include "plugins/image_files.hpp"
#include "plugins/pictures.hpp"

#include <cstddef>

namespace ptp::test {

namespace fs = std::filesystem;

void write_picture(const fs::path& file, uint8_t value) {
    ::test::write_png(file, {20, 20, ::test::Bytes(400, value), {}});
}

void write_cifar(const fs::path& file, size_t label_count, size_t count) {
    ::test::Bytes bytes;
    for (size_t i = 0; i < count; ++i) {
        bytes.insert(bytes.end(), label_count, static_cast<uint8_t>(i % 10));
        bytes.insert(bytes.end(), size_t{3} * 32 * 32, static_cast<uint8_t>(12 * i));
    }
    ::test::write_file(file, bytes);
}

void write_masked_images(const fs::path& folder) {
    ::test::Bytes image(256, 0);
    ::test::Bytes mask(256, 0);
    for (size_t i = 0; i < image.size(); ++i) {
        const bool is_right = i % 16 >= 8;
        image[i] = is_right ? 250 : 5;
        mask[i] = is_right ? 1 : 0;
    }
    mask[0] = 255;
    for (const char* section : {"training", "validation", "test"}) {
        for (const char* name : {"a.png", "b.png", "c.png"}) {
            ::test::write_png(folder / section / "images" / name, {16, 16, image, {}});
            ::test::write_png(folder / section / "masks" / name, {16, 16, mask, {}});
        }
    }
}

void write_triplets(const fs::path& folder) {
    for (const char* section : {"training", "validation", "test"}) {
        for (const char* kind : {"0", "1"}) {
            write_picture(folder / section / kind / "a.png", 100);
            write_picture(folder / section / kind / "b.png", 200);
        }
    }
}

}  // namespace ptp::test
