// Parts of a training that contribute nothing: the share of a process, an accumulated batch, a
// masked sample, a class of weight 0, a sentence without words. Whatever the part is, losses,
// statistics, batch normalization, clipping and steps are those of one process with whole batches.

#include "runs/nothing_counts.hpp"
#include "runs/ranks.hpp"
#include "runs/together.hpp"
#include "support/paths.hpp"
#include "support/some_of.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace nothing_counts_test {

using namespace ptp::test::nothing;
using ptp::test::ProcessResult;
using ptp::test::TempFolder;

namespace {

// Components that another test has in place of this one.
constexpr std::array kElsewhere{"ContrastiveLoss"};  // whole_batch_test.cpp

// Returns the losses and statistics that the plugins declare.
std::vector<std::string> declared() {
    std::vector<std::string> names;
    std::ifstream list(ptp::test::source_dir() / "docs/components.md");
    for (std::string line; std::getline(list, line);) {
        if (line.starts_with("| loss | [") || line.starts_with("| statistic | [")) {
            const std::size_t begin = line.find('[') + 1;
            names.push_back(line.substr(begin, line.find(']') - begin));
        }
    }
    return names;
}

using Row = std::vector<std::string>;

std::vector<Row> rows_of(const std::string& text) {
    std::vector<Row> rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream cells(line);
        Row& row = rows.emplace_back();
        for (std::string cell; std::getline(cells, cell, ',');) {
            row.push_back(cell);
        }
    }
    return rows;
}

bool are_equal(const std::string& left, const std::string& right) {
    return left == right ||
           std::abs(std::stod(left) - std::stod(right)) <= 2e-5 * (1 + std::abs(std::stod(right)));
}

// The cells of two tables that are not equal, by names of columns and numbers of rows. Of a set
// that was cut into other batches, what is about its batches is left out.
std::string differences(const std::string& found, const std::string& expected, bool has_batches) {
    const std::vector<Row> left = rows_of(found);
    const std::vector<Row> right = rows_of(expected);
    if (left.size() != right.size() || left.size() < 2 || left[0] != right[0]) {
        return "the tables have other columns or rows";
    }
    std::string text;
    for (std::size_t column = 0; column < left[0].size(); ++column) {
        const std::string& name = left[0][column];
        const bool is_of_batches = name.ends_with("_min") || name.ends_with("_max") ||
                                   name.ends_with("_std") || name == "batch_size";
        const bool is_left_out = name.starts_with("episode") || (is_of_batches && !has_batches);
        for (std::size_t row = 1; row < left.size() && !is_left_out; ++row) {
            const std::string& one = left[row].at(column);
            const std::string& other = right[row].at(column);
            if (!are_equal(one, other)) {
                text +=
                    name + "[" + std::to_string(row) + "]: " + one + " in place of " + other + "\n";
            }
        }
    }
    return text;
}

std::vector<ProcessResult> run(const TempFolder& folder, const std::string& name,
                               const Training& training, int processes) {
    const auto file = folder.write(name + ".toml", experiment(training));
    return ptp::test::run_together(
        processes, {file.string(), "--run-dir", (folder.path() / name).string(), "--plugins",
                    ptp::test::ranked_build("plain").parent_path().string()});
}

void train(const TempFolder& folder, const std::string& name, const Training& training,
           int processes) {
    for (const ProcessResult& rank : run(folder, name, training, processes)) {
        CAPTURE(rank.errors);  // Warnings, too: of the table that is read twice.
        REQUIRE(rank.status == 0);
    }
}

// Trains as one process with `whole` does, and compares all tables.
void compare(const TempFolder& folder, const Training& training, int processes,
             const Training& whole) {
    const std::string name = std::to_string(processes) + "_" + std::to_string(training.accumulate);
    CAPTURE(name);
    train(folder, name, training, processes);
    const bool has_batches = training.batch_size == whole.batch_size;
    for (const char* table : {"training.csv", "training_epochs.csv", "validation.csv"}) {
        if (has_batches || table != std::string("training.csv")) {
            CAPTURE(table);
            CHECK(differences(folder.read(name + "/" + table),
                              folder.read(std::string("whole/") + table),
                              has_batches || table == std::string("validation.csv")) == "");
        }
    }
}

struct Steps {
    const char* optimizer;
    const char* clipping;
};

constexpr const char* kDescent = "type = \"SGD\", lr = 0.05, momentum = 0.5, weight_decay = 0.01";
const std::vector<Steps> kSteps{{kDescent, ""},
                                {kDescent, "{ value = 0.02 }"},
                                {"type = \"AdamW\", lr = 0.01, eps = 1e-2", ""},
                                {kDescent, "{ norm = 0.3 }"}};

}  // namespace

TEST_CASE("nothing counts: each loss and statistic that the plugins declare is in the table") {
    const std::string table = branches(true) + statistics();
    const std::vector<std::string> names = declared();
    CHECK(names.size() > 20);
    for (const std::string& name : names) {
        CHECK_MESSAGE((table.find("\ntype = \"" + name + "\"") != std::string::npos ||
                       std::ranges::find(kElsewhere, name) != kElsewhere.end()),
                      name);
    }
}

TEST_CASE("nothing counts: in a process's part, a batch or a row, two and three train as one") {
    std::vector<Training> trainings;
    for (const Steps& steps : kSteps) {
        for (const int accumulate : {1, 2}) {
            trainings.push_back({6, accumulate, true, steps.clipping, steps.optimizer});
        }
    }
    for (const Training& training : ptp::test::some_of(trainings, trainings.size())) {
        CAPTURE(training.clipping);
        CAPTURE(training.accumulate);
        const TempFolder folder;
        folder.write("rows.csv", table());
        train(folder, "whole", training, 1);
        compare(folder, training, 2, training);
        compare(folder, training, 3, training);
    }
}

TEST_CASE("nothing counts: batches that are accumulated are one, in one, two and three processes") {
    for (const Steps& steps : ptp::test::is_all_wanted() ? kSteps : std::vector{kSteps[1]}) {
        CAPTURE(steps.clipping);
        const TempFolder folder;
        folder.write("rows.csv", table());
        const Training training{
            .accumulate = 2, .clipping = steps.clipping, .optimizer = steps.optimizer};
        Training whole = training;
        whole.batch_size = 12;
        whole.accumulate = 1;
        train(folder, "whole", whole, 1);
        for (const int processes : {1, 2, 3}) {
            compare(folder, training, processes, whole);
        }
    }
}

TEST_CASE("nothing counts: a loss that is nan there, by its weight of 0, trains alike, too") {
    const TempFolder folder;
    folder.write("rows.csv", table());
    const Training training{.optimizer = kDescent,
                            .losses = branch(kCareless, kEach, "careless", "inputs")};
    train(folder, "whole", training, 1);
    compare(folder, training, 3, training);
}

TEST_CASE("nothing counts: a loss that is nan there is refused before a shared normalization") {
    const TempFolder folder;
    folder.write("rows.csv", table());
    const Training training{.optimizer = kDescent,
                            .losses = convolutions("normalized") +
                                      branch(kCareless, kEach, "careless", "normalized_flat")};
    train(folder, "whole", training, 1);
    const std::vector<ProcessResult> ranks = run(folder, "two", training, 2);
    CHECK(ranks[0].status == 5);
    const std::string refusal =
        "ptprun: error: distributed.buffers = \"synchronized\": in this process's part of the batch "
        "no loss depends on the weights, so that the gradients of layers before a batch "
        "normalization would be wrong\n"
        "    fix: let a loss for which nothing counts be computed from the predictions all the "
        "same, as their sum times 0, or take buffers = \"first\"\n";
    CHECK(ranks[0].errors.ends_with(refusal));
    CHECK(ranks[1].status == 7);
}

TEST_CASE("nothing counts: in a whole validation, with label smoothing it has no value, too") {
    const TempFolder folder;
    folder.write("rows.csv", table());
    Training training{.optimizer = kDescent,
                      .losses = branch(kLosses[2], kMeans[3], "smoothed", "inputs")};
    training.sampler = "sampler = { type = \"SubsetSequentialSampler\", indices = [6, 7] }\n";
    for (const int processes : {1, 2, 3}) {
        const ProcessResult first = run(folder, std::to_string(processes), training, processes)[0];
        CHECK(first.status == 4);
        CHECK(first.errors.ends_with(
            "[validation] has nothing that counts for the loss 'smoothed', which has no value "
            "there; look at masks, weights and ignored targets\n"));
    }
}

}  // namespace nothing_counts_test
