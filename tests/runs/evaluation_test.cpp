// Training, evaluation and frozen mode, and the best weights, as a component of a run sees them.

#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <set>
#include <sstream>

namespace evaluation_test {

using ptp::test::ExperimentFolder;

namespace {

constexpr int kEpochs = 3;
constexpr int kEpisodes = 6;  // 48 samples in batches of 8
constexpr int kBatches = 2;   // of the 16 samples of validation and test

struct Seen {
    std::string how;
    std::string tensors;
};

// Each line is split before the tensors' values.
std::vector<Seen> seen_by(const ExperimentFolder& folder, const std::string& component) {
    std::vector<Seen> seen;
    std::istringstream in(folder.read("run/" + component + ".txt"));
    for (std::string line; std::getline(in, line);) {
        const auto end = line.rfind(' ', line.rfind(' ') - 1);
        seen.push_back({line.substr(0, end), line.substr(end + 1)});
    }
    return seen;
}

// What a witness writes when all is right, in a training of kEpochs that is then tested.
std::vector<std::string> expected(bool is_frozen) {
    std::vector<std::string> lines;
    const auto add = [&lines](const std::string& set, int episode, const std::string& mode) {
        lines.push_back(set + " " + std::to_string(episode) + " " + mode);
    };
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
        for (int i = 0; i < kEpisodes; ++i) {
            add("training 0 1", epoch * kEpisodes + i,
                is_frozen ? "evaluation gradients" : "training gradients");
        }
        for (int i = 0; i < kBatches; ++i) {
            add("validation 1 0", epoch * kEpisodes + kEpisodes - 1, "evaluation constants");
        }
    }
    for (int i = 0; i < kBatches; ++i) {
        add("test 2 0", kEpochs * kEpisodes - 1, "evaluation constants");
    }
    return lines;
}

std::vector<std::vector<std::string>> rows(const std::string& csv) {
    std::vector<std::vector<std::string>> made;
    std::istringstream in(csv);
    std::string line;
    std::getline(in, line);  // the header
    while (std::getline(in, line)) {
        std::istringstream cells(line);
        made.emplace_back();
        for (std::string cell; std::getline(cells, cell, ',');) {
            made.back().push_back(cell);
        }
    }
    return made;
}

// Two witnesses before the model, the second frozen. The rate is too high for the loss to fall.
void run(const ExperimentFolder& folder) {
    folder.write({.training = "optimizer = { type = \"SGD\", lr = 10.0 }\n"
                              "gradient_clipping = 1.0\n"
                              "terminal_conditions = { epoch_limit = " +
                              std::to_string(kEpochs) + " }\n",
                  .pipeline = "[pipeline.witness]\ntype = \"Witness\"\n"
                              "streams = { inputs = \"features\", outputs = \"seen\" }\n"
                              "[pipeline.frozen]\ntype = \"Witness\"\nfreeze = true\n"
                              "streams = { inputs = \"seen\", outputs = \"seen_again\" }\n",
                  .source = "seen_again"});
    const ptp::test::ProcessResult result =
        folder.run("run", {"--seed", "8", "--plugins",
                           (ptp::test::build_dir() / "tests" / "runs" / "plugins").string()});
    CHECK(ptp::test::without_warnings(result.errors, "which are usually random") == "");
    REQUIRE(result.status == 0);
}

}  // namespace

TEST_CASE("evaluation: validation and test run in evaluation mode and without gradients") {
    const ExperimentFolder folder;
    run(folder);
    for (const bool is_frozen : {false, true}) {
        CAPTURE(is_frozen);
        std::vector<std::string> lines;
        for (const Seen& seen : seen_by(folder, is_frozen ? "frozen" : "witness")) {
            lines.push_back(seen.how);
        }
        CHECK(lines == expected(is_frozen));
    }
}

TEST_CASE("evaluation: a frozen component keeps its parameters and buffers, others do not") {
    const ExperimentFolder folder;
    run(folder);
    std::set<std::string> frozen;
    std::set<std::string> trained;
    for (const Seen& seen : seen_by(folder, "frozen")) {
        frozen.insert(seen.tensors);
    }
    for (const Seen& seen : seen_by(folder, "witness")) {
        trained.insert(seen.tensors);
    }
    CHECK(frozen == std::set<std::string>{"0x1p+0 0x0p+0"});  // as created: 1 and 0
    // New ones in every episode.
    CHECK(trained.size() >= kEpochs * kEpisodes);
}

TEST_CASE("evaluation: the test set is run with the weights of the best validation") {
    const ExperimentFolder folder;
    run(folder);
    const auto validation = rows(folder.read("run/validation.csv"));
    const auto test = rows(folder.read("run/test.csv"));
    REQUIRE(validation.size() == kEpochs);
    REQUIRE(test.size() == 1);
    constexpr std::size_t kPlace = 3;  // columns before the loss: where the training was
    std::size_t best = 0;
    for (std::size_t epoch = 1; epoch < kEpochs; ++epoch) {
        if (std::stod(validation[epoch][kPlace]) < std::stod(validation[best][kPlace])) {
            best = epoch;
        }
    }
    REQUIRE(best != kEpochs - 1);
    CHECK(std::vector(test[0].begin() + kPlace, test[0].end()) ==
          std::vector(validation[best].begin() + kPlace, validation[best].end()));

    const std::vector<Seen> seen = seen_by(folder, "witness");
    REQUIRE(seen.size() == kEpochs * (kEpisodes + kBatches) + kBatches);
    CHECK(seen.back().tensors == seen[best * (kEpisodes + kBatches) + kEpisodes].tensors);
}

}  // namespace evaluation_test
