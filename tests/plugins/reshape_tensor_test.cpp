#include "support.hpp"

namespace reshape_tensor_test {

namespace {

test::Component make(std::string_view settings) {
    return test::build("transforms", "ReshapeTensor", settings);
}

}  // namespace

TEST_CASE("ReshapeTensor: keeps the values in row-major order") {
    auto reshape = make("input_dims = [-1, 2, 3]\noutput_dims = [-1, 6]");
    const at::Tensor inputs = torch::arange(12, torch::kFloat).reshape({2, 2, 3});
    CHECK(torch::equal(reshape.forward(inputs), torch::arange(12, torch::kFloat).reshape({2, 6})));
}

TEST_CASE("ReshapeTensor: publishes a number for one remaining size, a list for several") {
    CHECK(
        make("input_dims = [-1, 16, 1, 1]\noutput_dims = [-1, 16]").published().at("output_size") ==
        ptp::Data(16));
    CHECK(make("input_dims = [-1, 16]\noutput_dims = [-1, 4, 4]").published().at("output_size") ==
          ptp::Data(std::vector<int64_t>{4, 4}));
    CHECK(make("input_dims = [-1, 1]\noutput_dims = [-1]").published().at("output_size") ==
          ptp::Data(ptp::Data::List{}));
}

TEST_CASE("ReshapeTensor: shapes that cannot fit are refused, with both") {
    struct Case {
        const char* settings;
        const char* message;
    };
    const Case cases[] = {
        {"input_dims = [-1, 16, 1, 1]\noutput_dims = [-1, 15]",
         "input_dims = [-1, 16, 1, 1], output_dims = [-1, 15]: 16 values for each size that is -1 "
         "cannot become 15"},
        {"input_dims = [2, 3]\noutput_dims = [3, 3]",
         "input_dims = [2, 3], output_dims = [3, 3]: 6 values for each size that is -1 cannot "
         "become "
         "9"},
        {"input_dims = [-1, 4]\noutput_dims = [-1, -1]",
         "input_dims = [-1, 4], output_dims = [-1, -1]: only one size of the output can follow "
         "from "
         "the others"},
        {"input_dims = [-1, 0]\noutput_dims = [-1]",
         "input_dims = [-1, 0], output_dims = [-1]: a size must be -1 or at least 1"},
        {"input_dims = [-1, -1]\noutput_dims = [-1, 4294967296, 4294967296]",
         "[-1, 4294967296, 4294967296]: a tensor cannot have that many values"},
        {"input_dims = [-1, 4]", "the setting 'output_dims' is required, but missing"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.settings);
        CHECK_THROWS_WITH_AS(make(c.settings), c.message, ptp::ConfigError);
    }
}

TEST_CASE("ReshapeTensor: a batch whose values do not fit is refused, with its shape") {
    auto pairs = make("input_dims = [-1, 4]\noutput_dims = [-1, 8]");
    CHECK(pairs.forward(torch::ones({2, 4})).sizes() == at::IntArrayRef{1, 8});
    CHECK_THROWS_WITH_AS(pairs.forward(torch::ones({3, 4})),
                         "output_dims = [-1, 8]: the 12 values of inputs of [3, 4] do not fit "
                         "into it",
                         ptp::ConfigError);
    auto fixed = make("input_dims = [2, 4]\noutput_dims = [8]");
    CHECK_THROWS_WITH_AS(fixed.forward(torch::ones({4, 4})),
                         "output_dims = [8]: the 16 values of inputs of [4, 4] do not fit into it",
                         ptp::ConfigError);
}

TEST_CASE("ReshapeTensor: gradients flow back in the old shape") {
    auto reshape = make("input_dims = [-1, 2, 2]\noutput_dims = [-1, 4]");
    const at::Tensor inputs = torch::ones({3, 2, 2}).requires_grad_();
    reshape.forward(inputs).sum().backward();
    CHECK(torch::equal(inputs.grad(), torch::ones({3, 2, 2})));
}

}  // namespace reshape_tensor_test
