// What PyTorch makes of the same; see tests/golden/learning_rates.py.
#pragma once

#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ptp::test {

// The numbers of the line with this name.
inline std::vector<double> golden(const std::string& wanted) {
    std::ifstream file(source_dir() / "tests/golden/learning_rates.txt");
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
    FAIL("no line " << wanted);
    return {};
}

}  // namespace ptp::test
