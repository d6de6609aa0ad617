// Further mistakes of an author, one for each value of PTP_MISTAKE; with 0 there is none.

#if PTP_MISTAKE == 20
#include <ptp/component.hpp>
class Sample;
#include <ptp/entry.hpp>
#else
#include <ptp/plugin.hpp>

#include <list>

namespace {

struct Transform {
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Sample";
    static constexpr const char* summary = "For a test";
    static constexpr std::array ports{ptp::input("in", PTP_FLOAT, "B", "One"),
                                      ptp::output("out", PTP_FLOAT, "B", "Two")};
    ptp::TensorData forward(const ptp::TensorView&) { return {}; }
};

struct Task {
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "Sample";
    static constexpr const char* summary = "For a test";
    static constexpr std::array ports{ptp::output("numbers", PTP_FLOAT, "B", "Numbers"),
                                      ptp::output("words", PTP_STRING, "B", "Words")};
    int64_t size() const { return 1; }
};

#if PTP_MISTAKE == 0
struct Sample : Transform {
    enum class Color { kRed };
    struct Part {
        std::vector<double> numbers;
        ptp::TensorData tensor;
        static constexpr auto state() {
            return std::tuple{ptp::kept("numbers", &Part::numbers),
                              ptp::kept("tensor", &Part::tensor)};
        }
    };
    ptp::BySet<Part> sets;
    std::map<std::string, std::optional<Color>> colors;
    ptp::Random random{1};
    static constexpr auto state() {
        return std::tuple{ptp::kept("sets", &Sample::sets), ptp::kept("colors", &Sample::colors),
                          ptp::kept("random", &Sample::random)};
    }
};
#elif PTP_MISTAKE == 21
struct Sample : Transform {
    static constexpr auto ports = ptp::input("in", PTP_FLOAT, "B", "One");
};
#elif PTP_MISTAKE == 22
struct Sample : Transform {
    static constexpr std::array globals{ptp::mean("size", "A statistic")};
};
#elif PTP_MISTAKE == 23
struct Sample : Transform {
    static constexpr auto statistics = ptp::mean("speed", "Alone");
};
#elif PTP_MISTAKE == 24
struct Sample : Transform {
    struct Config {
        bool flag = true;
    };
};
#elif PTP_MISTAKE == 25
struct Sample : Transform {
    explicit Sample(int) {}
};
#elif PTP_MISTAKE == 26
struct Sample : Transform {
    struct Config {
        bool flag = true;
        static constexpr auto settings() {
            return std::tuple{ptp::setting("flag", &Config::flag, {})};
        }
    };
    Sample(const Config&, ptp::Setup) {}
};
#elif PTP_MISTAKE == 27
struct Sample : Transform {
    int module() { return 1; }
};
#elif PTP_MISTAKE == 28
struct Sample : Transform {
    void set_training() {}
};
#elif PTP_MISTAKE == 29
struct Sample : Transform {
    void migrate(int) {}
};
#elif PTP_MISTAKE == 30
struct Sample : Transform {
    ptp::Data export_state() const { return 1; }
};
#elif PTP_MISTAKE == 31
struct Sample : Transform {
    ptp::Data export_state() const { return 1; }
    void import_state(uint32_t, const ptp::Data&) {}
};
#elif PTP_MISTAKE == 32
struct Sample : Transform {
    std::list<int> counts;
    static constexpr auto state() { return std::tuple{ptp::kept("counts", &Sample::counts)}; }
};
#elif PTP_MISTAKE == 33
struct Sample : Transform {
    static int state() { return 1; }
};
#elif PTP_MISTAKE == 34
struct Sample : Transform {
    static constexpr std::array statistics{ptp::computed("share", "Of a set")};
    std::array<double, 1> collect(uint64_t) { return {}; }
    std::array<double, 1> aggregate(uint64_t) { return {}; }
};
#elif PTP_MISTAKE == 35
struct Sample : Transform {
    static constexpr std::array statistics{ptp::mean("share", "Of a batch")};
    std::vector<double> collect(uint64_t) { return {}; }
};
#elif PTP_MISTAKE == 36
struct Sample : Task {};
#elif PTP_MISTAKE == 37
struct Sample : Task {
    std::tuple<float, int> sample(int64_t, ptp::Random&) { return {}; }
};
#elif PTP_MISTAKE == 38
struct Sample : Task {
    float sample(int64_t, ptp::Random&) { return {}; }
};
#elif PTP_MISTAKE == 39
struct Sample : Task {
    std::tuple<float, std::string> sample(int64_t) { return {}; }
};
#elif PTP_MISTAKE == 40
struct Sample : Task {
    int size() const { return 1; }
    std::tuple<float, std::string> sample(int64_t, ptp::Random&) { return {}; }
};
#elif PTP_MISTAKE == 41
struct Sample : Task {
    ptp::TensorData fetch(const ptp::Fetch&) { return {}; }
};
#elif PTP_MISTAKE == 42
class Sample : public Transform {
    ptp::TensorData forward(const ptp::TensorView&) { return {}; }
};
#elif PTP_MISTAKE == 43
struct Sample : Transform {
    template <class T>
    ptp::TensorData forward(const T&) {
        return {};
    }
};
#elif PTP_MISTAKE == 44
struct Sample : Transform {
    Sample() {
        const std::vector<int> items{1, 2};
        ptp::Random(1).shuffle(items);
    }
};
#elif PTP_MISTAKE == 45
struct Sample : Transform {
    explicit Sample(ptp::Setup& setup) { setup.global<float>("size"); }
};
#elif PTP_MISTAKE == 46
struct Sample : Transform {
    static constexpr int kind = 9;
};
#elif PTP_MISTAKE == 47
struct Sample : Task {
    std::tuple<float, std::string> sample(int64_t, ptp::Random&) { return {}; }
    std::vector<double> sample_weights() { return {}; }
};
#elif PTP_MISTAKE == 48
struct Sample : Task {
    std::tuple<float, std::string> sample(int64_t, ptp::Random&) { return {}; }
    std::vector<double> sample_classes() const { return {}; }
};
#elif PTP_MISTAKE == 49
struct Sample : Transform {
    std::vector<double> sample_weights() const { return {}; }
};
#endif

}  // namespace
#endif

PTP_PLUGIN("sample", "0.1.0", Sample);
