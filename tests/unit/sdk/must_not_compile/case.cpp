// Mistakes of an author, one for each value of PTP_MISTAKE; none compiles, 0 has no mistake.

#include <ptp/plugin.hpp>

namespace {

enum class Cell { kLSTM, kGRU };

class Sample {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
#if PTP_MISTAKE != 1
    static constexpr const char* name = "Sample";
#endif
    static constexpr const char* summary = "For a test";
    static constexpr std::array ports {
        ptp::input("first", PTP_FLOAT, "B, 3", "One"),
            ptp::input("second", PTP_BOOL, "B", "Two").when("flag"),
#if PTP_MISTAKE == 2
            ptp::input("second", PTP_STRING, "B", "Three"),
#else
            ptp::input("words", PTP_STRING, "B", "Three"),
#endif
#if PTP_MISTAKE == 3
            ptp::input("rest", PTP_FLOAT, "B", "Four").streams_from("flag"),
#else
            ptp::input("rest", PTP_FLOAT, "B", "Four").streams_from("input_streams"),
#endif
            ptp::output("third", PTP_FLOAT, "B", "Five")
    };
#if PTP_MISTAKE == 4
    static constexpr std::array statistics{ptp::mean("speed", "Six")};
#elif PTP_MISTAKE == 17
    static constexpr std::array statistics{ptp::computed("speed", "Six")};
    std::array<double, 1> collect(uint64_t) const {
        return {};
    }
    std::array<double, 1> aggregate(uint64_t) const {
        return {};
    }
    void reset(uint64_t) {}
#endif

    struct Config {
        bool flag = true;
        std::vector<std::string> input_streams;
        Cell cell = Cell::kLSTM;
#if PTP_MISTAKE == 5
        float rate = 0;
#else
        double rate = 0;
#endif

        static constexpr auto settings() {
            return std::tuple {
                ptp::setting("flag", &Config::flag, {}),
                    ptp::setting("input_streams", &Config::input_streams, {}),
#if PTP_MISTAKE == 6
                    ptp::setting("cell", &Config::cell, {}),
#else
                    ptp::setting("cell", &Config::cell, {.choices = "LSTM|GRU"}),
#endif
#if PTP_MISTAKE == 7
                    ptp::setting(PTP_NAME, &Config::rate, {})
#else
                    ptp::setting("rate", &Config::rate, {})
#endif
            };
        }
    };

    using View = ptp::TensorView;
    using Rest = ptp::List<View>;

#if PTP_MISTAKE == 8
    ptp::TensorData forward(const View&, const View*, const ptp::Strings&) {
        return {};
    }
#elif PTP_MISTAKE == 9
    ptp::TensorData forward(View&, const View*, const ptp::Strings&, const Rest&) {
        return {};
    }
#elif PTP_MISTAKE == 10
    ptp::TensorData forward(const View&, const View&, const ptp::Strings&, const Rest&) {
        return {};
    }
#elif PTP_MISTAKE == 11
    ptp::TensorData forward(const View&, const View*, const View&, const Rest&) {
        return {};
    }
#elif PTP_MISTAKE == 12
    ptp::TensorData forward(const View&, const View*, const ptp::Strings&, const View&) {
        return {};
    }
#elif PTP_MISTAKE == 13
    void forward(const View&, const View*, const ptp::Strings&, const Rest&) {}
#elif PTP_MISTAKE == 14
    double forward(const View&, const View*, const ptp::Strings&, const Rest&) {
        return {};
    }
#elif PTP_MISTAKE == 15
    ptp::TensorData compute(const View&) {
        return {};
    }
#else
#if PTP_MISTAKE == 16
    static constexpr bool is_per_sample = true;
#endif
    ptp::TensorData forward(const View&, const View*, const ptp::Strings&, const Rest&,
                            const ptp::Step&) {
        return {};
    }
#endif
};

}  // namespace

PTP_PLUGIN("sample", "0.1.0", Sample);
