// [records.layer_values]: what layers compute and learn, and that nothing changes by it.

#include "runs/interrupted.hpp"
#include "runs/support.hpp"

#include <doctest/doctest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace layer_values_test {

using ptp::test::ExperimentFolder;

namespace {

constexpr const char* kRecords = "[records.layer_values]\nevery_episodes = 7\n";

std::vector<std::string> cells_of(const std::string& row) {
    std::vector<std::string> cells;
    std::istringstream in(row);
    for (std::string cell; std::getline(in, cell, ',');) {
        cells.push_back(cell);
    }
    return cells;
}

}  // namespace

TEST_CASE("layer values: each recorded episode has its operations, streams and parameters") {
    const ExperimentFolder folder({.pipeline = kRecords});
    require_success(folder.run("run"));
    std::istringstream table(folder.read("run/layers.csv"));
    std::string line;
    std::getline(table, line);
    CHECK(line == "kind,name,episode,epoch,mean,deviation,zeros,norm,gradient_norm,update_ratio");
    std::set<std::string> episodes;
    std::set<std::string> names;
    while (std::getline(table, line)) {
        const std::vector<std::string> cells = cells_of(line);
        REQUIRE(cells.size() == 10);
        CAPTURE(line);
        episodes.insert(cells[2] + " in " + cells[3]);
        std::string name = cells[1];
        if (const std::size_t at = name.find("addmm"); at != std::string::npos) {
            name.replace(at, 5, "linear");  // of an older libtorch
        }
        names.insert(cells[0] + " " + name);
        CHECK(std::stod(cells[7]) > 0);
        const bool is_parameter = cells[0] == "parameter";
        CHECK((cells[9] != "nan") == is_parameter);
        if (cells[1] != "features") {  // before anything that is trained
            CHECK(std::stod(cells[8]) > 0);
        }
    }
    CHECK(episodes == std::set<std::string>{"0 in 1", "7 in 2", "14 in 3"});
    CHECK(names == std::set<std::string>{
                       "operation net.1.linear", "operation net.2.relu", "operation net.3.dropout",
                       "operation net.4.linear", "operation net.5.log_softmax",
                       "parameter net.layers.0.bias", "parameter net.layers.0.weight",
                       "parameter net.layers.3.bias", "parameter net.layers.3.weight",
                       "stream features", "stream predictions"});
}

TEST_CASE("layer values: recording every episode changes no bit of the weights and statistics") {
    const ExperimentFolder folder(ptp::test::stateful(3));
    REQUIRE(folder.run("without").status == 0);
    REQUIRE(folder.run("with", {"--set", "records.layer_values.every_episodes=1"}).status == 0);
    for (const char* file :
         {"checkpoints/last/weights.safetensors", "training.csv", "validation.csv", "test.csv",
          "checkpoints/last/training.safetensors"}) {
        CAPTURE(file);
        CHECK(folder.read(std::string("without/") + file) ==
              folder.read(std::string("with/") + file));
    }
    CHECK(!folder.has("without/layers.csv"));
}

TEST_CASE("layer values: without operations there are streams and parameters") {
    const ExperimentFolder folder({.pipeline = std::string(kRecords) + "operations = false\n"});
    REQUIRE(folder.run("run").status == 0);
    const std::string table = folder.read("run/layers.csv");
    CHECK(table.find("operation,") == std::string::npos);
    CHECK(table.find("\nstream,predictions,") != std::string::npos);
    CHECK(table.find("\nparameter,net.layers.0.weight,") != std::string::npos);
}

}  // namespace layer_values_test
