// ImageFolder with images in the folders of several classes.

#include "image_files.hpp"
#include "pictures.hpp"
#include "refusal.hpp"
#include "support.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace several_classes_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::TempFolder;

void write_grey(const fs::path& file, uint8_t value) {
    test::write_png(file, {2, 2, test::Bytes(4, value), {}});
}

test::Component build(const fs::path& folder, const std::string& more) {
    return test::build("vision_tasks", "ImageFolder",
                       "data_folder = \"" + folder.string() + "\"\nresize_image = [2, 2]\n" + more);
}

}  // namespace

TEST_CASE("ImageFolder: with multi_label copies in several class folders are one sample") {
    const TempFolder folder;
    write_grey(folder.path() / "blue/a.png", 10);
    write_grey(folder.path() / "red/a.png", 10);
    write_grey(folder.path() / "round/a.png", 20);  // another image of this name
    write_grey(folder.path() / "red/of may/b.png", 30);
    fs::create_directories(folder.path() / "round/of may");
    fs::create_symlink(folder.path() / "red/of may/b.png", folder.path() / "round/of may/b.png");
    write_grey(folder.path() / "round/c.png", 10);  // the same image under another name
    auto task = build(folder.path(), "image_depth = 1\nmulti_label = true");
    REQUIRE(task.size() == 4);
    const test::Slots batch = task.fetch({0, 1, 2, 3});
    CHECK(batch.at("files").strings() ==
          std::vector<std::string>{"blue/a.png", "red/of may/b.png", "round/a.png", "round/c.png"});
    CHECK(batch.at("labels").strings() ==
          std::vector<std::string>{"blue;red", "red;round", "round", "round"});
    CHECK(torch::equal(batch.at("targets").tensor(),
                       test::floats({1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1}, {4, 3})));
    CHECK(task.published().at("num_classes") == ptp::Data(3));
    // In the order of `classes`, and without the classes that it does not have.
    auto two =
        build(folder.path(), "image_depth = 1\nmulti_label = true\nclasses = [\"round\", \"red\"]");
    CHECK(two.fetch({0, 1, 2, 3}).at("labels").strings() ==
          std::vector<std::string>{"round", "round", "round;red", "red"});
}

TEST_CASE("ImageFolder: with binary a target is 1 for the second of two classes") {
    const TempFolder folder;
    write_grey(folder.path() / "cat/a.png", 10);
    write_grey(folder.path() / "dog/a.png", 20);
    auto task = build(folder.path(), "image_depth = 1\nbinary = true");
    CHECK(torch::equal(task.fetch({1, 0}).at("targets").tensor(), test::floats({1, 0}, {2, 1})));
    CHECK(task.published().at("num_classes") == ptp::Data(2));
    auto turned =
        build(folder.path(), "image_depth = 1\nbinary = true\nclasses = [\"dog\", \"cat\"]");
    CHECK(turned.fetch({0, 1}).at("labels").strings() == std::vector<std::string>{"dog", "cat"});
    CHECK(torch::equal(turned.fetch({0, 1}).at("targets").tensor(), test::floats({0, 1}, {2, 1})));
    write_grey(folder.path() / "cow/a.png", 30);
    CHECK(test::refusal(folder.path(), [&] { build(folder.path(), "binary = true"); }) ==
          "setting 'binary': needs two classes, and there are 3: 'cat', 'cow', 'dog'\n"
          "fix: remove binary, take CrossEntropyLoss, and let the last layer make num_classes "
          "scores");
}

TEST_CASE(
    "ImageFolder: a file that is damaged behind its first rows ends the batch with its name") {
    const TempFolder folder;
    const fs::path file = folder.path() / "a/x.jpg";
    test::write_jpeg(file, {64, 64, test::Bytes(std::size_t{3} * 64 * 64, 90), {}},
                     {.channels = 3});
    fs::resize_file(file, fs::file_size(file) - 2);
    auto task =
        test::build("vision_tasks", "ImageFolder",
                    "data_folder = \"" + folder.path().string() + "\"\nresize_image = [64, 64]\n");
    CHECK(test::refusal(folder.path(), [&] { task.fetch({0}); }) ==
          "a/x.jpg: is a JPEG file that cannot be read (Premature end of JPEG file)\n"
          "fix: remove it, or leave out such files: check = \"all\", leave_out_bad_files = true");
}

}  // namespace several_classes_test
