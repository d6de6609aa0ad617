#include "support.hpp"

namespace flatten_test {

namespace {

test::Component make(std::string_view settings = "") {
    return test::build("transforms", "Flatten", settings);
}

}  // namespace

TEST_CASE("Flatten: makes one row of each sample, in row-major order") {
    auto flatten = make();
    const at::Tensor inputs = torch::arange(24, torch::kFloat).reshape({2, 3, 2, 2});
    CHECK(torch::equal(flatten.forward(inputs), torch::arange(24, torch::kFloat).reshape({2, 12})));
    CHECK(flatten.forward(torch::ones({4, 5})).sizes() == at::IntArrayRef{4, 5});
    CHECK(flatten.forward(torch::ones({0, 5, 2})).sizes() == at::IntArrayRef{0, 10});
}

TEST_CASE("Flatten: joins the dimensions from the first to the last one named") {
    const at::Tensor inputs = torch::arange(120, torch::kFloat).reshape({2, 3, 4, 5});
    CHECK(torch::equal(make("start_dim = 2").forward(inputs), inputs.reshape({2, 3, 20})));
    CHECK(torch::equal(make("end_dim = 2").forward(inputs), inputs.reshape({2, 12, 5})));
    CHECK(torch::equal(make("start_dim = 2\nend_dim = 2").forward(inputs), inputs));
    CHECK(torch::equal(make("start_dim = 3").forward(inputs), inputs));
}

TEST_CASE("Flatten: a stream that is not contiguous keeps its order too") {
    const at::Tensor inputs = torch::arange(12, torch::kFloat).reshape({2, 2, 3}).transpose(1, 2);
    CHECK(torch::equal(make().forward(inputs),
                       test::floats({0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}, {2, 6})));
}

TEST_CASE("Flatten: gradients reach every value") {
    at::Tensor inputs = torch::ones({2, 2, 2}).requires_grad_();
    (make().forward(inputs) * torch::arange(8, torch::kFloat).reshape({2, 4})).sum().backward();
    CHECK(torch::equal(inputs.grad(), torch::arange(8, torch::kFloat).reshape({2, 2, 2})));
}

TEST_CASE("Flatten: dimensions that do not exist are refused") {
    CHECK_THROWS_WITH_AS(make("start_dim = 2\nend_dim = 1"),
                         "end_dim = 1: must be at least start_dim, which is 2", ptp::ConfigError);
    CHECK_THROWS_WITH_AS(make("start_dim = 2").forward(torch::ones({3, 4})),
                         "start_dim = 2, end_dim = 1: inputs have 2 dimensions", ptp::ConfigError);
    CHECK_THROWS_WITH_AS(make("end_dim = 3").forward(torch::ones({3, 4, 5})),
                         "start_dim = 1, end_dim = 3: inputs have 3 dimensions", ptp::ConfigError);
}

}  // namespace flatten_test
