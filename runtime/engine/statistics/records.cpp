// Writes the tables of a run as CSV, and truncates them where an earlier process went on.

#include "engine/statistics/records.hpp"

#include "base/number.hpp"
#include "base/text.hpp"
#include "pipeline/globals.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <fstream>
#include <string>
#include <utility>

namespace ptp::engine {

namespace {

constexpr std::size_t kMaxGathered = 1U << 16U;
constexpr std::chrono::seconds kMaxWait{1};

constexpr const char* kHashEnding = ".sha256";  // added to a table's name; older runs have none

}  // namespace

CsvFile::CsvFile(OutputFile file)
    : file_(std::move(file)), last_flush_(std::chrono::steady_clock::now()) {
    file_.keep_hash();
}

CsvFile::CsvFile(OutputFile file, const std::vector<std::string>& header)
    : CsvFile(std::move(file)) {
    for (const std::string& name : header) {
        add(std::string_view(name));
    }
    end_row();
    flush();
}

void CsvFile::separate() {
    if (std::exchange(is_row_begun_, true)) {
        gathered_ += ',';
    }
}

void CsvFile::add(std::string_view text) {
    separate();
    gathered_ += csv_cell(text);
}

void CsvFile::add(std::uint64_t number) {
    separate();
    gathered_ += std::to_string(number);
}

void CsvFile::add(double number) {
    separate();
    gathered_ += exact_text(number);
}

void CsvFile::end_row() {
    gathered_ += '\n';
    is_row_begun_ = false;
    if ((gathered_.size() > kMaxGathered && !problem_) ||
        std::chrono::steady_clock::now() - last_flush_ > kMaxWait) {
        flush();
    }
}

void CsvFile::flush() {
    last_flush_ = std::chrono::steady_clock::now();
    problem_.clear();
    gathered_.erase(0, file_.write_some(gathered_, problem_));
}

void CsvFile::write_all() {
    flush();
    if (problem_) {
        file_.refuse(problem_);
    }
}

void CsvFile::sync() {
    write_all();
    file_.sync();
}

void CsvFile::finish() {
    write_all();
    file_.finish();
}

Records::Records(std::filesystem::path folder, const std::vector<Column>& columns,
                 spdlog::logger& log, std::uint64_t first_epoch,
                 const std::vector<std::string>& validations)
    : folder_(std::move(folder)), columns_(columns), log_(log), first_epoch_(first_epoch) {
    const auto add = [this](std::string name) { tables_.emplace_back().name = std::move(name); };
    add(run::kTrainingTable);
    add(run::kTrainingEpochsTable);
    for (const char* prefix : {"", run::kPartialPrefix}) {
        for (const std::string& validation : validations) {
            add(prefix + validation + run::kTableEnding);
        }
    }
    add(run::kTestTable);
}

// Reports once when rows begin to wait, and once when none does any more.
void Records::tell_of(Table& table) {
    const CsvFile& file = *table.file;
    const bool is_waiting = static_cast<bool>(file.problem());
    if (std::exchange(table.is_waiting, is_waiting) == is_waiting) {
        return;
    }
    if (is_waiting) {
        log_.warn(fmt::format(
            "cannot write {}: {}; its rows wait in memory, until there is room or a checkpoint is "
            "due, which cannot be saved without them",
            file.path().string(), file.problem().message()));
    } else {
        log_.info(fmt::format("the rows that waited are in {}", file.path().string()));
    }
}

void Records::episode(Position position, std::span<const double> values) {
    if (is_muted_) {
        return;
    }
    std::optional<CsvFile>& file = tables_.front().file;
    if (!file) {
        file.emplace(OutputFile::create(folder_ / tables_.front().name),
                     batch_header({"episode", "epoch"}, columns_, kTrainingSet));
    }
    file->add(position.episode);
    file->add(first_epoch_ + position.epoch);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (is_written(columns_[i])) {
            file->add(values[i]);
        }
    }
    file->end_row();
    tell_of(tables_.front());
}

bool Records::is_written(const Column& column) const {
    return is_in_batches(column, kTrainingSet) &&
           (has_plain_rate_ || column.name != pipeline::kRateStatistic);
}

void Records::set(std::string_view name, const SetPosition& position,
                  const std::vector<Aggregate>& aggregates) {
    if (is_muted_) {
        return;
    }
    const std::string wanted = name == "training" ? std::string(run::kTrainingEpochsTable)
                                                  : std::string(name) + run::kTableEnding;
    const auto place = std::ranges::find(tables_, wanted, &Table::name);
    assert(place != tables_.end());
    Table& table = *place;
    std::optional<CsvFile>& file = table.file;
    if (!file) {
        file.emplace(OutputFile::create(folder_ / table.name),
                     set_header({"episode", "episodes_aggregated", "epoch"}, columns_, aggregates));
    }
    file->add(position.at.episode);
    file->add(position.episodes_aggregated);
    file->add(first_epoch_ + position.at.epoch);
    add_cells(*file, columns_, aggregates);
    file->end_row();
    file->flush();
    tell_of(table);
}

// Reports once: its rows are lost, the training is not.
void Records::tell_of_disturbance(Table& table) {
    const std::string what = table.is_disturbed ? "" : table.file->disturbance();
    if (!what.empty()) {
        table.is_disturbed = true;
        log_.warn(fmt::format("{} {}; rows of it are lost", table.file->path().string(), what));
    }
}

void Records::sync() {
    for (Table& table : tables_) {
        if (table.file) {
            table.file->sync();
            tell_of_disturbance(table);
        }
    }
    sync_folder(folder_);
}

void Records::finish() {
    for (Table& table : tables_) {
        if (table.file) {
            table.file->write_all();
            tell_of_disturbance(table);
            table.file->finish();
            table.file.reset();
        }
    }
    sync_folder(folder_);
}

SavedState Records::save() const {
    SavedState saved;
    for (const Table& table : tables_) {
        if (table.file) {
            saved.record.set(table.name, table.file->size());
            saved.record.set(table.name + kHashEnding, table.file->hash());
        }
    }
    return saved;
}

void Records::restore(const SavedState& saved) {
    if (is_muted_) {
        return;
    }
    if (saved.record.find(run::kTrainingTable) != nullptr) {
        std::ifstream file(folder_ / run::kTrainingTable);
        std::string header;
        std::getline(file, header);
        const std::string cell = fmt::format(",{}", pipeline::kRateStatistic);
        has_plain_rate_ = header.ends_with(cell) || header.find(cell + ",") != std::string::npos;
    }
    for (Table& table : tables_) {
        const std::filesystem::path path = folder_ / table.name;
        if (saved.record.find(table.name) == nullptr) {
            std::filesystem::remove(path);  // All its rows are later than the checkpoint.
        } else {
            const std::int64_t size = integer_in(saved.record, table.name);
            const Value* hash = saved.record.find(table.name + kHashEnding);
            table.file.emplace(OutputFile::append(
                path, static_cast<std::uint64_t>(size),
                hash != nullptr && hash->is_string() ? hash->as_string() : std::string()));
        }
    }
}

std::vector<std::string> batch_header(std::vector<std::string> header,
                                      const std::vector<Column>& columns, StatisticSet set) {
    for (const Column& column : columns) {
        if (is_in_batches(column, set)) {
            header.push_back(column.name);
        }
    }
    return header;
}

std::vector<std::string> set_header(std::vector<std::string> header,
                                    const std::vector<Column>& columns,
                                    const std::vector<Aggregate>& aggregates) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!is_recorded(columns[i], aggregates[i])) {
            continue;
        }
        header.push_back(columns[i].name);
        if (columns[i].has_spread) {
            for (const char* suffix : {"_min", "_max", "_std"}) {
                header.push_back(columns[i].name + suffix);
            }
        }
    }
    return header;
}

void add_cells(CsvFile& file, const std::vector<Column>& columns,
               const std::vector<Aggregate>& aggregates) {
    for (std::size_t i = 0; i < aggregates.size(); ++i) {
        if (!is_recorded(columns[i], aggregates[i])) {
            continue;
        }
        file.add(aggregates[i].value);
        if (columns[i].has_spread) {
            file.add(aggregates[i].minimum);
            file.add(aggregates[i].maximum);
            file.add(aggregates[i].deviation);
        }
    }
}

}  // namespace ptp::engine
