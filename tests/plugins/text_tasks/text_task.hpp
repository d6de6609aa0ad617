// What the tests of tasks with texts share.
#pragma once

#include "plugins/refusal.hpp"
#include "plugins/support.hpp"
#include "support/temp_folder.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace test {

// A task of the plugin text_tasks.
Component text_task(const std::string& type, const std::string& settings,
                    const std::string& section = "training");

// The setting data_folder, and more of them.
std::string in_folder(const std::filesystem::path& folder, const std::string& more = "");

// With which message it is refused, without the folder's name.
std::string text_refusal(const std::filesystem::path& folder, const std::string& type,
                         const std::string& settings, const std::string& section = "training");

// CsvTable on this file, and with which message it is refused for a file of this text.
namespace csv {

inline constexpr const char* kName = "CsvTable";
inline constexpr const char* kNumbers =
    "write numbers there, or do not read the column as numbers: `text` takes words, `label` names "
    "of classes";

Component build(const std::filesystem::path& file, const std::string& more);
std::string refusal(const std::string& text, const std::string& more,
                    const std::string& name = "t.csv");

}  // namespace csv

// 0 to the number of samples, without it.
std::vector<int64_t> all_of(Component& task);

// Requires that four threads that each fetch all samples many times get what one thread gets:
// strings and tokens of this stream.
void check_threads(Component& task, const std::string& stream);

}  // namespace test
