// The softmaxes of models that count as attention, and the words that belong to their numbers.
// Expected numbers by hand.

#include "engine/explain/attention.hpp"
#include "engine/component/executor.hpp"
#include "support/engine_plan.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/log.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace attention_test {

using ptp::engine::AttentionMap;
using ptp::engine::AttentionWatch;
using ptp::plugin::Element;
using ptp::plugin::Kind;
using ptp::test::tensor_in;
using Strings = std::vector<std::string>;

namespace {

constexpr int kImages = 0;
constexpr int kWords = 1;
constexpr int kVectors = 2;
constexpr int kOutputs = 3;
constexpr int kTargets = 4;
constexpr int kBlurred = 5;

std::function<void()>& computation() {
    static std::function<void()> made;
    return made;
}

int32_t forward(void*, const ptp_step*, const ptp_value* const*, ptp_value* const* outputs) {
    computation()();
    tensor_in(outputs[0]) = at::zeros({2, 1});
    return 0;
}

// A further input of the component.
enum class Besides { kNothing, kTargets, kBlurred };

// Two samples with images [2, 1, 4, 4], the words "a b c" and "d", and vectors of four steps.
// Targets are four other words, and blurred images are made of the images, which it does not read.
class Batch {
public:
    explicit Batch(Kind kind = Kind::kModel, Besides besides = Besides::kNothing)
        : besides_(besides) {
        plan_.add_stream("images", Element::kFloating, {-1, 1, 4, 4});
        plan_.add_stream("words", Element::kTokens, {-1, -2});
        plan_.add_stream("vectors", Element::kFloating, {-1, 4, 5});
        plan_.add_stream("outputs", Element::kFloating, {-1, 1});
        plan_.add_stream("targets", Element::kInteger, {-1, 4});
        plan_.add_stream("blurred", Element::kFloating, {-1, 1, 4, 4});
        ptp_component_info info = ptp::test::idle_component();
        plan_.add_task(ptp::test::five_samples(),
                       {{"images", kImages}, {"words", kWords}, {"targets", kTargets}});
        plan_.add_node("embeddings", Kind::kTransform, info, {{"words", kWords}},
                       {{"vectors", kVectors}});
        plan_.add_node("blur", Kind::kTransform, info, {{"images", kImages}},
                       {{"blurred", kBlurred}});
        info.forward = forward;
        plan_.add_node("net", kind, info, read(), {{"outputs", kOutputs}});
        components_ = plan_.create();
        frame_.emplace(plan_.plan);
        frame()[kImages].tensor = at::arange(32, at::kFloat).view({2, 1, 4, 4});
        frame()[kBlurred].tensor = at::ones({2, 1, 4, 4});
        frame()[kTargets].tensor = at::zeros({2, 4}, at::kLong);
        frame()[kVectors].tensor = at::ones({2, 4, 5});
        frame().samples().indices = at::arange(2, at::kLong);
        constexpr const char* kBytes = "abcd";
        const std::vector<std::uint64_t> offsets = {0, 1, 2, 3, 4};
        const std::vector<std::uint64_t> rows = {0, 3, 4};
        ptp_text text = frame()[kWords].text;
        text.bytes = kBytes;
        text.offsets = offsets.data();
        text.string_count = 4;
        text.rows = rows.data();
        text.row_count = 2;
        frame()[kWords].text.assign(text);
        watch_.emplace(plan_.plan, plan_.globals);
    }

    // Returns the maps of the sample where the component "net" computes this.
    std::vector<AttentionMap> seen(const std::function<void()>& compute, std::int64_t sample = 0,
                                   std::int64_t kept = 2) {
        const c10::AutoGradMode without_gradients(false);
        computation() = compute;
        watch_->begin_batch(kept);
        const ptp::engine::Instance& net = *components_.nodes[2];
        watch_->enter(net);
        ptp_step step{};
        step.struct_size = sizeof(ptp_step);
        step.section = "training";
        step.batch_size = 2;
        std::vector<const ptp_value*> inputs;
        for (const ptp::test::PortToMake& port : read()) {
            inputs.push_back(frame()[port.stream].value());
        }
        const std::vector<ptp_value*> outputs = {frame()[kOutputs].value()};
        components_.nodes[2]->forward(step, inputs.data(), outputs.data());
        watch_->leave(net, frame());
        return watch_->of_sample(frame(), sample);
    }

    [[nodiscard]] const AttentionWatch& watch() const { return *watch_; }
    [[nodiscard]] ptp::engine::Frame& frame() { return *frame_; }

private:
    // The streams that the component reads, by their ports.
    [[nodiscard]] std::vector<ptp::test::PortToMake> read() const {
        switch (besides_) {
            case Besides::kTargets:
                return {{"images", kImages}, {"vectors", kVectors}, {"targets", kTargets}};
            case Besides::kBlurred:
                return {{"vectors", kVectors}, {"blurred", kBlurred}};
            case Besides::kNothing:
                break;
        }
        return {{"images", kImages}, {"vectors", kVectors}};
    }

    const Besides besides_;
    ptp::test::EnginePlan plan_;
    ptp::engine::Components components_;
    std::optional<ptp::engine::Frame> frame_;
    std::optional<AttentionWatch> watch_;
};

// The logarithms of shares, whose softmax these are.
at::Tensor scores(const std::vector<float>& shares, at::IntArrayRef sizes) {
    return at::tensor(shares).view(sizes).log();
}

void compute(const at::Tensor& of, std::int64_t dim) {
    static_cast<void>(of.softmax(dim));
}

}  // namespace

TEST_CASE("attention: weights over the words of what is read have the words, and no padding") {
    Batch batch;
    const std::vector<float> shares = {0.5F, 0.25F, 0.25F, 0, 1, 0, 0, 0};
    const auto maps = batch.seen([&] { compute(scores(shares, {2, 4}), 1); });
    REQUIRE(maps.size() == 1);
    CHECK(maps[0].component == "net");
    CHECK(maps[0].number == 1);
    CHECK(!maps[0].places);
    CHECK(maps[0].weights.allclose(at::tensor({0.5F, 0.25F, 0.25F}).view({1, 1, 3})));
    CHECK(maps[0].columns == Strings{"a", "b", "c"});
    CHECK(maps[0].rows.empty());
    CHECK(batch.watch().of_sample(batch.frame(), 1)[0].columns == Strings{"d"});
}

TEST_CASE("attention: a word to which nothing but its number belongs has this") {
    Batch batch;
    const auto maps = batch.seen([] { compute(at::zeros({2, 4}), 1); });
    REQUIRE(maps.size() == 1);
    CHECK(maps[0].columns == Strings{"a", "b", "c", "4"});
}

TEST_CASE("attention: softmaxes of one row that follow each other are steps") {
    Batch batch;
    const auto maps = batch.seen(
        [] {
            compute(scores({0.5F, 0.5F, 0, 0, 1, 0, 0, 0}, {2, 4}), 1);
            compute(scores({0.25F, 0.75F, 0, 0, 1, 0, 0, 0}, {2, 4}), -1);
        },
        0);
    REQUIRE(maps.size() == 1);
    CHECK(maps[0].weights.allclose(
        at::tensor({0.5F, 0.5F, 0.0F, 0.25F, 0.75F, 0.0F}).view({1, 2, 3})));
    CHECK(maps[0].rows == Strings{"1", "2"});
    CHECK(maps[0].columns == Strings{"a", "b", "c"});
    CHECK(!maps[0].is_to_itself);
}

TEST_CASE("attention: heads come first, in the batch, or last, as the component has them") {
    Batch batch;
    // [B, words, heads], along the words; [B, heads, words]; [B * heads, words, words].
    const at::Tensor three = at::arange(24, at::kFloat).view({2, 4, 3}).div(10);
    const auto maps = batch.seen([&] {
        compute(three, 1);
        compute(three.transpose(1, 2), 2);
        compute(at::arange(96, at::kFloat).view({6, 4, 4}).sin(), 2);
        compute(at::arange(96, at::kFloat).view({2, 3, 4, 4}).sin(), 3);
    });
    REQUIRE(maps.size() == 4);
    CHECK(maps[0].weights.sizes() == at::IntArrayRef{3, 1, 4});
    CHECK(maps[0].weights.allclose(three.softmax(1)[0].transpose(0, 1).unsqueeze(1)));
    CHECK(maps[1].weights.allclose(maps[0].weights));
    CHECK(maps[2].weights.sizes() == at::IntArrayRef{3, 4, 4});
    CHECK(maps[3].weights.equal(maps[2].weights));
    CHECK(maps[3].number == 4);
    CHECK(maps[3].is_to_itself);
    CHECK(maps[3].rows == maps[3].columns);
}

TEST_CASE("attention: weights of places, of patches and of a token before them are found") {
    Batch batch;
    const auto maps = batch.seen([] {
        compute(at::zeros({2, 3, 16}), 2);
        compute(at::zeros({2, 3, 5, 5}), 3);
    });
    REQUIRE(maps.size() == 2);
    REQUIRE(maps[0].places);
    CHECK(maps[0].places->height == 4);
    CHECK(maps[0].places->width == 4);
    CHECK(!maps[0].places->has_token);
    CHECK(maps[0].weights.sizes() == at::IntArrayRef{3, 1, 16});
    CHECK(maps[0].columns.empty());
    REQUIRE(maps[1].places);
    CHECK(maps[1].places->height == 2);
    CHECK(maps[1].places->has_token);
    CHECK(maps[1].is_to_itself);
    CHECK(batch.watch()
              .image_before("net", batch.frame(), 1)
              .equal(at::arange(16, 32, at::kFloat).view({1, 4, 4})));
}

TEST_CASE("attention: softmaxes over classes, logarithms and other samples are none") {
    Batch batch;
    CHECK(batch
              .seen([] {
                  compute(at::zeros({2, 7}), 1);
                  compute(at::zeros({3, 4}), 1);
                  static_cast<void>(at::zeros({2, 4}).log_softmax(1));
              })
              .empty());
    Batch statistic(Kind::kTransform);
    CHECK(statistic.seen([] { compute(at::zeros({2, 4}), 1); }).empty());
}

TEST_CASE("attention: equal lengths of two sequences do not make it one to itself") {
    Batch batch(Kind::kModel, Besides::kTargets);
    const std::vector<float> shares = {0.5F, 0.5F, 0, 0, 0.5F, 0.5F, 0, 0,  //
                                       0.5F, 0.5F, 0, 0, 0.5F, 0.5F, 0, 0};
    std::vector<float> both = shares;
    both.insert(both.end(), shares.begin(), shares.end());
    const auto maps = batch.seen([&] { compute(scores(both, {2, 1, 4, 4}), 3); });
    REQUIRE(maps.size() == 1);
    CHECK(!maps[0].is_to_itself);
    CHECK(maps[0].weights.size(1) == 4);  // no step is cut off with the columns
}

TEST_CASE("attention: the weights of other samples than those that are shown are not kept") {
    Batch batch;
    const auto maps = batch.seen([] { compute(at::zeros({2, 4}), 1); }, 0, 1);
    REQUIRE(maps.size() == 1);
    CHECK_THROWS(static_cast<void>(batch.watch().of_sample(batch.frame(), 1)));
}

TEST_CASE("attention: the image is the nearest before the component") {
    Batch batch(Kind::kModel, Besides::kBlurred);
    CHECK(batch.watch().image_before("net", batch.frame(), 0).equal(at::ones({1, 4, 4})));
}

}  // namespace attention_test
