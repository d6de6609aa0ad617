// State with tensors of a plugin without libtorch; state_test.cpp has the rest.

#include "support/texts.hpp"

#include <ptp/by_set.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace plain_state_test {

namespace {

using ptp::Data;
using ptp::TensorData;

template <class T>
TensorData numbers(std::vector<T> values) {
    auto tensor = TensorData::zeros<T>({static_cast<int64_t>(values.size())});
    std::copy(values.begin(), values.end(), tensor.template elements<T>().begin());
    return tensor;
}

template <class T>
void check_round_trip(const std::vector<T>& values) {
    TensorData copy;
    ptp::restore(ptp::saved(numbers(values)), copy);
    CHECK(std::ranges::equal(copy.elements<T>(), values));
    CHECK(std::ranges::equal(copy.shape(), std::vector<int64_t>{int64_t(values.size())}));
}

std::string refusal(const Data& data) {
    TensorData tensor;
    return ptp::test::error_of<ptp::DataError>([&] { ptp::restore(data, tensor); });
}

}  // namespace

TEST_CASE("plain state: tensors of every type come back") {
    check_round_trip<float>({1.5f, -0.25f, 3e38f});
    check_round_trip<double>({0.1, -1e300});
    check_round_trip<int64_t>({int64_t{1} << 62, -1});
    check_round_trip<int32_t>({-7, 1 << 30});
    check_round_trip<int16_t>({-300, 300});
    check_round_trip<int8_t>({-128, 127});
    check_round_trip<uint8_t>({0, 255});
    check_round_trip<float>({});
    auto flags = TensorData::zeros<bool>({2});
    flags.elements<bool>()[1] = true;
    TensorData copy;
    ptp::restore(ptp::saved(flags), copy);
    CHECK((!copy.elements<bool>()[0] && copy.elements<bool>()[1]));
    ptp::restore(ptp::saved(TensorData()), copy);
    CHECK(!copy.is_defined());
}

TEST_CASE("plain state: it is the form that plugins with libtorch have") {
    CHECK(ptp::saved(numbers<float>({1.5f})).toml() ==
          "{ type = \"float32\", shape = [1], bytes = \"AADAPw==\" }");
    CHECK(refusal(Data(
              Data::Table{{"type", "bfloat16"}, {"shape", Data::List{1}}, {"bytes", "AAA="}})) ==
          "the saved state: a tensor of type bfloat16 cannot be kept in the state");
}

TEST_CASE("plain state: counts by set, each for itself") {
    ptp::BySet<std::vector<int>> sets;
    sets[0] = {1, 2};
    sets[2] = {3};
    sets.reset(2);
    sets[1].push_back(4);
    ptp::BySet<std::vector<int>> copy;
    copy[7] = {9};
    copy.restore(sets.save());
    CHECK(copy.save().toml() == "[[0, [1, 2]], [1, [4]], [2, []]]");
}

}  // namespace plain_state_test
