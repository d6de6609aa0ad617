#include "golden_check.hpp"

namespace relational_network_test {

namespace {

struct Sizes {
    int64_t depth, height, width, question;
};

test::Component make(std::string_view settings, const Sizes& sizes) {
    return test::build("fusion_models", "RelationalNetwork", settings,
                       {.sizes = {{"feature_map_depth", sizes.depth},
                                  {"feature_map_height", sizes.height},
                                  {"feature_map_width", sizes.width},
                                  {"question_encoding_size", sizes.question}}});
}

constexpr Sizes kSmall{.depth = 3, .height = 2, .width = 3, .question = 4};

}  // namespace

TEST_CASE("RelationalNetwork: agrees with a result worked out by hand") {
    auto net = make("g_theta_sizes = [1]", {.depth = 1, .height = 1, .width = 2, .question = 1});
    test::set(net, "g_theta.0.weight", {1, 10, 100});
    test::set(net, "g_theta.0.bias", {-500});
    test::set(net, "g_theta.2.weight", {2});
    test::set(net, "g_theta.2.bias", {0.5});
    // Objects 2 and 3, question 5: the pairs 2 2, 2 3, 3 2, 3 3 give 22, 32, 23, 33, which + 500 -
    // 500 stay; 2 * (22 + 32 + 23 + 33) + 4 * 0.5. Question 4.75: -3, 7, -2, 8; 2 * (7 + 8) + 2.
    const at::Tensor outputs =
        net.forward(test::floats({2, 3, 2, 3}, {2, 1, 1, 2}), test::floats({5, 4.75}, {2, 1}));
    CHECK(torch::allclose(outputs, test::floats({222, 32}, {2, 1})));
}

TEST_CASE("RelationalNetwork: coordinates are the middles of the places, rows before columns") {
    auto net = make("g_theta_sizes = [1]\nuse_coordinates = true",
                    {.depth = 1, .height = 2, .width = 1, .question = 1});
    test::set(net, "g_theta.0.weight", {0, 1, 10, 0, 100, 1000, 0});
    test::set(net, "g_theta.0.bias", {0});
    test::set(net, "g_theta.2.weight", {1});
    test::set(net, "g_theta.2.bias", {0});
    // Rows -0.5 and 0.5, column 0. The pairs give -50.5, 49.5, -49.5, 50.5.
    const at::Tensor outputs = net.forward(torch::ones({1, 1, 2, 1}), torch::ones({1, 1}));
    CHECK(torch::allclose(outputs, test::floats({100}, {1, 1})));
}

TEST_CASE("RelationalNetwork: agrees with concatenated pairs, one by one, gradients too") {
    const std::map<std::string, at::Tensor> inputs{{"feature_maps", test::wave({2, 3, 2, 3}, 0)},
                                                   {"question_encodings", test::wave({2, 4}, 1)}};
    struct Case {
        const char* name;
        const char* settings;
    };
    const Case cases[] = {
        {"relational_network", "g_theta_sizes = [5, 4]"},
        {"relational_network_places", "g_theta_sizes = [5, 4]\nuse_coordinates = true"},
        {"relational_network_shallow", "g_theta_sizes = 3\nuse_coordinates = true"},
    };
    for (const Case& c : cases) {
        auto net = make(c.settings, kSmall);
        test::check_golden(net, "fusion_models", c.name, inputs);
    }
}

TEST_CASE("RelationalNetwork: the layers of g have the names and sizes of one network") {
    auto net = make("", {.depth = 16, .height = 7, .width = 7, .question = 11});
    const auto parameters = net.parameters();
    CHECK(parameters.size() == 8);
    CHECK(parameters.at("g_theta.0.weight").sizes() == at::IntArrayRef({256, 43}));
    CHECK(parameters.at("g_theta.2.weight").sizes() == at::IntArrayRef({256, 256}));
    CHECK(parameters.at("g_theta.4.weight").sizes() == at::IntArrayRef({256, 256}));
    CHECK(parameters.at("g_theta.6.weight").sizes() == at::IntArrayRef({256, 256}));
    CHECK(net.published().at("output_size") == ptp::Data(256));

    auto dropping = make("g_theta_sizes = [8, 4]\ndropout_rate = 0.5", kSmall);
    CHECK(dropping.parameters().contains("g_theta.3.weight"));
    CHECK(dropping.parameters().contains("g_theta.6.weight"));
    CHECK(dropping.published().at("output_size") == ptp::Data(4));
}

TEST_CASE("RelationalNetwork: dropout acts while training and not in evaluation") {
    auto net = make("g_theta_sizes = [16]\ndropout_rate = 0.5", kSmall);
    const at::Tensor maps = torch::ones({1, 3, 2, 3});
    const at::Tensor questions = torch::ones({1, 4});
    torch::manual_seed(1);
    CHECK_FALSE(torch::equal(net.forward(maps, questions), net.forward(maps, questions)));
    net.set_training(false);
    CHECK(torch::equal(net.forward(maps, questions), net.forward(maps, questions)));
}

TEST_CASE("RelationalNetwork: gradients reach every parameter") {
    torch::manual_seed(1);
    auto net = make("g_theta_sizes = [8, 8, 8]\nuse_coordinates = true", kSmall);
    net.forward(torch::randn({4, 3, 2, 3}), torch::randn({4, 4})).square().sum().backward();
    CHECK(net.parameters().size() == 8);
    CHECK(test::without_gradient(net).empty());
}

TEST_CASE("RelationalNetwork: a size that nobody knows is asked for") {
    CHECK_THROWS_WITH_AS(
        test::build("fusion_models", "RelationalNetwork", "",
                    {.sizes = {{"feature_map_depth", 3}}, .name = "relations"}),
        "the size 'question_encoding_size' is not known before the data flows; the component "
        "before 'relations' must declare it, or a global must be named for it",
        ptp::ConfigError);
}

}  // namespace relational_network_test
