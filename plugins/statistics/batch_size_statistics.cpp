// BatchSizeStatistics: how many samples a batch has, and how many the set has.

#include <ptp/component.hpp>

#include <map>

class BatchSizeStatistics {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "BatchSizeStatistics";
    static constexpr const char* summary = "Samples in the batch, and in the set";

    static constexpr std::array ports{
        ptp::input("indices", PTP_INTEGER, "B", "Indices of the samples")};
    static constexpr std::array statistics{
        ptp::mean("batch_size", "Samples in the batch").integer(),
        ptp::computed("samples_aggregated", "Samples in the set").integer().set_only()};

    void forward(const at::Tensor& indices, const ptp::Step& step) {
        count_ = static_cast<double>(indices.size(0));
        totals_[step.set()] += count_;
    }

    std::array<double, 2> collect(uint64_t) const { return {count_, 0}; }
    std::array<double, 2> aggregate(uint64_t set) { return {0, totals_[set]}; }
    void reset(uint64_t set) { totals_[set] = 0; }

private:
    double count_ = 0;
    std::map<uint64_t, double> totals_;
};

template const ptp_component_info& ptp::component<BatchSizeStatistics>();
