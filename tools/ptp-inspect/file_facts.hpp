// What a shared library's file asks the loader for, read without loading it.
#pragma once

#include <filesystem>

namespace ptp::inspect {

struct FileFacts {
    bool changes_code = false;  // relocations in what is loaded as code
    bool has_executable_stack = false;
};

// Throws FileError.
FileFacts read_file_facts(const std::filesystem::path& library);

}  // namespace ptp::inspect
