// The samples of a section, as their streams need them.
#pragma once

#include "table_columns.hpp"

#include <texts.hpp>

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

// Numbers of the samples, row by row.
struct SampleNumbers {
    size_t width = 0;
    std::vector<float> numbers;
};

// Members that no setting names are empty.
struct TableSamples {
    SampleNumbers inputs;
    ptp::support::Texts texts;
    ptp::support::Texts ids;
    std::vector<std::filesystem::path> images;
    std::vector<std::filesystem::path> masks;
    std::vector<int64_t> targets;  // -100 for a class that is not listed
    ptp::support::Texts labels;
    SampleNumbers values;
    SampleNumbers weights;
};

struct SampleSource {
    const TableFile& table;
    std::span<const size_t> rows;
    const TableConfig& config;
    const TableColumns& columns;
};

// Adds the wrong cells to `wrong`. Throws SettingError.
TableSamples read_samples(const SampleSource& from, WrongCells& wrong);
