#include "runs/together.hpp"

#include "runs/ranks.hpp"
#include "support/free_port.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <sstream>
#include <thread>

namespace ptp::test {

std::vector<ProcessResult> run_together(int count, const std::vector<std::string>& arguments) {
    return run_each_together(
        std::vector<std::vector<std::string>>(static_cast<std::size_t>(count), arguments));
}

std::string this_host() {
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    return name.data();
}

std::vector<ProcessResult> run_each_together(
    const std::vector<std::vector<std::string>>& arguments) {
    const std::size_t count = arguments.size();
    const std::string port = std::to_string(free_port());
    std::vector<ProcessResult> results(count);
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < count; ++rank) {
        threads.emplace_back([&, rank] {
            results[rank] = run_program("ptprun", arguments[rank],
                                        {{"OMP_NUM_THREADS", "1"},
                                         {"RANK", std::to_string(rank)},
                                         {"WORLD_SIZE", std::to_string(count)},
                                         {"MASTER_ADDR", "127.0.0.1"},
                                         {"MASTER_PORT", port}});
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    return results;
}

std::vector<ProcessResult> run_together(const ExperimentFolder& folder, const std::string& name,
                                        int count, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {(folder.path() / "experiment.toml").string(), "--run-dir",
                                          folder.run_folder(name)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_together(count, arguments);
}

void check_done(const std::vector<ProcessResult>& ranks, const std::string& warning) {
    for (const ProcessResult& rank : ranks) {
        CHECK(rank.errors == warning);
        CHECK(rank.status == 0);
    }
}

std::vector<std::string> with_ranked_plugin(std::vector<std::string> options) {
    options.insert(options.end(), {"--plugins", ranked_build("plain").parent_path().string()});
    return options;
}

void check_alike(const TensorFile& found, const TensorFile& wanted) {
    CHECK(found.header().at("__metadata__") == wanted.header().at("__metadata__"));
    REQUIRE(found.header().size() == wanted.header().size());
    for (const auto& [name, tensor] : wanted.header().items()) {
        if (name == "__metadata__") {
            continue;
        }
        CAPTURE(name);
        REQUIRE(found.header().contains(name));
        CHECK(found.header().at(name).at("shape") == tensor.at("shape"));
        if (tensor.at("dtype") == "F32") {
            const auto numbers = wanted.numbers<float>(name);
            const auto others = found.numbers<float>(name);
            REQUIRE(others.size() == numbers.size());
            for (std::size_t i = 0; i < numbers.size(); ++i) {
                CHECK(others[i] == doctest::Approx(numbers[i]).epsilon(1e-5));
            }
        } else {
            CHECK(found.numbers<char>(name) == wanted.numbers<char>(name));
        }
    }
}

std::vector<double> column_of(const std::string& table, const std::string& column) {
    std::istringstream lines(table);
    std::string line;
    std::getline(lines, line);
    const auto cells = [](const std::string& row) {
        std::vector<std::string> found;
        std::istringstream in(row);
        for (std::string cell; std::getline(in, cell, ',');) {
            found.push_back(cell);
        }
        return found;
    };
    const std::vector<std::string> names = cells(line);
    const auto place = static_cast<std::size_t>(std::ranges::find(names, column) - names.begin());
    std::vector<double> numbers;
    while (std::getline(lines, line)) {
        numbers.push_back(std::stod(cells(line).at(place)));
    }
    return numbers;
}

double largest_difference(const std::vector<double>& left, const std::vector<double>& right) {
    if (left.size() != right.size() || left.empty()) {
        return std::numeric_limits<double>::infinity();
    }
    double largest = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
        const double difference = std::abs(left[i] - right[i]);
        largest = std::max(largest, difference == 0 ? 0 : difference / std::abs(right[i]));
    }
    return largest;
}

}  // namespace ptp::test
