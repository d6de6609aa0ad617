// [records.sample_values]: the loss and the statistics of each validated and tested sample.

#include "runs/interrupted.hpp"
#include "runs/support.hpp"
#include "runs/tensor_file.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace sample_values_test {

using nlohmann::json;
using namespace ptp::test;

namespace {

constexpr const char* kRecords = "[records.sample_values]\n";

double mean(const std::vector<float>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

TEST_CASE("sample values: each pass over a set has a file whose means are the values of the set") {
    const ExperimentFolder folder({.pipeline = kRecords});
    require_success(folder.run("run"));
    // 6 episodes in each of 3 epochs; each file has the number of the last one before.
    CHECK(files_in(folder.path() / "run/samples") ==
          std::set<std::string>{"test_000017.safetensors", "validation_000005.safetensors",
                                "validation_000011.safetensors", "validation_000017.safetensors"});
    const TensorFile samples(folder.read("run/samples/validation_000017.safetensors"));
    const json metadata = samples.header().at("__metadata__");
    CHECK(metadata.at("format") == "2");
    CHECK(metadata.at("section") == "validation");
    CHECK(metadata.at("episode") == "17");
    CHECK(metadata.at("epoch") == "3");
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

TEST_CASE("sample values: the scores of each class are those that the loss was computed of") {
    const ExperimentFolder folder({.pipeline = kRecords});
    REQUIRE(folder.run("run").status == 0);
    const TensorFile samples(folder.read("run/samples/test_000017.safetensors"));
    const json metadata = samples.header().at("__metadata__");
    CHECK(json::parse(metadata.at("judged").get<std::string>()) ==
          json::parse(R"([{"loss": "nll", "type": "NLLLoss", "targets": "targets",
                           "predictions": "predictions", "is_classes": true}])"));
    CHECK(json::parse(metadata.at("classes").get<std::string>()).at(9) == "Ankle boot");
    CHECK(metadata.at("left_out") == "{}");
    const auto targets = samples.numbers<std::int64_t>("stream/targets");
    const auto scores = samples.numbers<float>("stream/predictions");
    const auto losses = samples.numbers<float>("nll.loss");
    REQUIRE(scores.size() == 160);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        CHECK(scores[i * 10 + static_cast<std::size_t>(targets[i])] == -losses[i]);
    }
}

TEST_CASE("sample values: examples have the task's streams, the same in each epoch and by number") {
    const ExperimentFolder folder({.pipeline = std::string(kRecords) + "examples = 8\n"});
    REQUIRE(folder.run("run").status == 0);
    const TensorFile samples(folder.read("run/samples/test_000017.safetensors"));
    const json forms =
        json::parse(samples.header().at("__metadata__").at("examples").get<std::string>());
    CHECK(forms == json::parse(R"({"inputs": "values", "labels": "text", "targets": "values"})"));
    const auto kept = samples.numbers<std::int64_t>("example/index");
    CHECK(kept.size() <= 8);
    CHECK(std::ranges::is_sorted(kept));
    const auto losses = samples.numbers<float>("nll.loss");  // in the order of the numbers
    std::vector<std::int64_t> by_loss(losses.size());
    std::iota(by_loss.begin(), by_loss.end(), 0);
    std::ranges::sort(by_loss, {},
                      [&](std::int64_t i) { return -losses[static_cast<std::size_t>(i)]; });
    by_loss.resize(4);
    by_loss.push_back(std::ranges::min_element(losses) - losses.begin());
    for (const std::int64_t one : by_loss) {
        CAPTURE(one);
        CHECK(std::ranges::binary_search(kept, one));
    }
}

TEST_CASE("sample values: more classes than max_classes are counted, not recorded") {
    const ExperimentFolder folder(
        {.pipeline = std::string(kRecords) + "max_classes = 9\nexamples = 0\n"});
    REQUIRE(folder.run("run").status == 0);
    const TensorFile samples(folder.read("run/samples/test_000017.safetensors"));
    CHECK(samples.header().at("__metadata__").at("left_out") == R"({"predictions":10})");
    CHECK(samples.header().at("__metadata__").at("examples") == "{}");
    CHECK(!samples.header().contains("stream/predictions"));
    CHECK(!samples.header().contains("example/index"));
}

TEST_CASE("sample values: streams that are asked for have a row for each sample") {
    const ExperimentFolder folder(
        {.pipeline = std::string(kRecords) + "streams = [\"inputs\"]\nexamples = 16\n"});
    REQUIRE(folder.run("run").status == 0);
    const TensorFile samples(folder.read("run/samples/test_000017.safetensors"));
    CHECK(samples.header().at("__metadata__").at("streams") == R"(["inputs"])");
    const json shape = samples.header().at("stream/inputs").at("shape");
    CHECK(shape.at(0) == 16);
    const auto index = samples.numbers<std::int64_t>("index");
    const auto inputs = samples.numbers<float>("stream/inputs");
    const auto kept = samples.numbers<std::int64_t>("example/index");
    const auto examples = samples.numbers<float>("example/inputs");  // the first 64 numbers of each
    REQUIRE(!kept.empty());
    const std::size_t wide = inputs.size() / index.size();
    const std::size_t narrow = examples.size() / kept.size();
    const auto row = std::ranges::find(index, kept.front()) - index.begin();
    for (std::size_t i = 0; i < std::min(wide, narrow); ++i) {
        CHECK(inputs[static_cast<std::size_t>(row) * wide + i] == examples[i]);
    }
}

TEST_CASE("sample values: a stream that is passed through is recorded, as what flows in") {
    const ExperimentFolder folder(
        {.pipeline = std::string(kRecords) +
                     "streams = [\"inputs\", \"flipped\"]\nexamples = 0\n"
                     "[pipeline.flip]\ntype = \"RandomFlip\"\nvertical = 0.5\n"
                     "phases = [\"training\"]\npass_through = true\n"
                     "streams = { outputs = \"flipped\" }\n"});
    require_success(folder.run("run"));
    const TensorFile samples(folder.read("run/samples/validation_000017.safetensors"));
    REQUIRE(samples.header().contains("stream/flipped"));
    CHECK(samples.numbers<float>("stream/flipped") == samples.numbers<float>("stream/inputs"));
}

TEST_CASE("sample values: a section has the values and streams of what runs in it") {
    const struct {
        const char* phases;
        bool passes_through;
        std::vector<std::string> values;   // the files with second.accuracy
        std::vector<std::string> streams;  // those with stream/flipped
    } cases[] = {
        {R"(["training"])", false, {}, {}},
        {R"(["validation"])", false, {"validation"}, {"validation"}},
        {R"(["test"])", false, {"test"}, {"test"}},
        {R"(["training", "test"])", false, {"test"}, {"test"}},
        {R"(["validation", "test"])", false, {"test", "validation"}, {"test", "validation"}},
        {R"(["training"])", true, {}, {"test", "validation"}},
        {R"(["validation"])", true, {"validation"}, {"test", "validation"}}};
    for (const auto& c : cases) {
        CAPTURE(c.phases);
        CAPTURE(c.passes_through);
        const ExperimentFolder folder;
        const std::string phases = std::string("phases = ") + c.phases + "\n";
        folder.write({.pipeline = std::string(kRecords) +
                                  "streams = [\"flipped\"]\nexamples = 0\n"
                                  "[pipeline.flip]\ntype = \"RandomFlip\"\nvertical = 0.5\n" +
                                  phases + (c.passes_through ? "pass_through = true\n" : "") +
                                  "streams = { outputs = \"flipped\" }\n"
                                  "[pipeline.second]\ntype = \"AccuracyStatistics\"\n" +
                                  phases +
                                  "statistics = { accuracy = \"other\", support = \"count\" }\n"});
        REQUIRE(folder.run("run").status == 0);
        std::vector<std::string> values;
        std::vector<std::string> streams;
        for (const std::string section : {"test", "validation"}) {
            const TensorFile samples(folder.read("run/samples/" + section + "_000017.safetensors"));
            CHECK(samples.header().contains("accuracy.accuracy"));
            if (samples.header().contains("second.accuracy")) {
                values.push_back(section);
            }
            if (samples.header().contains("stream/flipped")) {
                streams.push_back(section);
            }
        }
        CHECK(values == c.values);
        CHECK(streams == c.streams);
    }
}

TEST_CASE("sample values: folds have the numbers of the task, each in one of them") {
    const ExperimentFolder folder;
    folder.write({.pipeline = std::string(kRecords) + "examples = 0\n",
                  .has_validation = false,
                  .has_test = false});
    const ProcessResult result =
        ptp::test::ptprun({"cv", (folder.path() / "experiment.toml").string(), "--folds", "4",
                           "--run-dir", folder.run_folder("cv")});
    REQUIRE(result.status == 0);
    std::vector<std::int64_t> all;
    for (int fold = 0; fold < 4; ++fold) {
        CAPTURE(fold);
        const std::string run = "cv/" + std::to_string(fold + 1) + "_fold=" + std::to_string(fold);
        std::vector<std::int64_t> first;  // of the first epoch
        for (const std::string& name : files_in(folder.path() / run / "samples")) {
            const TensorFile samples(folder.read(run + "/samples/" + name));
            auto indices = samples.numbers<std::int64_t>("index");
            const auto targets = samples.numbers<std::int64_t>("stream/targets");
            for (std::size_t i = 0; i < indices.size(); ++i) {
                CHECK(targets[i] == indices[i] % 4);  // the class of that image
            }
            std::ranges::sort(indices);
            CHECK((first.empty() || first == indices));
            first = indices;
        }
        CHECK(first.size() == 12);
        all.insert(all.end(), first.begin(), first.end());
    }
    std::ranges::sort(all);
    std::vector<std::int64_t> each(48);
    std::iota(each.begin(), each.end(), 0);
    CHECK(all == each);
}

TEST_CASE("sample values: a stream without a row for each sample is left out, and named once") {
    const ExperimentFolder folder(
        {.pipeline = std::string(kRecords) + "streams = [\"loss\"]\nexamples = 0\n"});
    const ProcessResult result = folder.run("run");
    REQUIRE(result.status == 0);
    const TensorFile samples(folder.read("run/samples/validation_000017.safetensors"));
    CHECK(!samples.header().contains("stream/loss"));
    const std::string warning =
        "records.sample_values.streams: 'loss' is left out of the files of [validation]: its first "
        "size is not that of the batch\n"
        "    fix: leave it out of records.sample_values.streams, or name a stream with a row of one "
        "size for each sample\n";
    const std::string log = folder.read("run/run.log");
    const std::size_t first = log.find(warning);
    CHECK_MESSAGE(first != std::string::npos, log);
    CHECK(log.find(warning, first + 1) == std::string::npos);
    CHECK(log.find("left out of the files of [test]") != std::string::npos);
}

TEST_CASE("sample values: a stream that is not there, or is a text, is refused") {
    const ExperimentFolder folder(
        {.pipeline = std::string(kRecords) + "streams = [\"prediction\", \"labels\"]\n"});
    const ProcessResult result = folder.run("run");
    CHECK(result.status == 2);
    CHECK(result.errors.find(
              "records.sample_values.streams = \"prediction\": unknown stream; did you "
              "mean 'predictions'?\n") != std::string::npos);
    CHECK(result.errors.find("records.sample_values.streams = \"labels\": must be a tensor; this "
                             "stream is string\n") != std::string::npos);
}

TEST_CASE("sample values: recording them changes no bit of the weights") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("without").status == 0);
    folder.write({.pipeline = kRecords});
    REQUIRE(folder.run("with").status == 0);
    CHECK(folder.read("without/checkpoints/last/weights.safetensors") ==
          folder.read("with/checkpoints/last/weights.safetensors"));
    CHECK(!folder.has("without/samples"));
}

TEST_CASE("sample values: a resumed run has the files of one that was not interrupted") {
    const ExperimentFolder folder({.pipeline = kRecords});
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

TEST_CASE("sample values: a raised limit leaves no file of an epoch that it has cut") {
    const ExperimentFolder folder;
    const std::string records = std::string(kRecords) + "[records.probe]\n";
    folder.write({.training = "optimizer = { type = \"SGD\", lr = 0.1 }\n"
                              "terminal_conditions = { epoch_limit = 2 }\n",
                  .pipeline = records,
                  .has_test = false});
    REQUIRE(folder.run("whole").status == 0);
    // An epoch has six episodes; the limit cuts the second one, which is validated all the same.
    REQUIRE(folder.run("cut", {"--set", "training.terminal_conditions.episode_limit=8"}).status ==
            0);
    REQUIRE(folder.has("cut/samples/validation_000007.safetensors"));
    REQUIRE(folder.has("cut/probe/probe_000007.safetensors"));
    REQUIRE(ptp::test::run_program("ptprun", {"resume", folder.run_folder("cut"), "--set",
                                              "training.terminal_conditions.episode_limit=1000"})
                .status == 0);
    for (const char* part : {"samples", "probe"}) {
        CHECK(files_in(folder.path() / "cut" / part) == files_in(folder.path() / "whole" / part));
    }
}

TEST_CASE("sample values: every_epochs leaves out validations, and no test") {
    const ExperimentFolder folder({.pipeline = std::string(kRecords) + "every_epochs = 2\n"});
    REQUIRE(folder.run("run").status == 0);
    CHECK(files_in(folder.path() / "run/samples") ==
          std::set<std::string>{"test_000017.safetensors", "validation_000011.safetensors"});
}

}  // namespace sample_values_test
