#include "support/temp_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace ptp::test {

namespace fs = std::filesystem;

TempFolder::TempFolder() {
    std::string name = fs::temp_directory_path() / "ptp-test-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
        throw std::system_error(errno, std::generic_category(), name);
    }
    path_ = name;
}

TempFolder::~TempFolder() {
    std::error_code ignored;  // a destructor has nobody to tell, and the system cleans up too
    fs::remove_all(path_, ignored);
}

fs::path TempFolder::write(const fs::path& relative, std::string_view content) const {
    const fs::path file = path_ / relative;
    fs::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary);
    out << content;
    out.close();
    if (!out) {
        throw std::runtime_error("cannot write " + file.string());
    }
    return file;
}

std::string content_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        throw std::runtime_error("cannot read " + file.string());
    }
    // By blocks: one character after the other is slow with a sanitizer.
    std::ostringstream content;
    content << in.rdbuf();
    return std::move(content).str();
}

}  // namespace ptp::test
