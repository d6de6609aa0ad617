// Tar shards among processes and loader threads: each sample once in an epoch, with its own
// content, in one order; and exactly so after a process was killed in the middle of a shard.

#include "runs/support.hpp"
#include "support/paths.hpp"
#include "support/tar_of.hpp"

#include <doctest/doctest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace shards_test {

namespace {

using namespace ptp::test;

constexpr std::size_t kBlock = 512;  // of a tar file

// Returns the PNG files of the shards in the tree: number n of 8 has the grey 10 n.
std::vector<std::string> pictures() {
    std::vector<std::string> found;
    for (const char* shard : {"part-0.tar", "part-1.tar"}) {
        std::ifstream file(ptp::test::source_dir() / "plugins/vision_tasks/check/shards" / shard,
                           std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        for (std::size_t at = 0; at + kBlock < bytes.size() && bytes[at] != '\0';) {
            const std::size_t size = std::stoul(bytes.substr(at + 124, 11), nullptr, 8);
            if (bytes.substr(at, 100).find(".png") != std::string::npos) {
                found.push_back(bytes.substr(at + kBlock, size));
            }
            at += kBlock + (size + kBlock - 1) / kBlock * kBlock;
        }
    }
    return found;
}

constexpr std::array<int, 4> kSamples = {7, 1, 10, 5};  // of each shard
constexpr int kCount = 23;

class Shards {
public:
    // Sample n of all has the key sample-n, the grey 10 (n % 8) and the class n % 2.
    Shards() {
        const std::vector<std::string> grey = pictures();
        REQUIRE(grey.size() == 8);
        int number = 0;
        for (std::size_t shard = 0; shard < kSamples.size(); ++shard) {
            std::vector<TarEntry> members;
            for (int i = 0; i < kSamples[shard]; ++i, ++number) {
                const std::string key = "sample-" + std::to_string(number);
                members.push_back({key + ".png", grey[static_cast<std::size_t>(number % 8)]});
                members.push_back({key + ".cls", std::to_string(number % 2)});
            }
            folder_.write("shards/part-" + std::to_string(shard) + ".tar", tar_of(members));
        }
    }

    // Returns what rank 0 exported: a line for each sample of all processes. Three epochs of five
    // batches, the last of them smaller; a checkpoint every other episode. `rank` is killed in
    // episode 8, which is in the middle of the second epoch.
    std::string exported(const std::string& name, int processes, int workers, int rank = -1) const {
        folder_.write("experiment.toml",
                      "name = \"shards\"\nseed = 7\n[training]\n"
                      "optimizer = { type = \"SGD\", lr = 0.1 }\n"
                      "terminal_conditions = { epoch_limit = 3 }\n"
                      "dataloader = { num_workers = " +
                          std::to_string(workers) +
                          " }\n[training.task]\ntype = \"WebDataset\"\n"
                          "batch_size = 5\nnum_classes = 2\n"
                          "resize_image = [1, 1]\nimage_depth = 1\n"
                          "data_folder = \"" +
                          (folder_.path() / "shards").string() + R"("
[checkpoint]
every_episodes = 2
[pipeline.flat]
type = "Flatten"
streams = { outputs = "grey" }
[pipeline.mortal]
type = "Mortal"
episode = 8
streams = { inputs = "grey", outputs = "features" }
rank = )" + std::to_string(rank) +
                          R"(
[pipeline.net]
type = "FeedForwardNetwork"
hidden_sizes = [4]
streams = { inputs = "features" }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
[pipeline.export]
type = "StreamFileExporter"
input_streams = ["keys", "targets", "inputs"]
)");
        const auto result = ptp::test::ptprun(
            ptp::test::with_witness({(folder_.path() / "experiment.toml").string(), "--run-dir",
                                     (folder_.path() / name).string(), "--nproc",
                                     std::to_string(processes), "--restarts", "1"}));
        CAPTURE(result.errors);
        REQUIRE(result.status == 0);
        CHECK((result.errors.find("restart 1 of 1") != std::string::npos) == (rank >= 0));
        return folder_.read(name + "/exports/export.csv");
    }

private:
    TempFolder folder_;
};

// Checks that each of three epochs has each sample once, with its class and its grey.
void check_whole(const std::string& table) {
    std::istringstream in(table);
    std::string line;
    std::getline(in, line);
    CHECK(line == "section,epoch,episode,keys,targets,inputs");
    std::vector<std::string> orders(3);
    for (std::string& order : orders) {
        std::set<int> numbers;
        for (int i = 0; i < kCount; ++i) {
            REQUIRE(std::getline(in, line));
            const std::size_t begin = line.find("sample-") + 7;
            const int number = std::stoi(line.substr(begin));
            numbers.insert(number);
            order += std::to_string(number) + " ";
            const std::string rest = line.substr(line.find(',', begin) + 1);
            CHECK(rest.substr(0, 2) == std::to_string(number % 2) + ",");
            const double grey = std::stod(rest.substr(rest.find_first_of("0123456789", 2)));
            CHECK(grey * 255 == doctest::Approx(10 * (number % 8)));
        }
        CHECK(numbers.size() == kCount);
        CHECK(*numbers.rbegin() == kCount - 1);
    }
    CHECK_FALSE(std::getline(in, line));
    CHECK(orders[0] != orders[1]);
    CHECK(orders[1] != orders[2]);
}

}  // namespace

TEST_CASE("shards: processes and loader threads share them without overlap, in one order") {
    const Shards shards;
    const std::string alone = shards.exported("alone", 1, 0);
    check_whole(alone);
    CHECK(shards.exported("threads", 1, 3) == alone);
    CHECK(shards.exported("two", 2, 2) == alone);
    CHECK(shards.exported("three", 3, 0) == alone);
    CHECK(shards.exported("three_with_threads", 3, 2) == alone);
}

TEST_CASE("shards: continued in the middle of one after a kill the samples are the same") {
    const Shards shards;
    const std::string whole = shards.exported("whole", 2, 2);
    CHECK(shards.exported("killed", 2, 2, 1) == whole);
    CHECK(shards.exported("killed_first", 2, 2, 0) == whole);
    CHECK(shards.exported("three_killed", 3, 1, 2) == whole);
}

}  // namespace shards_test
