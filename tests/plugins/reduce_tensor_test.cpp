#include "transform_check.hpp"

namespace reduce_tensor_test {

namespace {

test::Component make(const std::string& settings) {
    return test::build("transforms", "ReduceTensor", settings);
}

}  // namespace

TEST_CASE("ReduceTensor: values and gradients are PyTorch's") {
    for (const std::string type : {"sum", "mean", "min", "max", "median"}) {
        auto component =
            make("reduction_dim = 2\ntrailing_dims = 1\nreduction_type = \"" + type + "\"");
        test::check_transform(component, type, test::wave({2, 3, 4, 2}, 0));
    }
}

TEST_CASE("ReduceTensor: places are integers, and PyTorch's") {
    for (const std::string type : {"argmin", "argmax"}) {
        auto component =
            make("reduction_dim = 2\ntrailing_dims = 1\nreduction_type = \"" + type + "\"");
        const at::Tensor places = component.forward(test::wave({2, 3, 4, 2}, 0));
        CHECK((places.scalar_type() == at::kLong));
        CHECK(places.sizes() == at::IntArrayRef({2, 3, 2}));
        CHECK(torch::equal(
            places.flatten().to(torch::kDouble),
            torch::tensor(ptp::test::golden("transforms", type + ".outputs"), torch::kDouble)));
    }
}

TEST_CASE("ReduceTensor: the dimension can stay, with the size 1") {
    const at::Tensor inputs = test::floats({1, 2, 3, 4, 5, 6}, {2, 3});
    CHECK(torch::equal(make("").forward(inputs), test::floats({6, 15}, {2})));
    CHECK(torch::equal(make("keepdim = true").forward(inputs), test::floats({6, 15}, {2, 1})));
    CHECK(torch::equal(make("keepdim = true\nreduction_type = \"argmax\"").forward(inputs),
                       test::integers({2, 2}).reshape({2, 1})));
}

TEST_CASE("ReduceTensor: of equal values the first counts, of two in the middle the lower") {
    const at::Tensor inputs = test::floats({3, 1, 3, 1}, {1, 4});
    CHECK(make("reduction_type = \"argmax\"").forward(inputs).item<int64_t>() == 0);
    CHECK(make("reduction_type = \"argmin\"").forward(inputs).item<int64_t>() == 1);
    CHECK(make("reduction_type = \"median\"").forward(inputs).item<double>() == 1);
}

}  // namespace reduce_tensor_test
