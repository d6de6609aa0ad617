// A statistic that counts over a set. Built without libtorch, once with an older format of its
// state.

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

    static constexpr uint32_t state_version = TALLY_STATE_VERSION;
    ptp::Data export_state() const {
        ptp::Data::List counts;
        for (const auto& [set, count] : counts_) {
            counts.push_back(ptp::Data::List{set, count});
        }
        return counts;
    }
    void import_state(uint32_t, const ptp::Data& state) {
        counts_.clear();
        for (const ptp::Data& count : state.as_list()) {
            counts_[static_cast<uint64_t>(count.as_list().at(0).as_integer())] =
                count.as_list().at(1).as_integer();
        }
    }

private:
    std::map<uint64_t, int64_t> counts_;
};

PTP_PLUGIN("tally", TALLY_VERSION, Tally);
