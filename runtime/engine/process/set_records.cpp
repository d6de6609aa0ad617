#include "engine/process/set_records.hpp"

#include "base/output_file.hpp"
#include "engine/stats/set_cells.hpp"

#include <utility>

namespace ptp::engine {

namespace {

std::vector<std::string> batch_header(const std::vector<Column>& columns, StatisticSet set) {
    std::vector<std::string> header = {"batch", "samples"};
    for (const Column& column : columns) {
        if (is_in_batches(column, set)) {
            header.push_back(column.name);
        }
    }
    return header;
}

std::vector<std::string> set_header(const std::vector<Column>& columns, StatisticSet set) {
    std::vector<std::string> header = {"batches", "samples"};
    for (const Column& column : columns) {
        if (!column.is_shown || !column.in_set[set]) {
            continue;
        }
        add_names(header, column);
    }
    return header;
}

}  // namespace

SetRecords::SetRecords(std::filesystem::path folder, std::string section,
                       std::vector<Column> columns, StatisticSet set)
    : folder_(std::move(folder)),
      section_(std::move(section)),
      columns_(std::move(columns)),
      set_(set),
      batches_(OutputFile::create(folder_ / (section_ + "_batches.csv")),
               batch_header(columns_, set)) {}

void SetRecords::batch(std::uint64_t index, std::uint64_t samples, std::span<const double> values) {
    batches_.add(index);
    batches_.add(samples);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (is_in_batches(columns_[i], set_)) {
            batches_.add(values[i]);
        }
    }
    batches_.end_row();
}

void SetRecords::finish(std::uint64_t batches, std::uint64_t samples,
                        const std::vector<Aggregate>& aggregates) {
    batches_.finish();
    const std::filesystem::path path = folder_ / (section_ + ".csv");
    const std::filesystem::path made = path.string() + ".new";
    try {
        CsvFile file(OutputFile::create(made), set_header(columns_, set_));
        file.add(batches);
        file.add(samples);
        add_cells(file, columns_, aggregates);
        file.end_row();
        file.finish();
    } catch (...) {
        std::error_code ignored;
        std::filesystem::remove(made, ignored);
        throw;
    }
    std::filesystem::rename(made, path);
    sync_folder(folder_);
}

}  // namespace ptp::engine
