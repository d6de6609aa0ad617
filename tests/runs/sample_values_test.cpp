// [records.sample_values]: the loss and the statistics of each validated and tested sample.

#include "runs/interrupted.hpp"
#include "runs/support.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace sample_values_test {

using nlohmann::json;
using ptp::test::ExperimentFolder;
using ptp::test::last_value;
using ptp::test::ProcessResult;

namespace {

constexpr const char* kRecords = "[records.sample_values]\n";

// A file of safetensors as any other reader sees it: a length, a header in JSON, the numbers.
class Samples {
public:
    explicit Samples(std::string file) : file_(std::move(file)) {
        std::uint64_t size = 0;
        std::memcpy(&size, file_.data(), sizeof(size));
        header_ = json::parse(file_.substr(sizeof(size), size));
        first_ = sizeof(size) + size;
    }

    [[nodiscard]] const json& header() const { return header_; }

    template <class Number>
    [[nodiscard]] std::vector<Number> numbers(const std::string& name) const {
        const json& tensor = header_.at(name);
        std::vector<Number> result(tensor.at("shape").at(0).get<std::size_t>());
        const auto begin = first_ + tensor.at("data_offsets").at(0).get<std::size_t>();
        std::memcpy(result.data(), file_.data() + begin, result.size() * sizeof(Number));
        return result;
    }

private:
    std::string file_;
    json header_;
    std::size_t first_ = 0;
};

double mean(const std::vector<float>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::set<std::string> files_in(const std::filesystem::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        names.insert(entry.path().filename());
    }
    return names;
}

}  // namespace

TEST_CASE("sample values: each pass over a set has a file whose means are the values of the set") {
    const ExperimentFolder folder;
    folder.write({.pipeline = kRecords});
    const ProcessResult result = folder.run("run");
    CHECK(result.errors == "");
    REQUIRE(result.status == 0);
    // 6 episodes in each of 3 epochs; each file has the number of the last one before.
    CHECK(files_in(folder.path() / "run/samples") ==
          std::set<std::string>{"test_000017.safetensors", "validation_000005.safetensors",
                                "validation_000011.safetensors", "validation_000017.safetensors"});
    const Samples samples(folder.read("run/samples/validation_000017.safetensors"));
    CHECK(samples.header().at("__metadata__") ==
          json({{"format", "1"}, {"section", "validation"}, {"episode", "17"}, {"epoch", "3"}}));
    std::vector<std::int64_t> indices = samples.numbers<std::int64_t>("index");
    std::ranges::sort(indices);
    std::vector<std::int64_t> all(indices.size());
    std::iota(all.begin(), all.end(), 0);
    CHECK(indices == all);
    const std::string table = folder.read("run/validation.csv");
    CHECK(mean(samples.numbers<float>("nll.loss")) ==
          doctest::Approx(std::stod(last_value(table, "loss"))).epsilon(1e-5));
    CHECK(mean(samples.numbers<float>("accuracy.accuracy")) ==
          doctest::Approx(std::stod(last_value(table, "accuracy"))));
}

TEST_CASE("sample values: recording them changes no bit of the weights") {
    const ExperimentFolder folder;
    folder.write();
    REQUIRE(folder.run("without").status == 0);
    folder.write({.pipeline = kRecords});
    REQUIRE(folder.run("with").status == 0);
    CHECK(folder.read("without/checkpoints/last/weights.safetensors") ==
          folder.read("with/checkpoints/last/weights.safetensors"));
    CHECK(!folder.has("without/samples"));
}

TEST_CASE("sample values: a resumed run has the files of one that was not interrupted") {
    const ExperimentFolder folder;
    folder.write({.pipeline = kRecords});
    REQUIRE(folder.run("whole").status == 0);
    REQUIRE(folder.run("parts", {"--stop-after", "1"}).status == 0);
    // A file of an episode that the checkpoint does not have yet.
    const std::filesystem::path later =
        folder.path() / "parts/samples/validation_000099.safetensors";
    std::filesystem::copy_file(folder.path() / "parts/samples/validation_000005.safetensors",
                               later);
    REQUIRE(ptp::test::resume(folder, "parts").status == 0);
    CHECK(files_in(folder.path() / "parts/samples") == files_in(folder.path() / "whole/samples"));
    for (const std::string& name : files_in(folder.path() / "whole/samples")) {
        CAPTURE(name);
        CHECK(folder.read("parts/samples/" + name) == folder.read("whole/samples/" + name));
    }
}

TEST_CASE("sample values: every_epochs leaves out validations, and no test") {
    const ExperimentFolder folder;
    folder.write({.pipeline = std::string(kRecords) + "every_epochs = 2\n"});
    REQUIRE(folder.run("run").status == 0);
    CHECK(files_in(folder.path() / "run/samples") ==
          std::set<std::string>{"test_000017.safetensors", "validation_000011.safetensors"});
}

}  // namespace sample_values_test
