#include "image_files.hpp"
#include "pictures.hpp"
#include "refusal.hpp"
#include "support.hpp"
#include "support/temp_folder.hpp"

#include <png.h>
#include <unistd.h>

#include <algorithm>

namespace image_folder_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::TempFolder;

void write_grey(const fs::path& file, uint8_t value, uint32_t width = 2, uint32_t height = 2) {
    test::write_png(file, {width, height, test::Bytes(std::size_t{width} * height, value), {}});
}

// Two classes with three images: 30; 10 and 20.
void write_pets(const fs::path& root) {
    write_grey(root / "dog/b.png", 20);
    write_grey(root / "dog/a.PNG", 10);
    write_grey(root / "cat/x.png", 30);
}

test::Component build(const fs::path& folder, const std::string& more = "image_depth = 1") {
    return test::build("vision_tasks", "ImageFolder",
                       "data_folder = \"" + folder.string() + "\"\nresize_image = [2, 2]\n" + more);
}

std::string refusal(const fs::path& folder, const std::string& more = "") {
    return test::refusal(folder, [&] { build(folder, more); });
}

}  // namespace

TEST_CASE("ImageFolder: classes and files come in the order of their names") {
    const TempFolder folder;
    write_pets(folder.path());
    auto task = build(folder.path());
    REQUIRE(task.size() == 3);
    const test::Slots batch = task.fetch({0, 1, 2});
    CHECK(batch.at("files").strings() ==
          std::vector<std::string>{"cat/x.png", "dog/a.PNG", "dog/b.png"});
    CHECK(batch.at("labels").strings() == std::vector<std::string>{"cat", "dog", "dog"});
    CHECK(torch::equal(batch.at("targets").tensor(), test::integers({0, 1, 1})));
    const at::Tensor inputs = batch.at("inputs").tensor();
    REQUIRE(inputs.sizes() == at::IntArrayRef({3, 1, 2, 2}));
    CHECK(torch::allclose(inputs.select(2, 0).select(2, 0).flatten() * 255,
                          test::floats({30, 10, 20}, {3})));
    CHECK(task.published().at("num_classes") == ptp::Data(2));
    CHECK(task.published().at("label_word_mappings").toml() == "{ cat = 0, dog = 1 }");
}

TEST_CASE("ImageFolder: `classes` says which folders, and their numbers") {
    const TempFolder folder;
    write_pets(folder.path());
    write_grey(folder.path() / "bird/x.png", 1);
    auto task = build(folder.path(), "classes = [\"dog\", \"cat\"]\nimage_depth = 1");
    CHECK(task.log_lines() ==
          std::vector<std::string>{"1 folder is left out that `classes` does not list (bird)"});
    const test::Slots batch = task.fetch({0, 1, 2});
    CHECK(batch.at("labels").strings() == std::vector<std::string>{"dog", "dog", "cat"});
    CHECK(torch::equal(batch.at("targets").tensor(), test::integers({0, 0, 1})));
    CHECK(refusal(folder.path(), "classes = [\"cow\", \"dog\", \"owl\"]") ==
          "cow: no such folder, and `classes` names it\n"
          "owl: no such folder, and `classes` names it\n"
          "    fix: name folders that are there in `classes` (bird, cat)\n"
          "         or write incomplete = true in the task, where a class may have no files");
    CHECK(refusal(folder.path(), "classes = [\"dog\", \"cat\", \"dog\"]") ==
          "classes: 'dog' is listed twice");
}

TEST_CASE("ImageFolder: folders within a class belong to it; what is hidden or no image does not") {
    const TempFolder folder;
    write_grey(folder.path() / "cat/2019/may/x.png", 1);
    write_grey(folder.path() / "cat/2018/x.jpeg", 1);
    write_grey(folder.path() / "cat/.thumbnails/x.png", 1);
    write_grey(folder.path() / ".trash/x.png", 1);
    test::write_file(folder.path() / "cat/notes.txt", {'x'});
    test::write_file(folder.path() / "README", {'x'});
    auto task = build(folder.path());
    REQUIRE(task.size() == 2);
    CHECK(task.fetch({0, 1}).at("files").strings() ==
          std::vector<std::string>{"cat/2018/x.jpeg", "cat/2019/may/x.png"});
}

TEST_CASE("ImageFolder: what systems write is ignored, and classes that are alike are warned of") {
    const TempFolder folder;
    write_grey(folder.path() / "Cat/x.png", 1);
    write_grey(folder.path() / "cat/x.png", 1);
    write_grey(folder.path() / "__MACOSX/cat/x.png", 1);
    for (const char* name : {"cat/Thumbs.db", "cat/README.md", "cat/.DS_Store"}) {
        test::write_file(folder.path() / name, {'x'});
    }
    auto task = build(folder.path());
    CHECK(task.size() == 2);
    CHECK(task.log_lines() ==
          std::vector<std::string>{
              "the folders 'Cat' and 'cat' are two classes, and differ only in blanks or capitals; "
              "move the files into one of them, or list both in `classes`"});
}

TEST_CASE("ImageFolder: links to folders are followed, but for those that lead back") {
    const TempFolder folder;
    const TempFolder elsewhere;
    write_grey(folder.path() / "cat/a.png", 1);
    write_grey(folder.path() / "dog/b.png", 2);
    write_grey(elsewhere.path() / "session/c.png", 3);
    fs::create_directory_symlink(elsewhere.path() / "session", folder.path() / "cat/session");
    fs::create_directory_symlink(folder.path() / "cat", folder.path() / "cat/again");
    fs::create_directory_symlink(elsewhere.path(), elsewhere.path() / "session/up");
    auto task = build(folder.path());
    REQUIRE(task.size() == 3);
    CHECK(task.fetch({0, 1, 2}).at("files").strings() ==
          std::vector<std::string>{"cat/a.png", "cat/session/c.png", "dog/b.png"});
}

TEST_CASE("ImageFolder: a class whose name is not UTF-8 is refused, a file has its bytes named") {
    const TempFolder folder;
    write_grey(folder.path() / "cat/caf\xE9.png", 1);
    write_grey(folder.path() / "dog/b.png", 2);
    CHECK(build(folder.path()).fetch({0}).at("files").strings() ==
          std::vector<std::string>{"cat/caf\\xE9.png"});
    write_grey(folder.path() / "caf\xE9/c.png", 3);
    write_grey(folder.path() / "na\xEFve/c.png", 3);
    CHECK(refusal(folder.path()) ==
          "caf\\xE9: the name of the class is not UTF-8 text\n"
          "na\\xEFve: the name of the class is not UTF-8 text\n"
          "rename the folder; convmv changes the names of many");
}

TEST_CASE("ImageFolder: a folder that may not be read is named") {
    if (geteuid() == 0) {
        return;  // root may read each
    }
    const TempFolder folder;
    write_pets(folder.path());
    fs::create_directory(folder.path() / "cat/private");
    fs::permissions(folder.path() / "cat/private", fs::perms::none);
    CHECK(refusal(folder.path()) ==
          "cat/private: cannot be read: Permission denied\n"
          "permit it, or take it out of the folder");
    fs::permissions(folder.path() / "cat/private", fs::perms::owner_all);
}

TEST_CASE("ImageFolder: JPEG and PNG, grey and colored, become three channels") {
    const TempFolder folder;
    write_grey(folder.path() / "a/grey.png", 51);
    test::write_png(folder.path() / "a/red.png", {1, 1, {255, 0, 51}, {}},
                    {.color_type = PNG_COLOR_TYPE_RGB});
    test::write_jpeg(folder.path() / "a/z.jpg", {8, 8, test::Bytes(64, 51), {}});
    auto task = build(folder.path(), "normalize = { mean = [0, 1, 0.2], std = [1, 1, 0.1] }");
    const at::Tensor inputs = task.fetch({0, 1, 2}).at("inputs").tensor();
    const at::Tensor first = inputs.select(2, 0).select(2, 0);
    const at::Tensor expected = test::floats({0.2, -0.8, 0, 1, -1, 0, 0.2, -0.8, 0}, {3, 3});
    CHECK(torch::allclose(first, expected, 0, 0.05));
}

TEST_CASE("ImageFolder: every byte of a color becomes (byte / 255 - mean) / std, rounded once") {
    for (const int64_t width : {1, 2, 5, 6, 7, 8, 9, 16, 23, 256}) {
        CAPTURE(width);
        const TempFolder folder;
        const at::Tensor bytes = torch::arange(3 * width).mul(85).add(width).remainder(256);
        test::Bytes pixels(static_cast<std::size_t>(3 * width));
        std::copy_n(bytes.data_ptr<int64_t>(), pixels.size(), pixels.begin());
        test::write_png(folder.path() / "a/x.png", {static_cast<uint32_t>(width), 1, pixels, {}},
                        {.color_type = PNG_COLOR_TYPE_RGB});
        struct Values {
            const char* settings;
            std::vector<double> mean;
            std::vector<double> std;
        };
        const Values cases[] = {
            {"", {0, 0, 0}, {1, 1, 1}},
            {"normalize = { mean = [0.485, 0.456, 0.406], std = [0.229, 0.224, 0.225] }",
             {0.485, 0.456, 0.406},
             {0.229, 0.224, 0.225}},
            // A sum of two floats has not the bits of all.
            {"normalize = { mean = 0.043, std = 0.313 }",
             {0.043, 0.043, 0.043},
             {0.313, 0.313, 0.313}}};
        for (const Values& c : cases) {
            CAPTURE(c.settings);
            auto task = test::build("vision_tasks", "ImageFolder",
                                    "data_folder = \"" + folder.path().string() +
                                        "\"\nresize_image = [1, " + std::to_string(width) + "]\n" +
                                        c.settings);
            const at::Tensor shares = bytes.view({width, 3}).to(at::kDouble) / 255;
            const at::Tensor values =
                (shares - torch::tensor(c.mean, at::kDouble)) / torch::tensor(c.std, at::kDouble);
            const at::Tensor expected = values.t().reshape({1, 3, 1, width}).to(at::kFloat);
            CHECK(torch::equal(task.fetch({0}).at("inputs").tensor(), expected));
        }
    }
}

TEST_CASE("ImageFolder: an image is the same after a larger one and after a smaller one") {
    const TempFolder folder;
    write_grey(folder.path() / "a/1.png", 70, 9, 5);
    write_grey(folder.path() / "a/2.png", 80, 1, 1);
    write_grey(folder.path() / "a/3.png", 90, 3, 4);
    auto task = build(folder.path());
    const at::Tensor together = task.fetch({0, 1, 2}).at("inputs").tensor();
    for (const int64_t i : {0, 1, 2}) {
        CHECK(torch::equal(together[i], task.fetch({i}).at("inputs").tensor()[0]));
    }
}

TEST_CASE("ImageFolder: images are distorted to the size, or cut") {
    const TempFolder folder;
    // 4 x 2: left to right 0, 100, 200, 255
    test::write_png(folder.path() / "a/x.png", {4, 2, {0, 100, 200, 255, 0, 100, 200, 255}, {}});
    const auto shown = [&](const std::string& more) {
        return build(folder.path(), "image_depth = 1\n" + more).fetch({0}).at("inputs").tensor() *
               255;
    };
    CHECK(torch::allclose(shown("cut = true")[0][0], test::floats({100, 200, 100, 200}, {2, 2})));
    // Halved in width: the weights 3/8, 3/8, 1/8 of a triangle from -2 to 2 around 1, as Pillow's
    const at::Tensor distorted = shown("")[0][0];
    const double left = (0 * 3 + 100 * 3 + 200 * 1) / 7.0;
    const double right = (100 * 1 + 200 * 3 + 255 * 3) / 7.0;
    CHECK(torch::allclose(distorted, test::floats({left, right, left, right}, {2, 2}), 0, 0.01));
}

TEST_CASE("ImageFolder: what is missing is named") {
    const TempFolder folder;
    CHECK(refusal(folder.path()) ==
          folder.path().string() + ": has no folders; expected one for each class");
    fs::create_directory(folder.path() / "cat");
    fs::create_directory(folder.path() / "dog");
    CHECK(refusal(folder.path()) ==
          "cat: has no files that end with .jpg, .jpeg, .png, .tif, .tiff or .webp\n"
          "dog: has no files that end with .jpg, .jpeg, .png, .tif, .tiff or .webp");
    folder.write("file", "x");
    CHECK(refusal(folder.path() / "file") ==
          (folder.path() / "file").string() + ": cannot be read as a folder: Not a directory");
    CHECK(refusal(folder.path(), "image_depth = 2") == "image_depth = 2: must be 1 or 3");
}

TEST_CASE("ImageFolder: files that are not images are all found before the training") {
    const TempFolder folder;
    write_pets(folder.path());
    test::write_file(folder.path() / "cat/a.jpg", {'x'});
    test::write_file(folder.path() / "dog/empty.png", {});
    const std::string bad =
        "cat/a.jpg: is no JPEG, PNG, TIFF or WebP file\n"
        "dog/empty.png: is empty, expected a JPEG, PNG, TIFF or WebP file\n";
    CHECK(refusal(folder.path()) ==
          bad + "fix: remove them, or leave them out: leave_out_bad_files = true");
    auto task = build(folder.path(), "leave_out_bad_files = true");
    CHECK(task.size() == 3);
    CHECK(task.fetch({0, 2}).at("files").strings() ==
          std::vector<std::string>{"cat/x.png", "dog/b.png"});
    CHECK(refusal(folder.path() / "..", "leave_out_bad_files = true\nclasses = [\"" +
                                            folder.path().filename().string() + "\"]") ==
          "accepted");
}

TEST_CASE("ImageFolder: damage beyond the head is found if all of each file is checked") {
    const TempFolder folder;
    write_pets(folder.path());
    test::Bytes bytes = test::read_file(folder.path() / "cat/x.png");
    bytes.resize(bytes.size() - 14);
    test::write_file(folder.path() / "cat/x.png", bytes);
    const std::string problem = "cat/x.png: is a PNG file that cannot be read (Read Error)";
    CHECK(refusal(folder.path(), "check = \"all\"") ==
          problem + "\nfix: remove them, or leave them out: leave_out_bad_files = true");
    CHECK(build(folder.path(), "check = \"all\"\nleave_out_bad_files = true").size() == 2);
    auto task = build(folder.path());
    CHECK(task.size() == 3);
    const std::string message = (folder.path() / problem).string() +
                                "\nfix: remove it, or leave out such files: check = \"all\", "
                                "leave_out_bad_files = true";
    CHECK_THROWS_WITH_AS(task.fetch({0}), message.c_str(), ptp::DataError);
}

TEST_CASE("ImageFolder: a folder whose files are all left out is refused") {
    const TempFolder folder;
    write_grey(folder.path() / "cat/empty.png", 1);
    test::write_file(folder.path() / "cat/empty.png", {});
    CHECK(refusal(folder.path(), "leave_out_bad_files = true") ==
          folder.path().string() + ": has no file that can be used");
}

TEST_CASE("ImageFolder: of many bad files the first ten are named") {
    const TempFolder folder;
    for (int i = 0; i < 200; ++i) {  // enough for several threads to look
        write_grey(folder.path() / "a" / (std::to_string(1000 + i) + ".png"), 1);
    }
    for (int i = 0; i < 12; ++i) {
        test::write_file(folder.path() / "a" / (std::to_string(1000 + 7 * i) + ".png"), {});
    }
    std::string expected;
    for (int i = 0; i < 10; ++i) {
        expected += "a/" + std::to_string(1000 + 7 * i) +
                    ".png: is empty, expected a JPEG, PNG, TIFF or WebP file\n";
    }
    CHECK(refusal(folder.path()) ==
          expected + "and 2 more\nfix: remove them, or leave them out: leave_out_bad_files = true");
}

TEST_CASE("ImageFolder: files and folders without classes") {
    const TempFolder folder;
    write_grey(folder.path() / "in/b.png", 20);
    write_grey(folder.path() / "in/a/x.PNG", 10);
    write_grey(folder.path() / "in/.hidden/x.png", 1);
    write_grey(folder.path() / "other/y.dat", 30);
    const auto built = [&](const std::string& files) {
        return test::build("vision_tasks", "ImageFolder",
                           "files = " + files + "\nresize_image = [2, 2]\nimage_depth = 1");
    };
    const std::string in = (folder.path() / "in").string();
    auto task = built("[\"" + in + "\"]");
    REQUIRE(task.size() == 2);
    const test::Slots batch = task.fetch({1, 0});
    CHECK(batch.at("files").strings() == std::vector<std::string>{"b.png", "a/x.PNG"});
    CHECK(torch::allclose(batch.at("inputs").tensor().select(2, 0).select(2, 0).flatten() * 255,
                          test::floats({20, 10}, {2})));
    CHECK_FALSE(batch.contains("targets"));
    CHECK_FALSE(batch.contains("labels"));
    CHECK_FALSE(task.published().contains("num_classes"));
    CHECK_FALSE(task.published().contains("label_word_mappings"));
    CHECK(task.published().at("image_height") == ptp::Data(2));

    const std::string file = (folder.path() / "other/y.dat").string();
    auto mixed = built("[\"" + file + "\", \"" + in + "/\"]");
    CHECK(mixed.fetch({0, 1, 2}).at("files").strings() ==
          std::vector<std::string>{"other/y.dat", "in/a/x.PNG", "in/b.png"});
    auto single = built("\"" + file + "\"");
    CHECK(single.fetch({0}).at("files").strings() == std::vector<std::string>{"y.dat"});

    fs::create_directory(folder.path() / "empty");
    CHECK(test::refusal(folder.path(), [&] {
              built("\"" + (folder.path() / "empty").string() + "\"");
          }) == "empty: has no files that end with .jpg, .jpeg, .png, .tif, .tiff or .webp");
    test::write_file(folder.path() / "in/c.jpg", {'x'});
    CHECK(test::refusal(folder.path(), [&] { built("\"" + in + "\""); }) ==
          "in/c.jpg: is no JPEG, PNG, TIFF or WebP file\n"
          "fix: remove them, or leave them out: leave_out_bad_files = true");
}

TEST_CASE(
    "ImageFolder: scaled decoding makes nearly the same pixels, and is off unless asked for") {
    const TempFolder folder;
    test::Picture picture{64, 48, {}, {}};
    for (int i = 0; i < 64 * 48; ++i) {
        picture.rows.push_back(static_cast<uint8_t>(i % 64 * 2 + i / 64));
    }
    test::write_jpeg(folder.path() / "a/x.jpg", picture);
    test::write_jpeg(folder.path() / "a/y.jpg", {2, 2, test::Bytes(4, 50), {}});  // it is enlarged
    const auto shown = [&](const std::string& more) {
        auto task = test::build("vision_tasks", "ImageFolder",
                                "data_folder = \"" + folder.path().string() +
                                    "\"\nresize_image = [12, 10]\nimage_depth = 1\n" + more);
        return at::Tensor(task.fetch({0, 1}).at("inputs").tensor());
    };
    for (const std::string cut : {"", "cut = true\n"}) {
        const at::Tensor whole = shown(cut);
        const at::Tensor scaled = shown(cut + "scaled_decoding = true");
        CHECK(scaled.sizes() == at::IntArrayRef({2, 1, 12, 10}));
        CHECK(torch::allclose(scaled, whole, 0, 4 / 255.0));
        CHECK(!torch::equal(scaled[0], whole[0]));
        CHECK(torch::equal(scaled[1], whole[1]));
    }
}

// Rows of an upright file become numbers as they are decoded, those of a turned one afterwards.
TEST_CASE("ImageFolder: a JPEG file of the size that is shown has the same numbers upside down") {
    test::Picture picture{40, 16, {}, {}};
    for (int i = 0; i < 3 * 40 * 16; ++i) {
        picture.rows.push_back(static_cast<uint8_t>(i * 37 % 251));
    }
    const TempFolder folder;
    test::write_jpeg(folder.path() / "a/upright.jpg", picture, {.channels = 3});
    picture.exif = test::exif(3);
    test::write_jpeg(folder.path() / "a/z.jpg", picture, {.channels = 3});
    const std::string normalize =
        "normalize = { mean = [0.485, 0.456, 0.406], std = [0.229, 0.224, 0.225] }\n";
    for (const std::string more : {"", normalize.c_str(), "image_depth = 1\n"}) {
        for (const std::string size : {"[16, 40]", "[14, 35]"}) {
            CAPTURE(more);
            CAPTURE(size);
            auto task =
                test::build("vision_tasks", "ImageFolder",
                            "data_folder = \"" + folder.path().string() +
                                "\"\nscaled_decoding = true\nresize_image = " + size + "\n" + more);
            const at::Tensor images = task.fetch({0, 1}).at("inputs").tensor();
            CHECK(torch::equal(images[0], images[1].flip({1, 2})));
        }
    }
}

}  // namespace image_folder_test
