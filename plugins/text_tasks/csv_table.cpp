// Defines the task CsvTable: its settings, its streams, and the samples that it returns.

#include "labelled_texts.hpp"
#include "table_columns.hpp"
#include "training_words.hpp"
#include "unlabeled_texts.hpp"

#include <binary_classes.hpp>
#include <class_table.hpp>
#include <class_warnings.hpp>
#include <mean_deviation.hpp>
#include <ptp/component.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>

class CsvTable {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "CsvTable";
    static constexpr const char* sample_count = "if($classes, *, *)";  // known once they are read
    static constexpr const char* summary = "Columns of a table in a file: CSV, TSV or JSON lines";
    static constexpr const char* description =
        "`file` has the names of its columns in the first row and a sample in each further one, "
        "in UTF-8, as RFC 4180 has it: a cell with separators, line ends or quotes in it is in "
        "quotes, and quotes in it are doubled. Blank lines are left out; each row has as many cells "
        "as the first. JSON lines (.jsonl, .ndjson) are objects with the members of the first.\n"
        "Settings choose the columns and what they are: `features` and `values` are real numbers, "
        "`integers` whole ones, `text` any text, `label` the name of a class. Numbers are written "
        "as in C, with a point; blanks around them do not matter. Missing values are not supported: "
        "fill them, or drop their rows; Table has rules for them, and standardizes values. Classes are numbered in the order of their names, compared "
        "byte by byte, or as listed in `classes`; list them where training and validation are in "
        "files of their own that might lack one.\n"
        "`rows` is another table with the columns of features, integers and text, but without "
        "label and values, and `samples` are texts of the column `text`, where it is the only one; "
        "num_classes is the training's then.\n"
        "With vocabulary word_mappings has the words of the column `text`; set it in the training's "
        "section alone, and all sections have it.\n"
        "The file is read whole when a training begins.";

    static constexpr std::array ports{
        ptp::output("inputs", PTP_FLOAT, "B, (length($features))", "The columns `features`")
            .when("features"),
        ptp::output("integers", PTP_INTEGER, "B, (length($integers))", "The columns `integers`")
            .when("integers"),
        ptp::output("texts", PTP_STRING, "B", "The column `text`").when("text"),
        ptp::output("targets", PTP_INTEGER, "B", "Classes, from 0")
            .purpose(PTP_PURPOSE_TARGETS)
            .when("label & !binary & !rows & !samples"),
        ptp::output("targets", PTP_FLOAT, "B, 1", ptp::support::kBinaryTargetText)
            .purpose(PTP_PURPOSE_TARGETS)
            .when("label & binary & !rows & !samples"),
        ptp::output("labels", PTP_STRING, "B", "The column `label`, names of the classes")
            .when("label & !rows & !samples"),
        ptp::output("values", PTP_FLOAT, "B, (length($values))",
                    "The columns `values`, for regression")
            .when("values & !rows & !samples")};
    static constexpr std::array globals{
        ptp::publishes("num_classes", "Number of classes")
            .purpose(PTP_PURPOSE_CLASS_COUNT)
            .value("if(length($classes) > 0, length($classes))")
            .when("label & !rows & !samples"),
        ptp::publishes("label_word_mappings", "Table from a class's name to its number")
            .purpose(PTP_PURPOSE_CLASS_NAMES)
            .when("label & !rows & !samples"),
        kTrainingWords.when("vocabulary & text & !rows & !samples")};
    static constexpr bool is_concurrent = true;

    static constexpr const char* kObtain =
        "name a CSV or TSV file with the names of its columns in the first row, or JSON lines";

    struct Config {
        std::filesystem::path file;
        std::optional<std::filesystem::path> rows;
        std::optional<std::vector<std::string>> samples;
        std::optional<std::string> separator;
        std::optional<std::vector<std::string>> features;
        std::optional<std::vector<std::string>> integers;
        std::optional<std::string> text;
        bool vocabulary = false;
        std::optional<std::string> label;
        std::vector<std::string> classes;
        bool binary = false;
        std::string unlisted = "refused";
        std::optional<std::vector<std::string>> values;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("file", &Config::file,
                             {.help = "The table", .is_required = true, .obtain = kObtain}),
                ptp::setting("rows", &Config::rows,
                             {.help = "A table without label and values, in place of `file`",
                              .takes_unlabeled = true,
                              .obtain = kObtain}),
                ptp::setting("samples", &Config::samples, ptp::support::kSamplesText),
                ptp::setting("separator", &Config::separator,
                             {.help = "What is between the cells of a row; if not given, a tab in "
                                      "files whose names end with .tsv, else a comma",
                              .choices = "comma|semicolon|tab",
                              .purpose = PTP_PURPOSE_SEPARATOR}),
                ptp::setting("features", &Config::features,
                             {.help = "Columns of real numbers, in the order of the features",
                              .length = "[1, inf)",
                              .is_preparation = true}),
                ptp::setting("integers", &Config::integers,
                             {.help = "Columns of whole numbers, such as indices",
                              .length = "[1, inf)",
                              .is_preparation = true}),
                ptp::setting("text", &Config::text,
                             {.help = "Column of texts", .is_preparation = true}),
                ptp::setting("vocabulary", &Config::vocabulary, kOwnVocabularyText),
                ptp::setting("label", &Config::label,
                             {.help = "Column with the names of classes",
                              .purpose = PTP_PURPOSE_LABEL_COLUMN}),
                ptp::setting("classes", &Config::classes,
                             {.help = "Names of the classes, in the order of their numbers; if "
                                      "empty, all that are in the file, in the order of the names",
                              .purpose = PTP_PURPOSE_CLASS_NAMES}),
                ptp::setting("binary", &Config::binary, ptp::support::kBinaryText),
                ptp::setting("unlisted", &Config::unlisted,
                             {.help = "Rows without a class of `classes`: an error; or their "
                                      "target is -100, which losses and statistics do not count, "
                                      "as `ptprun predict` sets it; an error with `binary`",
                              .choices = "refused|uncounted",
                              .purpose = PTP_PURPOSE_UNLISTED_ROWS}),
                ptp::setting("values", &Config::values,
                             {.help = "Columns of real numbers to be predicted",
                              .length = "[1, inf)",
                              .purpose = PTP_PURPOSE_VALUE_COLUMNS})};
        }
    };

    CsvTable(const Config& config, const ptp::Setup& setup) {
        if (!config.features && !config.integers && !config.text) {
            throw ptp::ConfigError(
                "no column is chosen: set at least one of features, integers and text");
        }
        if (config.vocabulary && !config.text) {
            throw ptp::SettingError("vocabulary", "needs `text`, the column of its words");
        }
        ptp::support::check_binary(config.binary, config.label.has_value());
        if (config.samples) {
            texts_ = ptp::support::given_texts(*config.samples, number_columns(config));
            row_count_ = texts_.size();
            return;
        }
        const Table table(config.rows.value_or(config.file), separator_of(config), setup);
        row_count_ = table.row_count();
        require_columns(table, config);
        WrongColumns wrong(table);
        read(table, config.features, wrong, float_in, features_);
        read(table, config.integers, wrong, integer_in, integers_);
        if (config.text) {
            table.read_column(*config.text, wrong, [&](size_t, const std::string& cell) {
                texts_.add(cell);
                return CellProblem{};
            });
        }
        if (!config.rows) {
            read(table, config.values, wrong, float_in, values_);
        }
        if (!config.rows && config.label) {
            read_labels(table, config, wrong, setup);
        }
        wrong.throw_if_any();
        if (!config.rows) {
            warn_of_leaks(config, setup);
            warn_of_scales(config, setup);
            publish(config, setup);
        }
    }

    int64_t size() const { return static_cast<int64_t>(row_count_); }

    std::vector<int64_t> sample_classes() const {
        if (targets_.empty()) {
            throw ptp::SettingError("label",
                                    "a table without a column of classes has none to draw by");
        }
        return targets_;
    }

    std::tuple<ptp::TensorData, ptp::TensorData, std::vector<std::string_view>, ptp::TensorData,
               ptp::TensorData, std::vector<std::string_view>, ptp::TensorData>
    fetch(const ptp::Fetch& fetch) const {
        std::vector<std::string_view> labels;
        for (const auto index : targets_.empty() ? std::span<const int64_t>() : fetch.indices()) {
            const auto row = static_cast<size_t>(index);
            const auto other = unlisted_.find(row);
            labels.push_back(other == unlisted_.end() ? classes_[static_cast<size_t>(targets_[row])]
                                                      : other->second);
        }
        return {rows_of(fetch, features_),
                rows_of(fetch, integers_),
                texts_.size() > 0 ? texts_.at(fetch.indices()) : std::vector<std::string_view>(),
                targets_of(fetch),
                binary_targets(targets_, fetch),
                std::move(labels),
                rows_of(fetch, values_)};
    }

private:
    // The numbers of some columns, row by row.
    template <class Number>
    struct Columns {
        size_t count = 0;
        std::vector<Number> numbers;
    };

    // Returns the columns of numbers.
    static std::vector<std::string> number_columns(const Config& config) {
        std::vector<std::string> names;
        for (const auto* columns : {&config.features, &config.integers}) {
            std::ranges::copy(columns->value_or(std::vector<std::string>()),
                              std::back_inserter(names));
        }
        return names;
    }

    static char separator_of(const Config& config) {
        if (config.separator) {
            return *config.separator == "comma" ? ',' : *config.separator == "tab" ? '\t' : ';';
        }
        return config.rows.value_or(config.file).extension() == ".tsv" ? '\t' : ',';
    }

    void publish(const Config& config, const ptp::Setup& setup) const {
        if (config.label) {
            ptp::support::check_classes(config.binary, classes_);
            // The names first: the error of other names is more helpful than that of the number.
            setup.publish("label_word_mappings", ptp::support::class_table(classes_));
            setup.publish("num_classes", classes_.size());
        }
        if (config.vocabulary) {
            publish_words(texts_, setup);
        }
    }

    static void require_columns(const Table& table, const Config& config) {
        const auto one = [](const std::optional<std::string>& column) {
            return column ? std::vector{*column} : std::vector<std::string>();
        };
        const auto all = [](const std::optional<std::vector<std::string>>& columns) {
            return columns.value_or(std::vector<std::string>());
        };
        const std::vector<WantedColumns> wanted = {
            {"features", all(config.features)},
            {"integers", all(config.integers)},
            {"text", one(config.text), false},
            {"values", all(config.values), true, !config.rows},
            {"label", one(config.label), false, !config.rows}};
        table.require(wanted, config.rows.has_value());
    }

    static CellProblem problem_of(std::string_view cell, const Columns<float>&) {
        return float_problem(cell);
    }
    static CellProblem problem_of(std::string_view cell, const Columns<int64_t>&) {
        return integer_problem(cell);
    }

    template <class Number>
    static void read(const Table& table, const std::optional<std::vector<std::string>>& columns,
                     WrongColumns& wrong, std::optional<Number> (*parse)(std::string_view),
                     Columns<Number>& to) {
        to.count = columns ? columns->size() : 0;
        to.numbers.resize(to.count * table.row_count());
        for (size_t i = 0; i < to.count; ++i) {
            table.read_column(columns->at(i), wrong, [&](size_t row, const std::string& cell) {
                const std::optional<Number> number = parse(cell);
                to.numbers[row * to.count + i] = number.value_or(Number{});
                return number ? CellProblem{} : problem_of(cell, to);
            });
        }
    }

    void read_labels(const Table& table, const Config& config, WrongColumns& wrong,
                     const ptp::Setup& setup) {
        const bool is_refused =
            config.unlisted == "refused" || config.classes.empty() || config.binary;
        std::map<std::string, size_t> found;
        table.read_column(*config.label, wrong, [&](size_t, const std::string& cell) {
            ++found[cell];
            return CellProblem{cell.empty() && is_refused ? "expected the name of a class" : ""};
        });
        classes_ = config.classes;
        if (classes_.empty()) {
            std::ranges::copy(std::views::keys(found), std::back_inserter(classes_));
            for (const std::string& warning : ptp::support::warnings_of_classes(
                     found, *config.label, config.values.value_or(std::vector<std::string>()))) {
                setup.log_warning(warning);
            }
        }
        if (setup.section() == "training") {
            for (const std::string& warning :
                 ptp::support::warnings_of_absent(found, config.classes, *config.label)) {
                setup.log_warning(warning);
            }
        }
        std::map<std::string_view, int64_t> numbers;
        for (const std::string& one : classes_) {
            if (!numbers.emplace(one, static_cast<int64_t>(numbers.size())).second) {
                throw ptp::SettingError("classes", "'", one, "' is listed twice");
            }
        }
        table.read_column(*config.label, wrong, [&](size_t row, const std::string& cell) {
            const auto number = numbers.find(cell);
            const bool is_unlisted = number == numbers.end();
            targets_.push_back(is_unlisted ? kUncounted : number->second);
            if (is_unlisted && !is_refused) {
                unlisted_.emplace(row, cell);
            }
            return is_unlisted && is_refused && !cell.empty()
                       ? CellProblem{"which `classes` does not list",
                                     "add such names to classes, or remove their rows"}
                       : CellProblem{};
        });
    }

    // Warns of columns that are read and are to be predicted, too. The same columns on both sides
    // are an autoencoder's.
    static void warn_of_leaks(const Config& config, const ptp::Setup& setup) {
        std::vector<std::string> predicted = config.values.value_or(std::vector<std::string>());
        if (config.features == config.values) {
            predicted.clear();
        }
        if (config.label) {
            predicted.push_back(*config.label);
        }
        const auto warn = [&](const std::vector<std::string>& read, const char* setting) {
            for (const std::string& column : read) {
                if (std::ranges::find(predicted, column) != predicted.end()) {
                    setup.log_warning(ptp::support::warning_of_leak(column, setting));
                }
            }
        };
        warn(config.features.value_or(std::vector<std::string>()), "features");
        warn(config.integers.value_or(std::vector<std::string>()), "integers");
        warn(config.text ? std::vector{*config.text} : std::vector<std::string>(), "text");
    }

    // Warns in the training of numbers that are far from the scale of a network's predictions.
    void warn_of_scales(const Config& config, const ptp::Setup& setup) const {
        if (setup.section() != "training") {
            return;
        }
        const std::vector<double> numbers(values_.numbers.begin(), values_.numbers.end());
        for (size_t i = 0; i < values_.count; ++i) {
            const std::string warning = ptp::support::warning_of_scale(
                config.values->at(i), ptp::support::mean_deviation(numbers, i, values_.count),
                "Table in place of CsvTable, in the task of each section, has standardize_values = "
                "true");
            if (!warning.empty()) {
                return setup.log_warning(warning);
            }
        }
    }

    // Returns [B, columns]; empty if there are no columns.
    template <class Number>
    static ptp::TensorData rows_of(const ptp::Fetch& fetch, const Columns<Number>& columns) {
        if (columns.count == 0) {
            return {};
        }
        auto result = ptp::TensorData::zeros<Number>(
            {static_cast<int64_t>(fetch.size()), static_cast<int64_t>(columns.count)});
        auto to = result.template elements<Number>().begin();
        for (const int64_t index : fetch.indices()) {
            const auto from = columns.numbers.begin() + index * static_cast<int64_t>(columns.count);
            to = std::copy_n(from, columns.count, to);
        }
        return result;
    }

    ptp::TensorData targets_of(const ptp::Fetch& fetch) const {
        if (targets_.empty()) {
            return {};
        }
        auto result = ptp::TensorData::zeros<int64_t>({static_cast<int64_t>(fetch.size())});
        std::ranges::transform(fetch.indices(), result.elements<int64_t>().begin(),
                               [&](int64_t i) { return targets_[static_cast<size_t>(i)]; });
        return result;
    }

    static constexpr int64_t kUncounted = -100;  // the usual ignore_index of losses

    size_t row_count_ = 0;
    Columns<float> features_;
    Columns<int64_t> integers_;
    Columns<float> values_;
    ptp::support::Texts texts_;
    std::vector<int64_t> targets_;
    std::vector<std::string> classes_;
    std::map<size_t, std::string> unlisted_;  // what these rows have in place of a class
};

template const ptp_component_info& ptp::component<CsvTable>();
