// MNIST and FashionMNIST: files that are missing or damaged, each with its whole message.

#include "image_files.hpp"
#include "refusal.hpp"
#include "support.hpp"
#include "support/temp_folder.hpp"

#include <sys/stat.h>

#include <thread>

namespace image_files_test {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy =
    "take the four files of MNIST from https://ossci-datasets.s3.amazonaws.com/mnist/, and set "
    "data_folder to where they are";

// The message with which MNIST refuses the folder, without the folder's name.
std::string refusal(const fs::path& folder) {
    return test::refusal(folder, [&] {
        test::build("vision_tasks", "MNIST", "data_folder = \"" + folder.string() + "\"");
    });
}

// Writes a training set whose labels are compressed, and returns their file.
fs::path write_compressed_labels(const fs::path& folder) {
    test::write_training_set(folder, 3);
    fs::remove(folder / "train-labels-idx1-ubyte");
    const fs::path file = folder / "train-labels-idx1-ubyte.gz";
    test::write_compressed(file, test::idx({3}, {0, 1, 2}));
    return file;
}

std::string with_remedy(const std::string& message) {
    return message + "; " + kRemedy;
}

}  // namespace

TEST_CASE("image files: a missing one is named, and how to get it") {
    const ptp::test::TempFolder folder;
    CHECK(refusal(folder.path()) == with_remedy("train-images-idx3-ubyte: no such file, nor "
                                                "train-images-idx3-ubyte.gz"));
    test::write_file(folder.path() / "train-images-idx3-ubyte", test::images(1));
    CHECK(refusal(folder.path()) == with_remedy("train-labels-idx1-ubyte: no such file, nor "
                                                "train-labels-idx1-ubyte.gz"));
}

TEST_CASE("image files: FashionMNIST says how to get its own") {
    const ptp::test::TempFolder folder;
    const std::string file = (folder.path() / "train-images-idx3-ubyte").string();
    const std::string message =
        file +
        ": no such file, nor train-images-idx3-ubyte.gz; install Debian's package "
        "dataset-fashion-mnist, or take the four files from "
        "https://github.com/zalandoresearch/fashion-mnist and set data_folder to where they are";
    CHECK_THROWS_WITH_AS(test::build("vision_tasks", "FashionMNIST",
                                     "data_folder = \"" + folder.path().string() + "\""),
                         message.c_str(), ptp::DataError);
}

TEST_CASE("image files: a plain one that is cut short is refused") {
    const ptp::test::TempFolder folder;
    test::write_training_set(folder.path(), 3);
    test::Bytes bytes = test::images(3);
    bytes.resize(bytes.size() - 100);
    test::write_file(folder.path() / "train-images-idx3-ubyte", bytes);
    CHECK(refusal(folder.path()) ==
          with_remedy("train-images-idx3-ubyte: ends after 2252 of 2352 bytes of data, the file is "
                      "damaged"));
}

TEST_CASE("image files: one that is too long is refused") {
    const ptp::test::TempFolder folder;
    test::write_training_set(folder.path(), 3);
    test::write_file(folder.path() / "train-labels-idx1-ubyte", test::idx({3}, {0, 1, 2, 3}));
    CHECK(refusal(folder.path()) ==
          with_remedy("train-labels-idx1-ubyte: is longer than the 3 bytes of data that its header "
                      "states, the file is damaged"));
}

TEST_CASE("image files: one that is something else is refused") {
    const ptp::test::TempFolder folder;
    test::write_training_set(folder.path(), 3);
    test::write_file(folder.path() / "train-labels-idx1-ubyte", test::images(3));
    CHECK(refusal(folder.path()) ==
          with_remedy("train-labels-idx1-ubyte: is not an idx file of 1 dimensions: expected it to "
                      "begin with the number 2049, found 2051"));
    test::write_file(folder.path() / "train-labels-idx1-ubyte", {0, 0, 8});
    CHECK(refusal(folder.path()) ==
          with_remedy("train-labels-idx1-ubyte: is not an idx file of 1 dimensions: expected it to "
                      "begin with the number 2049, but it is only 3 bytes long"));
}

TEST_CASE("image files: a compressed one that is cut short is refused") {
    const ptp::test::TempFolder folder;
    test::write_training_set(folder.path(), 3);
    fs::remove(folder.path() / "train-images-idx3-ubyte");
    const fs::path file = folder.path() / "train-images-idx3-ubyte.gz";
    test::write_compressed(file, test::images(3));
    fs::resize_file(file, fs::file_size(file) - 6);
    CHECK(refusal(folder.path()) ==
          with_remedy("train-images-idx3-ubyte.gz: cannot be read (unexpected end of file), the "
                      "file is damaged"));
}

TEST_CASE("image files: a compressed one with a wrong checksum is refused") {
    const ptp::test::TempFolder folder;
    const fs::path file = write_compressed_labels(folder.path());
    test::Bytes bytes = test::read_file(file);
    bytes[bytes.size() - 8] ^= 1;  // the checksum is in the last eight bytes
    test::write_file(file, bytes);
    CHECK(refusal(folder.path()) ==
          with_remedy("train-labels-idx1-ubyte.gz: cannot be read (incorrect data check), the file "
                      "is damaged"));
}

TEST_CASE("image files: a compressed one with other bytes behind its end is refused") {
    const ptp::test::TempFolder folder;
    const fs::path file = write_compressed_labels(folder.path());
    test::Bytes bytes = test::read_file(file);
    bytes.insert(bytes.end(), {'x', 'y', 'z'});
    test::write_file(file, bytes);
    CHECK(refusal(folder.path()) ==
          "train-labels-idx1-ubyte.gz: has 3 bytes behind the end of its data, the file is "
          "damaged");
}

// `cat a.gz b.gz` is a file that gzip unpacks into both, one after the other (RFC 1952, 2.2).
TEST_CASE("image files: a compressed one of several members is read to its end") {
    const ptp::test::TempFolder folder;
    test::write_training_set(folder.path(), 3);
    const test::Bytes labels = test::idx({3}, {7, 8, 9});
    const auto middle = labels.begin() + 5;
    test::write_compressed(folder.path() / "first", {labels.begin(), middle});
    test::write_compressed(folder.path() / "second", {middle, labels.end()});
    test::Bytes members = test::read_file(folder.path() / "first");
    const test::Bytes second = test::read_file(folder.path() / "second");
    members.insert(members.end(), second.begin(), second.end());
    fs::remove(folder.path() / "train-labels-idx1-ubyte");
    test::write_file(folder.path() / "train-labels-idx1-ubyte.gz", members);

    auto task =
        test::build("vision_tasks", "MNIST", "data_folder = \"" + folder.path().string() + "\"");
    CHECK(task.size() == 3);
    const auto batch = task.fetch({0, 1, 2});
    CHECK(torch::equal(batch.at("targets").tensor(), test::integers({7, 8, 9})));

    members.resize(members.size() - 6);
    test::write_file(folder.path() / "train-labels-idx1-ubyte.gz", members);
    CHECK(refusal(folder.path()) ==
          with_remedy("train-labels-idx1-ubyte.gz: cannot be read (unexpected end of file), the "
                      "file is damaged"));
}

TEST_CASE("image files: a compressed one may have the name of a plain one") {
    const ptp::test::TempFolder folder;
    test::write_training_set(folder.path(), 3);
    test::write_compressed(folder.path() / "train-images-idx3-ubyte", test::images(3));
    auto task =
        test::build("vision_tasks", "MNIST", "data_folder = \"" + folder.path().string() + "\"");
    CHECK(task.size() == 3);
    const at::Tensor pixels = task.fetch({2}).at("inputs").tensor();
    CHECK(torch::allclose(pixels * 255, torch::full_like(pixels, 25)));
}

// 1400 images are more than the first piece that is read of what has no size.
TEST_CASE("image files: one may be a pipe") {
    const ptp::test::TempFolder folder;
    test::write_training_set(folder.path(), 1400);
    const fs::path file = folder.path() / "train-images-idx3-ubyte";
    fs::remove(file);
    REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
    const std::jthread writer([&] { test::write_file(file, test::images(1400)); });
    auto task =
        test::build("vision_tasks", "MNIST", "data_folder = \"" + folder.path().string() + "\"");
    CHECK(task.size() == 1400);
    const at::Tensor pixels = task.fetch({1399}).at("inputs").tensor();
    CHECK(torch::allclose(pixels * 255, torch::full_like(pixels, (1399 * 10 + 5) % 256)));
}

TEST_CASE("image files: as many labels as images are needed") {
    const ptp::test::TempFolder folder;
    test::write_training_set(folder.path(), 3);
    test::write_file(folder.path() / "train-labels-idx1-ubyte", test::idx({2}, {0, 1}));
    CHECK(refusal(folder.path()) ==
          with_remedy("train-images-idx3-ubyte: has 3 images, but train-labels-idx1-ubyte has 2 "
                      "labels"));
}

TEST_CASE("image files: a label beyond 9 is refused, with its place") {
    const ptp::test::TempFolder folder;
    test::write_training_set(folder.path(), 3);
    test::write_file(folder.path() / "train-labels-idx1-ubyte", test::idx({3}, {0, 10, 2}));
    CHECK(refusal(folder.path()) ==
          with_remedy("train-labels-idx1-ubyte: label 1 is 10, expected 0 to 9"));
}

TEST_CASE("image files: images of another size are refused") {
    const ptp::test::TempFolder folder;
    test::write_training_set(folder.path(), 1);
    test::write_file(folder.path() / "train-images-idx3-ubyte",
                     test::idx({1, 2, 3}, test::Bytes(6)));
    CHECK(refusal(folder.path()) ==
          with_remedy("train-images-idx3-ubyte: has images of 2 x 3, expected 28 x 28"));
}

TEST_CASE("image files: a head with absurd sizes takes no memory") {
    const std::vector<std::vector<uint32_t>> absurd = {
        {4000000000u, 4000000000u, 4000000000u},
        {1u << 31u, 1u << 3u, 1u << 30u},  // 0 in 64 bits, and all but the last are little enough
    };
    for (const std::vector<uint32_t>& sizes : absurd) {
        const ptp::test::TempFolder folder;
        test::write_training_set(folder.path(), 1);
        test::write_file(folder.path() / "train-images-idx3-ubyte", test::idx(sizes, {}));
        CHECK(refusal(folder.path()) ==
              with_remedy("train-images-idx3-ubyte: states sizes of more than 16 GiB, the file is "
                          "damaged"));
    }
}

}  // namespace image_files_test
