// IoUStatistics: how far predicted areas are the right ones, for segmentation.

#include "class_statistics.hpp"
#include "confusion_matrix.hpp"
#include "tensor_checks.hpp"

#include <ptp/by_set.hpp>
#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <optional>

class IoUStatistics {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "IoUStatistics";
    static constexpr const char* summary =
        "Mean intersection over union of areas, for segmentation";
    static constexpr const char* description =
        "Each place belongs to the class with its highest score, the first of equal ones; with a "
        "score that is nan to no class. Of a class, IoU = places that it has among both "
        "predictions and targets / places that it has among either, over a whole batch or set "
        "(Jaccard's index). mean_iou is the mean over the classes that have any place, and 0 if "
        "none has. With foreground_only class 0, the background, is left out of this mean. "
        "The value of a set is computed from all its places, not as the mean over its batches. A "
        "target of -100, which represents a class that is not known, is wrong for each.\n"
        "Everingham et al. 2010, The Pascal visual object classes challenge, section 4.3.";

    static constexpr std::array ports{
        ptp::input("targets", PTP_INTEGER, "B, place^$num_spatial_dims", "The class of each place")
            .purpose(PTP_PURPOSE_TARGETS),
        ptp::input("predictions", PTP_FLOAT, "B, classes, place^$num_spatial_dims",
                   "A score for each class")};
    static constexpr std::array globals{measures::kIgnoreIndex};
    static constexpr std::array statistics{
        ptp::computed("mean_iou", "Mean intersection over union of the classes")
            .decimals(6)
            .larger_is_better()};

    struct Config {
        int64_t num_spatial_dims = 2;
        bool foreground_only = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting(
                    "num_spatial_dims", &Config::num_spatial_dims,
                    {.help = "Number of dimensions of an area: 2 for images", .range = "[1, inf)"}),
                ptp::setting("foreground_only", &Config::foreground_only,
                             {.help = "Whether class 0, the background, is left out"})};
        }
    };

    IoUStatistics(const Config& config, ptp::Setup& setup)
        : first_(config.foreground_only ? 1 : 0),
          ignore_index_(setup.optional_global<int64_t>("ignore_index")) {}

    void forward(const at::Tensor& targets, const at::Tensor& predictions, const ptp::Step& step) {
        const int64_t classes = predictions.size(1);
        const at::Tensor scores = predictions.movedim(1, -1);  // [B, C, ...] -> [B, ..., C]
        const at::Tensor counts =
            measures::counted({targets, &scores, nullptr, nullptr}, ignore_index_);
        const at::Tensor best =
            scores.argmax(-1).masked_fill(scores.isnan().any(-1), measures::kNoClass);
        batch_ = measures::ConfusionMatrix(classes);
        if (!batch_.add(targets, best, counts)) {
            ptp::support::require_classes(
                {.name = "targets",
                 .targets = targets,
                 .counted = counts.logical_and(targets.ne(measures::kNoClass)),
                 .classes = classes,
                 .others = measures::kOtherTargets});
        }
        measures::ConfusionMatrix& set = sets_[step.set()].matrix;
        if (set.classes() == 0) {
            set = measures::ConfusionMatrix(classes);
        }
        if (set.classes() != classes) {
            throw ptp::DataError("predictions has scores for ", classes, " classes, must have ",
                                 set.classes(), ", as before");
        }
        set.add(batch_);
    }

    static constexpr uint32_t state_version = 1;
    ptp::Data export_state() const { return sets_.save(); }
    void import_state(uint32_t, const ptp::Data& state) { sets_.restore(state); }

    std::array<double, 1> collect(uint64_t) const { return {mean_iou(batch_)}; }
    std::array<double, 1> aggregate(uint64_t set) { return {mean_iou(sets_[set].matrix)}; }
    void reset(uint64_t set) { sets_.reset(set); }

private:
    struct Set {
        measures::ConfusionMatrix matrix = {};  // without classes before the first batch

        ptp::Data save() const { return matrix.save(); }
        static Set restored(const ptp::Data& saved) {
            return {measures::ConfusionMatrix::restored(saved)};
        }
    };

    double mean_iou(const measures::ConfusionMatrix& matrix) const {
        double sum = 0;
        double present = 0;
        for (int64_t i = first_; i < matrix.classes(); ++i) {
            const auto hits = static_cast<double>(matrix.count(i, i));
            const auto all = static_cast<double>(matrix.row_sum(i) + matrix.column_sum(i)) - hits;
            sum += all > 0 ? hits / all : 0;
            present += all > 0 ? 1 : 0;
        }
        return present > 0 ? sum / present : 0;
    }

    int64_t first_;
    std::optional<int64_t> ignore_index_;
    measures::ConfusionMatrix batch_;
    ptp::BySet<Set> sets_;
};

template const ptp_component_info& ptp::component<IoUStatistics>();
