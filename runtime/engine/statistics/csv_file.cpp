#include "engine/statistics/csv_file.hpp"

#include "base/csv.hpp"
#include "base/number.hpp"

#include <utility>

namespace ptp::engine {

namespace {

constexpr std::size_t kMaxGathered = 1U << 16U;
constexpr std::chrono::seconds kMaxWait{1};

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

}  // namespace ptp::engine
