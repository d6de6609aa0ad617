// AccuracyStatistics: the share of samples whose prediction is right.

#include <ptp/component.hpp>

#include <ATen/ops/argmax.h>

#include <map>

class AccuracyStatistics {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "AccuracyStatistics";
    static constexpr const char* summary = "Share of samples whose prediction is right";
    static constexpr const char* description =
        "A prediction is the class with the highest score or, with use_prediction_distributions "
        "= false, a class. With use_masking only samples with a true mask count; a batch in "
        "which none counts has accuracy 0 and weight 0. The accuracy of a set is that of all its "
        "samples, not the mean over its batches.";

    static constexpr std::array ports{
        ptp::input("targets", PTP_INTEGER, "B", "The right classes"),
        ptp::input("predictions", PTP_FLOAT, "B, classes", "A score for each class")
            .when("use_prediction_distributions"),
        ptp::input("predictions", PTP_INTEGER, "B", "Classes")
            .when("!use_prediction_distributions"),
        ptp::input("masks", PTP_BOOL, "B", "True for samples that count").when("use_masking")};
    static constexpr std::array statistics{
        ptp::computed("accuracy", "Share of right predictions")
            .decimals(6)
            .weighted_by("support")
            .spread(),
        ptp::sum("support", "Number of samples that counted").hidden().integer()};

    struct Config {
        bool use_prediction_distributions = true;
        bool use_masking = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("use_prediction_distributions", &Config::use_prediction_distributions,
                             {.help = "Whether predictions are scores of classes, not classes"}),
                ptp::setting("use_masking", &Config::use_masking,
                             {.help = "Whether only samples with a true mask count"})};
        }
    };

    void forward(const at::Tensor& targets, const at::Tensor* scores, const at::Tensor* classes,
                 const at::Tensor* masks, const ptp::Step& step) {
        const at::Tensor predicted = scores != nullptr ? scores->argmax(1) : *classes;
        at::Tensor hits = predicted.eq(targets);  // [B]
        if (masks != nullptr) {
            hits = hits.logical_and(*masks);
        }
        batch_.hits = hits.sum().item<int64_t>();
        batch_.samples = masks != nullptr ? masks->sum().item<int64_t>() : targets.size(0);
        Count& set = sets_[step.set()];
        set.hits += batch_.hits;
        set.samples += batch_.samples;
    }

    static constexpr uint32_t state_version = 1;
    ptp::Data export_state() const {
        ptp::Data::List sets;
        for (const auto& [set, count] : sets_) {
            sets.push_back(ptp::Data::List{set, count.hits, count.samples});
        }
        return sets;
    }
    void import_state(uint32_t, const ptp::Data& state) {
        sets_.clear();
        for (const ptp::Data& saved : state.as_list()) {
            const ptp::Data::List& numbers = saved.as_list();
            sets_[static_cast<uint64_t>(numbers.at(0).as_integer())] = {numbers.at(1).as_integer(),
                                                                        numbers.at(2).as_integer()};
        }
    }

    std::array<double, 2> collect(uint64_t) const { return numbers(batch_); }
    std::array<double, 2> aggregate(uint64_t set) { return numbers(sets_[set]); }
    void reset(uint64_t set) { sets_[set] = {}; }

private:
    struct Count {
        int64_t hits = 0;
        int64_t samples = 0;
    };

    static std::array<double, 2> numbers(const Count& count) {
        const auto samples = static_cast<double>(count.samples);
        return {count.samples == 0 ? 0.0 : static_cast<double>(count.hits) / samples, samples};
    }

    Count batch_;
    std::map<uint64_t, Count> sets_;
};

template const ptp_component_info& ptp::component<AccuracyStatistics>();
