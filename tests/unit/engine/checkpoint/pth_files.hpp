// Files that PyTorch wrote; see tests/golden/pth_files.py.
#pragma once

#include "support/paths.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace ptp::test {

inline std::filesystem::path pth(const std::string& name) {
    return source_dir() / "tests/golden/pth" / name;
}

inline std::string pth_bytes(const std::string& name) {
    std::ifstream in(pth(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace ptp::test
