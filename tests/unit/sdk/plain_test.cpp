// A plugin that was built without libtorch, used by a host that has it.

#include <ptp/tensor.hpp>
#include <ptp/testing.hpp>
#include <ptp/testing/toml.hpp>

#include <torch/types.h>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>

namespace plain_test {

namespace {

using ptp::testing::Slots;

ptp::testing::Component make(const char* type, const char* settings,
                             ptp::testing::Wiring wiring = {}) {
    return ptp::testing::Plugin(PTP_PLAIN_SAMPLES).make(type, settings, std::move(wiring));
}

Slots numbers_and_names() {
    Slots inputs;
    inputs["values"] = torch::tensor({1.0f, 2.0f});
    inputs["names"] = std::vector<std::string>{"one", ""};
    return inputs;
}

}  // namespace

TEST_CASE("plain plugin: says that it was built without libtorch") {
    const ptp::testing::Plugin plugin(PTP_PLAIN_SAMPLES);
    CHECK(plugin.info().build->libtorch == nullptr);
    CHECK(plugin.info().abi_major == PTP_ABI_MAJOR);
    CHECK(std::string(plugin.info().build->standard_library) == "libstdc++ cxx11");
}

TEST_CASE("plain plugin: reads tensors and text, and writes both") {
    const Slots outputs = make("Add", "amount = 10").run(numbers_and_names());
    CHECK(torch::equal(outputs.at("sums").tensor(), torch::tensor({11.0f, 12.0f})));
    CHECK(torch::equal(outputs.at("lengths").tensor(), torch::tensor({3, 0}, torch::kLong)));
    CHECK(outputs.at("echo").strings() == std::vector<std::string>{"one", ""});
}

TEST_CASE("plain plugin: an optional input is null unless it is wired") {
    auto add = make("Add", "", {.optional_inputs = {"masks"}});
    Slots inputs = numbers_and_names();
    inputs["masks"] = torch::tensor({0, 1}).to(torch::kBool);
    CHECK(
        torch::equal(add.run(std::move(inputs)).at("sums").tensor(), torch::tensor({1.0f, 3.0f})));
}

TEST_CASE("plain plugin: a tensor of another type or layout is refused") {
    Slots doubles = numbers_and_names();
    doubles["values"] = torch::tensor({1.0, 2.0}, torch::kDouble);
    CHECK_THROWS_WITH_AS(make("Add", "").run(std::move(doubles)),
                         "the input 'values' has elements of the type float64, and is read as "
                         "float32",
                         ptp::DataError);
    Slots strided = numbers_and_names();
    strided["values"] = torch::tensor({1.0f, 2.0f, 3.0f, 4.0f}).slice(0, 0, 4, 2);
    CHECK_THROWS_WITH_AS(make("Add", "").run(std::move(strided)),
                         "the input 'values' is not in row-major order, which elements() needs; "
                         "copy() returns its elements in that order",
                         ptp::DataError);
}

TEST_CASE("plain plugin: a tensor on another device is refused") {
    ptp_tensor_view view{};
    view.device_type = 2;
    view.type_code = 2;
    view.type_bits = 32;
    CHECK_THROWS_WITH_AS(ptp::TensorView(view).copy<float>(),
                         "a tensor is on a CUDA device, and is read as memory of the CPU",
                         ptp::DataError);
}

TEST_CASE("plain plugin: a transposed part of a tensor is read by its strides, or copied") {
    std::array<float, 12> memory = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};  // 3 rows of 4
    std::array<std::int64_t, 2> sizes = {2, 3};  // its columns 1 and 3 as rows
    std::array<std::int64_t, 2> strides = {2, 4};
    ptp_tensor_view view{};
    view.data = memory.data();
    view.byte_offset = sizeof(float);
    view.shape = sizes.data();
    view.strides = strides.data();
    view.rank = 2;
    view.device_type = 1;
    view.type_code = 2;
    view.type_bits = 32;
    CHECK_FALSE(ptp::TensorView(view).is_contiguous());
    CHECK(ptp::TensorView(view).strides() == std::vector<std::int64_t>{2, 4});
    CHECK(ptp::TensorView(view).copy<float>() == std::vector<float>{1, 5, 9, 3, 7, 11});
    view.strides = nullptr;
    CHECK(ptp::TensorView(view).strides() == std::vector<std::int64_t>{3, 1});
    CHECK(ptp::TensorView(view).copy<float>() == std::vector<float>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("plain plugin: a tensor without elements is row-major, whatever its strides are") {
    std::array<std::int64_t, 2> sizes = {2, 0};
    std::array<std::int64_t, 2> strides = {1, 1};  // libtorch's
    ptp_tensor_view view{};
    view.shape = sizes.data();
    view.strides = strides.data();
    view.rank = 2;
    view.device_type = 1;
    view.type_code = 2;
    view.type_bits = 32;
    CHECK(ptp::TensorView(view).is_contiguous());
    CHECK(ptp::TensorView(view).elements<float>().empty());
}

TEST_CASE("plain plugin: samples of a task are made into a batch") {
    auto task = make("Counting", "");
    CHECK(task.size() == 10);
    const Slots batch = task.fetch({3, 1});
    CHECK(torch::equal(batch.at("pairs").tensor(), torch::tensor({{3.0f, 9.0f}, {1.0f, 1.0f}})));
    CHECK(torch::equal(batch.at("numbers").tensor(), torch::tensor({3, 1}, torch::kLong)));
    CHECK(batch.at("words").strings() == std::vector<std::string>{"3", "1"});
}

TEST_CASE("plain plugin: a sample leaves out an output that is absent, and no other") {
    const Slots batch = make("Counting", "with_pairs = false").fetch({3, 1});
    CHECK_FALSE(batch.contains("pairs"));
    CHECK(torch::equal(batch.at("numbers").tensor(), torch::tensor({3, 1}, torch::kLong)));
    CHECK_THROWS_WITH(make("Counting", "pairs_below = 2").fetch({1, 3}),
                      "the output 'pairs' was not computed");
}

}  // namespace plain_test
