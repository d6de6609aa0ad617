// Integrated gradients: Sundararajan, Taly, Yan: Axiomatic Attribution for Deep Networks (2017).

#include "engine/explain/methods.hpp"

#include <ATen/ops/full_like.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ptp::engine {

namespace {

constexpr std::int64_t kSteps = 50;
constexpr std::int64_t kMaxSteps = 400;
constexpr double kSmallDelta = 0.01;  // of the difference of the scores

// The points of an integral from 0 to 1, and their weights.
struct Rule {
    std::vector<double> points;
    std::vector<double> weights;
};

// The paper's sum: at k / steps for k = 1 ... steps.
Rule riemann(std::int64_t steps) {
    Rule rule;
    for (std::int64_t k = 1; k <= steps; ++k) {
        rule.points.push_back(static_cast<double>(k) / static_cast<double>(steps));
        rule.weights.push_back(1 / static_cast<double>(steps));
    }
    return rule;
}

// The roots t of the Legendre polynomial of this degree by Newton's method, and the weights
// 2 / ((1 - t^2) P'(t)^2), moved from [-1, 1] to [0, 1].
Rule gauss_legendre(std::int64_t steps) {
    Rule rule;
    const auto n = static_cast<double>(steps);
    for (std::int64_t i = 0; i < steps; ++i) {
        double t = -std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (n + 0.5));
        double slope = 1;
        for (double change = 1; std::abs(change) > 1e-15;) {
            double before = 1;
            double value = t;
            for (double k = 2; k <= n; ++k) {
                const double next = ((2 * k - 1) * t * value - (k - 1) * before) / k;
                before = value;
                value = next;
            }
            slope = n * (t * value - before) / (t * t - 1);
            change = steps == 1 ? t : value / slope;
            t -= change;
        }
        rule.points.push_back((1 + t) / 2);
        rule.weights.push_back(steps == 1 ? 1 : 1 / ((1 - t * t) * slope * slope));
    }
    return rule;
}

// Returns the integral of the gradient along the line from the baseline to the image. Only one part
// of its points exists at a time.
at::Tensor mean_gradient(const Question& question, const at::Tensor& baseline, const Rule& rule) {
    const at::Tensor& image = question.model.image();
    at::Tensor total = at::zeros_like(image, at::kDouble);
    const auto most = std::max<std::size_t>(static_cast<std::size_t>(question.settings.at_once), 1);
    for (std::size_t first = 0; first < rule.points.size(); first += most) {
        const std::size_t count = std::min(most, rule.points.size() - first);
        const auto column = [&](const std::vector<double>& numbers) {
            return at::tensor(c10::ArrayRef<double>(numbers.data() + first, count),
                              at::device(image.device()).dtype(at::kDouble))
                .view({-1, 1, 1, 1});
        };
        const at::Tensor points =
            baseline + column(rule.points).to(image.scalar_type()) * (image - baseline);
        total += (column(rule.weights) * image_gradients(question, points)).sum(0, true);
    }
    return total;
}

}  // namespace

Attribution integrated_gradients(const Question& question) {
    const experiment::Explanations& settings = question.settings;
    const at::Tensor& image = question.model.image();
    const at::Tensor baseline = at::full_like(image, settings.baseline);
    const double difference =
        (scores_of(question, image) - scores_of(question, baseline)).item<double>();
    Attribution made;
    std::int64_t steps = settings.steps.value_or(kSteps);
    while (true) {
        const Rule rule = settings.is_captum() ? gauss_legendre(steps) : riemann(steps);
        const at::Tensor values = (image - baseline) * mean_gradient(question, baseline, rule);
        made.values = values[0];
        made.delta = values.sum().item<double>() - difference;
        made.relative_delta =
            difference == 0 ? std::abs(*made.delta) : std::abs(*made.delta) / std::abs(difference);
        if (settings.is_captum() || settings.steps || *made.relative_delta < kSmallDelta ||
            steps >= kMaxSteps) {
            break;
        }
        steps = std::min(2 * steps, kMaxSteps);
    }
    made.settings = {{"rule", settings.is_captum() ? "gauss_legendre" : "riemann"},
                     {"steps", steps},
                     {"baseline", settings.baseline}};
    return made;
}

}  // namespace ptp::engine
