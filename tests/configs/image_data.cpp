// Writes folders of PNG files, and files of CIFAR.

#include "image_data.hpp"

#include "plugins/image_files.hpp"
#include "plugins/pictures.hpp"

#include <fstream>
#include <string>

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

void write_image_tables(const fs::path& folder) {
    std::ofstream questions(folder / "questions.csv");
    std::ofstream tags(folder / "tags.csv");
    std::ofstream pairs(folder / "pairs.csv");
    questions << "image,question,answer\n";
    tags << "image,tags\n";
    pairs << "left,right,kilograms,question,answer\n";
    for (int i = 0; i < 10; ++i) {
        const std::string name = std::to_string(i) + ".png";
        const bool is_dark = i % 2 == 0;
        write_picture(folder / name, is_dark ? 20 : 230);
        questions << name << ",is it dark," << (is_dark ? "yes\n" : "no\n");
        questions << name << ",is it light," << (is_dark ? "no\n" : "yes\n");
        tags << name << (is_dark ? ",dark" : ",light") << (i % 3 == 0 ? ";third\n" : "\n");
        pairs << name << ",0.png,1.5 2,are they one," << (is_dark ? "yes\n" : "no\n");
        pairs << name << ",0.png,3;2,which is heavier,left\n";
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
