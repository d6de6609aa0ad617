// The part of a report about a classification: matrix, classes, calibration, curves.

#include "base/file_error.hpp"
#include "base/text.hpp"
#include "ptp-report/checked_json.hpp"
#include "ptp-report/classification.hpp"
#include "ptp-report/samples_section.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace ptp::report {

namespace {

constexpr std::size_t kBins = 15;
constexpr std::size_t kMaxMatrix = 200;  // classes
constexpr std::size_t kMaxCurves = 100;  // classes
constexpr std::size_t kMaxNames = 2000;  // classes
constexpr std::size_t kConfusions = 50;
constexpr std::size_t kThresholds = 40;  // of a class, about, in its table
constexpr std::ptrdiff_t kNearest = 6;   // samples to each side of a threshold

// Targets and predictions of a pass; without scores the probabilities have no rows.
struct Judgement {
    std::vector<std::int64_t> targets = {};
    std::vector<std::int64_t> predicted = {};
    Probabilities probabilities = {};
    std::size_t classes = 0;
    std::string from = {};  // the streams or the statistic
};

Judgement judgement_of_scores(const SampleFile& file, const Json& judged, std::size_t count) {
    const std::string predictions = "stream/" + judged["predictions"].get<std::string>();
    const std::string targets = "stream/" + judged["targets"].get<std::string>();
    const std::vector<float> scores = file.reals(predictions);
    const SampleFile::Tensor& tensor = *file.find(predictions);
    Judgement judgement{.targets = file.integers(targets), .classes = tensor.width()};
    if (tensor.shape.size() != 2 || tensor.shape[0] != count || judgement.targets.size() != count ||
        judgement.classes == 0) {
        throw FileError("has scores or targets of other samples than its index");
    }
    judgement.probabilities = probabilities_of(scores, judgement.classes);
    for (std::size_t i = 0; i < count; ++i) {
        judgement.predicted.push_back(predicted_class(judgement.probabilities.row(i)));
    }
    judgement.from = judged["predictions"].get<std::string>();
    return judgement;
}

// Takes the classes that a statistic recorded, if it has both.
std::optional<Judgement> judgement_of_statistic(const SampleFile& file, std::size_t count) {
    constexpr std::string_view kPredicted = ".predicted";
    for (const auto& [name, tensor] : file.tensors()) {
        const std::string owner =
            name.substr(0, name.size() - std::min(name.size(), kPredicted.size()));
        if (!name.ends_with(kPredicted) || file.find(owner + ".target") == nullptr) {
            continue;
        }
        const auto classes_in = [&](const std::string& values) {
            std::vector<std::int64_t> classes;
            for (const float value : file.reals(values)) {
                constexpr float kLastExact = 1U << 24U;
                const bool is_class = value >= 0 && value < kLastExact;
                classes.push_back(is_class ? static_cast<std::int64_t>(value) : -1);
            }
            return classes;
        };
        Judgement judgement{
            .targets = classes_in(owner + ".target"), .predicted = classes_in(name), .from = owner};
        if (judgement.targets.size() != count || judgement.predicted.size() != count) {
            throw FileError("has classes of other samples than its index");
        }
        for (std::size_t i = 0; i < count; ++i) {
            judgement.classes =
                std::max({judgement.classes, static_cast<std::size_t>(judgement.targets[i] + 1),
                          static_cast<std::size_t>(judgement.predicted[i] + 1)});
        }
        return judgement.classes == 0 ? std::nullopt : std::optional(std::move(judgement));
    }
    return std::nullopt;
}

Json names_of(const SampleFile& file, std::size_t classes) {
    Json names = class_names(file);
    if (names.size() > classes) {
        names.erase(names.begin() + static_cast<std::ptrdiff_t>(classes), names.end());
    }
    for (std::size_t i = 0; i < classes; ++i) {
        if (i == names.size()) {
            names.push_back(std::to_string(i));
        } else if (names[i] == "") {
            names[i] = std::to_string(i);
        }
    }
    return names;
}

Json confusions_of(const Confusion& confusion, const std::vector<ClassMeasures>& measures) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < confusion.classes; ++i) {
        for (std::size_t j = 0; j < confusion.classes; ++j) {
            if (i != j && confusion.at(i, j) > 0) {
                pairs.emplace_back(i, j);
            }
        }
    }
    std::ranges::stable_sort(pairs, std::greater(), [&](const auto& pair) {
        return confusion.at(pair.first, pair.second);
    });
    pairs.resize(std::min(pairs.size(), kConfusions));
    Json list = Json::array();
    for (const auto& [target, predicted] : pairs) {
        const std::uint64_t count = confusion.at(target, predicted);
        list.push_back(
            {target, predicted, count,
             exact(static_cast<double>(count) / static_cast<double>(measures[target].support))});
    }
    return list;
}

Json bins_of(const Calibration& calibration) {
    Json bins = Json::array();
    for (const CalibrationBin& bin : calibration.bins) {
        bins.push_back({exact(bin.low), exact(bin.high), bin.count, exact(bin.confidence),
                        exact(bin.accuracy)});
    }
    return {{"error", exact(calibration.error)}, {"bins", std::move(bins)}};
}

// Returns the points of a curve without those that are closer to the last kept one than a picture
// with this many shows.
std::vector<std::size_t> kept_points(const RateCurve& curve, std::size_t points) {
    std::vector<std::size_t> kept;
    const double least = 2.0 / static_cast<double>(points);
    double last_x = -1;
    double last_y = -1;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
        const double moved = std::abs(curve.x[i] - last_x) + std::abs(curve.y[i] - last_y);
        if (moved >= least || i + 1 == curve.x.size()) {
            kept.push_back(i);
            last_x = curve.x[i];
            last_y = curve.y[i];
        }
    }
    return kept;
}

Json points_of(const RateCurve& curve, std::size_t points) {
    Json x = Json::array();
    Json y = Json::array();
    for (const std::size_t i : kept_points(curve, points)) {
        x.push_back(rounded(curve.x[i]));
        y.push_back(rounded(curve.y[i]));
    }
    return {{"x", std::move(x)}, {"y", std::move(y)}};
}

// The samples that count, by falling score of one class.
struct Ranking {
    std::vector<double> scores = {};
    std::vector<std::int64_t> index = {};  // the numbers of the samples
    std::vector<std::uint32_t> order = {};
};

// Returns the numbers of the samples with the lowest scores at or above a threshold, and with the
// highest ones below it.
Json nearest_samples(const Ranking& ranking, double threshold) {
    const auto border =
        std::ranges::upper_bound(ranking.order, threshold, std::greater(),
                                 [&](const std::uint32_t place) { return ranking.scores[place]; });
    Json nearest = Json::array();
    const auto before = std::min<std::ptrdiff_t>(kNearest, border - ranking.order.begin());
    const auto behind = std::min<std::ptrdiff_t>(kNearest, ranking.order.end() - border);
    for (auto place = border - before; place != border + behind; ++place) {
        nearest.push_back(ranking.index[*place]);
    }
    return nearest;
}

// Returns some points of the curves of a class: [threshold, false positive rate, true positive
// rate, precision, samples near the threshold].
Json thresholds_of(const RateCurves& rates, const Ranking& ranking) {
    Json rows = Json::array();
    for (const std::size_t i : kept_points(rates.roc, kThresholds)) {
        if (i > 0) {  // the first point is that of no sample
            const double threshold = rates.roc.thresholds[i];
            rows.push_back({rounded(threshold), rounded(rates.roc.x[i]), rounded(rates.roc.y[i]),
                            rounded(rates.precision.y[i - 1]),
                            nearest_samples(ranking, threshold)});
        }
    }
    return rows;
}

// Adds the areas of each class to its row, and its curves.
void add_curves(Json& section, const Judgement& judgement, const std::vector<std::int64_t>& index,
                std::size_t points) {
    Json curves = Json::array();
    for (std::size_t i = 0; i < judgement.classes && judgement.classes <= kMaxCurves; ++i) {
        Ranking ranking;
        std::vector<bool> is_positive;
        for (std::size_t k = 0; k < judgement.targets.size(); ++k) {
            if (judgement.targets[k] >= 0 &&
                static_cast<std::size_t>(judgement.targets[k]) < judgement.classes) {
                ranking.scores.push_back(judgement.probabilities.row(k)[i]);
                ranking.index.push_back(index[k]);
                is_positive.push_back(static_cast<std::size_t>(judgement.targets[k]) == i);
            }
        }
        ranking.order = by_falling_score(ranking.scores);
        const RateCurves rates = rate_curves(ranking.scores, is_positive, ranking.order);
        section["table"][i].push_back(exact(rates.roc.area));
        section["table"][i].push_back(exact(rates.precision.area));
        curves.push_back({{"roc", points_of(rates.roc, points)},
                          {"precision", points_of(rates.precision, points)},
                          {"thresholds", thresholds_of(rates, ranking)}});
    }
    section["curves"] = std::move(curves);
}

// Adds the confidence of each sample and the probability of its label.
void add_probabilities(const Judgement& judgement, SampleColumns& columns) {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    std::vector<double>& confidence = columns["confidence"];
    std::vector<double>& label = columns["label"];
    for (std::size_t i = 0; i < judgement.targets.size(); ++i) {
        const std::span<const double> row = judgement.probabilities.row(i);
        const std::int64_t target = judgement.targets[i];
        const std::int64_t predicted = judgement.predicted[i];
        const bool has_label =
            predicted >= 0 && target >= 0 && static_cast<std::size_t>(target) < row.size();
        confidence.push_back(predicted < 0 ? kUnknown : row[static_cast<std::size_t>(predicted)]);
        label.push_back(has_label ? row[static_cast<std::size_t>(target)] : kUnknown);
    }
}

// Adds the bins of each sample to the columns.
Json calibration_of(const Judgement& judgement, SampleColumns& columns) {
    std::vector<double> confidences;
    std::vector<bool> is_right;
    for (std::size_t i = 0; i < judgement.targets.size(); ++i) {
        const bool has_label = !std::isnan(columns.at("label")[i]);
        confidences.push_back(has_label ? columns.at("confidence")[i] : std::nan(""));
        is_right.push_back(judgement.predicted[i] == judgement.targets[i]);
    }
    const Calibration width = equal_width(confidences, is_right, kBins);
    const Calibration mass = equal_mass(confidences, is_right, kBins);
    columns["width_bin"] = {width.bin_of.begin(), width.bin_of.end()};
    columns["mass_bin"] = {mass.bin_of.begin(), mass.bin_of.end()};
    return {{"width", bins_of(width)},
            {"mass", bins_of(mass)},
            {"brier", exact(brier_score(judgement.probabilities, judgement.targets))}};
}

Json measures_table(const std::vector<ClassMeasures>& measures) {
    Json table = Json::array();
    for (const ClassMeasures& one : measures) {
        table.push_back({exact(one.precision), exact(one.recall), exact(one.f1), one.support,
                         one.predicted, exact(one.specificity), exact(one.negative_precision),
                         exact(one.false_positive_rate), exact(one.false_negative_rate),
                         exact(one.false_discovery_rate)});
    }
    return table;
}

std::optional<Judgement> judgement_of(const SampleFile& file, std::size_t count) {
    const Json judged = judged_in(file, true);
    std::optional<Judgement> found = judged.is_null()
                                         ? judgement_of_statistic(file, count)
                                         : std::optional(judgement_of_scores(file, judged, count));
    return found;
}

void add_columns(const Judgement& judgement, SampleColumns& columns) {
    columns["target"] = {judgement.targets.begin(), judgement.targets.end()};
    columns["predicted"] = {judgement.predicted.begin(), judgement.predicted.end()};
    if (judgement.probabilities.count() > 0) {
        add_probabilities(judgement, columns);
    }
}

}  // namespace

Json class_names(const SampleFile& file) {
    return texts_in(file.json("classes"));
}

void add_classes(const SampleFile& file, std::size_t count, SampleColumns& columns) {
    const std::optional<Judgement> judgement = judgement_of(file, count);
    if (judgement && judgement->classes <= kMaxNames) {
        add_columns(*judgement, columns);
    }
}

Json classification_of(const SampleFile& file, const SampleDetail& detail, SampleColumns& columns,
                       Json& notes) {
    const std::vector<std::int64_t> index = file.integers("index");
    const std::optional<Judgement> found = judgement_of(file, index.size());
    if (!found) {
        return nullptr;
    }
    const Judgement& judgement = *found;
    if (judgement.classes > kMaxNames) {
        notes.push_back(fmt::format("{} classes are more than the {} of which measures are shown",
                                    judgement.classes, kMaxNames));
        return nullptr;
    }
    add_columns(judgement, columns);
    const Confusion confusion =
        confusion_of(judgement.targets, judgement.predicted, judgement.classes);
    const std::vector<ClassMeasures> measures = class_measures(confusion);
    std::uint64_t right = 0;
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < judgement.classes; ++i) {
        right += confusion.at(i, i);
        all += measures[i].support;
    }
    Json section = {
        {"from", harmless(judgement.from)},
        {"names", names_of(file, judgement.classes)},
        {"accuracy",
         all == 0 ? Json(nullptr) : exact(static_cast<double>(right) / static_cast<double>(all))},
        {"counted", all},
        {"left_out", confusion.left_out},
        {"matrix", judgement.classes <= kMaxMatrix ? Json(confusion.counts) : Json(nullptr)},
        {"confusions", confusions_of(confusion, measures)},
        {"table", measures_table(measures)}};
    reserve_members(section);
    if (judgement.probabilities.count() > 0) {
        section["calibration"] = calibration_of(judgement, columns);
        add_curves(section, judgement, index, detail.curve_points);
    }
    return section;
}

}  // namespace ptp::report
