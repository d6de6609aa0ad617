#include "engine/distributed/observed_values.hpp"

#include "base/error.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace observed_values_test {

using namespace ptp::engine;
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

TEST_CASE("observed values: an item of a list that a process has not written stays that") {
    const Plan shapes = plan();
    const std::vector<int> streams = {kImages};
    Frame first(shapes);
    fill(first, 0, 2);
    Frame second(shapes);
    fill(second, 2, 2);
    second[kImages].list.tensors()[1] = at::Tensor();
    const WholeValues values(shapes, streams,
                             {packed_values(first, streams), packed_values(second, streams)},
                             {2, 2}, first);
    const std::vector<at::Tensor>& items = first[kImages].list.tensors();
    REQUIRE(items.size() == 4);
    CHECK(items[2].size(1) == 3);
    CHECK_FALSE(items[3].defined());
}

TEST_CASE("observed values: a stream that only some processes have written is refused") {
    const Plan shapes = plan();
    const std::vector<int> streams = {kLogits};
    Frame first(shapes);
    fill(first, 0, 2);
    const at::Tensor none = packed_values(Frame(shapes), streams);
    const at::Tensor written = packed_values(first, streams);
    const auto put_together = [&](const std::vector<at::Tensor>& parts) {
        const WholeValues values(shapes, streams, parts, {2, 2}, first);
        CHECK_FALSE(first[kLogits].tensor.defined());
    };
    put_together({none, none});
    for (const auto& parts : {std::vector{written, none}, std::vector{none, written}}) {
        CHECK_THROWS_WITH_AS(put_together(parts),
                             "the stream 'logits' has a value in some processes, and none in "
                             "others: its component must write it for each batch or for none",
                             ptp::RunError);
    }
}

TEST_CASE("observed values: without a declared shape the sizes decide what is of samples") {
    Plan shapes = plan();
    shapes.streams[kLogits].has_shape = false;
    shapes.streams[kLogits].shape.clear();
    const std::vector<int> streams = {kLogits};
    const auto whole = [&](const at::Tensor& left, const at::Tensor& right) {
        Frame first(shapes);
        first[kLogits].tensor = left;
        Frame second(shapes);
        second[kLogits].tensor = right;
        const WholeValues values(shapes, streams,
                                 {packed_values(first, streams), packed_values(second, streams)},
                                 {3, 2}, first);
        return first[kLogits].tensor.clone();
    };
    // A row for each sample of a process; one matrix of the model; numbers of few samples.
    CHECK(whole(at::zeros({3, 2}), at::ones({2, 2})).sizes() == at::IntArrayRef({5, 2}));
    CHECK(whole(at::zeros({4, 2}), at::ones({4, 2})).equal(at::zeros({4, 2})));
    CHECK(whole(at::zeros({1}), at::ones({2})).sizes() == at::IntArrayRef({3}));
}

}  // namespace observed_values_test
