// Numbers that another implementation has computed: tests/golden/FILE.txt, made by FILE.py.
#pragma once

#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ptp::test {

// The numbers of the line that begins with this name.
inline std::vector<double> golden(const std::string& file_name, const std::string& wanted) {
    std::ifstream file(source_dir() / "tests/golden" / (file_name + ".txt"));
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        if (name == wanted) {
            std::vector<double> numbers;
            for (std::string word; words >> word;) {
                numbers.push_back(std::stod(word));
            }
            return numbers;
        }
    }
    FAIL("no line " << wanted << " in " << file_name << ".txt");
    return {};
}

}  // namespace ptp::test
