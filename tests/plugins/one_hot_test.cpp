#include "support.hpp"

namespace one_hot_test {

namespace {

at::Tensor run(const std::string& settings, const at::Tensor& classes, test::Wiring wiring = {}) {
    test::Slots inputs;
    inputs["inputs"] = classes;
    auto component = test::build("transforms", "OneHot", settings, std::move(wiring));
    const std::vector<uint64_t> seeds(static_cast<size_t>(classes.size(0)));
    return component.transform(std::move(inputs), seeds).at("outputs").tensor();
}

}  // namespace

TEST_CASE("OneHot: a class becomes a row with a single 1") {
    CHECK(torch::equal(run("classes = 3", test::integers({2, 0})),
                       test::floats({0, 0, 1, 1, 0, 0}, {2, 3})));
}

TEST_CASE("OneHot: further dimensions stay") {
    CHECK(torch::equal(
        run("classes = 2\nnum_inputs_dims = 2", test::integers({1, 0, 0, 1}).reshape({2, 2})),
        test::floats({0, 1, 1, 0, 1, 0, 0, 1}, {2, 2, 2})));
}

TEST_CASE("OneHot: the number of classes may be the global's") {
    CHECK(run("", test::integers({3}), {.globals = {{"num_classes", 4}}}).size(1) == 4);
}

TEST_CASE("OneHot: what is not a class is an error that names the sample") {
    CHECK_THROWS_WITH_AS(run("classes = 3", test::integers({2, 3, -1})),
                         "sample 1: class 3 is not in [0, 3)", ptp::DataError);
    CHECK_THROWS_WITH_AS(run("classes = 3", test::integers({2, 0, -1})),
                         "sample 2: class -1 is not in [0, 3)", ptp::DataError);
}

}  // namespace one_hot_test
