#include "base/suggest.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

namespace suggest_test {

using namespace ptp;

TEST_CASE("suggest: the distance counts insertions, deletions, replacements and swaps") {
    struct Case {
        const char* left;
        const char* right;
        std::size_t distance;
    };
    const Case cases[] = {
        {"", "", 0},         {"abc", "abc", 0},        {"", "abc", 3},
        {"abc", "ab", 1},    {"abc", "axc", 1},        {"abc", "acb", 1},
        {"ca", "abc", 3},    {"kitten", "sitting", 3}, {"dropuot", "dropout", 1},
        {"abcd", "badc", 2},
    };
    for (const Case& c : cases) {
        CAPTURE(c.left);
        CHECK(edit_distance(c.left, c.right) == c.distance);
        CHECK(edit_distance(c.right, c.left) == c.distance);
    }
}

TEST_CASE("suggest: the nearest name is found when it is near enough") {
    const std::vector<std::string> known = {"dropout", "lr", "LeNet5", "batch_size", "epochs"};
    struct Case {
        const char* name;
        std::optional<std::string> nearest;
    };
    const Case cases[] = {
        {"dropuot", "dropout"}, {"drop", std::nullopt}, {"lrr", "lr"},
        {"lenet5", "LeNet5"},   {"LENET", "LeNet5"},    {"batch-size", "batch_size"},
        {"q", std::nullopt},    {"", std::nullopt},     {"completely_different", std::nullopt},
    };
    for (const Case& c : cases) {
        CAPTURE(c.name);
        CHECK(nearest(c.name, known) == c.nearest);
    }
}

TEST_CASE("suggest: a name with another word is not a slip") {
    const std::vector<std::string> known = {"batch_limit", "every_episodes", "num_workers"};
    CHECK(nearest("epoch_limit", known) == std::nullopt);
    CHECK(nearest("every_epochs", known) == std::nullopt);
    CHECK(nearest("bacth_limits", known) == "batch_limit");
    CHECK(nearest("every-episode", known) == "every_episodes");
    CHECK(nearest("numworkers", known) == "num_workers");
}

TEST_CASE("suggest: of equally near names the alphabetically first is taken") {
    const std::vector<std::string> known = {"cart", "card", "care"};
    CHECK(nearest("carx", known) == "card");
    const std::vector<std::string> reversed = {"care", "card", "cart"};
    CHECK(nearest("carx", reversed) == "card");
}

TEST_CASE("suggest: the most alike hold the name or share most of it; what shares little is not") {
    const std::vector<std::string> known = {
        "ConvNetEncoder", "GenericImageEncoder", "LeNet5", "Resize", "Resize2", "Shape"};
    using Names = std::vector<std::string>;
    CHECK(most_alike("convnet", known, 5) == Names{"ConvNetEncoder"});
    CHECK(most_alike("Resize", known, 5) == Names{"Resize", "Resize2"});
    CHECK(most_alike("Resizes", known, 1) == Names{"Resize"});
    CHECK(most_alike("ResNetEncoder", known, 5) == Names{"ConvNetEncoder"});
    CHECK(most_alike("MLP", known, 5).empty());
    CHECK(most_alike("Re", known, 5).empty());
    CHECK(most_alike("", known, 5).empty());
    CHECK(most_alike("Shap", {}, 5).empty());
}

TEST_CASE("suggest: the hint names the nearest, or all that are known") {
    const std::vector<std::string> known = {"lr", "momentum"};
    CHECK(hint("momntum", known) == "; did you mean 'momentum'?");
    CHECK(hint("speed", known) == "; known: lr, momentum");
    const std::vector<std::string> rates = {"dropout_rate", "rate", "sizes"};
    CHECK(hint("dropout", rates) == "; did you mean 'dropout_rate'?");
    CHECK(hint("out-Rate", rates) == "; did you mean 'dropout_rate'?");
    CHECK(hint("learning_rate", rates) == "; known: dropout_rate, rate, sizes");
    CHECK(hint("rat", rates) == "; did you mean 'rate'?");
    CHECK(hint("siz", rates) == "; known: dropout_rate, rate, sizes");
    CHECK(hint("siz", {}) == "");
    CHECK(hint("speed", {}) == "");
    std::vector<std::string> many;
    for (int i = 0; i < 45; ++i) {
        many.push_back("name_number_" + std::to_string(i));
    }
    CHECK(hint("x", many).ends_with("name_number_39 and 5 more"));
    CHECK(hint("x", many, "the manual lists all")
              .ends_with("name_number_39 and 5 more; the manual lists all"));
    many.resize(40);
    CHECK(hint("x", many, "the manual lists all").ends_with("name_number_38, name_number_39"));
}

TEST_CASE("suggest: another number of a layer is no slip, and those that are there are listed") {
    const std::vector<std::string> known = {"layers.0", "layers.2", "layers.2.bias", "out"};
    CHECK(hint_of_layer("layers.1", known) == "; known: layers.0, layers.2");
    CHECK(hint_of_layer("layers.1.bias", known) == "; known: layers.2.bias");
    CHECK(hint_of_layer("layer.0", known) == "; did you mean 'layers.0'?");
    CHECK(hint_of_layer("x", known) == "; known: layers.0, layers.2, layers.2.bias, out");
}

TEST_CASE("suggest: numbers of other languages are told in the form of TOML") {
    const struct {
        const char* text;
        const char* number;
    } cases[] = {{"1e-3f", "1e-3"}, {".5", "0.5"},       {"-.5e-2", "-0.5e-2"},
                 {"1.", "1.0"},     {"1.e-3", "1.0e-3"}, {"0,5", "0.5"},
                 {" 5L ", "5"},     {"0.1", "0.1"},      {"1,5,2", ""},
                 {"007", ""},       {"1e", ""},          {"x1", ""},
                 {"", ""},          {".", ""},           {"inf", ""},
                 {"0x1F", ""}};
    for (const auto& [text, number] : cases) {
        CAPTURE(text);
        CHECK(number_meant(text) == number);
    }
}

TEST_CASE("suggest: a text with commas may be a number or a list") {
    using Texts = std::vector<std::string>;
    CHECK(meanings_of_commas("0,5") == Texts{"0.5", "[0, 5]"});
    CHECK(meanings_of_commas("0,05") == Texts{"0.05"});
    CHECK(meanings_of_commas("1,000") == Texts{"1000", "1.000"});
    CHECK(meanings_of_commas("1,000,000") == Texts{"1000000"});
    CHECK(meanings_of_commas("64, 128") == Texts{"64128", "[64, 128]"});
    CHECK(meanings_of_commas("8,8,4") == Texts{"[8, 8, 4]"});
    CHECK(meanings_of_commas("a, b") == Texts{"[\"a\", \"b\"]", "\"a, b\""});
    CHECK(meanings_of_commas("\"a\",\"b\"") == Texts{"[\"a\", \"b\"]"});
    for (const char* none : {"", "1", "a", "1,", ",", "1,a", "a,1"}) {
        CAPTURE(none);
        CHECK(meanings_of_commas(none).empty());
    }
}

TEST_CASE("suggest: names are joined as people do") {
    CHECK(joined(std::vector<std::string>{}) == "");
    CHECK(joined(std::vector<std::string>{"a"}) == "a");
    CHECK(joined(std::vector<std::string>{"a", "b"}) == "a and b");
    CHECK(joined(std::vector<std::string>{"a", "b", "c"}, "or") == "a, b or c");
}

}  // namespace suggest_test
