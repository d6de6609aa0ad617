// Reads what a listing needs of a run's folder: status.json, experiment.toml, run.json, tags.json.

#pragma once

#include "run/process.hpp"
#include "run/run.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace ptp::run {

// Beside them: {"tags": ["baseline"], "note": "..."}, where there is any.
inline constexpr const char* kTagsFile = "tags.json";

// Always gives a run: what cannot be read is said in its problem.
Run read_run(const std::filesystem::path& folder, const Machine& machine);

// A JSON object out of a file; nullopt after saying in `problem` why not.
std::optional<Json> read_json(const std::filesystem::path& file, std::string& problem);

// Members of JSON that anybody may have written: what is missing or of another type is "", or
// nothing.
std::string text_at(const Json& object, const char* key);
std::optional<std::int64_t> integer_at(const Json& object, const char* key);
std::optional<double> number_at(const Json& object, const char* key);

}  // namespace ptp::run
