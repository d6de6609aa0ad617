// Draws the share of a sample from a beta distribution, and makes targets soft.

#include "mixing.hpp"

#include "tensor_checks.hpp"

#include <ptp/error.hpp>

#include <ATen/ATen.h>

#include <cmath>
#include <numbers>

namespace mixing {

namespace {

double normal(ptp::Random& random) {  // Box and Muller
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

// Returns the logarithm of a draw from Gamma(alpha, 1), which may be too small for a double.
// Marsaglia and Tsang 2000, A simple method for generating gamma variables.
double log_gamma_draw(ptp::Random& random, double alpha) {
    if (alpha < 1) {
        const double larger = log_gamma_draw(random, alpha + 1);
        return larger + std::log(1 - random.uniform()) / alpha;
    }
    const double d = alpha - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    for (;;) {
        const double x = normal(random);
        const double root = 1 + c * x;
        const double v = root * root * root;
        if (v > 0 && std::log(1 - random.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) {
            return std::log(d) + std::log(v);
        }
    }
}

}  // namespace

Mixing::Mixing(const Config& config, const ptp::Setup& setup)
    : config_(config),
      classes_(config.classes ? *config.classes : setup.global<int64_t>("num_classes")),
      setup_(setup) {}

std::optional<ptp::Random> Mixing::begin() const {
    ptp::Random random(setup_.random());
    return random.uniform() < config_.probability ? std::optional(random) : std::nullopt;
}

double Mixing::share(ptp::Random& random) const {
    const double own = log_gamma_draw(random, config_.alpha);
    const double other = log_gamma_draw(random, config_.alpha);
    return 1 / (1 + std::exp(other - own));
}

at::Tensor Mixing::shares(const at::Tensor* classes, const at::Tensor* soft,
                          const at::Tensor& inputs) const {
    if (soft != nullptr) {
        const int64_t sizes[] = {inputs.size(0), classes_};
        ptp::support::require_sizes("targets", *soft, sizes, "a share of each class");
        return *soft;
    }
    ptp::support::require_sizes("targets", *classes, inputs.sizes().slice(0, 1), "as inputs has");
    ptp::support::require_classes({.name = "targets",
                                   .targets = *classes,
                                   .counted = at::ones_like(*classes, at::kBool),
                                   .classes = classes_,
                                   .others = ""});
    return at::zeros({classes->size(0), classes_}, inputs.options())
        .scatter_(1, classes->to(at::kLong).unsqueeze(1), 1);  // [B] -> [B, C]
}

at::Tensor mixed(const at::Tensor& values, double share) {
    return values.roll(1, 0).mul_(1 - share).add_(values * share);
}

}  // namespace mixing
