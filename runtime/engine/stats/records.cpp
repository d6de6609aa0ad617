#include "engine/stats/records.hpp"

#include "engine/stats/set_cells.hpp"
#include "pipeline/globals.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <fstream>
#include <string>
#include <utility>

namespace ptp::engine {

namespace {

// By Table.
constexpr std::array kFileNames = {run::kTrainingTable, run::kTrainingEpochsTable,
                                   run::kValidationTable, run::kPartialValidationTable,
                                   run::kTestTable};

std::vector<std::string> episode_header(const std::vector<Column>& columns) {
    std::vector<std::string> header = {"episode", "epoch"};
    for (const Column& column : columns) {
        if (is_in_batches(column, kTrainingSet)) {
            header.push_back(column.name);
        }
    }
    return header;
}

std::vector<std::string> set_header(const std::vector<Column>& columns,
                                    const std::vector<Aggregate>& aggregates) {
    std::vector<std::string> header = {"episode", "episodes_aggregated", "epoch"};
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const Column& column = columns[i];
        if (!is_recorded(column, aggregates[i])) {
            continue;
        }
        add_names(header, column);
    }
    return header;
}

}  // namespace

Records::Records(std::filesystem::path folder, const std::vector<Column>& columns,
                 spdlog::logger& log, std::uint64_t first_epoch)
    : folder_(std::move(folder)), columns_(columns), log_(log), first_epoch_(first_epoch) {}

// Once when rows begin to wait, and once when none does any more.
void Records::tell_of(std::size_t table) {
    const CsvFile& file = *files_[table];
    const bool is_waiting = static_cast<bool>(file.problem());
    if (std::exchange(is_waiting_[table], is_waiting) == is_waiting) {
        return;
    }
    if (is_waiting) {
        log_.warn(
            "cannot write {}: {}; its rows wait in memory, until there is room or a checkpoint is "
            "due, which cannot be saved without them",
            file.path().string(), file.problem().message());
    } else {
        log_.info("the rows that waited are in {}", file.path().string());
    }
}

void Records::episode(Position position, std::span<const double> values) {
    std::optional<CsvFile>& file = files_[0];
    if (!file) {
        file.emplace(OutputFile::create(folder_ / kFileNames[0]), episode_header(columns_));
    }
    file->add(position.episode);
    file->add(first_epoch_ + position.epoch);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (is_written(columns_[i])) {
            file->add(values[i]);
        }
    }
    file->end_row();
    tell_of(0);
}

bool Records::is_written(const Column& column) const {
    return is_in_batches(column, kTrainingSet) &&
           (has_plain_rate_ || column.name != pipeline::kRateStatistic);
}

void Records::set(Table table, const SetPosition& position,
                  const std::vector<Aggregate>& aggregates) {
    const auto index = static_cast<std::size_t>(table);
    std::optional<CsvFile>& file = files_[index];
    if (!file) {
        file.emplace(OutputFile::create(folder_ / kFileNames[index]),
                     set_header(columns_, aggregates));
    }
    file->add(position.at.episode);
    file->add(position.episodes_aggregated);
    file->add(first_epoch_ + position.at.epoch);
    add_cells(*file, columns_, aggregates);
    file->end_row();
    file->flush();
    tell_of(index);
}

void Records::sync() {
    for (std::optional<CsvFile>& file : files_) {
        if (file) {
            file->sync();
        }
    }
    sync_folder(folder_);
}

void Records::finish() {
    for (std::optional<CsvFile>& file : files_) {
        if (file) {
            file->finish();
            file.reset();
        }
    }
    sync_folder(folder_);
}

SavedState Records::save() const {
    SavedState saved;
    for (std::size_t i = 0; i < files_.size(); ++i) {
        if (files_[i]) {
            saved.record.set(kFileNames[i], files_[i]->size());
        }
    }
    return saved;
}

void Records::restore(const SavedState& saved) {
    if (saved.record.find(kFileNames[0]) != nullptr) {
        std::ifstream file(folder_ / kFileNames[0]);
        std::string header;
        std::getline(file, header);
        const std::string cell = fmt::format(",{}", pipeline::kRateStatistic);
        has_plain_rate_ = header.ends_with(cell) || header.find(cell + ",") != std::string::npos;
    }
    for (std::size_t i = 0; i < files_.size(); ++i) {
        const std::filesystem::path path = folder_ / kFileNames[i];
        if (saved.record.find(kFileNames[i]) == nullptr) {
            std::filesystem::remove(path);  // All its rows come after the checkpoint.
        } else {
            const std::int64_t size = integer_in(saved.record, kFileNames[i]);
            files_[i].emplace(OutputFile::append(path, static_cast<std::uint64_t>(size)));
        }
    }
}

}  // namespace ptp::engine
