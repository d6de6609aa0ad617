// The settings of the task Table.
#pragma once

#include "cells.hpp"
#include "column_types.hpp"
#include "held_out.hpp"
#include "row_parts.hpp"

#include <binary_classes.hpp>
#include <color_settings.hpp>
#include <given_texts.hpp>
#include <ptp/settings.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

inline constexpr const char* kObtainTable =
    "name a CSV, TSV or JSON lines file with the names of its columns";

struct TableConfig {
    using Names = std::vector<std::string>;

    std::filesystem::path file;
    std::optional<std::filesystem::path> rows;
    std::optional<Names> samples;
    std::optional<std::filesystem::path> training_file;
    std::optional<std::string> part;
    std::optional<SplitConfig> split;
    std::optional<HeldOutConfig> held_out;
    std::optional<std::string> separator;
    Names missing_values;
    MissingRule missing = MissingRule::kError;
    std::optional<Names> features;
    ptp::Data columns = ptp::Data::Table();
    std::optional<std::string> text;
    Names more_texts;
    bool vocabulary = false;
    Names lists;
    std::vector<int64_t> list_sizes;
    std::optional<std::string> image;
    Names more_images;
    std::optional<std::string> mask;
    std::optional<std::vector<int64_t>> resize_image;
    bool cut = false;
    int64_t image_depth = 3;
    std::optional<ColorNormalization> normalize;
    std::optional<std::string> label;
    bool multi_label = false;
    bool binary = false;
    std::string label_separator = ";";
    Names classes;
    std::string unlisted = "refused";
    std::optional<Names> values;
    bool standardize_values = false;
    std::optional<std::string> weight;
    std::optional<std::string> id;
    std::optional<std::string> group;

    static constexpr auto settings();
    [[nodiscard]] TableOptions table_options() const;

    // Returns whether the samples are new data without targets.
    [[nodiscard]] bool is_unlabeled() const { return rows || samples; }

    // Returns whether the table has new data, which are no section's.
    [[nodiscard]] bool is_predicting() const { return rows || unlisted == "uncounted"; }

    // Returns the columns of texts, `text` first.
    [[nodiscard]] Names all_texts() const;
    // Returns the columns of images, `image` first.
    [[nodiscard]] Names all_images() const;
    // Returns the columns whose equal values belong to one part of a split.
    [[nodiscard]] std::vector<Whole> undivided() const;

    // Calls use(std::string_view) with each name in a cell of `label`, without white space around
    // it.
    template <class Use>
    void for_each_label(std::string_view cell, Use use) const {
        while (!cell.empty()) {
            const size_t end = multi_label ? cell.find(label_separator) : std::string_view::npos;
            if (const std::string_view one = trimmed(cell.substr(0, end)); !one.empty()) {
                use(one);
            }
            cell.remove_prefix(end == std::string_view::npos ? cell.size()
                                                             : end + label_separator.size());
        }
    }

private:
    static constexpr auto files();
    static constexpr auto inputs();
    static constexpr auto pictures();
    static constexpr auto targets();
};

// Throws ConfigError and SettingError.
void check_settings(const TableConfig& config);

inline TableOptions TableConfig::table_options() const {
    TableOptions options{std::nullopt, missing_values, is_predicting(), text.has_value(),
                         features.value_or(Names())};
    for (const auto& one : {label, text, image, mask, weight, id}) {
        if (one) {
            options.used.push_back(*one);
        }
    }
    if (separator) {
        options.separator = *separator == "comma" ? ',' : *separator == "tab" ? '\t' : ';';
    }
    return options;
}

constexpr auto TableConfig::files() {
    return std::tuple{
        ptp::setting("file", &TableConfig::file,
                     {.help = "The table: CSV, TSV (.tsv) or JSON lines (.jsonl, .ndjson)",
                      .is_required = true,
                      .obtain = kObtainTable}),
        ptp::setting("rows", &TableConfig::rows,
                     {.help = "A table without label, values, mask and weight, in place of `file`",
                      .takes_unlabeled = true,
                      .obtain = kObtainTable}),
        ptp::setting("samples", &TableConfig::samples, ptp::support::kSamplesText),
        ptp::setting("training_file", &TableConfig::training_file,
                     {.help = "The table of the training's section, if the sections have tables "
                              "of their own: its rows determine how columns become numbers",
                      .obtain = kObtainTable}),
        ptp::setting("part", &TableConfig::part,
                     {.help = "Part of the rows by `split`; if not given, the section's name",
                      .choices = kParts,
                      .purpose = PTP_PURPOSE_SPLIT}),
        ptp::setting("split", &TableConfig::split,
                     {.help = "How the rows are divided among the sections"}),
        ptp::setting("held_out", &TableConfig::held_out,
                     {.help = "Rows that a sampler of folds holds out of the training, so that "
                              "they do not count for means, deviations and words; `ptprun cv` "
                              "sets it"}),
        ptp::setting("separator", &TableConfig::separator,
                     {.help = "What is between the cells of a row; if not given, a tab in files "
                              "whose names end with .tsv, else a comma",
                      .choices = "comma|semicolon|tab",
                      .purpose = PTP_PURPOSE_SEPARATOR}),
        ptp::setting("missing_values", &TableConfig::missing_values,
                     {.help = "Cells that have no value, such as NA, besides empty ones",
                      .is_preparation = true}),
        ptp::setting("missing", &TableConfig::missing,
                     {.help = "What is in place of a missing feature, by the training's rows; "
                              "drop leaves out rows in which anything that is read is missing",
                      .choices = kMissingRules})};
}

constexpr auto TableConfig::inputs() {
    return std::tuple{
        ptp::setting("features", &TableConfig::features,
                     {.help = "Columns that become `inputs`, in this order; \"*\": all that no "
                              "other setting names",
                      .length = "[1, inf)",
                      .takes_list_or_one = true,
                      .is_preparation = true}),
        ptp::setting("columns", &TableConfig::columns,
                     {.help = "Types of features, where they differ from what the cells suggest: "
                              "{ NAME = \"number\" }, or { NAME = { type = \"category\", missing = "
                              "\"drop\", unknown = \"zeros\", standardize = false } }; types are "
                              "number, category, date, list and ignore"}),
        ptp::setting("text", &TableConfig::text,
                     {.help = "Column of texts", .is_preparation = true}),
        ptp::setting("more_texts", &TableConfig::more_texts,
                     {.help = "Further columns of texts, each a stream of its name",
                      .takes_list_or_one = true,
                      .is_preparation = true}),
        ptp::setting("lists", &TableConfig::lists,
                     {.help = "Columns of lists of numbers, as 1.5 2 3, each a stream of its name",
                      .takes_list_or_one = true,
                      .is_preparation = true}),
        ptp::setting("list_sizes", &TableConfig::list_sizes,
                     {.help = "How many numbers each list of these columns has",
                      .range = "[1, inf)",
                      .takes_list_or_one = true,
                      .is_preparation = true}),
        ptp::setting("vocabulary", &TableConfig::vocabulary,
                     {.help = "Publish word_mappings: the words of the training's texts, column "
                              "after column, unchanged, by first appearance",
                      .purpose = PTP_PURPOSE_VOCABULARY}),
        ptp::setting("id", &TableConfig::id, {.help = "Column that names each sample"}),
        ptp::setting("group", &TableConfig::group,
                     {.help = "Column with the group of each sample, such as a patient, for "
                              "kFoldGroupSampler; new data may lack it"})};
}

constexpr auto TableConfig::pictures() {
    return std::tuple{
        ptp::setting("image", &TableConfig::image,
                     {.help = "Column of image files, relative to the table's folder",
                      .is_preparation = true}),
        ptp::setting("more_images", &TableConfig::more_images,
                     {.help = "Further columns of image files, each a stream of its name",
                      .takes_list_or_one = true,
                      .is_preparation = true}),
        ptp::setting("mask", &TableConfig::mask,
                     {.help = "Column of such files whose gray values, to 255, or to 65535 with 16 "
                              "bits, are the classes of pixels"}),
        ptp::setting("resize_image", &TableConfig::resize_image, kResizeText),
        ptp::setting("cut", &TableConfig::cut,
                     {.help = "Cut the largest part of the right shape out of the middle of an "
                              "image and resize that, instead of distorting the image",
                      .is_preparation = true}),
        ptp::setting("image_depth", &TableConfig::image_depth, kDepthText),
        ptp::setting("normalize", &TableConfig::normalize, kNormalizeText)};
}

constexpr auto TableConfig::targets() {
    return std::tuple{
        ptp::setting(
            "label", &TableConfig::label,
            {.help = "Column with the names of classes", .purpose = PTP_PURPOSE_LABEL_COLUMN}),
        ptp::setting("multi_label", &TableConfig::multi_label,
                     {.help = "A sample has any number of classes: the cells of `label` have their "
                              "names, as in red;round, and an empty one has none"}),
        ptp::setting("binary", &TableConfig::binary, ptp::support::kBinaryText),
        ptp::setting("label_separator", &TableConfig::label_separator,
                     {.help = "What is between these names"}),
        ptp::setting("classes", &TableConfig::classes,
                     {.help = "Names of the classes, in the order of their numbers; if empty, "
                              "those of the training's rows, in the order of the names",
                      .purpose = PTP_PURPOSE_CLASS_NAMES}),
        ptp::setting("unlisted", &TableConfig::unlisted,
                     {.help = "Rows of other classes: an error; or their target is -100, which "
                              "losses and statistics do not count (of several classes in a cell "
                              "the others are left out), and all rows are read without `split`, "
                              "as `ptprun predict` sets it; an error with `binary`",
                      .choices = "refused|uncounted",
                      .purpose = PTP_PURPOSE_UNLISTED_ROWS}),
        ptp::setting("values", &TableConfig::values,
                     {.help = "Columns of real numbers to be predicted",
                      .length = "[1, inf)",
                      .takes_list_or_one = true,
                      .purpose = PTP_PURPOSE_VALUE_COLUMNS}),
        ptp::setting("standardize_values", &TableConfig::standardize_values,
                     {.help = "Standardize these numbers by the mean and the deviation of the "
                              "training's rows; RegressionStatistics and `ptprun predict` show "
                              "errors and predictions in the unit of the column",
                      .is_preparation = true}),
        ptp::setting("weight", &TableConfig::weight,
                     {.help = "Column with the weight of each sample, from 0"})};
}

constexpr auto TableConfig::settings() {
    return std::tuple_cat(files(), inputs(), pictures(), targets());
}
