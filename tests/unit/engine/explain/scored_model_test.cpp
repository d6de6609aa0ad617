// The scores of a pipeline as a function of an image: expected numbers by hand, and no trace in
// weights, buffers and generators.

#include "engine/explain/scored_model.hpp"
#include "engine/distributed/signals.hpp"
#include "engine/explain/judgment.hpp"
#include "engine/explain/methods.hpp"
#include "support/engine_plan.hpp"

#include <ATen/Context.h>
#include <ATen/core/Generator.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <doctest/doctest.h>

#include <cmath>
#include <optional>

namespace scored_model_test {

using namespace ptp::engine;
using ptp::experiment::Explanations;
using ptp::plugin::Element;
using ptp::plugin::Kind;
using ptp::test::tensor_in;

namespace {

constexpr int kImages = 0;
constexpr int kFactors = 1;
constexpr int kScores = 2;

// The component's weights; it has no instance.
struct Weights {
    at::Tensor kernel =
        at::arange(18, at::kFloat).view({2, 1, 3, 3}).div(9).sub(1).requires_grad_();
    at::Tensor last = at::arange(96, at::kFloat).view({3, 32}).sin().requires_grad_();
};
Weights& weights() {
    static Weights made;
    return made;
}

// While it exists, the component returns scores without a graph.
class WithoutGraph {
public:
    WithoutGraph() { is_on() = true; }
    ~WithoutGraph() { is_on() = false; }
    WithoutGraph(const WithoutGraph&) = delete;
    WithoutGraph& operator=(const WithoutGraph&) = delete;

    static bool& is_on() {
        static bool on = false;
        return on;
    }
};

// Log-probabilities of three classes: a convolution, a ReLU and a matrix; the scores are
// multiplied by a factor of the sample.
int32_t forward(void*, const ptp_step*, const ptp_value* const* inputs, ptp_value* const* outputs) {
    const at::Tensor hidden = at::conv2d(tensor_in(inputs[0]), weights().kernel).relu().flatten(1);
    const at::Tensor scores = at::linear(hidden, weights().last) * tensor_in(inputs[1]);
    tensor_in(outputs[0]) = at::log_softmax(WithoutGraph::is_on() ? scores.detach() : scores, 1);
    return 0;
}

class Model {
public:
    Model() {
        plan_.add_stream("images", Element::kFloating, {-1, 1, 6, 6});
        plan_.add_stream("factors", Element::kFloating, {-1, 1});
        plan_.add_stream("scores", Element::kFloating, {-1, 3});
        ptp_component_info info = ptp::test::idle_component();
        info.forward = forward;
        plan_.add_task(ptp::test::five_samples(), {{"images", kImages}, {"factors", kFactors}});
        plan_.add_node("net", Kind::kModel, info, {{"images", kImages}, {"factors", kFactors}},
                       {{"scores", kScores}});
        components_ = plan_.create();
        ptp::pipeline::Prediction prediction;
        prediction.next_word.stream = kScores;
        model_.emplace(plan_.plan, components_, prediction);
        frame_.emplace(plan_.plan);
        (*frame_)[kImages].tensor = images_;
        (*frame_)[kFactors].tensor = at::tensor({1.0F, 2.0F}).view({2, 1});
        (*frame_)[kScores].tensor = at::tensor({0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 0.0F}).view({2, 3});
        ptp_step step{};
        step.struct_size = sizeof(ptp_step);
        step.section = "test";
        step.batch_size = 2;
        model_->take(*frame_, step, 1);
    }

    [[nodiscard]] ScoredModel& model() { return *model_; }
    [[nodiscard]] at::Tensor image() const { return images_.narrow(0, 1, 1); }

private:
    ptp::test::EnginePlan plan_;
    ptp::engine::Components components_;
    std::optional<ptp::engine::Frame> frame_;
    std::optional<ScoredModel> model_;
    at::Tensor images_ = at::arange(72, at::kFloat).view({2, 1, 6, 6}).cos();
};

at::Tensor scores_by_hand(const at::Tensor& images) {
    const at::Tensor hidden = at::conv2d(images, weights().kernel).relu().flatten(1);
    return at::linear(hidden, weights().last) * 2;
}

}  // namespace

TEST_CASE("scored model: copies of an image have the scores before the softmax, with its factor") {
    Model made;
    CHECK(made.model().image_stream() == "images");
    CHECK(made.model().score_stream() == "scores");
    CHECK(made.model().image().equal(made.image()));
    const at::Tensor copies = made.image().expand({3, 1, 6, 6}).contiguous();
    const at::Tensor scores = made.model().scores(copies);
    CHECK(made.model().is_before_softmax());
    CHECK(scores.allclose(scores_by_hand(copies)));
}

TEST_CASE("scored model: the saliency is the magnitude of the gradient, of one class or of two") {
    Model made;
    const Explanations settings;
    const at::Tensor x = made.image().clone().requires_grad_();
    const at::Tensor by_hand = scores_by_hand(x);
    const auto gradient = [&](const at::Tensor& score) {
        return ptp::engine::gradients_of(score, {ptp::engine::edge_of(x)})[0][0];
    };
    const Question two{.model = made.model(), .settings = settings, .target = 2, .against = 0};
    const at::Tensor difference = by_hand.select(1, 2) - by_hand.select(1, 0);
    CHECK(ptp::engine::attribution("saliency", two).values.allclose(gradient(difference).abs()));
    const Question one{.model = made.model(), .settings = settings, .target = 1};
    CHECK(ptp::engine::attribution("saliency", one)
              .values.allclose(gradient(scores_by_hand(x).select(1, 1)).abs()));
}

TEST_CASE("scored model: no method leaves a trace in weights, their gradients and generators") {
    Model made;
    Explanations settings;
    settings.steps = 8;
    const at::Tensor kernel = weights().kernel.detach().clone();
    const at::Tensor last = weights().last.detach().clone();
    const at::Generator generator = at::globalContext().defaultGenerator(at::kCPU);
    const at::Tensor state = generator.get_state();
    for (const char* method : ptp::experiment::kExplainMethods) {
        CAPTURE(method);
        const Question question{.model = made.model(), .settings = settings, .target = 0};
        const at::Tensor values = ptp::engine::attribution(method, question).values;
        const auto dependence = ptp::engine::dependence(method, question, values);
        CHECK((!dependence || std::abs(*dependence) <= 1.0 + 1e-12));
        CHECK(weights().kernel.equal(kernel));
        CHECK(weights().last.equal(last));
        CHECK(!weights().kernel.grad().defined());
        CHECK(!weights().last.grad().defined());
        CHECK(generator.get_state().equal(state));
        CHECK(made.model().image().equal(made.image()));
    }
}

TEST_CASE("scored model: scores without a graph are refused, except by occlusion") {
    Model made;
    const Explanations settings;
    const Question question{.model = made.model(), .settings = settings};
    const WithoutGraph without_graph;
    for (const std::string method : ptp::experiment::kExplainMethods) {
        CAPTURE(method);
        if (method == "occlusion") {
            const at::Tensor values = ptp::engine::attribution(method, question).values;
            CHECK(values.abs().max().item<float>() > 0);
            CHECK(!ptp::engine::dependence(method, question, values));
            continue;
        }
        CHECK_THROWS_WITH(ptp::engine::attribution(method, question),
                          "'scores' has no gradient with respect to the image 'images': a "
                          "component between them computes without gradients\n"
                          "    fix: --method occlusion");
    }
}

TEST_CASE("scored model: a signal ends each method between two of its computations") {
    Model made;
    const Explanations settings;
    const Question question{.model = made.model(), .settings = settings};
    {
        const Signals signals(Signals::Handlers::kNone);
        Signals::stop();
        for (const std::string method : ptp::experiment::kExplainMethods) {
            if (method != "grad_cam") {  // computes the scores once
                CAPTURE(method);
                CHECK_THROWS_AS(ptp::engine::attribution(method, question), ptp::engine::Stopped);
            }
        }
    }
    const Signals again(Signals::Handlers::kNone);  // forgets the signal
    CHECK_NOTHROW(ptp::engine::attribution("saliency", question));
}

TEST_CASE("scored model: the last layer is another one only while it is drawn anew") {
    Model made;
    const Explanations settings;
    const Question question{.model = made.model(), .settings = settings};
    const at::Tensor last = weights().last.detach().clone();
    {
        const ptp::engine::LastLayerDrawnAnew changed(question);
        REQUIRE(changed.is_any());
        CHECK(!weights().last.equal(last));
        CHECK(weights().last.abs().max().item<double>() <= 1 / std::sqrt(32.0));
    }
    CHECK(weights().last.equal(last));
}

namespace {

int32_t squared(void*, const ptp_step*, const ptp_value* const* inputs, ptp_value* const* outputs) {
    tensor_in(outputs[0]) = tensor_in(inputs[0]).square();
    return 0;
}

// The sums of the pixels times 1, 2 and 3.
int32_t summed(void*, const ptp_step*, const ptp_value* const* inputs, ptp_value* const* outputs) {
    tensor_in(outputs[0]) =
        tensor_in(inputs[0]).flatten(1).sum(1, true) * at::tensor({1.0F, 2.0F, 3.0F});
    return 0;
}

// images -> squares -> shown -> scores, where "square" passes through or not.
at::Tensor scores_of_squares(bool passes_through, const at::Tensor& images) {
    ptp::test::EnginePlan plan;
    plan.add_stream("images", Element::kFloating, {-1, 1, 2, 2});
    plan.add_stream("squares", Element::kFloating, {-1, 1, 2, 2});
    plan.add_stream("scores", Element::kFloating, {-1, 3});
    plan.add_task(ptp::test::five_samples(), {{"images", 0}});
    ptp_component_info square = ptp::test::idle_component();
    square.forward = squared;
    ptp::pipeline::Node& node =
        plan.add_node("square", Kind::kTransform, square, {{"inputs", 0}}, {{"outputs", 1}});
    node.runs_for = {!passes_through};
    node.passes_for = {passes_through};
    ptp_component_info sum = ptp::test::idle_component();
    sum.forward = summed;
    plan.add_node("sum", Kind::kModel, sum, {{"inputs", 1}}, {{"outputs", 2}});
    const ptp::engine::Components components = plan.create();
    ptp::pipeline::Prediction prediction;
    prediction.next_word.stream = 2;
    ScoredModel model(plan.plan, components, prediction);
    ptp::engine::Frame frame(plan.plan);
    frame[0].tensor = images;
    frame[1].tensor = images;
    frame[2].tensor = at::zeros({1, 3});
    ptp_step step{};
    step.struct_size = sizeof(ptp_step);
    step.section = "test";
    step.batch_size = 1;
    model.take(frame, step, 0);
    CHECK(model.image_stream() == "images");
    return model.scores(model.image());
}

}  // namespace

TEST_CASE("scored model: what passes through in the prediction does so while it is explained") {
    const at::Tensor image = at::tensor({1.0F, 2.0F, 3.0F, 4.0F}).view({1, 1, 2, 2});
    // 1 + 2 + 3 + 4, and 1 + 4 + 9 + 16
    CHECK(scores_of_squares(true, image).equal(at::tensor({10.0F, 20.0F, 30.0F}).view({1, 3})));
    CHECK(scores_of_squares(false, image).equal(at::tensor({30.0F, 60.0F, 90.0F}).view({1, 3})));
}

}  // namespace scored_model_test
