// The part of a report about a classification: matrix, classes, calibration, curves.

#include "base/file_error.hpp"
#include "base/text.hpp"
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
                const bool is_class = value >= 0 && value < static_cast<float>(kMaxNames);
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
    const Json given = file.json("classes");
    Json names = Json::array();
    for (std::size_t i = 0; i < classes; ++i) {
        const bool is_named = given.is_array() && i < given.size() && given[i].is_string();
        names.push_back(is_named ? harmless(given[i].get<std::string>()) : std::to_string(i));
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

// Leaves out points that are closer to the last kept one than a picture shows.
Json points_of(const RateCurve& curve, std::size_t points) {
    Json x = Json::array();
    Json y = Json::array();
    const double least = 2.0 / static_cast<double>(points);
    double last_x = -1;
    double last_y = -1;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
        const double moved = std::abs(curve.x[i] - last_x) + std::abs(curve.y[i] - last_y);
        if (moved >= least || i + 1 == curve.x.size()) {
            x.push_back(rounded(curve.x[i]));
            y.push_back(rounded(curve.y[i]));
            last_x = curve.x[i];
            last_y = curve.y[i];
        }
    }
    return {{"x", std::move(x)}, {"y", std::move(y)}};
}

// Adds the areas of each class to its row, and its curves.
void add_curves(Json& section, const Judgement& judgement, std::size_t points) {
    Json curves = Json::array();
    for (std::size_t i = 0; i < judgement.classes && judgement.classes <= kMaxCurves; ++i) {
        std::vector<double> scores;
        std::vector<bool> is_positive;
        for (std::size_t k = 0; k < judgement.targets.size(); ++k) {
            if (judgement.targets[k] >= 0 &&
                static_cast<std::size_t>(judgement.targets[k]) < judgement.classes) {
                scores.push_back(judgement.probabilities.row(k)[i]);
                is_positive.push_back(static_cast<std::size_t>(judgement.targets[k]) == i);
            }
        }
        const RateCurves rates = rate_curves(scores, is_positive);
        section["table"][i].push_back(exact(rates.roc.area));
        section["table"][i].push_back(exact(rates.precision.area));
        curves.push_back({{"roc", points_of(rates.roc, points)},
                          {"precision", points_of(rates.precision, points)}});
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

Json calibration_of(const Judgement& judgement, const SampleColumns& columns) {
    std::vector<double> confidences;
    std::vector<bool> is_right;
    for (std::size_t i = 0; i < judgement.targets.size(); ++i) {
        if (!std::isnan(columns.at("label")[i])) {
            confidences.push_back(columns.at("confidence")[i]);
            is_right.push_back(judgement.predicted[i] == judgement.targets[i]);
        }
    }
    return {{"width", bins_of(equal_width(confidences, is_right, kBins))},
            {"mass", bins_of(equal_mass(confidences, is_right, kBins))},
            {"brier", exact(brier_score(judgement.probabilities, judgement.targets))}};
}

Json measures_table(const std::vector<ClassMeasures>& measures) {
    Json table = Json::array();
    for (const ClassMeasures& one : measures) {
        table.push_back(
            {exact(one.precision), exact(one.recall), exact(one.f1), one.support, one.predicted});
    }
    return table;
}

std::optional<Judgement> judgement_of(const SampleFile& file, std::size_t count) {
    const Json judged = judged_in(file, true);
    std::optional<Judgement> found = judged.is_null()
                                         ? judgement_of_statistic(file, count)
                                         : std::optional(judgement_of_scores(file, judged, count));
    return found && found->classes > kMaxNames ? std::nullopt : std::move(found);
}

void add_columns(const Judgement& judgement, SampleColumns& columns) {
    columns["target"] = {judgement.targets.begin(), judgement.targets.end()};
    columns["predicted"] = {judgement.predicted.begin(), judgement.predicted.end()};
    if (judgement.probabilities.count() > 0) {
        add_probabilities(judgement, columns);
    }
}

}  // namespace

void add_classes(const SampleFile& file, std::size_t count, SampleColumns& columns) {
    if (const std::optional<Judgement> judgement = judgement_of(file, count)) {
        add_columns(*judgement, columns);
    }
}

Json classification_of(const SampleFile& file, const SampleDetail& detail, SampleColumns& columns) {
    const std::optional<Judgement> found = judgement_of(file, file.integers("index").size());
    if (!found) {
        return nullptr;
    }
    const Judgement& judgement = *found;
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
    if (judgement.probabilities.count() > 0) {
        section["calibration"] = calibration_of(judgement, columns);
        add_curves(section, judgement, detail.curve_points);
    }
    return section;
}

}  // namespace ptp::report
