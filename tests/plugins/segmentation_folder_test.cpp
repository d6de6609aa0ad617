#include "image_files.hpp"
#include "pictures.hpp"
#include "refusal.hpp"
#include "support.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <png.h>

namespace segmentation_folder_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::TempFolder;
using test::Bytes;

const std::string kTwo = "num_classes = 2\n";
const std::string kPairRemedy =
    "\ngive each image one mask of its name, or take the files out of the folders";

void write_grey(const fs::path& file, const Bytes& pixels, uint32_t width = 2,
                uint32_t height = 2) {
    test::write_png(file, {width, height, pixels, {}});
}

void write_image(const fs::path& file, uint8_t value) {
    write_grey(file, Bytes(4, value));
}

test::Component build(const fs::path& folder, const std::string& more = kTwo,
                      const std::string& size = "[2, 2]") {
    return test::build("vision_tasks", "SegmentationFolder",
                       "data_folder = \"" + folder.string() + "\"\nresize_image = " + size +
                           "\nimage_depth = 1\n" + more);
}

std::string refusal(const fs::path& folder, const std::string& more = kTwo) {
    return test::refusal(folder, [&] { build(folder, more); });
}

at::Tensor targets(test::Component& task) {
    return task.fetch({0}).at("targets").tensor()[0].flatten();
}

at::Tensor targets(test::Component&& task) {
    return targets(task);
}

}  // namespace

TEST_CASE("SegmentationFolder: images and masks meet by their names, whatever their endings") {
    const TempFolder folder;
    write_image(folder.path() / "images/b.png", 20);
    write_image(folder.path() / "images/a/x.y.PNG", 10);
    write_grey(folder.path() / "masks/b.png", {1, 1, 0, 0});
    write_grey(folder.path() / "masks/a/x.y.png", {0, 1, 0, 1});
    auto task = build(folder.path());
    REQUIRE(task.size() == 2);
    const test::Slots batch = task.fetch({1, 0});
    CHECK(batch.at("files").strings() == std::vector<std::string>{"b.png", "a/x.y.PNG"});
    CHECK(torch::equal(batch.at("targets").tensor(),
                       test::integers({1, 1, 0, 0, 0, 1, 0, 1}).view({2, 2, 2})));
    CHECK(torch::allclose(batch.at("inputs").tensor().select(2, 0).select(2, 0).flatten() * 255,
                          test::floats({20, 10}, {2})));
    CHECK(task.published().at("num_classes") == ptp::Data(2));
    CHECK_FALSE(task.published().contains("ignore_index"));
}

TEST_CASE("SegmentationFolder: the folders may have other names") {
    const TempFolder folder;
    write_image(folder.path() / "photos/a.png", 1);
    write_grey(folder.path() / "labels/a.png", {1, 0, 0, 0});
    auto task = build(folder.path(), kTwo + "images = \"photos\"\nmasks = \"labels\"");
    CHECK(torch::equal(targets(task), test::integers({1, 0, 0, 0})));
}

TEST_CASE(
    "SegmentationFolder: a palette's indices are classes, packed or not, and not its colors") {
    const TempFolder folder;
    write_image(folder.path() / "images/a.png", 1);
    const Bytes palette = {9, 9, 9, 0, 0, 0, 255, 255, 255, 7, 7, 7};
    test::write_png(folder.path() / "masks/a.png", {2, 2, {3, 0, 1, 2}, {}},
                    {.color_type = PNG_COLOR_TYPE_PALETTE, .palette = palette});
    CHECK(torch::equal(targets(build(folder.path(), "num_classes = 4")),
                       test::integers({3, 0, 1, 2})));
    // Two bits each, the first pixel in the highest ones: 11 00, 01 10.
    test::write_png(folder.path() / "masks/a.png", {2, 2, {0xC0, 0x60}, {}},
                    {.color_type = PNG_COLOR_TYPE_PALETTE, .bit_depth = 2, .palette = palette});
    CHECK(torch::equal(targets(build(folder.path(), "num_classes = 4")),
                       test::integers({3, 0, 1, 2})));
    // Grey levels of one bit are 0 and 1, not 0 and 255.
    test::write_png(folder.path() / "masks/a.png", {2, 2, {0x40, 0x80}, {}}, {.bit_depth = 1});
    CHECK(torch::equal(targets(build(folder.path())), test::integers({0, 1, 1, 0})));
}

TEST_CASE("SegmentationFolder: masks of 16 bits have more than 256 classes") {
    const fs::path formats = ptp::test::source_dir() / "tests/plugins/image_formats";
    const TempFolder folder;
    // Grey levels of 16 bits are divided by 257: 10 and 20.
    test::write_png(folder.path() / "images/a.png",
                    {3, 2, {10, 10, 20, 20, 10, 10, 20, 20, 10, 10, 20, 20}, {}},
                    {.bit_depth = 16});
    test::write_png(folder.path() / "masks/a.png",
                    {3, 2, {1, 44, 0, 7, 255, 255, 0, 0, 1, 0, 2, 87}, {}}, {.bit_depth = 16});
    const std::string many = "num_classes = 600\nignore_index = 65535\ncheck = \"all\"";
    auto task = build(folder.path(), many, "[2, 3]");
    CHECK(torch::equal(targets(task), test::integers({300, 7, 65535, 0, 256, 599})));
    CHECK(torch::allclose(task.fetch({0}).at("inputs").tensor().flatten() * 255,
                          test::floats({10, 20, 10, 20, 10, 20}, {6})));
    CHECK(
        refusal(folder.path(), "num_classes = 599\nignore_index = 65535\ncheck = \"all\"") ==
        "masks/a.png: the mask of images/a.png is 599 in row 1, column 2, expected a class from 0 "
        "to 598 or 65535\ncorrect the masks, or change num_classes, ignore_index or colors");
    fs::remove(folder.path() / "masks/a.png");
    for (const char* name : {"grey16.tif", "grey16_tiled.tif"}) {
        CAPTURE(name);
        fs::copy_file(formats / name, folder.path() / "masks/a.tif",
                      fs::copy_options::overwrite_existing);
        CHECK(torch::equal(
            targets(build(folder.path(), "num_classes = 40000\nignore_index = 65535", "[2, 3]")),
            test::integers({0, 257, 65535, 32896, 16448, 1000})));
    }
}

TEST_CASE("SegmentationFolder: TIFF files store classes as a palette's indices or grey levels") {
    const fs::path formats = ptp::test::source_dir() / "tests/plugins/image_formats";
    const TempFolder folder;
    write_grey(folder.path() / "images/a.png", Bytes(6, 1), 3, 2);
    fs::create_directories(folder.path() / "masks");
    fs::copy_file(formats / "palette.tif", folder.path() / "masks/a.tif");
    CHECK(torch::equal(targets(build(folder.path(), "num_classes = 6", "[2, 3]")),
                       test::integers({4, 0, 5, 3, 2, 1})));
    fs::copy_file(formats / "grey.tif", folder.path() / "masks/a.tif",
                  fs::copy_options::overwrite_existing);
    CHECK(torch::equal(targets(build(folder.path(), "num_classes = 256", "[2, 3]")),
                       test::integers({76, 150, 29, 18, 48, 78})));
}

TEST_CASE("SegmentationFolder: colors become classes, and one of them may not count") {
    const TempFolder folder;
    write_image(folder.path() / "images/a.png", 1);
    test::write_png(folder.path() / "masks/a.png",
                    {2, 2, {255, 0, 0, 0, 0, 0, 0, 0, 0, 224, 224, 192}, {}},
                    {.color_type = PNG_COLOR_TYPE_RGB});
    const std::string colors = "colors = [[0, 0, 0], [255, 0, 0], [224, 224, 192]]\n";
    auto all = build(folder.path(), colors);
    CHECK(torch::equal(targets(all), test::integers({1, 0, 0, 2})));
    CHECK(all.published().at("num_classes") == ptp::Data(3));
    auto some = build(folder.path(), colors + "num_classes = 2\nignore_index = 2");
    CHECK(torch::equal(targets(some), test::integers({1, 0, 0, 2})));
    CHECK(some.published().at("num_classes") == ptp::Data(2));
    CHECK(some.published().at("ignore_index") == ptp::Data(2));
}

TEST_CASE("SegmentationFolder: masks are resized to the nearest pixel") {
    const TempFolder folder;
    write_grey(folder.path() / "images/a.png", Bytes(12, 1), 4, 3);
    write_grey(folder.path() / "masks/a.png", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 4, 3);
    // The centers of two columns are 1 and 3 of four: columns 1 and 3. That of one row is 1.5.
    CHECK(torch::equal(targets(build(folder.path(), "num_classes = 12", "[1, 2]")),
                       test::integers({5, 7})));
    // The centers of six rows are 0.25, 0.75, 1.25, ... of three.
    CHECK(torch::equal(targets(build(folder.path(), "num_classes = 12", "[6, 1]")),
                       test::integers({2, 2, 6, 6, 10, 10})));
}

TEST_CASE("SegmentationFolder: what has no counterpart, or two, is named before the training") {
    const TempFolder folder;
    write_image(folder.path() / "images/a.png", 1);
    write_image(folder.path() / "images/b.png", 1);
    write_image(folder.path() / "masks/b.png", 0);
    write_image(folder.path() / "masks/c.png", 0);
    CHECK(refusal(folder.path()) ==
          "images/a.png: has no mask masks/a.png, .tif or .tiff\n"
          "masks/c.png: has no image images/c.jpg, .jpeg, .png, .tif, .tiff or .webp" +
              kPairRemedy);
    fs::remove(folder.path() / "images/a.png");
    fs::remove(folder.path() / "masks/c.png");
    write_image(folder.path() / "masks/b.tif", 0);
    CHECK(refusal(folder.path()) ==
          "masks/b.tif: has the name of masks/b.png but for the ending" + kPairRemedy);
    fs::remove_all(folder.path() / "masks");
    CHECK(refusal(folder.path()) == "masks: cannot be read as a folder: No such file or directory");
}

TEST_CASE("SegmentationFolder: a mask of another size is named with its image") {
    const TempFolder folder;
    write_image(folder.path() / "images/a.png", 1);
    write_grey(folder.path() / "masks/a.png", Bytes(6, 0), 3, 2);
    CHECK(refusal(folder.path()) ==
          "masks/a.png: has 2 x 3 pixels, and its image images/a.png has 2 x 2\n"
          "give both the same size, or take them out of the folders");
}

TEST_CASE("SegmentationFolder: a pixel of no class is named when it is read, or before") {
    const TempFolder folder;
    write_image(folder.path() / "images/a.png", 1);
    write_grey(folder.path() / "masks/a.png", {0, 1, 255, 0});
    const std::string remedy = "\ncorrect the masks, or change num_classes, ignore_index or colors";
    const std::string found =
        "masks/a.png: the mask of images/a.png is 255 in row 1, column 0, expected a class from 0 "
        "to 1";
    CHECK(refusal(folder.path(), kTwo + "check = \"all\"") == found + remedy);
    CHECK(refusal(folder.path(), kTwo + "ignore_index = 9\ncheck = \"all\"") ==
          found + " or 9" + remedy);
    CHECK(refusal(folder.path(), kTwo + "ignore_index = 255\ncheck = \"all\"") == "accepted");
    auto task = build(folder.path());
    CHECK(test::refusal(folder.path(), [&] { task.fetch({0}); }) ==
          found + remedy + "; check = \"all\" finds such masks before a training begins");
    CHECK(refusal(folder.path(), "colors = [[0, 0, 0], [1, 1, 1]]\ncheck = \"all\"") ==
          "masks/a.png: the mask of images/a.png has the color [255, 255, 255] in row 1, column 0, "
          "expected the color of a class from 0 to 1" +
              remedy);
}

TEST_CASE("SegmentationFolder: a mask in colors needs `colors`") {
    const TempFolder folder;
    write_image(folder.path() / "images/a.png", 1);
    test::write_png(folder.path() / "masks/a.png", {2, 2, Bytes(12, 0), {}},
                    {.color_type = PNG_COLOR_TYPE_RGB});
    CHECK(refusal(folder.path(), kTwo + "check = \"all\"") ==
          "masks/a.png: stores no numbers, expected a PNG or TIFF file with a palette or with gray "
          "levels of at most 16 bits\n"
          "correct the masks, or change num_classes, ignore_index or colors");
}

TEST_CASE("SegmentationFolder: settings that do not fit are refused") {
    const TempFolder folder;
    CHECK(refusal(folder.path(), "") ==
          "the number of classes is not known: give num_classes, or the color of each class in "
          "`colors`");
    CHECK(refusal(folder.path(), "colors = [[0, 0, 0], [1, 2]]") ==
          "setting 'colors': a color is [red, green, blue], and number 1 is [1, 2]");
    CHECK(refusal(folder.path(), "colors = [[0, 0, 0], [1, 2, 3], [0, 0, 0]]") ==
          "setting 'colors': [0, 0, 0] is the color of classes 0 and 2");
}

TEST_CASE("SegmentationFolder: files without masks") {
    const TempFolder folder;
    write_image(folder.path() / "b.png", 20);
    auto task = test::build(
        "vision_tasks", "SegmentationFolder",
        "files = [\"" + folder.path().string() + "\"]\nresize_image = [2, 2]\nimage_depth = 1");
    const test::Slots batch = task.fetch({0});
    CHECK(batch.at("files").strings() == std::vector<std::string>{"b.png"});
    CHECK_FALSE(batch.contains("targets"));
    CHECK_FALSE(task.published().contains("num_classes"));
}

}  // namespace segmentation_folder_test
