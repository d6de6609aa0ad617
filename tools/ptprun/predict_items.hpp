// The items of `ptprun predict RUN --jsonl FILE`: each line of JSON is a sample, or is refused by
// itself.
#pragma once

#include "base/value.hpp"
#include "commands.hpp"
#include "engine/request.hpp"
#include "experiment/experiment.hpp"
#include "input_lines.hpp"
#include "pipeline/task_data.hpp"
#include "plugin/catalog.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::ptprun {

// The endings of the names of files with predictions.
inline constexpr std::string_view kPredictionEndings = "csv tsv txt json jsonl ndjson";

// The begin of the name of an image's file: line_3.png.
inline constexpr std::string_view kFileOfLine = "line_";

// The kinds of items that tasks read in lines of JSON.
enum class ItemKind {
    kText,   // "a text", or {"text": "a text"}
    kRow,    // {"width": 1.5, "kind": "a"}, or a list in the order of the columns
    kImage,  // "a.png", {"image": "a.png"}, or {"base64": "iVBORw0KGgo..."}
    kNone
};

ItemKind item_kind(const experiment::Section& section, const plugin::Catalog& catalog);

// The samples of lines, and for each line its sample, or why it has none.
struct Items {
    std::vector<engine::PredictItem> items;
    pipeline::UnlabeledData data;
    std::vector<std::size_t> table_lines;  // of a table's file, from 1: where each sample begins
};

// The error of a line that is no JSON at all.
inline constexpr const char* kNoJson = "is not JSON";

// Thrown where no line is a sample: nothing can be predicted.
struct NoGoodItem : std::runtime_error {
    explicit NoGoodItem(std::vector<engine::PredictItem> wrong)
        : std::runtime_error("no line is right"), items(std::move(wrong)) {}

    std::vector<engine::PredictItem> items;
};

// The lines of --jsonl, all or those that are there, and those that the task has refused when it
// was created, with the reasons.
struct JsonLines {
    std::string file;  // as given
    Strings lines;
    std::filesystem::path folder;  // that their files are relative to
    bool is_streamed = false;      // lines of the standard input are answered as they come
    InputLines input = {};
    std::size_t first = 0;                            // the number of lines before these
    std::map<std::size_t, std::string> refused = {};  // by their number from 1 in `lines`

    // Replaces the lines by the next of the input. Returns false at its end; the lines may be none
    // if it `may_return`.
    bool read_next(bool may_return);

    // Refuses the lines whose images, or whose lines of the table, an error of the task names. They
    // are in `folder`. Returns false if it names none.
    bool refuse(const std::string& error, const Items& items, const std::filesystem::path& folder);
};

// Returns the number, from 1, of the item in whose lines of the table this one is; 0 for none.
std::size_t item_at(std::size_t table_line, const Items& items);

// Reads lines for the task of a section; images and rows are put into files of `folder`, which
// exists. `recorded` are the globals of the run. Throws UsageError for a task without such items,
// and NoGoodItem.
Items read_items(const JsonLines& lines, const experiment::Section& section, const Value& recorded,
                 const plugin::Catalog& catalog, const std::filesystem::path& folder);

}  // namespace ptp::ptprun
