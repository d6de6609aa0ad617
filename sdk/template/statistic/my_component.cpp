// MyComponent: the share of predictions that are close enough to their targets.

#include <ptp/plugin.hpp>

#include <ATen/TensorOperators.h>

namespace {

class MyComponent {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "MyComponent";
    static constexpr const char* summary = "Share of predictions that are near their targets";
    static constexpr const char* description =
        "A prediction is a hit if it differs from its target by at most `tolerance`. The value of "
        "a set is the share over all its numbers, not the mean over its batches; 0 if it has none.";

    static constexpr std::array ports{
        ptp::input("targets", PTP_FLOAT, "B, size", "The right numbers")
            .purpose(PTP_PURPOSE_TARGETS),
        ptp::input("predictions", PTP_FLOAT, "B, size", "The model's predictions")};
    static constexpr std::array statistics{
        ptp::computed("hits", "Share of predictions within the tolerance")
            .decimals(4)
            .larger_is_better()};

    struct Config {
        double tolerance = 0.1;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("tolerance", &Config::tolerance,
                             {.help = "Largest difference of a hit", .range = "[0, inf)"})};
        }
    };

    explicit MyComponent(const Config& config) : tolerance_(config.tolerance) {}

    void forward(const at::Tensor& targets, const at::Tensor& predictions, const ptp::Step& step) {
        if (predictions.sizes() != targets.sizes()) {
            throw ptp::DataError("targets has the sizes ", targets.sizes(), ", must have ",
                                 predictions.sizes(), ", as predictions has");
        }
        const at::Tensor is_hit = (predictions - targets).abs().le(tolerance_);  // [B, size]
        batch_ = {.hits = is_hit.sum().item<int64_t>(), .numbers = is_hit.numel()};
        Count& set = sets_[step.set()];
        set.hits += batch_.hits;
        set.numbers += batch_.numbers;
    }

    // Return the values for the last batch, and for all batches of a set since its reset.
    std::array<double, 1> collect(uint64_t) const { return {share(batch_)}; }
    std::array<double, 1> aggregate(uint64_t set) { return {share(sets_[set])}; }
    void reset(uint64_t set) { sets_.reset(set); }

    // The state between calls, from which a resumed run continues.
    static constexpr auto state() { return ptp::kept(&MyComponent::sets_); }

private:
    struct Count {
        int64_t hits = 0;
        int64_t numbers = 0;

        static constexpr auto state() {
            return std::tuple{ptp::kept("hits", &Count::hits),
                              ptp::kept("numbers", &Count::numbers)};
        }
    };

    static double share(const Count& count) {
        return count.numbers == 0
                   ? 0.0
                   : static_cast<double>(count.hits) / static_cast<double>(count.numbers);
    }

    double tolerance_;
    Count batch_;
    ptp::BySet<Count> sets_;
};

}  // namespace

PTP_PLUGIN("my_plugin", "0.1.0", MyComponent);
