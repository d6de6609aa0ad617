// Defines the task Table: its streams, and the samples that it returns.

#include "far_numbers.hpp"
#include "kept_rows.hpp"
#include "label_classes.hpp"
#include "saved_columns.hpp"
#include "table_batches.hpp"
#include "table_pictures.hpp"
#include "table_samples.hpp"
#include "value_scales.hpp"

#include <class_table.hpp>
#include <ptp/component.hpp>
#include <ptp/entry.hpp>
#include <word_table.hpp>

class Table {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "Table";
    static constexpr const char* sample_count = "if($classes, *, *)";  // known once they are read
    static constexpr const char* summary =
        "Typed columns of a table: numbers, categories, dates, texts, images, labels";
    static constexpr const char* description =
        "`file` is CSV or TSV with the names of the columns in the first line, as RFC 4180 has it, "
        "or JSON lines: an object in each line, with the members of the first. All are UTF-8.\n"
        "`features` become one row of numbers for each sample, column after column. A number is "
        "(number - mean) / deviation, and so are the five parts of a date of ISO 8601: year, "
        "month, day, weekday from Monday = 1, hour. A category is a 1 in the place of its name "
        "and 0 in the others. A list of numbers is taken as it is. Means, deviations and names "
        "are those of the training's rows; the checkpoint has them. What a column is, is inferred "
        "of its cells and logged, where `columns` does not state it.\n"
        "`text`, `image`, `mask`, `label`, `values`, `weight`, `id` and `group` name the columns of the "
        "other streams, and `more_texts`, `more_images` and `lists` those whose streams have the "
        "names of the columns. Classes are numbered in the order of their names, byte by byte. With "
        "multi_label a sample has any number of classes, and its target a 1 for each of them; with "
        "binary there are two, and the target is 1 for the second of them.\n"
        "`split` divides the rows among the sections, which then have the same settings but for "
        "`part`, by default the section's name. Where the sections have tables of their own, "
        "validation and test name the training's as `training_file`.\n"
        "A missing value, an empty cell or null, is an error unless `missing` sets a rule.\n"
        "`rows` is a table of new data, which has no targets, and `samples` are texts of the column "
        "`text`, where it is the only one that is read.";

    static constexpr std::array ports{
        ptp::output("inputs", PTP_FLOAT, "B, num_features",
                    "The columns `features`: standardized numbers, a 1 for each category")
            .when("features"),
        ptp::output("texts", PTP_STRING, "B", "The column `text`").when("text"),
        ptp::output("more_texts", PTP_STRING, "B", "The columns `more_texts`")
            .streams_from("more_texts"),
        ptp::output("lists", PTP_FLOAT, "B, $list_sizes[]", "The columns `lists`, as written")
            .streams_from("lists"),
        ptp::output("images", PTP_FLOAT, "B, image_depth, image_height, image_width",
                    "The column `image`")
            .meaning(kNormalizedMeaning)
            .when("image"),
        ptp::output("more_images", PTP_FLOAT, "B, image_depth, image_height, image_width",
                    "The columns `more_images`")
            .meaning(kNormalizedMeaning)
            .streams_from("more_images"),
        ptp::output("masks", PTP_INTEGER, "B, image_height, image_width",
                    "The column `mask`: the class of each pixel")
            .when("mask & !rows & !samples"),
        ptp::output("targets", PTP_INTEGER, "B", "Classes, from 0")
            .purpose(PTP_PURPOSE_TARGETS)
            .when("label & !multi_label & !binary & !rows & !samples"),
        ptp::output("targets", PTP_FLOAT, "B, num_classes", "1 for each class in the cell, else 0")
            .purpose(PTP_PURPOSE_TARGETS)
            .when("label & multi_label & !rows & !samples"),
        ptp::output("targets", PTP_FLOAT, "B, 1", ptp::support::kBinaryTargetText)
            .purpose(PTP_PURPOSE_TARGETS)
            .when("label & binary & !rows & !samples"),
        ptp::output("labels", PTP_STRING, "B", "The column `label`, names of the classes")
            .when("label & !rows & !samples"),
        ptp::output("values", PTP_FLOAT, "B, (length($values))",
                    "The columns `values`, for regression")
            .when("values & !rows & !samples"),
        ptp::output("weights", PTP_FLOAT, "B", "The column `weight`")
            .when("weight & !rows & !samples"),
        ptp::output("ids", PTP_STRING, "B", "The column `id`").when("id & !samples"),
        ptp::output("groups", PTP_STRING, "B", "The column `group`").when("group & !samples")};
    static constexpr std::array globals{
        ptp::publishes("table_columns", "What the training's rows determine of the columns"),
        ptp::publishes("value_scales", "Means and deviations by which `values` are standardized")
            .purpose(PTP_PURPOSE_VALUE_COLUMNS)
            .when("standardize_values"),
        ptp::publishes("num_features", "Numbers that the features become").when("features"),
        ptp::publishes("num_classes", "Number of classes")
            .purpose(PTP_PURPOSE_CLASS_COUNT)
            .value("if(length($classes) > 0, length($classes))")
            .when("label & !rows & !samples"),
        ptp::publishes("label_word_mappings", "Table from a class's name to its number")
            .purpose(PTP_PURPOSE_CLASS_NAMES)
            .when("label & !rows & !samples"),
        ptp::publishes("image_height", "Height of an image, in pixels")
            .value("$resize_image[0]")
            .when("resize_image"),
        ptp::publishes("image_width", "Width of an image, in pixels")
            .value("$resize_image[1]")
            .when("resize_image"),
        ptp::publishes("image_depth", "Channels of an image")
            .value("$image_depth")
            .when("resize_image"),
        ptp::publishes_if_named("word_mappings",
                                "Words of the training's texts: a table to their indices")
            .purpose(PTP_PURPOSE_VOCABULARY)
            .when("vocabulary & !rows & !samples")};
    static constexpr bool is_concurrent = true;
    static constexpr std::array requirements{
        kSharesFit,
        kDrawsOneWay,
        ptp::requirement("!$columns.type or $columns.type.type or $columns.type = "
                         "'number'|'category'|'date'|'list'|'ignore'",
                         "is a table of columns by their names: write { NAME = \"category\" }, or "
                         "number, date, list or ignore; 'type' is a column here"),
        ptp::requirement("!$part or $split",
                         "chooses a part of the rows, and nothing divides them: set split, or "
                         "remove part"),
        kFoldExists,
        kFoldHasClasses,
        kFoldHasGroups,
        ptp::requirement("!$standardize_values or $values",
                         "standardizes the columns `values`: name them, or remove it"),
        ptp::requirement("!$binary or !$multi_label",
                         "is for samples with one of two classes, and with multi_label a sample "
                         "has any number: remove one of them"),
        kNumbersOfChannels,
        ptp::requirement("length($list_sizes) = length($lists)",
                         "must have a number for each of lists")};

    using Config = TableConfig;
    Table(const Config& config, ptp::Setup& setup) {
        check_settings(config);
        saved_ = setup.saved_global("table_columns");
        if (config.samples) {
            take_texts(config, setup);
            publish(config, setup);
            return;
        }
        const TableFile table(config.rows.value_or(config.file), config.table_options(), setup);
        std::vector<size_t> rows;
        if (config.is_predicting()) {
            rows = all_rows(table);
            learn(table, rows, config, setup);
        } else {
            rows = rows_of_section(table, config, setup);
        }
        read(table, rows, config);
        warn_of_empty_texts(samples_, config, setup);
        if (saved_) {
            warn_of_far_numbers(table, rows, columns_, setup);
        }
        publish(config, setup);
        setup.log_info(ptp::detail::join(
            rows.size(), " of ", table.row_count(), " rows of ", table.path(),
            config.features ? ptp::detail::join("; ", columns_.width(), " numbers of ",
                                                columns_.features.size(), " features in each")
                            : ""));
    }

    int64_t size() const { return row_count_; }

    std::vector<int64_t> sample_classes() const {
        if (samples_.targets.empty()) {
            throw ptp::SettingError("label",
                                    samples_.class_lists.ends.empty()
                                        ? "a table without a column of classes has none to draw by"
                                        : "samples with several classes have none to draw by");
        }
        return samples_.targets;
    }

    std::tuple<at::Tensor, std::vector<std::string_view>,
               std::vector<std::vector<std::string_view>>, std::vector<at::Tensor>, at::Tensor,
               std::vector<at::Tensor>, at::Tensor, at::Tensor, at::Tensor, at::Tensor,
               std::vector<std::string_view>, at::Tensor, at::Tensor, std::vector<std::string_view>,
               std::vector<std::string_view>>
    fetch(const ptp::Fetch& fetch) const {
        const auto samples = fetch.indices();
        auto [text, more_texts] = split_first(
            samples_.texts, has_text_, [&](const auto& one) { return texts_of(one, samples); });
        auto [image, more_images] = split_first(
            images_, has_image_, [&](const auto& one) { return one.images(samples, shown_); });
        auto lists = split_first(samples_.lists, false,
                                 [&](const auto& one) { return numbers_of(one, samples); });
        return {numbers_of(samples_.inputs, samples),
                std::move(text),
                std::move(more_texts),
                std::move(lists.second),
                std::move(image),
                std::move(more_images),
                read_masks({samples_.masks, lines_}, samples, shown_),
                targets_of(samples_.targets, samples),
                flags_of(samples_.class_lists, columns_.classes.size(), samples),
                binary_targets(samples_.targets, samples),
                labels_of(samples_, columns_.classes, samples),
                numbers_of(samples_.values, samples),
                weights_of(samples_.weights, samples),
                texts_of(samples_.ids, samples),
                texts_of(samples_.groups, samples)};
    }

private:
    // Takes texts of new data in place of a table's rows.
    void take_texts(const Config& config, const ptp::Setup& setup) {
        if (saved_) {
            scales_ = saved_scales(config, setup);
            columns_ = restored_columns(*saved_);
        }
        samples_.texts = {ptp::support::given_texts(*config.samples, other_columns(config))};
        row_count_ = static_cast<int64_t>(samples_.texts.front().size());
        has_text_ = true;
    }

    // Returns the columns besides `text` that samples have; of features those of the training.
    TableConfig::Names other_columns(const Config& config) const {
        TableConfig::Names names;
        if (columns_.features.empty()) {
            names = config.features.value_or(TableConfig::Names());
        }
        std::ranges::transform(columns_.features, std::back_inserter(names), &ColumnCode::name);
        for (const auto& more : {config.more_texts, config.lists, config.all_images()}) {
            names.insert(names.end(), more.begin(), more.end());
        }
        return names;
    }

    // Returns the number of the part of this section, 0 for training.
    static int part_of(const Config& config, const ptp::Setup& setup) {
        const std::string section = setup.section().empty() ? "training" : setup.section();
        const auto part = ptp::detail::choice_index(kParts, config.part.value_or(section));
        if (part < 0) {
            throw ptp::SettingError("split", "the section '", section,
                                    "' has the name of no part\nfix: set part = \"training\", "
                                    "\"validation\" or \"test\"");
        }
        return static_cast<int>(part);
    }

    std::vector<size_t> rows_of_section(const TableFile& table, const Config& config,
                                        const ptp::Setup& setup) {
        const TableColumns learned = saved_ ? restored_columns(*saved_) : TableColumns();
        const KeptRows found =
            kept_rows(table, config, features_to_read(table, config, learned.features));
        const auto& kept = found.rows;
        if (kept.size() < table.row_count() && (!config.split || is_training(setup))) {
            setup.log_result(ptp::detail::join(
                table.row_count() - kept.size(), " of ", table.row_count(), " rows of ",
                table.path().filename(), " left out for missing values: ", found.missing));
        }
        if (!config.split) {
            if (kept.empty()) {
                throw ptp::DataError(table.path(),
                                     ": each row has a missing value: ", found.missing,
                                     "\nfix: set another rule than drop");
            }
            learn_of_sections(table, kept, config, setup);
            return kept;
        }
        const std::vector<int> parts = parts_of_rows(table, *config.split, kept);
        if (is_training(setup)) {
            warn_of_parts(table, *config.split, {kept, parts}, config.undivided(), setup);
        }
        const auto rows_in = [&](int part) {
            std::vector<size_t> rows;
            for (size_t i = 0; i < kept.size(); ++i) {
                if (parts[i] == part) {
                    rows.push_back(kept[i]);
                }
            }
            if (rows.empty()) {
                throw_empty_part(table, *config.split, kept, part);
            }
            return rows;
        };
        learn(table, rows_in(0), config, setup);
        return rows_in(part_of(config, setup));
    }

    // Learns where no split states which rows are the training's.
    void learn_of_sections(const TableFile& table, std::span<const size_t> rows,
                           const Config& config, const ptp::Setup& setup) {
        const bool is_learning = config.features || (config.label && config.classes.empty()) ||
                                 config.vocabulary || config.standardize_values;
        if (!saved_ && config.training_file) {
            const TableFile training(*config.training_file, config.table_options(), setup);
            learn(training, kept_rows(training, config, feature_names(training, config)).rows,
                  config, setup);
        } else if (!saved_ && !is_training(setup) && is_learning) {
            // No setting is to blame: where the training's task has failed, this follows from it.
            throw ptp::ConfigError(
                "has a table without `split`, so the rows of the training, by which columns become "
                "numbers, are not known\nfix: set training_file to the table of [training], or for "
                "rows of that table split = { shares = [0.8, 0.2] } in each section");
        } else {
            learn(table, rows, config, setup);
        }
    }

    void learn(const TableFile& table, std::span<const size_t> rows, const Config& config,
               const ptp::Setup& setup) {
        const auto outside = saved_ ? std::nullopt : rows_outside_of_fold(table, config, rows);
        const std::span<const size_t> counted = outside ? std::span(*outside) : rows;
        if (config.values && !config.rows && !saved_) {
            const ValueScales learned = learn_scales(table, config, counted);
            if (config.standardize_values) {
                scales_ = learned;
            } else if (is_training(setup)) {
                warn_of_scales(learned, config, setup);
            }
        }
        if (saved_) {
            scales_ = saved_scales(config, setup);
            columns_ = restored_columns(*saved_);
            adapt_saved(columns_, table, config, setup);
            return;
        }
        if (config.features) {
            columns_ = learn_columns(table, config, {rows, counted}, setup);
        }
        if (config.label && !config.rows) {
            columns_.classes = learn_classes(table, config, rows, setup);
        }
        if (config.vocabulary) {
            for (const std::string& text : config.all_texts()) {
                const size_t column = table.column("text", text);
                for (const size_t row : counted) {
                    words_.add_text(table.value(column, row).value_or(""));
                }
            }
        }
    }

    void read(const TableFile& table, std::span<const size_t> rows, const Config& config) {
        row_count_ = static_cast<int64_t>(rows.size());
        WrongCells wrong(table, config.columns, config.is_predicting());
        samples_ =
            read_samples({table, rows, config, columns_, scales_ ? &*scales_ : nullptr}, wrong);
        wrong.throw_if_any();
        if (config.resize_image) {
            shown_ = {config.resize_image->at(0), config.resize_image->at(1)};
        }
        has_text_ = config.text.has_value();
        has_image_ = config.image.has_value();
        lines_ = lines_of(table, rows);
        for (std::vector<std::filesystem::path>& files : samples_.images) {
            ImageValues::Options options =
                value_options(config.image_depth, config.resize_image, config.normalize);
            options.is_cut = config.cut;
            images_
                .emplace_back(std::move(files), config.image_depth, ImageValues(std::move(options)),
                              kFixOfFile)
                .come_from(lines_);
        }
    }

    void publish(const Config& config, const ptp::Setup& setup) const {
        // The rules of a section are its own: all publish what the training has learned.
        setup.publish("table_columns", saved_ ? *saved_ : ptp::saved(columns_));
        if (config.standardize_values) {
            if (!scales_) {  // new data without a checkpoint
                setup.log_warning(
                    "no checkpoint has the means and deviations of `values`: predictions are "
                    "standardized numbers; predict by the folder of a run");
            }
            setup.publish("value_scales", ptp::saved(scales_.value_or(ValueScales())));
        }
        if (config.features) {
            setup.publish("num_features", columns_.width());
        }
        if (config.label && !config.is_unlabeled()) {
            ptp::support::check_classes(config.binary, columns_.classes);
            setup.publish("label_word_mappings", ptp::support::class_table(columns_.classes));
            setup.publish("num_classes", columns_.classes.size());
        }
        if (config.resize_image) {
            publish_size(setup, shown_, config.image_depth);
        }
        if (config.vocabulary && !config.is_unlabeled()) {
            const auto saved = setup.saved_global("word_mappings");
            setup.publish("word_mappings", saved ? *saved : words_.mappings());
        }
    }

    int64_t row_count_ = 0;
    std::optional<ptp::Data> saved_;
    TableColumns columns_;
    std::optional<ValueScales> scales_;  // where values are standardized
    ptp::support::WordTable words_;
    TableSamples samples_;
    TableLines lines_;
    std::vector<PictureFiles> images_;
    bool has_text_ = false;   // the first of the texts is `texts`
    bool has_image_ = false;  // the first of the images is `images`
    ImageSize shown_;
};

PTP_PLUGIN("tables", "0.1.0", Table);
