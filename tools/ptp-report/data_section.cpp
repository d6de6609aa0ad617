// Copies from data.json what the page shows.

#include "ptp-report/data_section.hpp"

#include "base/file_error.hpp"
#include "ptp-report/checked_json.hpp"
#include "run/format.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <utility>

namespace ptp::report {

namespace {

constexpr std::size_t kMaxClasses = 100;
constexpr const char* kSpreads[] = {"numbers", "lengths"};

// Returns [name, type, shape, min, max, mean, deviation, not finite].
Json stream_row(const Json& stream) {
    Json row = {text_in(stream, "name"), text_in(stream, "type"), text_in(stream, "shape")};
    const Json* spread = &member_of(stream, kSpreads[0]);
    if (!spread->is_object()) {
        spread = &member_of(stream, kSpreads[1]);
        row[2] = spread->is_object() ? "lengths" : row[2];
    }
    for (const char* key : {"min", "max", "mean", "deviation"}) {
        row.push_back(finite_in(*spread, key));
    }
    row.push_back(finite_in(stream, "not_finite"));
    return row;
}

// Returns [value, share in each section] of each stream with few values.
Json classes_of(const Json& data) {
    Json all = Json::array();
    for (const Json& compared : list_in(data, "compared")) {
        Json sections = Json::array();
        for (const Json& name : list_in(compared, "sections")) {
            sections.push_back(text_in(name));
        }
        Json rows = Json::array();
        const Json& shares = member_of(compared, "shares");
        for (auto one = shares.begin(); shares.is_object() && one != shares.end(); ++one) {
            Json row = {harmless(one.key())};
            for (std::size_t i = 0; i < sections.size(); ++i) {
                const bool is_known = one->is_array() && i < one->size();
                row.push_back(is_known ? finite_in((*one)[i]) : Json(nullptr));
            }
            if (rows.size() < kMaxClasses) {
                rows.push_back(std::move(row));
            }
        }
        all.push_back({{"stream", text_in(compared, "stream")},
                       {"sections", std::move(sections)},
                       {"rows", std::move(rows)}});
    }
    return all;
}

}  // namespace

void add_data(Json& sections, const std::filesystem::path& run,
              std::vector<std::string>& problems) {
    const std::filesystem::path file = run / run::kDataFile;
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) {
        return;
    }
    try {
        const Json data = read_numbered_json(file, run::kDataFormat);
        Json list = Json::array();
        for (const Json& section : list_in(data, "sections")) {
            Json streams = Json::array();
            for (const Json& stream : list_in(section, "streams")) {
                streams.push_back(stream_row(stream));
            }
            list.push_back({{"name", text_in(section, "section")},
                            {"task", text_in(section, "task")},
                            {"samples", finite_in(section, "samples")},
                            {"read", finite_in(section, "read")},
                            {"streams", std::move(streams)}});
        }
        sections.push_back({{"kind", "data"},
                            {"warnings", data_warnings(data)},
                            {"sections", std::move(list)},
                            {"classes", classes_of(data)}});
    } catch (const FileError& error) {
        problems.push_back(fmt::format("{}: {}\n    fix: ptprun data {} --record writes it again",
                                       file.string(), error.what(), run.string()));
    }
}

}  // namespace ptp::report
