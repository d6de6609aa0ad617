// The samples of a section, as their streams need them.
#pragma once

#include "table_columns.hpp"
#include "value_scales.hpp"

#include <texts.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

// Numbers of the samples, row by row.
struct SampleNumbers {
    size_t width = 0;
    std::vector<float> numbers;
};

// The classes of samples that may have several, sample after sample.
struct ClassLists {
    std::vector<size_t> ends;
    std::vector<int32_t> classes;

    [[nodiscard]] std::span<const int32_t> of(size_t sample) const {
        const size_t begin = sample == 0 ? 0 : ends[sample - 1];
        return std::span(classes).subspan(begin, ends[sample] - begin);
    }
};

// Members that no setting names are empty.
struct TableSamples {
    SampleNumbers inputs;
    std::vector<ptp::support::Texts> texts;  // of TableConfig::all_texts()
    std::vector<SampleNumbers> lists;
    ptp::support::Texts ids;
    ptp::support::Texts groups;
    std::vector<std::vector<std::filesystem::path>> images;  // of TableConfig::all_images()
    std::vector<std::filesystem::path> masks;
    std::vector<int64_t> targets;            // -100 for a class that is not listed
    ClassLists class_lists;                  // in place of targets, with multi_label
    ptp::support::Texts labels;              // with multi_label: the cells
    std::map<size_t, std::string> unlisted;  // names that are not classes, by sample
    SampleNumbers values;
    SampleNumbers weights;
};

struct SampleSource {
    const TableFile& table;
    std::span<const size_t> rows;
    const TableConfig& config;
    const TableColumns& columns;
    const ValueScales* scales;  // of the columns `values`; null where they stay as they are
};

// Adds the wrong cells to `wrong`. Throws SettingError.
TableSamples read_samples(const SampleSource& from, WrongCells& wrong);

// Warns of texts that are empty.
void warn_of_empty_texts(const TableSamples& samples, const TableConfig& config, ptp::Setup& setup);
