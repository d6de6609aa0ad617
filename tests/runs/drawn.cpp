// A task that states how likely its samples are drawn, built several times as the builds of one
// plugin: see plugins.cmake. The streams are those of Counted. Built without libtorch.

#include <ptp/plugin.hpp>

#include <vector>

namespace {

class Drawn {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "Drawn";
    static constexpr const char* summary = "States weights of its samples";
    static constexpr std::array ports{
        ptp::output("inputs", PTP_FLOAT, "B, 4", "Functions of the index"),
        ptp::output("targets", PTP_INTEGER, "B", "The index modulo 4")
            .purpose(PTP_PURPOSE_TARGETS)};
    static constexpr std::array globals{
        ptp::publishes("num_classes", "Classes").purpose(PTP_PURPOSE_CLASS_COUNT).value("4")};

    explicit Drawn(ptp::Setup& setup) { setup.publish("num_classes", 4); }

    int64_t size() const { return 24; }

    // The last sample is more likely than the others.
    std::vector<double> sample_weights() const {
        std::vector<double> weights(24, 1.0);
        weights.back() = DRAWN_WEIGHT;
        return weights;
    }

    std::tuple<ptp::TensorData, ptp::TensorData> fetch(const ptp::Fetch& fetch) {
        const auto count = static_cast<int64_t>(fetch.size());
        auto inputs = ptp::TensorData::zeros<float>({count, 4});
        auto targets = ptp::TensorData::zeros<int64_t>({count});
        for (size_t i = 0; i < fetch.size(); ++i) {
            const auto index = static_cast<size_t>(fetch.indices()[i]);
            targets.elements<int64_t>()[i] = static_cast<int64_t>(index % 4);
            inputs.elements<float>()[4 * i + index % 4] = DRAWN_BRIGHTNESS;
        }
        return {std::move(inputs), std::move(targets)};
    }
};

}  // namespace

PTP_PLUGIN("drawn", DRAWN_VERSION, Drawn);
