// Writes data for experiments of configs/, for tests in other languages: reads lines with an
// experiment and a folder, "mnist/softmax.toml /tmp/data", and answers each with one line, the
// options with which ptprun takes the data as a list in JSON.

#include "support.hpp"

#include <nlohmann/json.hpp>

#include <iostream>
#include <string>

int main() {
    std::string experiment;
    std::string folder;
    while (std::cin >> experiment && std::getline(std::cin >> std::ws, folder)) {
        std::cout << nlohmann::json(ptp::test::write_data_for(experiment, folder)).dump()
                  << std::endl;
    }
    return 0;
}
