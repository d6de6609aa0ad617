// BatchSizeStatistics: the number of samples in a batch, and in the set.

#include <ptp/by_set.hpp>
#include <ptp/component.hpp>

#include <algorithm>

class BatchSizeStatistics {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "BatchSizeStatistics";
    static constexpr const char* summary = "Samples in the batch, and in the set";

    static constexpr std::array ports{
        ptp::input("indices", PTP_INTEGER, "B", "Indices of the samples")};
    static constexpr std::array statistics{
        ptp::computed("batch_size", "Samples in the batch; of a set, the mean over its batches")
            .decimals(1),
        ptp::computed("samples_aggregated", "Samples in the set").integer().set_only()};
    static constexpr uint32_t state_version = 2;

    void forward(const at::Tensor& indices, const ptp::Step& step) {
        batch_ = indices.size(0);
        Count& set = sets_[step.set()];
        set.samples += batch_;
        ++set.batches;
    }

    std::array<double, 2> collect(uint64_t) const { return {static_cast<double>(batch_), 0}; }
    std::array<double, 2> aggregate(uint64_t set) {
        const auto samples = static_cast<double>(sets_[set].samples);
        const auto batches = static_cast<double>(std::max<int64_t>(sets_[set].batches, 1));
        return {samples / batches, samples};
    }
    void reset(uint64_t set) { sets_.reset(set); }

    static constexpr auto state() { return ptp::kept(&BatchSizeStatistics::sets_); }

private:
    struct Count {
        int64_t samples = 0;
        int64_t batches = 0;

        static constexpr auto state() {
            return std::tuple{ptp::kept("samples", &Count::samples),
                              ptp::kept("batches", &Count::batches)};
        }
    };

    int64_t batch_ = 0;
    ptp::BySet<Count> sets_;
};

template const ptp_component_info& ptp::component<BatchSizeStatistics>();
