// Dropout: drops numbers at random while training, as torch.nn.Dropout.

#include "same_shape.hpp"

#include <ptp/component.hpp>

#include <ATen/ops/dropout.h>

class Dropout {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Dropout";
    static constexpr const char* summary =
        "Drops numbers at random while training: a layer of torch.nn";

    static constexpr std::array ports =
        layers::same_shape("0, or the number divided by 1 - p while training", "inputs");

    struct Config {
        double p = 0.5;

        static constexpr auto settings() {
            return std::tuple{ptp::setting(
                "p", &Config::p, {.help = "The chance of dropping a number", .range = "[0, 1)"})};
        }
    };

    explicit Dropout(const Config& config) : p_(config.p) {}

    at::Tensor forward(const at::Tensor& inputs) { return at::dropout(inputs, p_, is_training_); }

    void set_training(bool is_training) { is_training_ = is_training; }

private:
    double p_;
    bool is_training_ = true;
};

template const ptp_component_info& ptp::component<Dropout>();
