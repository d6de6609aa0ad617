// Parses cell by cell. A quoted cell may contain separators, doubled quotes and line ends.

#include "csv_text.hpp"

#include <algorithm>

namespace ptp::support {

std::optional<CsvRow> CsvText::next() {
    if (at_ >= text_.size()) {
        return std::nullopt;
    }
    CsvRow row;
    row.line = line_;
    row.is_blank = ends_line();
    bool has_more = true;
    while (has_more) {
        row.cells.push_back(at() == '"' ? quoted(row.problem) : plain());
        has_more = at_ < text_.size() && at() == separator_;
        at_ += has_more ? 1 : 0;
    }
    if (!ends_line()) {
        row.problem = row.problem.empty() ? "has text after a closing quote" : row.problem;
        at_ = std::min(text_.find('\n', at_), text_.size());
    }
    step_over_end();
    return row;
}

bool CsvText::ends_line() const {
    return at_ >= text_.size() || at() == '\n' || (at() == '\r' && at(1) == '\n');
}

void CsvText::step_over_end() {
    at_ += at() == '\r' ? 1 : 0;
    at_ += 1;
    ++line_;
}

std::string CsvText::plain() {
    const std::size_t begin = at_;
    while (!ends_line() && at() != separator_) {
        ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
}

std::string CsvText::quoted(std::string& problem) {
    std::string cell;
    ++at_;
    while (at_ < text_.size() && (at() != '"' || at(1) == '"')) {
        at_ += at() == '"' ? 1 : 0;
        line_ += at() == '\n' ? 1 : 0;
        cell += text_[at_++];
    }
    if (at_ >= text_.size()) {
        problem = "has a quote that is not closed";
    }
    ++at_;
    return cell;
}

void BlankLines::warn(std::size_t columns, const Setup& setup) const {
    if (count_ == 0 || columns > 1) {
        return;
    }
    const std::string others =
        count_ == 1 ? ""
                    : detail::join(", as ", count_ - 1, count_ == 2 ? " other is" : " others are");
    setup.log_warning(detail::join("line ", first_, " of the table is blank", others,
                                   ": blank lines are no rows, and samples are counted without "
                                   "them; write \"\" in a line for a sample that is empty"));
}

}  // namespace ptp::support
