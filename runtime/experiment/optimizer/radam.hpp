// RAdam: Adam whose adaptive rate is rectified while few gradients have been seen. With
// r_inf = 2 / (1 - b2) - 1 and r = r_inf - 2 t b2^t / (1 - b2^t), the length of the mean of
// squares,
//
//     w <- w - lr * m / (1 - b1^t) * rect * sqrt(1 - b2^t) / (sqrt(v) + eps)     if r > 5
//     w <- w - lr * m / (1 - b1^t)                                               else
//     rect = sqrt((r - 4) (r - 2) r_inf / ((r_inf - 4) (r_inf - 2) r))
//
// Liu et al., "On the variance of the adaptive learning rate and beyond" (2020).

#pragma once

#include "experiment/optimizer/common_fields.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ptp::optimizer {

struct RAdam {
    static constexpr std::string_view kName = "RAdam";
    static constexpr std::string_view kHelp = "Adam with a warm-up that follows from the variance";
    static constexpr std::string_view kExample = R"({ type = "RAdam", lr = 0.001 })";

    double lr = 1e-3;
    double weight_decay = 0;
    std::array<double, 2> betas = {0.9, 0.999};
    double eps = 1e-8;

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return adam_fields(*this);
    }

    double& momentum_option() { return betas[0]; }

    template <class Tensor>
    using State = Means<Tensor>;

    template <class Tensor>
    void step(Tensor& w, const Tensor& g, State<Tensor>& s) const {
        s.update(w, with_decay(g, w, weight_decay), betas);
        if (const auto rate = rectified_rate(s.step)) {
            w.addcdiv_(s.exp_avg, s.exp_avg_sq.sqrt().add_(eps), -*rate);
        } else {
            w.add_(s.exp_avg, -rate_of(s.step));
        }
    }

private:
    // Returns nullopt while too few gradients have been seen.
    [[nodiscard]] std::optional<double> rectified_rate(std::int64_t step) const {
        const auto t = static_cast<double>(step);
        const double correction = 1 - std::pow(betas[1], t);
        const double longest = 2 / (1 - betas[1]) - 1;
        const double length = longest - 2 * t * std::pow(betas[1], t) / correction;
        if (!(length > 5)) {
            return std::nullopt;
        }
        const double rectified =
            (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length);
        return rate_of(step) * std::sqrt(rectified * correction);
    }

    [[nodiscard]] double rate_of(std::int64_t step) const {
        return lr / (1 - std::pow(betas[0], static_cast<double>(step)));
    }
};

}  // namespace ptp::optimizer
