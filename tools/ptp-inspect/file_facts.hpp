// What a shared library's file asks the loader for, read without loading it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::inspect {

struct FileFacts {
    std::vector<std::string> needed;     // names of libraries
    std::vector<std::string> run_paths;  // folders to look for them, as they are written
    bool changes_code = false;           // relocations in what is loaded as code
    bool has_executable_stack = false;
};

// Throws FileError.
FileFacts read_file_facts(const std::filesystem::path& library);

}  // namespace ptp::inspect
