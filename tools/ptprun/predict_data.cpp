// Takes the samples that `ptprun predict` is given, and advises how else to give them.

#include "predict_data.hpp"

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/explanation.hpp"
#include "base/json.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "host/section_names.hpp"
#include "pipeline/table_rows.hpp"
#include "run/checkpoint_record.hpp"
#include "table_copy.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

namespace ptp::ptprun {

namespace fs = std::filesystem;

namespace {

constexpr const char* kCopyOfInput = "standard_input";

// The lines of the standard input, each a sample.
Strings lines_of_standard_input() {
    Strings lines;
    for (std::string line; std::getline(std::cin, line);) {
        if (line.ends_with('\r')) {
            line.pop_back();
        }
        lines.push_back(std::move(line));
    }
    if (lines.empty()) {
        throw RunError(kDataError, "--data -: the standard input is empty");
    }
    const auto is_blank = [](const std::string& line) { return trimmed(line).empty(); };
    const auto blank = std::ranges::find_if(lines, is_blank);
    if (blank != lines.end()) {
        const auto others = std::ranges::count_if(lines, is_blank) - 1;
        throw WithFix<RunError>(
            kDataError,
            {fmt::format("--data -: line {} is blank{}, expected a text", blank - lines.begin() + 1,
                         others == 0   ? ""
                         : others == 1 ? ", as 1 other is"
                                       : fmt::format(", as {} others are", others)),
             "leave blank lines out, as grep '[^[:space:]]' does"});
    }
    return lines;
}

// Returns whether the lines are those of a table in CSV or TSV: the first one has names alone, one
// of them usual for texts, and each other as many cells. Below a single name one has several words,
// or is in quotes: names alone may be texts.
bool are_table(const Strings& lines) {
    constexpr std::array<std::string_view, 17> kUsual = {
        "text",    "texts",    "sentence", "sentences", "review",   "reviews",
        "comment", "comments", "message",  "messages",  "title",    "content",
        "body",    "document", "tweet",    "question",  "questions"};
    const std::size_t at = lines.front().find_first_of(",\t;");
    const char separator = at == std::string::npos ? ',' : lines.front()[at];
    const auto cells_of = [&](const std::string& line) {
        pipeline::Rows rows(line, separator);
        pipeline::Strings cells;
        return rows.next(cells) ? cells : pipeline::Strings();
    };
    const pipeline::Strings header = cells_of(lines.front());
    const auto is_name = [&](const std::string& cell) {
        const bool is_index = cell.empty() && &cell == &header.front();  // as pandas writes it
        return is_index || (!cell.empty() && std::ranges::all_of(cell, [](char c) {
                   return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
               }));
    };
    const auto is_usual = [&](const std::string& cell) {
        return std::ranges::find(kUsual, in_lower_case(cell)) != kUsual.end();
    };
    const auto is_row = [&](const std::string& line) {
        return cells_of(line).size() >= header.size();
    };
    const auto has_words = [](const std::string& line) {
        return line.find(' ') != line.npos ||
               (line.size() > 1 && line.starts_with('"') && line.ends_with('"'));
    };
    return lines.size() > 1 && std::ranges::all_of(header, is_name) &&
           std::ranges::any_of(header, is_usual) &&
           std::all_of(lines.begin() + 1, lines.end(), is_row) &&
           (header.size() > 1 || std::any_of(lines.begin() + 1, lines.end(), has_words));
}

// Refuses lines of JSON where a table in text is read.
void refuse_json_lines(const std::string& text, const std::string& ending) {
    const auto json = parsed_json(text.substr(0, text.find('\n')));
    if (json && json->is_object() && ending != ".jsonl" && ending != ".ndjson") {
        throw UsageError(
            "--data -: the standard input is JSON lines, and a table in text, such as CSV, is read "
            "here, as in the training\n    fix: --jsonl -");
    }
}

// Returns the ending of the training's files, or, where those are JSON lines and these are none,
// that of a table in text: CSV, or TSV where the header has tabs alone.
std::string ending_of_table(const std::string& text, const std::string& ending) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    const bool is_json = begin == text.npos || text[begin] == '{' || text[begin] == '[';
    if ((ending != ".jsonl" && ending != ".ndjson") || is_json) {
        return ending;
    }
    const std::string_view header = std::string_view(text).substr(0, text.find('\n'));
    const bool has_tabs = header.find('\t') != header.npos && header.find(',') == header.npos;
    return has_tabs ? ".tsv" : ".csv";
}

// Copies a table whose files are relative to the current folder; returns the copy.
fs::path copy_of_table(const std::string& text, const fs::path& name, const fs::path& root,
                       const experiment::Section& section, const plugin::Catalog& catalog) {
    const plugin::Component* const task = pipeline::component_of(section.task, catalog);
    const TableCopy copy(root, fs::current_path());
    if (const auto separator = pipeline::separator_of(section.task, *task, name)) {
        pipeline::Rows rows(text, *separator);
        for (pipeline::Strings cells; rows.next(cells);) {
            for (const std::string& cell : cells) {
                copy.add(cell);
            }
        }
    }
    return copy.path() / name;
}

// Returns the lines of the standard input for a task that takes texts. A task that reads one file
// gets a copy of it, whose name ends as those of the training's files do.
pipeline::UnlabeledData data_of_standard_input(Job& job, const experiment::Section& section,
                                               const plugin::Catalog& catalog,
                                               Diagnostics& problems) {
    const auto usual = pipeline::ending_of_one_file(section, catalog);
    if (job.is_continued || !usual) {
        Strings lines = lines_of_standard_input();
        if (are_table(lines)) {
            problems.warning(
                SourceLocation("--data", 0, 0), kStandardInput,
                Explanation{
                    fmt::format("'{}' looks like the header of a table, and is one text, as "
                                "each line is with its other cells and quotes",
                                lines.front()),
                    "give the texts alone, one in each line, without header and quotes"});
        }
        return {.texts = std::move(lines)};
    }
    const fs::path& folder = job.copy.emplace(TemporaryPath::new_folder()).path();
    const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    const bool is_table = pipeline::reads_table(section, catalog);
    if (is_table) {
        refuse_json_lines(text, *usual);
    }
    const fs::path name = kCopyOfInput + (is_table ? ending_of_table(text, *usual) : *usual);
    const fs::path file =
        is_table ? copy_of_table(text, name, folder, section, catalog) : folder / name;
    std::ofstream copy(file, std::ios::binary);
    copy << text;
    if (text.empty() || !copy.flush()) {
        throw RunError(kDataError, "--data -: the standard input is empty, or cannot be copied");
    }
    return {.files = {file}};
}

// Returns the command that predicts for a row of numbers, "1,2,3", which are values of the columns
// that the task reads; "" for other words.
std::string fix_of_row(const Job& job, const experiment::Section& section,
                       const plugin::Catalog& catalog) {
    const std::string row = join(job.words, ",");
    Strings cells;
    for (std::size_t begin = 0; begin <= row.size();) {
        const std::size_t comma = std::min(row.find(',', begin), row.size());
        cells.emplace_back(trimmed(std::string_view(row).substr(begin, comma - begin)));
        begin = comma + 1;
    }
    std::erase(cells, "");
    const Strings columns = pipeline::input_columns(section, recorded_globals(job), catalog);
    const auto is_number = [](const std::string& cell) { return number_meant(cell) == cell; };
    return cells.size() == columns.size() && std::ranges::all_of(cells, is_number)
               ? fmt::format("printf '{}\\n{}\\n' | ptprun predict {} --data -", join(columns, ","),
                             join(cells, ","), shell_word(job.name))
               : "";
}

// Returns whether a word has a folder or an ending, as names of files have.
bool is_like_file(const std::string& word) {
    const std::string ending = fs::path(word).extension().string();
    const auto is_plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    const bool has_ending =
        ending.size() > 1 && std::all_of(ending.begin() + 1, ending.end(), is_plain);
    return word.find_first_of(" \t\n") == std::string::npos &&
           (has_ending || word.find('/') != std::string::npos);
}

// Returns a table in the folder, the first by its name; a word for one where there is none.
std::string first_table(const fs::path& folder) {
    Strings tables;
    std::error_code ignored;  // a folder that cannot be read has none
    for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
        const std::string ending = it->path().extension().string();
        if (ending == ".csv" || ending == ".tsv" || ending == ".jsonl") {
            tables.push_back(it->path().string());
        }
    }
    return tables.empty() ? "FILE.csv" : *std::ranges::min_element(tables);
}

}  // namespace

Value recorded_globals(const Job& job) {
    return job.checkpoint ? run::read_checkpoint_record(*job.checkpoint).globals : Value::table();
}

void name_copies(const Job& job, std::string& error) {
    const fs::path& folder = job.copy->path();
    const bool are_files = job.json_lines != nullptr && job.items.table_lines.empty();
    std::string own =
        are_files ? folder.string() + "/" : (fs::current_path() / kCopyOfInput).string();
    std::string name = "the standard input";
    if (!are_files) {
        error = with_own_paths(std::move(error), folder);
    }
    if (job.json_lines != nullptr) {
        own = are_files ? own : with_own_paths(job.items.data.files.front().string(), folder);
        name = are_files                                ? ""
               : job.json_lines->file == kStandardInput ? name
                                                        : job.json_lines->file;
    }
    for (std::size_t at = 0; (at = error.find(own, at)) != std::string::npos; at += name.size()) {
        const std::size_t end =
            are_files ? at + own.size() : error.find_first_of(" :,'\n", at + own.size());
        error.replace(at, std::min(end, error.size()) - at, name);
        std::size_t line = 0;  // of the table that has the items
        const char* const number = error.c_str() + std::min(at + name.size() + 1, error.size());
        const auto read = std::from_chars(number, error.c_str() + error.size(), line);
        if (const std::size_t item = item_at(line, job.items); item > 0) {
            error.replace(static_cast<std::size_t>(number - error.c_str()),
                          static_cast<std::size_t>(read.ptr - number),
                          std::to_string(job.json_lines->first + item));
        }
    }
}

pipeline::UnlabeledData data_of(Job& job, const experiment::Experiment& experiment,
                                const experiment::Section& section, const plugin::Catalog& catalog,
                                Diagnostics& problems) {
    if (job.json_lines != nullptr && item_kind(section, catalog) == ItemKind::kNone) {
        job.unread =
            fmt::format("--jsonl: {} reads neither texts nor rows of a table nor several images",
                        section.task.type);
        job.unread_fix = "leave out --jsonl; --data FILE predicts for what it reads";
        return {};
    }
    if (job.json_lines != nullptr) {
        job.copy.emplace(TemporaryPath::new_folder());
        job.items =
            read_items(*job.json_lines, section, recorded_globals(job), catalog, job.copy->path());
        return job.items.data;
    }
    if (!job.texts.empty()) {
        return {.texts = job.texts, .option = "--text"};
    }
    if (job.words == Strings{kStandardInput}) {
        return data_of_standard_input(job, section, catalog, problems);
    }
    pipeline::UnlabeledData data;
    std::error_code ignored;  // what cannot be looked at counts as absent
    const bool are_texts = pipeline::takes_texts(section, catalog) &&
                           std::ranges::none_of(job.words, [&](const auto& word) {
                               return fs::exists(word, ignored);
                           });
    if (const std::string row = are_texts ? fix_of_row(job, section, catalog) : ""; !row.empty()) {
        problems.error(SourceLocation("--data", 0, 0), join(job.words, " "),
                       Explanation{"names of files are expected, not values", row});
        return data;
    }
    const bool is_one_text = are_texts && pipeline::reads_texts_alone(section, catalog) &&
                             std::ranges::none_of(job.words, is_like_file);
    const std::string text =
        is_one_text ? "--text " + shell_word(join(job.words, " ")) : std::string();
    for (const std::string& word : job.words) {
        const bool is_section = !host::sections_named(word, experiment).empty();
        if (!fs::exists(word, ignored) && is_section) {
            problems.error(SourceLocation("--data", 0, 0), word,
                           Explanation{"is a section, which is predicted by itself",
                                       "--data " + shell_word(word)});
        } else if (!fs::exists(word, ignored)) {
            problems.error(SourceLocation("--data", 0, 0), word,
                           Explanation{"no such file or folder, and no such section" +
                                           hint(word, host::section_names(experiment)),
                                       text});
        } else if (pipeline::reads_table(section, catalog) && fs::is_directory(word, ignored)) {
            const Strings columns =
                pipeline::input_columns(section, recorded_globals(job), catalog);
            problems.error(SourceLocation("--data", 0, 0), word,
                           Explanation{fmt::format("is a folder, and {} reads a table, with the "
                                                   "columns {}",
                                                   section.task.type, join(columns, ", ")),
                                       "--data " + shell_word(first_table(word))});
        }
        data.files.emplace_back(word);
    }
    if (problems.ok() && data.files.size() > 1 && pipeline::ending_of_one_file(section, catalog)) {
        job.unread = fmt::format("--data: {} reads one path at a time, not {}", section.task.type,
                                 data.files.size());
        job.unread_fix = "--data " + shell_word(job.words.front());
    }
    return data;
}

}  // namespace ptp::ptprun
