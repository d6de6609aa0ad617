#include "support.hpp"

namespace list_to_tensor_test {

namespace {

test::Slots run(const std::string& settings, const std::vector<at::Tensor>& list) {
    test::Slots inputs;
    inputs["inputs"] = list;
    return test::build("transforms", "ListToTensor", settings).run(std::move(inputs));
}

}  // namespace

TEST_CASE("ListToTensor: vectors are stacked") {
    const test::Slots made =
        run("", {test::floats({1, 2}, {2}), test::floats({3, 4}, {2}), test::floats({5, 6}, {2})});
    CHECK(torch::equal(made.at("outputs").tensor(), test::floats({1, 2, 3, 4, 5, 6}, {3, 2})));
    CHECK(!made.contains("lengths"));
}

TEST_CASE("ListToTensor: sequences are filled up to the longest, and their lengths given") {
    const test::Slots made = run(
        "num_inputs_dims = 3\npadding_value = -1",
        {test::floats({1, 2}, {1, 2}), test::floats({3, 4, 5, 6}, {2, 2}), torch::zeros({0, 2})});
    CHECK(torch::equal(made.at("outputs").tensor(),
                       test::floats({1, 2, -1, -1, 3, 4, 5, 6, -1, -1, -1, -1}, {3, 2, 2})));
    CHECK(torch::equal(made.at("lengths").tensor(), test::integers({1, 2, 0})));
}

TEST_CASE("ListToTensor: every dimension but the last is filled up") {
    const test::Slots made =
        run("num_inputs_dims = 4", {torch::ones({1, 3, 1}), torch::ones({2, 1, 1}) * 2});
    CHECK(torch::equal(made.at("outputs").tensor(),
                       test::floats({1, 1, 1, 0, 0, 0, 2, 0, 0, 2, 0, 0}, {2, 2, 3, 1})));
}

TEST_CASE("ListToTensor: the list stays as it is, and gradients reach it") {
    const at::Tensor shorter = torch::ones({1, 2}).requires_grad_();
    const at::Tensor longer = torch::ones({3, 2}).requires_grad_();
    const at::Tensor made = run("num_inputs_dims = 3", {shorter, longer}).at("outputs").tensor();
    (made * torch::arange(12, torch::kFloat).reshape({2, 3, 2})).sum().backward();
    CHECK(shorter.sizes() == at::IntArrayRef({1, 2}));
    CHECK(torch::equal(shorter.grad(), test::floats({0, 1}, {1, 2})));
    CHECK(torch::equal(longer.grad(), test::floats({6, 7, 8, 9, 10, 11}, {3, 2})));
}

}  // namespace list_to_tensor_test
