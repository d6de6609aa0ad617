// PrecisionRecallStatistics: precision and recall of classes, and the confusion between them.

#include "class_names.hpp"
#include "class_pictures.hpp"
#include "class_statistics.hpp"
#include "confusion_matrix.hpp"
#include "score_table.hpp"
#include "tensor_checks.hpp"

#include <image_writing.hpp>
#include <result_files.hpp>

#include <ptp/by_set.hpp>
#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

class PrecisionRecallStatistics {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "PrecisionRecallStatistics";
    static constexpr const char* summary =
        "Precision, recall and F1 score of classes, and their confusion matrix";
    static constexpr const char* description =
        "Of a class: precision = true positives / its predictions, recall = true positives / its "
        "targets, F1 their harmonic mean; each is 0 where the denominator is 0. The averages over "
        "classes are: weighted, by their targets; macro, unweighted, without classes that are "
        "neither among targets nor predictions; micro, over all targets together. These are "
        "scikit-learn's precision_recall_fscore_support with zero_division = 0. The values of a "
        "set are computed from its confusion matrix, not as means over its batches, and are 0 if "
        "it is empty. A target of -100, which represents a label that is not in a vocabulary, is "
        "in no class's recall, but what is predicted for it counts in that class's precision; a "
        "predicted -100 is right for nothing. Of equal scores the first is the prediction; one "
        "with nan among its scores is -100. The number of classes comes from the scores, from "
        "num_classes or from word_mappings. Tables that are asked for are shown on the screen at "
        "the end of a set, and written to tables/NAME/SECTION_EPISODE.class_scores.csv and "
        ".confusion_matrix.csv in the run's folder, with a picture of each, .png, for up to 200 "
        "classes: bars from 0 to 1, and cells that are the darker the larger their share of a "
        "class's targets. With interval those of a batch are in the log, every N episodes of "
        "training.";

    static constexpr std::array ports = measures::kClassPorts;
    static constexpr std::array globals{
        measures::kIgnoreIndex,
        ptp::reads_if_named("num_classes", "How many classes there are, if no scores determine it")
            .purpose(PTP_PURPOSE_CLASS_COUNT),
        ptp::support::kNamedClasses, ptp::support::kClassesOfTask};
    static constexpr std::array requirements{measures::kMasksDims};
    static constexpr std::array statistics{
        ptp::computed("precision", "Right ones among the predictions")
            .when("average != all")
            .larger_is_better(),
        ptp::computed("recall", "Right ones among the targets")
            .when("average != all")
            .larger_is_better(),
        ptp::computed("f1score", "Harmonic mean of both").when("average != all").larger_is_better(),
        ptp::computed("precision_weighted", "Precision by targets")
            .when("average = all")
            .larger_is_better(),
        ptp::computed("recall_weighted", "Recall by targets")
            .when("average = all")
            .larger_is_better(),
        ptp::computed("f1score_weighted", "F1 score by targets")
            .when("average = all")
            .larger_is_better(),
        ptp::computed("precision_macro", "Precision, classes alike")
            .when("average = all")
            .larger_is_better(),
        ptp::computed("recall_macro", "Recall, classes alike")
            .when("average = all")
            .larger_is_better(),
        ptp::computed("f1score_macro", "F1 score, classes alike")
            .when("average = all")
            .larger_is_better(),
        ptp::computed("precision_micro", "Precision of all together")
            .when("average = all")
            .larger_is_better(),
        ptp::computed("recall_micro", "Recall of all together")
            .when("average = all")
            .larger_is_better(),
        ptp::computed("f1score_micro", "F1 score of all together")
            .when("average = all")
            .larger_is_better()};

    enum class Average { kWeighted, kMacro, kMicro, kAll };
    struct Config : measures::ClassConfig {
        Average average = Average::kWeighted;
        bool show_class_scores = false;
        bool show_confusion_matrix = false;
        int64_t interval = 0;

        static constexpr auto settings() {
            return std::tuple_cat(
                ClassConfig::settings(),
                std::tuple{
                    ptp::setting("average", &Config::average,
                                 {.help = "Which average the statistics are; all: each, with its "
                                          "name appended",
                                  .choices = "weighted|macro|micro|all"}),
                    ptp::setting(
                        "show_class_scores", &Config::show_class_scores,
                        {.help = "Whether precision, recall and F1 score of each class are "
                                 "shown and written at the end of a set"}),
                    ptp::setting(
                        "show_confusion_matrix", &Config::show_confusion_matrix,
                        {.help = "Whether the confusion matrix is shown and written at the "
                                 "end of a set"}),
                    ptp::setting(
                        "interval", &Config::interval,
                        {.help = "Episodes of training from one batch whose tables are logged, if "
                                 "they are asked for, to the next; 0: those of sets alone",
                         .range = "[0, inf)"})});
        }
    };

    PrecisionRecallStatistics(const Config& config, ptp::Setup& setup)
        : config_(config),
          setup_(setup),
          ignore_index_(setup.optional_global<int64_t>("ignore_index")),
          classes_(setup.optional_size("num_classes")),
          names_(setup) {
        measures::check_masks_dims(config);
        if (config.use_prediction_distributions) {
            return;
        }
        if (!classes_) {
            classes_ = setup.optional_global<int64_t>("num_classes");
        }
        if (!classes_) {
            classes_ = names_.named_size();
        }
        if (!classes_) {
            throw ptp::ConfigError(
                "how many classes there are is not known: name a global for num_classes or for "
                "word_mappings");
        }
        check_words();
    }

    void forward(const at::Tensor& targets, const at::Tensor* scores, const at::Tensor* classes,
                 const at::Tensor* masks, const ptp::Step& step) {
        const at::Tensor counts =
            measures::counted({targets, scores, classes, masks}, ignore_index_);
        if (scores != nullptr) {
            check_classes(scores->size(-1));
        }
        const at::Tensor predicted = scores != nullptr ? best(*scores) : *classes;
        batch_ = measures::ConfusionMatrix(*classes_);
        if (!batch_.add(targets, predicted, counts)) {
            require_classes("targets", targets, counts);
            require_classes("predictions", predicted, counts);
        }
        Set& set = sets_[step.set()];
        if (set.matrix.classes() == 0) {
            set.matrix = measures::ConfusionMatrix(*classes_);
            set.first_episode = step.episode();
        }
        set.matrix.add(batch_);
        set.section = step.section();
        set.episode = step.episode();
        set.is_shown = false;
        show_batch(step);
    }

    static constexpr uint32_t state_version = 1;
    ptp::Data export_state() const { return sets_.save(); }
    void import_state(uint32_t, const ptp::Data& state) { sets_.restore(state); }

    std::array<double, 12> collect(uint64_t) const { return numbers(batch_); }
    std::array<double, 12> aggregate(uint64_t set) {
        show(sets_[set]);
        return numbers(sets_[set].matrix);
    }
    void reset(uint64_t set) { sets_.reset(set); }

private:
    // Titles of tables.
    static constexpr const char* kScores = "scores of classes, ";
    static constexpr const char* kCounts = "confusion matrix, ";
    static constexpr const char* kColumns = ", predictions in columns";

    struct Set {
        measures::ConfusionMatrix matrix = {};  // without classes before the first batch
        std::string section = {};
        uint64_t episode = 0;        // of its last batch
        uint64_t first_episode = 0;  // of its first batch
        bool is_shown = false;       // in its current form

        ptp::Data save() const {
            return ptp::Data::List{section, matrix.save(), static_cast<int64_t>(episode),
                                   static_cast<int64_t>(first_episode)};
        }
        static Set restored(const ptp::Data& saved) {
            const ptp::Data::List& parts = saved.as_list();
            // Older checkpoints do not have the episodes.
            const auto number = [&](size_t place) {
                return parts.size() <= place ? 0 : static_cast<uint64_t>(parts[place].as_integer());
            };
            return {.matrix = measures::ConfusionMatrix::restored(parts.at(1)),
                    .section = parts.at(0).as_text(),
                    .episode = number(2),
                    .first_episode = parts.size() > 3 ? number(3) : number(2)};
        }
    };

    // Returns the class with the highest score, the first of equal ones; kNoClass if one is nan.
    static at::Tensor best(const at::Tensor& scores) {
        return scores.argmax(-1).masked_fill(scores.isnan().any(-1), measures::kNoClass);
    }

    void check_words() const {
        const std::optional<int64_t> named = names_.named_size();
        if (named && *named > *classes_) {
            throw ptp::ConfigError("the global 'word_mappings' has a number ", *named - 1,
                                   ", but there are ", *classes_, " classes");
        }
    }

    void check_classes(int64_t scores) {
        if (classes_ && *classes_ != scores) {
            throw ptp::DataError("predictions has scores for ", scores, " classes, must have ",
                                 *classes_);
        }
        if (!classes_ || !are_words_checked_) {
            classes_ = scores;
            check_words();
            are_words_checked_ = true;
        }
    }

    void require_classes(const char* input, const at::Tensor& numbers,
                         const at::Tensor& counts) const {
        ptp::support::require_classes(
            {.name = input,
             .targets = numbers,
             .counted = counts.logical_and(numbers.ne(measures::kNoClass)),
             .classes = *classes_,
             .others = measures::kOtherTargets});
    }

    // Shows the set once, for any number of calls.
    void show(Set& set) const {
        if (set.is_shown || set.matrix.classes() == 0) {
            return;
        }
        set.is_shown = true;
        remove_parts(set);
        const std::vector<std::string> names = class_names(set.matrix);
        const bool has_pictures = set.matrix.classes() <= measures::kMaxPictureClasses;
        const std::string of = set.section + ", " + std::to_string(set.matrix.total()) + " targets";
        if (config_.show_class_scores) {
            put(set, "class_scores", kScores + of, measures::score_table(set.matrix, names));
            if (has_pictures) {
                put(set, "class_scores", measures::score_picture(set.matrix, names));
            }
        }
        if (config_.show_confusion_matrix) {
            put(set, "confusion_matrix", kCounts + of + kColumns,
                measures::count_table(set.matrix, names));
            if (has_pictures) {
                put(set, "confusion_matrix", measures::count_picture(set.matrix, names));
            }
        }
    }

    void show_batch(const ptp::Step& step) const {
        const auto interval = static_cast<uint64_t>(config_.interval);
        if (interval == 0 || !step.is_training() || step.episode() % interval != 0) {
            return;
        }
        const std::vector<std::string> names = class_names(batch_);
        const std::string of = std::string(step.section()) + ", batch of episode " +
                               std::to_string(step.episode()) + ", " +
                               std::to_string(batch_.total()) + " targets";
        if (config_.show_class_scores) {
            setup_.log_info(kScores + of + measures::text_of(measures::score_table(batch_, names)));
        }
        if (config_.show_confusion_matrix) {
            setup_.log_info(kCounts + of + kColumns +
                            measures::text_of(measures::count_table(batch_, names)));
        }
    }

    std::vector<std::string> class_names(const measures::ConfusionMatrix& matrix) const {
        std::vector<std::string> names;
        for (int64_t i = 0; i < matrix.classes(); ++i) {
            names.push_back(names_.of(i, matrix.classes()));
        }
        return names;
    }

    // The tables of a part of this epoch, written with a checkpoint or at its interruption, also by
    // the process before a resume: those of more of the epoch replace them.
    void remove_parts(const Set& set) const {
        std::error_code error;
        const std::string begin = set.section + "_";
        for (const auto& entry : std::filesystem::directory_iterator(
                 setup_.run_folder() / "tables" / setup_.name(), error)) {
            const std::string name = entry.path().filename().string();
            uint64_t episode = 0;
            const char* const end = name.data() + name.size();
            if (name.starts_with(begin) &&
                std::from_chars(name.data() + begin.size(), end, episode).ptr[0] == '.' &&
                episode >= set.first_episode && episode < set.episode) {
                std::filesystem::remove(entry.path(), error);
            }
        }
    }

    // Writes a table to the log and to a file.
    void put(const Set& set, const std::string& what, const std::string& title,
             const measures::Table& table) const {
        setup_.log_result(title + measures::text_of(table));
        ptp::support::write_file(setup_.run_folder(), path(set, what + ".csv"),
                                 measures::csv_of(table));
    }
    void put(const Set& set, const std::string& what, const ptp::support::Canvas& picture) const {
        ptp::support::write_png(setup_.run_folder(), path(set, what + ".png"),
                                {.height = picture.height(),
                                 .width = picture.width(),
                                 .channels = 3,
                                 .bytes = picture.bytes()});
    }

    // Returns the path relative to the run's folder.
    std::filesystem::path path(const Set& set, const std::string& suffix) const {
        return std::filesystem::path("tables") / setup_.name() /
               ptp::support::result_name(set.section, set.episode, suffix);
    }

    std::array<double, 12> numbers(const measures::ConfusionMatrix& matrix) const {
        const measures::Averages all = matrix.averages();
        const measures::Scores& one = config_.average == Average::kMacro   ? all.macro
                                      : config_.average == Average::kMicro ? all.micro
                                                                           : all.weighted;
        std::array<double, 12> result{};
        size_t place = 0;
        for (const measures::Scores* each : {&one, &all.weighted, &all.macro, &all.micro}) {
            result[place++] = each->precision;
            result[place++] = each->recall;
            result[place++] = each->f1score;
        }
        return result;
    }

    Config config_;
    ptp::Setup& setup_;
    std::optional<int64_t> ignore_index_;
    std::optional<int64_t> classes_;
    ptp::support::ClassNames names_;
    bool are_words_checked_ = false;
    measures::ConfusionMatrix batch_;
    ptp::BySet<Set> sets_;
};

template const ptp_component_info& ptp::component<PrecisionRecallStatistics>();
