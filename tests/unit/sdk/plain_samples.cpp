// A plugin without libtorch, for plain_test.cpp.

#include <ptp/plugin.hpp>

#include <algorithm>

namespace {

// Adds `amount` to the rows that are not masked, and says how long their names are.
class Add {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Add";
    static constexpr const char* summary = "Adds a number";
    static constexpr std::array ports{
        ptp::input("values", PTP_FLOAT, "B", "Numbers"),
        ptp::input("names", PTP_STRING, "B", "Names"),
        ptp::input("masks", PTP_BOOL, "B", "True for numbers that change").optional(),
        ptp::output("sums", PTP_FLOAT, "B", "Numbers"),
        ptp::output("lengths", PTP_INTEGER, "B", "Lengths of the names"),
        ptp::output("echo", PTP_STRING, "B", "The names")};

    struct Config {
        double amount = 1;
        static constexpr auto settings() {
            return std::tuple{ptp::setting("amount", &Config::amount, {.help = "What to add"})};
        }
    };

    explicit Add(const Config& config) : amount_(static_cast<float>(config.amount)) {}

    std::tuple<ptp::TensorData, ptp::TensorData, std::vector<std::string>> forward(
        const ptp::TensorView& values, const ptp::Strings& names, const ptp::TensorView* masks) {
        const auto from = values.elements<float>();
        auto sums = ptp::TensorData::zeros<float>({values.size(0)});
        auto lengths = ptp::TensorData::zeros<int64_t>({values.size(0)});
        std::vector<std::string> echo;
        for (size_t i = 0; i < from.size(); ++i) {
            const bool counts = masks == nullptr || masks->elements<bool>()[i];
            sums.elements<float>()[i] = from[i] + (counts ? amount_ : 0.0f);
            lengths.elements<int64_t>()[i] = static_cast<int64_t>(names[i].size());
            echo.emplace_back(names[i]);
        }
        return {std::move(sums), std::move(lengths), std::move(echo)};
    }

private:
    float amount_;
};

class Counting {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "Counting";
    static constexpr const char* summary = "The numbers from 0";
    static constexpr std::array ports{
        ptp::output("pairs", PTP_FLOAT, "B, 2", "n and n * n").when("with_pairs"),
        ptp::output("numbers", PTP_INTEGER, "B", "n"),
        ptp::output("words", PTP_STRING, "B", "n as text")};

    struct Config {
        bool with_pairs = true;
        int64_t pairs_below = 10;
        static constexpr auto settings() {
            return std::tuple{ptp::setting("with_pairs", &Config::with_pairs,
                                           {.help = "Whether there are pairs"}),
                              ptp::setting("pairs_below", &Config::pairs_below,
                                           {.help = "From here on pairs are left out"})};
        }
    };

    explicit Counting(const Config& config) : config_(config) {}

    int64_t size() const { return 10; }

    std::tuple<ptp::TensorData, int64_t, std::string> sample(int64_t index, ptp::Random&) {
        if (!config_.with_pairs || index >= config_.pairs_below) {
            return {ptp::TensorData(), index, std::to_string(index)};
        }
        auto pair = ptp::TensorData::zeros<float>({2});
        pair.elements<float>()[0] = static_cast<float>(index);
        pair.elements<float>()[1] = static_cast<float>(index * index);
        return {std::move(pair), index, std::to_string(index)};
    }

private:
    Config config_;
};

}  // namespace

PTP_PLUGIN("plain_samples", "0.1.0", Add, Counting);
