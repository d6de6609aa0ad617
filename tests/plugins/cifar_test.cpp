// CIFAR10 and CIFAR100, from files of a few images.

#include "image_files.hpp"
#include "refusal.hpp"
#include "support.hpp"
#include "support/temp_folder.hpp"

#include <array>

namespace cifar_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::TempFolder;

// An image of 32 x 32 pixels: red rises by 1 from pixel to pixel, green is 100, blue is `blue`.
void append_image(test::Bytes& bytes, uint8_t blue) {
    constexpr std::size_t kPixels = std::size_t{32} * 32;
    for (std::size_t i = 0; i < kPixels; ++i) {
        bytes.push_back(static_cast<uint8_t>(i));
    }
    bytes.insert(bytes.end(), kPixels, 100);
    bytes.insert(bytes.end(), kPixels, blue);
}

test::Bytes records10(const std::vector<uint8_t>& labels) {
    test::Bytes bytes;
    for (const uint8_t label : labels) {
        bytes.push_back(label);
        append_image(bytes, static_cast<uint8_t>(200 + label));
    }
    return bytes;
}

test::Bytes records100(const std::vector<std::array<uint8_t, 2>>& labels) {
    test::Bytes bytes;
    for (const auto& [coarse, fine] : labels) {
        bytes.insert(bytes.end(), {coarse, fine});
        append_image(bytes, fine);
    }
    return bytes;
}

void write_cifar10(const fs::path& folder) {
    fs::create_directories(folder);
    for (uint8_t i = 0; i < 5; ++i) {
        test::write_file(folder / ("data_batch_" + std::to_string(i + 1) + ".bin"),
                         records10({i, static_cast<uint8_t>(9 - i)}));
    }
    test::write_file(folder / "test_batch.bin", records10({6, 7, 8}));
}

std::string in_folder(const fs::path& folder, const std::string& more = "") {
    return "data_folder = \"" + folder.string() + "\"\n" + more;
}

test::Component build(const char* type, const fs::path& folder, const std::string& more = "") {
    return test::build("vision_tasks", type, in_folder(folder, more));
}

std::string refusal(const char* type, const fs::path& folder, const std::string& more = "") {
    return test::refusal(folder, [&] { build(type, folder, more); });
}

constexpr const char* kObtain10 =
    "; unpack https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz and set data_folder to where "
    "it is";

}  // namespace

TEST_CASE("CIFAR10: the five files come one after the other") {
    const TempFolder folder;
    write_cifar10(folder.path());
    auto task = build("CIFAR10", folder.path());
    CHECK(task.size() == 10);
    const test::Slots batch = task.fetch({0, 1, 2, 9, 4});
    CHECK(torch::equal(batch.at("targets").tensor(), test::integers({0, 9, 1, 5, 2})));
    CHECK(batch.at("labels").strings() ==
          std::vector<std::string>{"airplane", "truck", "automobile", "dog", "bird"});
}

TEST_CASE("CIFAR10: red, green and blue are where they belong") {
    const TempFolder folder;
    write_cifar10(folder.path());
    const at::Tensor inputs =
        build("CIFAR10", folder.path()).fetch({1, 0}).at("inputs").tensor() * 255;
    REQUIRE(inputs.sizes() == at::IntArrayRef({2, 3, 32, 32}));
    CHECK(inputs[0][0][0][5].item<float>() == doctest::Approx(5));
    CHECK(inputs[0][0][2][1].item<float>() == doctest::Approx(65));
    CHECK(torch::allclose(inputs[0][1], torch::full({32, 32}, 100.0)));
    CHECK(torch::allclose(inputs[0][2], torch::full({32, 32}, 209.0)));
    CHECK(torch::allclose(inputs[1][2], torch::full({32, 32}, 200.0)));
}

TEST_CASE("CIFAR10: the test set, from the folder that the archive is unpacked to") {
    const TempFolder folder;
    write_cifar10(folder.path() / "cifar-10-batches-bin");
    auto task = build("CIFAR10", folder.path(), "use_train_data = false");
    CHECK(torch::equal(task.fetch({0, 1, 2}).at("targets").tensor(), test::integers({6, 7, 8})));
}

TEST_CASE("CIFAR10: numbers are normalized by channel and images resized") {
    const TempFolder folder;
    write_cifar10(folder.path());
    auto task = build("CIFAR10", folder.path(),
                      "resize_image = [40, 24]\n"
                      "normalize = { mean = [0, 0.5, 0.25], std = [1, 0.5, 0.25] }");
    const at::Tensor inputs = task.fetch({0}).at("inputs").tensor();
    REQUIRE(inputs.sizes() == at::IntArrayRef({1, 3, 40, 24}));
    const auto expected = [](double pixel, double mean, double std) {
        return torch::full({40, 24}, (pixel / 255 - mean) / std);
    };
    CHECK(torch::allclose(inputs[0][1], expected(100, 0.5, 0.5), 1e-4, 1e-5));
    CHECK(torch::allclose(inputs[0][2], expected(200, 0.25, 0.25), 1e-4, 1e-5));
    CHECK(task.published().at("image_height") == ptp::Data(40));
    CHECK(task.published().at("image_width") == ptp::Data(24));
    CHECK(task.published().at("image_depth") == ptp::Data(3));
    CHECK(task.published().at("num_classes") == ptp::Data(10));
    CHECK(task.published().at("label_word_mappings").find("frog")->as_integer() == 6);
}

TEST_CASE("CIFAR10: one number for all channels, or one for each") {
    const TempFolder folder;
    write_cifar10(folder.path());
    auto task = build("CIFAR10", folder.path(), "normalize = { mean = 0.5, std = 0.5 }");
    CHECK(task.fetch({0}).at("inputs").tensor()[0][2][0][0].item<float>() ==
          doctest::Approx((200 / 255.0 - 0.5) / 0.5));
    CHECK(refusal("CIFAR10", folder.path(), "normalize = { mean = [0.5, 0.5], std = 0.5 }") ==
          "normalize.mean: has 2 numbers; expected one, or one for each channel of the images, of "
          "which there are 3");
}

TEST_CASE("CIFAR10: all files that are missing are named, and how to get them") {
    const TempFolder folder;
    write_cifar10(folder.path());
    fs::remove(folder.path() / "data_batch_2.bin");
    fs::remove(folder.path() / "data_batch_5.bin");
    CHECK(refusal("CIFAR10", folder.path()) ==
          std::string("data_batch_2.bin: no such file, nor cifar-10-batches-bin/data_batch_2.bin") +
              kObtain10 +
              "\ndata_batch_5.bin: no such file, nor cifar-10-batches-bin/data_batch_5.bin" +
              kObtain10);
}

TEST_CASE("CIFAR10: a file that is cut short, empty or something else is refused") {
    const TempFolder folder;
    write_cifar10(folder.path());
    test::Bytes bytes = records10({1, 2});
    bytes.pop_back();
    test::write_file(folder.path() / "test_batch.bin", bytes);
    CHECK(refusal("CIFAR10", folder.path(), "use_train_data = false") ==
          std::string("test_batch.bin: is 6145 bytes long, expected a multiple of 3073, the file "
                      "is damaged") +
              kObtain10);
    test::write_file(folder.path() / "test_batch.bin", {});
    CHECK(refusal("CIFAR10", folder.path(), "use_train_data = false") ==
          std::string("test_batch.bin: is 0 bytes long, expected a multiple of 3073, the file is "
                      "damaged") +
              kObtain10);
    test::write_file(folder.path() / "test_batch.bin", records10({1, 10}));
    CHECK(refusal("CIFAR10", folder.path(), "use_train_data = false") ==
          std::string("test_batch.bin: byte 3073 is the label 10, expected 0 to 9, the file is "
                      "damaged") +
              kObtain10);
}

TEST_CASE("CIFAR100: groups and classes, by number and by name") {
    const TempFolder folder;
    test::write_file(folder.path() / "train.bin", records100({{4, 0}, {19, 99}, {0, 55}}));
    auto task = build("CIFAR100", folder.path());
    CHECK(task.size() == 3);
    const test::Slots batch = task.fetch({2, 1, 0});
    CHECK(torch::equal(batch.at("coarse_targets").tensor(), test::integers({0, 19, 4})));
    CHECK(torch::equal(batch.at("fine_targets").tensor(), test::integers({55, 99, 0})));
    CHECK(batch.at("coarse_labels").strings() ==
          std::vector<std::string>{"aquatic_mammals", "vehicles_2", "fruit_and_vegetables"});
    CHECK(batch.at("fine_labels").strings() == std::vector<std::string>{"otter", "worm", "apple"});
    CHECK(batch.at("inputs").tensor()[0][2][31][31].item<float>() == doctest::Approx(55 / 255.0));
    CHECK(task.published().at("num_coarse_classes") == ptp::Data(20));
    CHECK(task.published().at("num_fine_classes") == ptp::Data(100));
    CHECK(task.published().at("fine_label_word_mappings").find("whale")->as_integer() == 95);
    CHECK(task.published().at("coarse_label_word_mappings").find("trees")->as_integer() == 17);
}

TEST_CASE("CIFAR100: labels beyond the classes are refused, and how to get the files is said") {
    const TempFolder folder;
    fs::create_directory(folder.path() / "cifar-100-binary");
    const fs::path file = folder.path() / "cifar-100-binary/test.bin";
    test::write_file(file, records100({{20, 1}}));
    const std::string obtain =
        "; unpack https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz and set data_folder to "
        "where it is";
    CHECK(refusal("CIFAR100", folder.path(), "use_train_data = false") ==
          "cifar-100-binary/test.bin: byte 0 is the label 20, expected 0 to 19, the file is "
          "damaged" +
              obtain);
    test::write_file(file, records100({{2, 1}, {3, 100}}));
    CHECK(refusal("CIFAR100", folder.path(), "use_train_data = false") ==
          "cifar-100-binary/test.bin: byte 3075 is the label 100, expected 0 to 99, the file is "
          "damaged" +
              obtain);
    CHECK(refusal("CIFAR100", folder.path()) ==
          "train.bin: no such file, nor cifar-100-binary/train.bin" + obtain);
}

}  // namespace cifar_test
