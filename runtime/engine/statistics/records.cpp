// Files to which rows are appended, the tables of a run, and how a resumed run continues them.

#include "engine/statistics/records.hpp"

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "pipeline/globals.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <fstream>

namespace ptp::engine {

namespace {

constexpr std::size_t kMaxGathered = 1U << 16U;
constexpr std::chrono::seconds kMaxWait{1};

constexpr const char* kHashEnding = ".sha256";  // added to a table's name; older runs have none

}  // namespace

GrowingFile::GrowingFile(std::filesystem::path path) : path_(std::move(path)) {
    open();
}

GrowingFile::GrowingFile(const std::filesystem::path& path, std::uint64_t size,
                         const std::string& sha256)
    : path_(path), synced_size_(size), synced_hash_(sha256) {
    if (size > 0 || std::filesystem::exists(std::filesystem::symlink_status(path))) {
        keep(OutputFile::append(path, size, sha256));
    } else {
        open();
    }
}

GrowingFile::GrowingFile(OutputFile file) : path_(file.path()) {
    keep(std::move(file));
    synced_size_ = file_->size();
    synced_hash_ = file_->hash();
}

void GrowingFile::keep(OutputFile file) {
    file_.emplace(std::move(file));
    file_->keep_hash();
}

void GrowingFile::open() {
    std::error_code error;
    std::filesystem::create_directories(path_.parent_path(), error);
    if (error && is_lack_of_room(error.value())) {
        problem_ = error;
        return;
    }
    if (std::optional<OutputFile> made = OutputFile::create_if_room(path_, problem_)) {
        keep(std::move(*made));
    }
}

void GrowingFile::add(std::string_view bytes) {
    gathered_ += bytes;
    if ((gathered_.size() > kMaxGathered && !problem_) ||
        std::chrono::steady_clock::now() - last_flush_ > kMaxWait) {
        flush();
    }
}

void GrowingFile::flush() {
    last_flush_ = std::chrono::steady_clock::now();
    problem_.clear();
    if (!file_) {
        open();
    }
    if (file_) {
        gathered_.erase(0, file_->write_some(gathered_, problem_));
    }
}

void GrowingFile::sync() {
    flush();
    if (file_) {
        file_->sync();
        synced_size_ = file_->size();
        synced_hash_ = file_->hash();
    }
}

void GrowingFile::write_all() {
    flush();
    if (problem_) {
        throw RunError(kTrainingError,
                       fmt::format("cannot write {}: {}", path_.string(), problem_.message()));
    }
}

void GrowingFile::finish() {
    write_all();
    file_->finish();
}

void FileNotes::note_waiting(const GrowingFile& file, spdlog::logger& log,
                             std::string_view rows_wait, std::string_view rows_are_written) {
    const bool is_waiting = static_cast<bool>(file.problem());
    if (std::exchange(is_waiting_, is_waiting) == is_waiting) {
        return;
    }
    if (is_waiting) {
        log.warn(fmt::format("cannot write {}: {}; {}", file.path().string(),
                             file.problem().message(), rows_wait));
    } else {
        log.info(rows_are_written);
    }
}

void FileNotes::note_disturbance(const GrowingFile& file, spdlog::logger& log) {
    const std::string what = is_disturbed_ ? "" : file.disturbance();
    if (!what.empty()) {
        is_disturbed_ = true;
        log.warn(fmt::format("{} {}; rows of it are lost", file.path().string(), what));
    }
}

Cells batch_cells(const std::vector<Column>& columns, std::span<const double> values,
                  StatisticSet set) {
    Cells cells;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (is_in_batches(columns[i], set)) {
            cells.emplace_back(columns[i].name, values[i]);
        }
    }
    return cells;
}

Cells set_cells(const std::vector<Column>& columns, const std::vector<Aggregate>& aggregates) {
    Cells cells;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string& name = columns[i].name;
        if (!is_recorded(columns[i], aggregates[i])) {
            continue;
        }
        cells.emplace_back(name, aggregates[i].value);
        if (columns[i].has_spread) {
            cells.emplace_back(name + "_min", aggregates[i].minimum);
            cells.emplace_back(name + "_max", aggregates[i].maximum);
            cells.emplace_back(name + "_std", aggregates[i].deviation);
        }
    }
    return cells;
}

CsvFile::CsvFile(OutputFile file, const std::vector<std::string>& header, const Cells& cells)
    : CsvFile(std::move(file)) {
    for (const std::string& name : header) {
        add(std::string_view(name));
    }
    for (const auto& [name, number] : cells) {
        add(std::string_view(name));
    }
    end_row();
    flush();
}

void CsvFile::add_cell(std::string_view text) {
    if (std::exchange(is_row_begun_, true)) {
        row_ += ',';
    }
    row_ += text;
}

void CsvFile::add(std::string_view text) {
    add_cell(csv_cell(text));
}

void CsvFile::add(std::uint64_t number) {
    add_cell(std::to_string(number));
}

void CsvFile::add(double number) {
    add_cell(exact_text(number));
}

void CsvFile::add(const Cells& cells) {
    for (const auto& [name, number] : cells) {
        add(number);
    }
}

void CsvFile::end_row() {
    row_ += '\n';
    GrowingFile::add(row_);
    row_.clear();
    is_row_begun_ = false;
}

void CsvFile::sync() {
    write_all();
    GrowingFile::sync();
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

void Records::end_row(Table& table) {
    table.file->end_row();
    table.notes.note_waiting(
        *table.file, log_,
        "its rows wait in memory, until there is room or a checkpoint is due, which cannot be saved "
        "without them",
        fmt::format("the rows that waited are in {}", table.file->path().string()));
}

void Records::episode(Position position, std::span<const double> values) {
    if (is_muted_) {
        return;
    }
    Table& table = tables_.front();
    Cells cells = batch_cells(columns_, values, kTrainingSet);
    if (!has_plain_rate_) {
        std::erase_if(cells,
                      [](const auto& cell) { return cell.first == pipeline::kRateStatistic; });
    }
    if (!table.file) {
        table.file.emplace(OutputFile::create(folder_ / table.name),
                           std::vector<std::string>{"episode", "epoch"}, cells);
    }
    table.file->add(position.episode);
    table.file->add(first_epoch_ + position.epoch);
    table.file->add(cells);
    end_row(table);
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
    const Cells cells = set_cells(columns_, aggregates);
    if (!table.file) {
        table.file.emplace(OutputFile::create(folder_ / table.name),
                           std::vector<std::string>{"episode", "episodes_aggregated", "epoch"},
                           cells);
    }
    table.file->add(position.at.episode);
    table.file->add(position.episodes_aggregated);
    table.file->add(first_epoch_ + position.at.epoch);
    table.file->add(cells);
    end_row(table);
    table.file->flush();
}

// Rows are lost if another program has changed a file; the training is not.
template <class Work>
void Records::each_file(Work work) {
    for (Table& table : tables_) {
        if (table.file) {
            work(*table.file);
            table.notes.note_disturbance(*table.file, log_);
        }
    }
    sync_folder(folder_);
}

void Records::sync() {
    each_file([](CsvFile& file) { file.sync(); });
}

void Records::finish() {
    each_file([](CsvFile& file) { file.write_all(); });
    for (Table& table : tables_) {
        if (table.file) {
            table.file->finish();
            table.file.reset();
        }
    }
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
            table.file.emplace(OutputFile::append(path, static_cast<std::uint64_t>(size),
                                                  saved.record.text_at(table.name + kHashEnding)));
        }
    }
}

}  // namespace ptp::engine
