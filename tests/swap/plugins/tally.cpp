// A statistic that counts over a set and cannot say what it has counted. Built without libtorch.

#include <ptp/plugin.hpp>

#include <map>

class Tally {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "Tally";
    static constexpr const char* summary = "Counts batches";
    static constexpr std::array ports{ptp::input("targets", PTP_INTEGER, "B", "Anything")};
    static constexpr std::array statistics{
        ptp::computed("tally", "Batches so far").integer().set_only()};

    void forward(const ptp::Tensor&, const ptp::Step& step) { ++counts_[step.set()]; }
    std::array<double, 1> collect(uint64_t) const { return {}; }
    std::array<double, 1> aggregate(uint64_t set) { return {static_cast<double>(counts_[set])}; }
    void reset(uint64_t set) { counts_[set] = 0; }

private:
    std::map<uint64_t, int64_t> counts_;
};

PTP_PLUGIN("tally", TALLY_VERSION, Tally);
