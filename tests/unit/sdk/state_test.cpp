// State that the SDK saves and restores by the names of members.

#include "support/texts.hpp"

#include <ptp/ext/state.h>
#include <ptp/component.hpp>
#include <ptp/testing.hpp>

#include <torch/types.h>

#include <doctest/doctest.h>

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace state_test {

namespace {

using ptp::Data;

enum class Color { kRed, kBlue };

struct Counts {
    int64_t right = 0;
    at::Tensor confusion;

    static constexpr auto state() {
        return std::tuple{ptp::kept("right", &Counts::right),
                          ptp::kept("confusion", &Counts::confusion)};
    }
};

// Counts in forward(), and keeps all kinds of things.
class Keeper {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "Keeper";
    static constexpr const char* summary = "For a test";
    static constexpr std::array ports{ptp::input("values", PTP_FLOAT, "B", "Numbers")};
    static constexpr std::array statistics{ptp::computed("total", "Sum of all").set_only(),
                                           ptp::sum("drawn", "A random number")};
    static constexpr uint32_t state_version = 2;

    static constexpr auto state() {
        return std::tuple{
            ptp::kept("sets", &Keeper::sets_),     ptp::kept("seen", &Keeper::seen_),
            ptp::kept("colors", &Keeper::colors_), ptp::kept("limits", &Keeper::limits_),
            ptp::kept("flags", &Keeper::flags_),   ptp::kept("random", &Keeper::random_)};
    }

    void forward(const at::Tensor& values, const ptp::Step& step) {
        Counts& set = sets_[step.set()];
        ++set.right;
        set.confusion = set.confusion.defined() ? set.confusion + values.sum() : values.sum();
        seen_ += "x";
        colors_["first"] = Color::kBlue;
        limits_ = {std::numeric_limits<float>::min(), -0.0f};
        flags_.push_back(seen_.size() % 2 == 0);
        drawn_ = random_.uniform();
    }

    std::array<double, 2> collect(uint64_t) { return {0, drawn_}; }
    std::array<double, 2> aggregate(uint64_t set) {
        return {sets_[set].confusion.item<double>() + 1000 * static_cast<double>(seen_.size()), 0};
    }
    void reset(uint64_t set) { sets_.reset(set); }

private:
    ptp::BySet<Counts> sets_;
    std::string seen_;
    std::map<std::string, std::optional<Color>> colors_;
    std::array<float, 2> limits_{};
    std::vector<bool> flags_;
    ptp::Random random_{3};
    double drawn_ = 0;
};

ptp::testing::Component make() {
    return {ptp::component<Keeper>(), "", {}};
}

template <class T>
T again(const T& value) {
    T copy{};
    ptp::restore(ptp::saved(value), copy);
    return copy;
}

template <class T>
std::string refusal(const Data& data) {
    T value{};
    return ptp::test::error_of<ptp::DataError>([&] { ptp::restore(data, value); });
}

}  // namespace

TEST_CASE("state: a component that names its members continues where another one has stopped") {
    auto first = make();
    first.forward(torch::tensor({1.0f, 2.0f}));
    auto second = make();
    second.import_state(2, first.export_state());
    CHECK(second.export_state() == first.export_state());

    first.forward(torch::tensor({0.5f}));
    second.forward(torch::tensor({0.5f}));
    CHECK(second.aggregate().at("total") == 1000 * 2 + 3.5);
    CHECK(second.collect() == first.collect());  // the next random number too
}

TEST_CASE("state: it is saved by name, in a form that people can read") {
    auto keeper = make();
    keeper.forward(torch::tensor({1.5f}));
    // 1.5 is 0x3fc00000; its bytes 00 00 c0 3f are AADAPw== in base64. Random(3) has drawn once.
    CHECK(keeper.export_state().toml() ==
          "{ sets = [[0, { right = 1, confusion = { type = \"float32\", shape = [], bytes = "
          "\"AADAPw==\" } }]], seen = \"x\", colors = [[\"first\", [1]]], limits = "
          "[1.1754943508222875e-38, -0.0], flags = [false], random = " +
              std::to_string(static_cast<int64_t>(3 + 0x9e3779b97f4a7c15u)) + " }");
}

TEST_CASE("state: the version is declared, or 1") {
    const auto version = [](const ptp_component_info& info) {
        return static_cast<const ptp_state*>(info.extension(PTP_EXTENSION_STATE))->version;
    };
    CHECK(version(ptp::component<Keeper>()) == 2);
}

TEST_CASE("state: what an older version has not saved keeps what the constructor gave it") {
    auto keeper = make();
    // Saved by version 1: a struct was a list then, and there was a member that is gone.
    keeper.import_state(
        1, Data(Data::Table{
               {"sets", Data::List{Data::List{0, Data::List{7}}}}, {"gone", 1}, {"seen", "xx"}}));
    const Data state = keeper.export_state();
    CHECK(state.find("seen")->as_text() == "xx");
    CHECK(state.find("sets")->toml() == "[[0, { right = 7, confusion = {} }]]");
    CHECK(state.find("random")->as_integer() == 3);
}

TEST_CASE("state: of the same version all must be there, and nothing else") {
    auto keeper = make();
    Data::Table state = keeper.export_state().as_table();
    Data::Table less = state;
    less.erase(less.begin() + 1);
    CHECK_THROWS_WITH_AS(keeper.import_state(2, Data(less)), "the saved state 'seen': is missing",
                         ptp::DataError);
    Data::Table more = state;
    more.push_back({"other", 1});
    CHECK_THROWS_WITH_AS(keeper.import_state(2, Data(more)),
                         "the saved state: has members that the component does not know",
                         ptp::DataError);
    state[1].value = 5;
    CHECK_THROWS_WITH_AS(keeper.import_state(2, Data(state)),
                         "the saved state 'seen': expected text, found an integer", ptp::DataError);
}

TEST_CASE("state: tensors of every type come back with all their bits") {
    for (const auto type : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kLong, at::kInt,
                            at::kShort, at::kChar, at::kByte, at::kBool}) {
        CAPTURE(std::string(c10::toString(type)));
        const at::Tensor tensor = torch::arange(7).sub(3).to(type).slice(0, 0, 6).reshape({2, 3});
        const at::Tensor back = again(tensor);
        CHECK((back.scalar_type() == type));
        CHECK(torch::equal(back, tensor));
    }
    const at::Tensor strange = torch::tensor({std::nan(""), -0.0, 1e-320}, torch::kDouble);
    CHECK(torch::equal(again(strange).view(torch::kLong), strange.view(torch::kLong)));
    CHECK(again(torch::ones({2, 3}).t()).sizes() == at::IntArrayRef({3, 2}));
    CHECK(again(torch::zeros({0, 4})).sizes() == at::IntArrayRef({0, 4}));
    CHECK(!again(at::Tensor()).defined());
    CHECK(!again(torch::ones({2}, torch::requires_grad())).requires_grad());
}

TEST_CASE("state: what is not a tensor is refused with its place") {
    const auto tensor = [](Data shape, const char* type, const char* bytes) {
        return Data(Data::Table{
            {"right", 1},
            {"confusion",
             Data::Table{{"type", type}, {"shape", std::move(shape)}, {"bytes", bytes}}}});
    };
    const Data::List two{2};
    const std::string start = "the saved state 'confusion': ";
    CHECK(refusal<Counts>(tensor(two, "float32", "AADAPw==")) ==
          start + "a tensor has 4 bytes, its shape needs 8");
    CHECK(refusal<Counts>(tensor(two, "float31", "AADAPw==")) ==
          start + "a tensor of type float31 cannot be kept in the state");
    CHECK(refusal<Counts>(tensor(two, "float32", "AAD*Pw==")) ==
          start + "expected base64, found '*'");
    CHECK(refusal<Counts>(tensor(two, "float32", "AADAP")) ==
          start + "expected base64, found text that is cut off or padded wrongly");
    CHECK(refusal<Counts>(tensor(Data::List{-1}, "float32", "")) ==
          start + "a tensor has an impossible shape");
    CHECK(refusal<Counts>(tensor(Data::List{int64_t{1} << 41}, "float32", "")) ==
          start + "a tensor has an impossible shape");
    const int64_t large = int64_t{1} << 40;
    CHECK(refusal<Counts>(tensor(Data::List{large, large, 2}, "float32", "")) ==
          start +
              "a tensor has an impossible shape");  // the product of its sizes wraps around to 0
    CHECK(refusal<Counts>(Data(Data::Table{{"right", 1}, {"confusion", Data::Table{{"x", 1}}}})) ==
          start + "expected a tensor with type, shape and bytes");
    CHECK(refusal<std::array<int, 2>>(Data(Data::List{1})) ==
          "the saved state: has 1 items, not 2");
    CHECK(refusal<std::map<int, int>>(Data(Data::List{Data::List{1}})) ==
          "the saved state '[0]': is not a key and a value");
    CHECK(refusal<std::vector<Counts>>(Data(Data::List{Data::List{}})) ==
          "the saved state '[0]': expected a table, found a list");
}

}  // namespace state_test
