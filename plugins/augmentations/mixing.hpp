// The common parts of transforms that mix each sample of a batch with another one: their streams,
// the share of the sample itself, and the targets.
//
// The other sample is the one before in the batch, as in torchvision's v2.MixUp and v2.CutMix: a
// training set is shuffled, so that this is a random one.
#pragma once

#include <ptp/declare.hpp>
#include <ptp/random.hpp>
#include <ptp/settings.hpp>
#include <ptp/setup.hpp>

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <optional>
#include <tuple>

namespace mixing {

struct Config {
    double alpha = 1;
    double probability = 1;
    bool use_soft_targets = false;
    std::optional<int64_t> classes;

    static constexpr auto settings() {
        return std::tuple{
            ptp::setting("alpha", &Config::alpha,
                         {.help = "The share of a sample is drawn from Beta(alpha, alpha): 1 makes "
                                  "all equally likely, less prefers shares near 0 and 1",
                          .range = "[0.001, inf)"}),
            ptp::setting("probability", &Config::probability,
                         {.help = "Chance that a batch is mixed at all", .range = "[0, 1]"}),
            ptp::setting("use_soft_targets", &Config::use_soft_targets,
                         {.help = "Whether targets are shares of classes, as another such "
                                  "transform returns them, instead of classes"}),
            ptp::setting("classes", &Config::classes,
                         {.help = "How many classes there are; if not given, the global "
                                  "num_classes",
                          .range = "[1, inf)"})};
    }
};

constexpr auto ports(const char* outputs) {
    return std::array{
        ptp::input("inputs", PTP_FLOAT, "B, channels, height, width", "Images"),
        ptp::input("targets", PTP_INTEGER, "B", "The class of each image")
            .purpose(PTP_PURPOSE_TARGETS)
            .when("!use_soft_targets"),
        ptp::input("targets", PTP_FLOAT, "B, $classes|num_classes", "The share of each class")
            .purpose(PTP_PURPOSE_TARGETS)
            .when("use_soft_targets"),
        ptp::output("outputs", PTP_FLOAT, "B, channels, height, width", outputs).meaning("inputs"),
        ptp::output("soft_targets", PTP_FLOAT, "B, $classes|num_classes", "The share of each class")
            .purpose(PTP_PURPOSE_TARGETS)
            .meaning("probabilities")};
}

inline constexpr ptp::Global kNumClasses =
    ptp::reads("num_classes", "How many classes there are").when("!classes");

// The targets of a batch, and what is drawn for it.
class Mixing {
public:
    Mixing(const Config& config, const ptp::Setup& setup);

    // Returns the generator of a batch that is mixed.
    [[nodiscard]] std::optional<ptp::Random> begin() const;
    // Draws from Beta(alpha, alpha).
    double share(ptp::Random& random) const;

    // Returns a row of shares for each sample. Throws DataError where a target is not a class.
    [[nodiscard]] at::Tensor shares(const at::Tensor* classes, const at::Tensor* soft,
                                    const at::Tensor& inputs) const;

private:
    Config config_;
    int64_t classes_;
    const ptp::Setup& setup_;
};

// Returns share * values + (1 - share) * those of the sample before.
at::Tensor mixed(const at::Tensor& values, double share);

}  // namespace mixing
