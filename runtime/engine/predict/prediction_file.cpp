// Writes rows as CSV or JSON, all or the worst, and replaces the file when they are complete.

#include "engine/predict/prediction_file.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <iterator>
#include <system_error>
#include <utility>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kGathered = std::size_t{1} << 20U;

std::string csv_text(const Cell& cell) {
    if (cell.is_null()) {
        return "";
    }
    if (cell.is_number_float()) {
        return exact_text(cell.get<double>());
    }
    return csv_cell(cell.is_string() ? cell.get<std::string>() : text_of(cell));
}

[[noreturn]] void fail(const std::string& what, int reason) {
    throw RunError(kTrainingError, fmt::format("cannot write {}: {}", what,
                                               std::generic_category().message(reason)));
}

// Terminals get escaped text; programs get the unchanged bytes. Returns false if a reader, such as
// `head`, has closed the pipe.
bool write_to(int descriptor, std::string text, const std::string& name) {
    if (::isatty(descriptor) == 1) {
        text = harmless(text);
    }
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t written = ::write(descriptor, text.data() + done, text.size() - done);
        if (written < 0 && errno == EPIPE) {
            return false;
        }
        if (written < 0 && errno != EINTR) {
            fail(name, errno);
        }
        done += static_cast<std::size_t>(std::max<ssize_t>(written, 0));
    }
    return true;
}

constexpr const char* kStandardOutput = "the standard output";

}  // namespace

PredictionFile::PredictionFile(const std::optional<fs::path>& path, const fs::path& scratch,
                               Form form)
    : form_(form) {
    is_copied_ = !path || is_special_file(*path);
    if (path) {
        path_ = is_copied_ ? *path : written_path(fs::absolute(*path));
    }
    if (!is_copied_) {
        part_.emplace(*path_);
    }
    made_ = is_copied_ ? scratch / "predictions" : part_->path();
    file_.emplace(part_ ? part_->open_to_write() : OutputFile::create(made_));
}

PredictionFile::~PredictionFile() {
    if (is_copied_) {
        std::error_code ignored;
        fs::remove(made_, ignored);
    }
}

void PredictionFile::header(std::vector<std::string> names) {
    names_ = std::move(names);
    if (form_.is_json) {
        return;
    }
    add(line(std::vector<Cell>(names_.begin(), names_.end())));
}

std::string PredictionFile::line(const std::vector<Cell>& cells) const {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        text += (i == 0 ? "" : ",") + csv_text(cells[i]);
    }
    return text + "\n";
}

void PredictionFile::row(std::vector<Cell> cells, double rank) {
    std::string text;
    if (form_.is_json) {
        Cell object = Cell::object();
        for (std::size_t i = 0; i < cells.size(); ++i) {
            object[names_[i]] = std::move(cells[i]);
        }
        text = text_of(object) + "\n";
    } else {
        text = line(cells);
    }
    if (!form_.worst) {
        ++rows_;
        add(text);
        return;
    }
    const bool is_nan = std::isnan(rank);
    ranked_.emplace(Place{!is_nan, is_nan ? 0 : -rank, seen_++}, std::move(text));
    if (ranked_.size() > *form_.worst) {
        ranked_.erase(std::prev(ranked_.end()));
    }
}

void PredictionFile::add_json(const Cell& object) {
    add(text_of(object) + "\n");
}

void PredictionFile::add(std::string_view line) {
    gathered_ += line;
    if (gathered_.size() >= kGathered) {
        write_gathered();
    }
}

void PredictionFile::write_gathered() {
    if (!form_.is_streamed) {
        file_->write(gathered_);
    } else if (has_reader_) {
        has_reader_ = write_to(STDOUT_FILENO, gathered_, kStandardOutput);
    }
    gathered_.clear();
}

bool PredictionFile::flush() {
    write_gathered();
    return has_reader_;
}

void PredictionFile::finish() {
    for (const auto& [place, line] : ranked_) {
        add(line);
        ++rows_;
    }
    write_gathered();
    file_->finish();
    deliver();
}

void PredictionFile::deliver() {
    if (!path_) {
        write_to(STDOUT_FILENO, read_text(made_), kStandardOutput);
    } else if (is_copied_) {
        const int descriptor = ::open(path_->c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor < 0) {
            fail(path_->string(), errno);
        }
        const OutputFile target(descriptor, *path_);  // closes it
        write_to(descriptor, read_text(made_), path_->string());
    } else {
        part_->finish();
        sync_folder(path_->parent_path());
    }
}

}  // namespace ptp::engine
