// Appends lines, each whole or not at all, and finds the end of the last whole one.

#include "run/line_file.hpp"

#include "base/json.hpp"

#include <stdexcept>
#include <utility>

namespace ptp::run {

namespace fs = std::filesystem;

LineFile::LineFile(fs::path path) : path_(std::move(path)) {
    if (fs::exists(path_)) {
        size_ = read_text(path_).rfind('\n') + 1;  // 0 if there is none
        out_.emplace(OutputFile::append(path_, size_));
    }
}

void LineFile::append(const Value& line) {
    const std::string text = ptp::text_of(json_of(line)) + '\n';
    try {
        if (!out_) {
            out_.emplace(fs::exists(path_) ? OutputFile::append(path_, size_)
                                           : OutputFile::create(path_));
        }
        is_on_disk_ = false;
        out_->write(text);
    } catch (...) {
        out_.reset();  // what has been written of the line is cut off when it is opened again
        throw;
    }
    size_ += text.size();
}

void LineFile::sync() {
    if (!is_on_disk_) {
        if (!out_) {  // a line could not be written, those before it were
            out_.emplace(OutputFile::append(path_, size_));
        }
        out_->sync();
        sync_folder(path_.parent_path());
    }
    is_on_disk_ = true;
}

Value line_value(std::string_view line) {
    const std::optional<Json> json = parsed_json(line);
    if (!json || !json->is_object()) {
        throw std::runtime_error("is not a JSON object");
    }
    return ptp::value_of(*json);
}

}  // namespace ptp::run
