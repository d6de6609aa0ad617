#include "engine/distributed/observed_values.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace observed_values_test {

using ptp::engine::Frame;
using ptp::engine::packed_values;
using ptp::engine::Slot;
using ptp::engine::WholeValues;
using ptp::pipeline::Plan;

namespace {

enum Stream : int { kLogits, kWords, kImages, kWeights, kPenalty };

Plan plan() {
    const ptp::pipeline::Dimension batch{{}, ptp::pipeline::kBatchSymbol, "B"};
    const ptp::pipeline::Dimension two{2, -1, ""};
    Plan made;
    made.symbols = {{"B", {}, ""}};
    made.streams = {{"logits", ptp::plugin::Element::kFloating, true, {batch, two}},
                    {"words", ptp::plugin::Element::kTokens, true, {batch}},
                    {"images", ptp::plugin::Element::kTensorList, true, {batch}},
                    {"weights", ptp::plugin::Element::kFloating, true, {two, two}},
                    {"penalty", ptp::plugin::Element::kFloating, true, {}}};
    return made;
}

// Samples are counted on from `first`; sample i has i words.
void fill(Frame& frame, std::int64_t first, std::int64_t count) {
    frame[kLogits].tensor =
        at::arange(2 * first, 2 * (first + count)).to(at::kFloat).view({count, 2});
    std::string bytes;
    std::vector<std::uint64_t> offsets = {0};
    std::vector<std::uint64_t> rows = {0};
    for (std::int64_t sample = first; sample < first + count; ++sample) {
        for (std::int64_t word = 0; word < sample; ++word) {
            bytes += "w" + std::to_string(sample);
            offsets.push_back(bytes.size());
        }
        rows.push_back(offsets.size() - 1);
    }
    ptp_text text{bytes.data(), offsets.data(), offsets.size() - 1, rows.data(), rows.size() - 1};
    frame[kWords].text.assign(text);
    frame[kImages].list.resize(static_cast<std::uint64_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        frame[kImages].list.tensors()[static_cast<std::size_t>(i)] =
            at::full({1, first + i + 1}, 1.0F);
    }
    frame[kWeights].tensor = at::full({2, 2}, static_cast<float>(first));
    frame[kPenalty].tensor = at::scalar_tensor(static_cast<double>(first), at::kFloat);
}

}  // namespace

TEST_CASE("observed values: samples follow each other, as one process would have them") {
    const Plan shapes = plan();
    const std::vector<int> streams = {kLogits, kWords, kImages, kWeights, kPenalty};
    Frame first(shapes);
    fill(first, 0, 3);
    Frame second(shapes);
    fill(second, 3, 1);
    Frame whole(shapes);
    fill(whole, 0, 4);
    {
        const WholeValues values(shapes, streams,
                                 {packed_values(first, streams), packed_values(second, streams),
                                  at::empty({0}, at::kByte)},
                                 {3, 1, 0}, first);
        CHECK(first[kLogits].tensor.equal(whole[kLogits].tensor));
        const ptp_text& found = first[kWords].text;
        const ptp_text& expected = whole[kWords].text;
        REQUIRE(found.string_count == expected.string_count);
        REQUIRE(found.row_count == 4);
        CHECK(std::string(found.bytes, found.offsets[6]) == "w1w2w2w3w3w3");
        for (std::uint64_t i = 0; i <= found.string_count; ++i) {
            CHECK(found.offsets[i] == expected.offsets[i]);
        }
        for (std::uint64_t i = 0; i <= found.row_count; ++i) {
            CHECK(found.rows[i] == expected.rows[i]);
        }
        REQUIRE(first[kImages].list.tensors().size() == 4);
        CHECK(first[kImages].list.tensors()[3].size(1) == 4);
        CHECK(first[kWeights].tensor.equal(at::zeros({2, 2})));  // not of samples
        CHECK(first[kPenalty].tensor.item<float>() == 0.75F);    // (3 * 0 + 1 * 3) / 4
    }
    CHECK(first[kLogits].tensor.size(0) == 3);
    CHECK(first[kWords].text.row_count == 3);
}

}  // namespace observed_values_test
