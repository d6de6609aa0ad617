// MNIST and FashionMNIST: what they make of files that are right.

#include "image_files.hpp"
#include "support.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

namespace image_tasks_test {

namespace {

std::string in_folder(const std::filesystem::path& folder, const std::string& more = "") {
    return "data_folder = \"" + folder.string() + "\"\n" + more;
}

test::Component mnist(const std::string& settings) {
    return test::build("vision_tasks", "MNIST", settings);
}

// What resizing is defined as: each number a sum over consecutive pixels, in their order, first
// along the rows and then along the columns.
struct Weights {
    int64_t first = 0;
    std::vector<float> values;
};

Weights weights_for(int64_t at, int64_t from, int64_t to) {
    const double scale = static_cast<double>(from) / static_cast<double>(to);
    const double reach = std::max(scale, 1.0);
    const double center = (static_cast<double>(at) + 0.5) * scale;
    std::vector<double> exact;
    Weights weights{-1, {}};
    for (int64_t pixel = 0; pixel < from; ++pixel) {
        const double distance = std::abs(static_cast<double>(pixel) + 0.5 - center) / reach;
        if (distance < 1) {
            weights.first = weights.first < 0 ? pixel : weights.first;
            exact.push_back(1 - distance);
        }
    }
    double total = 0;
    for (const double weight : exact) {
        total += weight;
    }
    for (const double weight : exact) {
        weights.values.push_back(static_cast<float>(weight / total));
    }
    return weights;
}

// Along the last dimension.
at::Tensor resized_rows(const at::Tensor& image, int64_t width) {
    at::Tensor made = torch::zeros({image.size(0), width});
    for (int64_t column = 0; column < width; ++column) {
        const Weights weights = weights_for(column, image.size(1), width);
        for (size_t i = 0; i < weights.values.size(); ++i) {
            made.select(1, column) +=
                image.select(1, weights.first + static_cast<int64_t>(i)) * weights.values[i];
        }
    }
    return made;
}

test::Bytes many_values() {
    test::Bytes pixels;
    for (int i = 0; i < 28 * 28; ++i) {
        pixels.push_back(static_cast<uint8_t>(i * 37 % 256));
    }
    return pixels;
}

}  // namespace

TEST_CASE("MNIST: gives images in [0, 1], classes and their names, in the order asked for") {
    const ptp::test::TempFolder folder;
    test::write_training_set(folder.path(), 12);
    auto task = mnist(in_folder(folder.path()));
    CHECK(task.size() == 12);
    const test::Slots batch = task.fetch({11, 0, 3});
    CHECK(torch::equal(batch.at("targets").tensor(), test::integers({1, 0, 3})));
    CHECK(batch.at("labels").strings() == std::vector<std::string>{"One", "Zero", "Three"});
    const at::Tensor inputs = batch.at("inputs").tensor();
    CHECK(inputs.sizes() == at::IntArrayRef({3, 1, 28, 28}));
    CHECK(torch::allclose(inputs[0], torch::full({1, 28, 28}, 115 / 255.0)));
    CHECK(torch::allclose(inputs[1], torch::full({1, 28, 28}, 5 / 255.0)));
    CHECK(torch::allclose(inputs[2], torch::full({1, 28, 28}, 35 / 255.0)));
}

TEST_CASE("MNIST: publishes what the rest of a pipeline needs to know") {
    const ptp::test::TempFolder folder;
    test::write_training_set(folder.path(), 1);
    const auto task = mnist(in_folder(folder.path(), "resize_image = [32, 40]"));
    CHECK(task.published().at("num_classes") == ptp::Data(10));
    CHECK(task.published().at("image_height") == ptp::Data(32));
    CHECK(task.published().at("image_width") == ptp::Data(40));
    CHECK(task.published().at("image_depth") == ptp::Data(1));
    CHECK(task.published().at("label_word_mappings").toml() ==
          "{ Zero = 0, One = 1, Two = 2, Three = 3, Four = 4, Five = 5, Six = 6, Seven = 7, "
          "Eight = 8, Nine = 9 }");
}

TEST_CASE("MNIST: compressed files are read too, the test set on demand") {
    const ptp::test::TempFolder folder;
    test::write_compressed(folder.path() / "t10k-images-idx3-ubyte.gz", test::images(2));
    test::write_compressed(folder.path() / "t10k-labels-idx1-ubyte.gz", test::idx({2}, {9, 4}));
    auto task = mnist(in_folder(folder.path(), "use_train_data = false"));
    CHECK(task.size() == 2);
    CHECK(torch::equal(task.fetch({0, 1}).at("targets").tensor(), test::integers({9, 4})));
}

TEST_CASE("MNIST: normalize subtracts the mean and divides by std") {
    const ptp::test::TempFolder folder;
    test::write_training_set(folder.path(), 2);
    auto task = mnist(in_folder(folder.path(), "normalize = { mean = 0.5, std = 0.25 }"));
    const at::Tensor inputs = task.fetch({1}).at("inputs").tensor();
    CHECK(inputs[0][0][7][9].item<float>() == doctest::Approx((15 / 255.0 - 0.5) / 0.25));
}

TEST_CASE("MNIST: a larger image is interpolated as libtorch does it") {
    const ptp::test::TempFolder folder;
    test::write_file(folder.path() / "train-images-idx3-ubyte",
                     test::idx({1, 28, 28}, many_values()));
    test::write_file(folder.path() / "train-labels-idx1-ubyte", test::idx({1}, {0}));
    const at::Tensor plain = mnist(in_folder(folder.path())).fetch({0}).at("inputs").tensor();
    for (const auto& size : {std::array<int64_t, 2>{32, 32}, {28, 28}, {45, 31}, {14, 9}}) {
        CAPTURE(size[0]);
        const std::string resize =
            "resize_image = [" + std::to_string(size[0]) + ", " + std::to_string(size[1]) + "]";
        auto task = mnist(in_folder(folder.path(), resize));
        const at::Tensor resized = task.fetch({0}).at("inputs").tensor();
        // With anti-aliasing it widens its filter for smaller images, as Pillow does.
        const at::Tensor expected =
            at::_upsample_bilinear2d_aa(plain, at::IntArrayRef(size), false);
        CHECK(torch::allclose(resized, expected, 1e-4, 1e-5));
    }
}

TEST_CASE("MNIST: resizing has the bits of sums over the pixels in their order") {
    const ptp::test::TempFolder folder;
    test::write_file(folder.path() / "train-images-idx3-ubyte",
                     test::idx({1, 28, 28}, many_values()));
    test::write_file(folder.path() / "train-labels-idx1-ubyte", test::idx({1}, {0}));
    const std::string normalize = "normalize = { mean = 0.3, std = 0.7 }\n";
    const at::Tensor plain =
        mnist(in_folder(folder.path(), normalize)).fetch({0}).at("inputs").tensor()[0][0];
    // Two and three pixels for a new one, and more; with and without numbers beyond groups of four.
    for (const auto& size : {std::array<int64_t, 2>{32, 32}, {30, 29}, {24, 20}, {17, 5}, {1, 1}}) {
        CAPTURE(size[0]);
        auto task = mnist(in_folder(folder.path(), normalize + "resize_image = [" +
                                                       std::to_string(size[0]) + ", " +
                                                       std::to_string(size[1]) + "]"));
        const at::Tensor expected = resized_rows(resized_rows(plain, size[1]).t(), size[0]).t();
        CHECK(torch::equal(task.fetch({0}).at("inputs").tensor()[0][0], expected));
    }
}

TEST_CASE(
    "MNIST: a file that is replaced is read again, and an older task keeps what it has read") {
    const ptp::test::TempFolder folder;
    test::write_training_set(folder.path(), 3);
    auto older = mnist(in_folder(folder.path()));
    auto same = mnist(in_folder(folder.path()));
    CHECK(same.size() == 3);
    test::write_training_set(folder.path(), 5);
    CHECK(mnist(in_folder(folder.path())).size() == 5);
    CHECK(older.size() == 3);
    CHECK(torch::equal(older.fetch({2}).at("inputs").tensor(),
                       same.fetch({2}).at("inputs").tensor()));
}

TEST_CASE("MNIST: several threads may fetch at once") {
    const ptp::test::TempFolder folder;
    test::write_training_set(folder.path(), 20);
    auto task = mnist(in_folder(folder.path(), "resize_image = [32, 32]"));
    const at::Tensor expected = task.fetch({3, 7}).at("inputs").tensor();
    std::array<at::Tensor, 4> found;
    std::vector<std::thread> threads;
    for (at::Tensor& inputs : found) {
        threads.emplace_back([&] {
            for (int i = 0; i < 20; ++i) {
                inputs = task.fetch({3, 7}).at("inputs").tensor();
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const at::Tensor& inputs : found) {
        CHECK(torch::equal(inputs, expected));
    }
}

TEST_CASE("FashionMNIST: the files of Debian's package are found and are what they should be") {
    if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist")) {
        MESSAGE("skipped: Debian's package dataset-fashion-mnist is not installed");
        return;
    }
    auto task = test::build("vision_tasks", "FashionMNIST", "use_train_data = false");
    CHECK(task.size() == 10000);
    // Stated in the README of the data set: the first test image is an ankle boot; 1000 of each
    // class.
    const test::Slots first = task.fetch({0});
    CHECK(first.at("labels").strings() == std::vector<std::string>{"Ankle boot"});
    std::vector<int64_t> all(10000);
    std::iota(all.begin(), all.end(), 0);
    const at::Tensor counts = task.fetch(all).at("targets").tensor().bincount();
    CHECK(torch::equal(counts, torch::full({10}, 1000, torch::kLong)));
}

TEST_CASE("MNIST: an idx file of images alone has no classes") {
    const ptp::test::TempFolder folder;
    test::write_compressed(folder.path() / "mine.gz", test::images(3));
    for (const char* name : {"mine.gz", "mine"}) {
        auto task = mnist("images = \"" + (folder.path() / name).string() + "\"");
        CHECK(task.size() == 3);
        const test::Slots batch = task.fetch({2});
        CHECK_FALSE(batch.contains("targets"));
        CHECK_FALSE(batch.contains("labels"));
        CHECK(
            torch::allclose(batch.at("inputs").tensor(), torch::full({1, 1, 28, 28}, 25 / 255.0)));
        CHECK(task.published().at("num_classes") == ptp::Data(10));
    }
}

}  // namespace image_tasks_test
