#include "support.hpp"

namespace concatenate_tensor_test {

namespace {

test::Component make(std::string_view settings) {
    return test::build("transforms", "ConcatenateTensor", settings);
}

}  // namespace

TEST_CASE("ConcatenateTensor: joins vectors in the order of input_streams") {
    auto join = make("input_streams = [\"a\", \"b\"]\noutput_dims = [-1, 3]");
    const at::Tensor joined =
        join.forward(test::floats({1, 2, 3, 4}, {2, 2}), test::floats({5, 6}, {2, 1}));
    CHECK(torch::equal(joined, test::floats({1, 2, 5, 3, 4, 6}, {2, 3})));
}

TEST_CASE("ConcatenateTensor: joins along the dimension that dim names") {
    auto join = make("input_streams = [\"a\", \"b\"]\noutput_dims = [-1, 2]\ndim = 0");
    const at::Tensor joined =
        join.forward(test::floats({1, 2}, {1, 2}), test::floats({3, 4, 5, 6}, {2, 2}));
    CHECK(torch::equal(joined, test::floats({1, 2, 3, 4, 5, 6}, {3, 2})));
}

TEST_CASE("ConcatenateTensor: gradients go back to each stream") {
    auto join = make("input_streams = [\"a\", \"b\"]\noutput_dims = [-1, 3]");
    const at::Tensor a = torch::ones({2, 2}).requires_grad_();
    const at::Tensor b = torch::ones({2, 1}).requires_grad_();
    (join.forward(a, b) * test::floats({1, 2, 3}, {3})).sum().backward();
    CHECK(torch::equal(a.grad(), test::floats({1, 2, 1, 2}, {2, 2})));
    CHECK(torch::equal(b.grad(), test::floats({3, 3}, {2, 1})));
}

TEST_CASE("ConcatenateTensor: publishes a number for one remaining size, a list for several") {
    CHECK(make("input_streams = [\"a\"]\noutput_dims = [-1, 7]").published().at("output_size") ==
          ptp::Data(7));
    CHECK(make("input_streams = [\"a\"]\noutput_dims = [-1, 2, 3]").published().at("output_size") ==
          ptp::Data(std::vector<int64_t>{2, 3}));
}

TEST_CASE("ConcatenateTensor: a dimension that the output does not have is refused") {
    CHECK_THROWS_WITH_AS(make("input_streams = [\"a\"]\noutput_dims = [-1, 7]\ndim = 2"),
                         "dim = 2: output_dims has only 2 dimensions", ptp::ConfigError);
}

}  // namespace concatenate_tensor_test
