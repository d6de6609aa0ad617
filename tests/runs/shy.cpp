// A statistic that gives its state only between two epochs, and a newer build of it. Built without
// libtorch.

#include <ptp/plugin.hpp>

#include <map>

class Shy {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "Shy";
    static constexpr const char* summary = "Counts batches";
    static constexpr std::array ports{ptp::input("targets", PTP_INTEGER, "B", "Anything")};
    static constexpr std::array statistics{
        ptp::computed("batches_counted", "Batches so far").integer().set_only()};

    void forward(const ptp::Tensor&, const ptp::Step& step) { ++counts_[step.set()]; }
    std::array<double, 1> collect(uint64_t) const { return {}; }
    std::array<double, 1> aggregate(uint64_t set) { return {static_cast<double>(counts_[set])}; }
    void reset(uint64_t set) { counts_[set] = 0; }

    static constexpr uint32_t state_version = 1;
    ptp::Data export_state() const {
        const auto training = counts_.find(0);
        if (training != counts_.end() && training->second > 0) {
            throw ptp::DataError("is counting; it gives its state between two epochs");
        }
        return ptp::Data::List{};
    }
    void import_state(uint32_t, const ptp::Data&) { counts_.clear(); }

private:
    std::map<uint64_t, int64_t> counts_;
};

PTP_PLUGIN("shy", SHY_VERSION, Shy);
