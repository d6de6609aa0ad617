// As tests/support/temp_folder.cpp, on Windows.

#include "support/temp_folder.hpp"

#include "base/output_file.hpp"
#include "base/temporary_path.hpp"

#include <system_error>

namespace ptp::test {

TempFolder::TempFolder() : path_(TemporaryPath::new_folder().keep()) {}

TempFolder::~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TempFolder::write(const std::filesystem::path& relative,
                                        std::string_view content) const {
    std::filesystem::path file = path_ / relative;
    std::filesystem::create_directories(file.parent_path());
    replace_file(file, content);
    return file;
}

std::string TempFolder::read(const std::filesystem::path& relative) const {
    return read_text(path_ / relative);
}

}  // namespace ptp::test
