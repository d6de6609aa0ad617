// The table of predictions: comma-separated values or JSON lines, written in whole or not at all,
// or as they come.

#pragma once

#include "base/output_file.hpp"
#include "base/partial_file.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace ptp::engine {

// null is an empty cell; numbers have as many digits as they need.
using Cell = nlohmann::ordered_json;

// [main]
class PredictionFile {
public:
    struct Form {
        bool is_json = false;                // an object on each line, without a header
        std::optional<std::uint64_t> worst;  // only the N rows of the highest rank, highest first
        bool is_streamed = false;            // to the standard output, by flush() and finish()
    };

    // Collects the rows in a file beside `path`, which it replaces in finish(). Without a path, or
    // if that is not a regular file, collects them in a file in `scratch`, which is then copied to
    // the standard output, or to `path`. Throws RunError.
    PredictionFile(const std::optional<std::filesystem::path>& path,
                   const std::filesystem::path& scratch, Form form);
    ~PredictionFile();
    PredictionFile(const PredictionFile&) = delete;
    PredictionFile& operator=(const PredictionFile&) = delete;

    void header(std::vector<std::string> names);

    // Adds as many cells as names. `rank` sorts if only the worst rows are requested; NaN comes
    // first.
    void row(std::vector<Cell> cells, double rank);

    // Adds a line with this JSON, whatever the names are.
    void add_json(const Cell& object);

    // Writes the rows so far to the standard output. Returns false if no process reads it.
    bool flush();

    void finish();

    [[nodiscard]] std::uint64_t rows() const { return rows_; }

private:
    // The order of rows: nan first, then falling ranks, and of equal ones the order of adding.
    using Place = std::tuple<bool, double, std::uint64_t>;

    [[nodiscard]] std::string line(const std::vector<Cell>& cells) const;
    void add(std::string_view line);
    void write_gathered();
    void deliver();

    std::optional<std::filesystem::path> path_;
    Form form_;
    bool is_copied_ = false;
    std::optional<PartialFile> part_;  // unless it is copied
    std::filesystem::path made_;
    std::optional<OutputFile> file_;
    std::vector<std::string> names_;
    std::map<Place, std::string> ranked_;  // the worst rows, if only these are requested
    std::string gathered_;
    std::uint64_t rows_ = 0;
    std::uint64_t seen_ = 0;
    bool has_reader_ = true;
};

}  // namespace ptp::engine
