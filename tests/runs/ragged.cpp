// Components whose streams are lists of tensors, a tensor of its own size for each sample, and a
// statistic that only the whole set can tell. Built without libtorch.

#include <ptp/plugin.hpp>

#include <algorithm>
#include <map>

namespace {

// Sample i is 1 + i % 3 times the number i.
class Ragged {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "Ragged";
    static constexpr const char* summary = "Six samples of one to three numbers";
    static constexpr std::array ports{
        ptp::output("pieces", PTP_TENSOR_LIST, "B, *", "The numbers of each sample"),
        ptp::output("targets", PTP_INTEGER, "B", "Whether it is odd").purpose(PTP_PURPOSE_TARGETS)};
    static constexpr std::array globals{
        ptp::publishes("num_classes", "Even and odd").purpose(PTP_PURPOSE_CLASS_COUNT).value("2")};

    explicit Ragged(ptp::Setup& setup) { setup.publish("num_classes", 2); }

    int64_t size() const { return 6; }

    std::tuple<std::vector<ptp::TensorData>, ptp::TensorData> fetch(const ptp::Fetch& fetch) {
        std::vector<ptp::TensorData> pieces;
        auto targets = ptp::TensorData::zeros<int64_t>({static_cast<int64_t>(fetch.size())});
        for (size_t i = 0; i < fetch.size(); ++i) {
            const int64_t index = fetch.indices()[i];
            auto piece = ptp::TensorData::zeros<float>({1 + index % 3});
            std::ranges::fill(piece.elements<float>(), static_cast<float>(index));
            pieces.push_back(std::move(piece));
            targets.elements<int64_t>()[i] = index % 2;
        }
        return {std::move(pieces), std::move(targets)};
    }
};

class Doubled {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Doubled";
    static constexpr const char* summary = "Doubles every number";
    static constexpr std::array ports{
        ptp::input("pieces", PTP_TENSOR_LIST, "B, *", "Numbers"),
        ptp::output("doubled", PTP_TENSOR_LIST, "B, *", "Twice these")};

    std::vector<ptp::TensorData> forward(const ptp::TensorList& pieces) {
        std::vector<ptp::TensorData> doubled;
        for (size_t i = 0; i < pieces.size(); ++i) {
            const ptp::TensorView piece = pieces[i];
            auto made = ptp::TensorData::zeros<float>({piece.size(0)});
            std::ranges::transform(piece.elements<float>(), made.elements<float>().begin(),
                                   [](float number) { return 2 * number; });
            doubled.push_back(std::move(made));
        }
        return doubled;
    }
};

class Sums {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Sums";
    static constexpr const char* summary = "Adds up the numbers of each sample";
    static constexpr std::array ports{
        ptp::input("doubled", PTP_TENSOR_LIST, "B, *", "Numbers"),
        ptp::output("sums", PTP_FLOAT, "B, 1", "A sum for each sample")};

    ptp::TensorData forward(const ptp::TensorList& pieces) {
        auto sums = ptp::TensorData::zeros<float>({static_cast<int64_t>(pieces.size()), 1});
        for (size_t i = 0; i < pieces.size(); ++i) {
            const ptp::TensorView piece = pieces[i];
            for (const float number : piece.elements<float>()) {
                sums.elements<float>()[i] += number;
            }
        }
        return sums;
    }
};

class MedianStatistics {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "MedianStatistics";
    static constexpr const char* summary = "The median of the sums of a set";
    static constexpr std::array ports{ptp::input("sums", PTP_FLOAT, "B, 1", "Numbers")};
    static constexpr std::array statistics{
        ptp::computed("median", "Of all samples of the set").set_only()};

    void forward(const ptp::TensorView& sums, const ptp::Step& step) {
        const auto numbers = sums.elements<float>();
        auto& seen = seen_[step.set()];
        seen.insert(seen.end(), numbers.begin(), numbers.end());
    }

    std::array<double, 1> collect(uint64_t) const { return {0}; }
    std::array<double, 1> aggregate(uint64_t set) {
        std::vector<double>& seen = seen_[set];
        std::ranges::sort(seen);
        const size_t half = seen.size() / 2;
        return {(seen.at((seen.size() - 1) / 2) + seen.at(half)) / 2};
    }
    void reset(uint64_t set) { seen_[set].clear(); }

    static constexpr uint32_t state_version = 1;
    ptp::Data export_state() const {
        ptp::Data::List sets;
        for (const auto& [set, seen] : seen_) {
            sets.push_back(ptp::Data::List{set, seen});
        }
        return sets;
    }
    void import_state(uint32_t, const ptp::Data& state) {
        seen_.clear();
        for (const ptp::Data& set : state.as_list()) {
            std::vector<double>& seen =
                seen_[static_cast<uint64_t>(set.as_list().at(0).as_integer())];
            for (const ptp::Data& number : set.as_list().at(1).as_list()) {
                seen.push_back(number.as_real());
            }
        }
    }

private:
    std::map<uint64_t, std::vector<double>> seen_;
};

}  // namespace

PTP_PLUGIN("ragged", "0.1.0", Ragged, Doubled, Sums, MedianStatistics);
