// [records.sample_values] where several processes share each batch: the files of one process.

#include "runs/support.hpp"
#include "runs/tensor_file.hpp"
#include "runs/together.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace shared_samples_test {

namespace {

using nlohmann::json;
using namespace ptp::test;

// Sets of 48 and 16 samples have a last batch of 3 and of 1 with these: some of four processes have
// no sample of it.
const std::vector<std::string> kUneven = {
    "--set", "validation.task.batch_size=5", "--set", "test.task.batch_size=5",
    "--set", "training.task.batch_size=5",   "--set", "pipeline.net.dropout_rate=0"};

constexpr const char* kTwoEpochs =
    "optimizer = { type = \"SGD\", lr = 0.05 }\nterminal_conditions = { epoch_limit = 2 }\n";

constexpr const char* kHeedless =
    "[pipeline.heedless]\ntype = \"Heedless\"\n"
    "streams = { predictions = \"wide\", inputs = \"predictions\", loss = \"heedless_loss\" }\n";

}  // namespace

TEST_CASE("shared samples: two to four processes record each sample once, as one does") {
    const ExperimentFolder folder(
        {.training = kTwoEpochs,
         .pipeline = "[records.sample_values]\nexamples = 16\nstreams = [\"inputs\"]\n"});
    REQUIRE(folder.run("1", kUneven).status == 0);
    for (const int count : {2, 3, 4}) {
        CAPTURE(count);
        const std::string run = std::to_string(count);
        check_done(run_together(folder, run, count, kUneven));
        REQUIRE(files_in(folder.path() / run / "samples") ==
                files_in(folder.path() / "1" / "samples"));
        for (const std::string& name : files_in(folder.path() / "1" / "samples")) {
            CAPTURE(name);
            const TensorFile found(folder.read(run + "/samples/" + name));
            CHECK(found.header().contains("accuracy.accuracy"));  // only the first process runs it
            CHECK(found.header().contains("example/labels"));     // texts
            check_alike(found, TensorFile(folder.read("1/samples/" + name)));
            auto indices = found.numbers<std::int64_t>("index");
            std::ranges::sort(indices);
            std::vector<std::int64_t> each(16);
            std::iota(each.begin(), each.end(), 0);
            CHECK(indices == each);
        }
    }
}

TEST_CASE("shared samples: recording them changes no bit of the weights") {
    const ExperimentFolder folder({.training = kTwoEpochs});
    check_done(run_together(folder, "without", 2));
    folder.write({.training = kTwoEpochs, .pipeline = "[records.sample_values]\n"});
    check_done(run_together(folder, "with", 2));
    CHECK(folder.read("without/checkpoints/last/weights.safetensors") ==
          folder.read("with/checkpoints/last/weights.safetensors"));
    CHECK(!folder.has("without/samples"));
}

TEST_CASE(
    "shared samples: a stream whose parts make no batch is left out, and named once a section") {
    const ExperimentFolder folder(
        {.training = kTwoEpochs,
         .pipeline = "[records.sample_values]\nexamples = 0\nstreams = [\"wide\"]\n"
                     "[pipeline.widened]\ntype = \"Widened\"\nfreeze = true\n"
                     "streams = { inputs = \"features\", outputs = \"wide\" }\n"});
    const std::vector<ProcessResult> ranks =
        run_together(folder, "run", 2, with_ranked_plugin(kUneven));
    CHECK(ranks[0].status == 0);
    CHECK(ranks[1].status == 0);
    const auto warning = [](const std::string& section) {
        return "warning: the values of samples of [" + section +
               "] lack a stream: the stream 'wide' of the processes does not make one batch: Sizes "
               "of tensors must match except in dimension 0. Expected size 3 but got size 2 for "
               "tensor number 1 in the list.\n"
               "    fix: train in one process to record it\n";
    };
    CHECK(ranks[0].errors == warning("validation") + warning("test"));
    CHECK(ranks[1].errors == "");
    const TensorFile samples(folder.read("run/samples/validation_000009.safetensors"));
    CHECK(!samples.header().contains("stream/wide"));
    CHECK(samples.header().contains("stream/predictions"));
}

TEST_CASE("shared samples: rows of another width in each batch are left out, and named once") {
    const ExperimentFolder folder(
        {.training = kTwoEpochs,
         .pipeline = "[records.sample_values]\nexamples = 0\nstreams = [\"wide\"]\n"
                     "[pipeline.widened]\ntype = \"Widened\"\nfreeze = true\n"
                     "streams = { inputs = \"features\", outputs = \"wide\" }\n"});
    const ProcessResult result = folder.run("run", with_ranked_plugin(kUneven));
    CHECK(result.status == 0);
    const auto warning = [](const std::string& section) {
        return "warning: records.sample_values.streams: 'wide' is left out of the files of [" +
               section +
               "]: its batches have rows of different sizes\n"
               "    fix: leave it out of records.sample_values.streams, or name a stream with a "
               "row of one size for each sample\n";
    };
    CHECK(result.errors == warning("validation") + warning("test"));
    const TensorFile samples(folder.read("run/samples/validation_000009.safetensors"));
    CHECK(!samples.header().contains("stream/wide"));
    CHECK(samples.header().contains("stream/predictions"));
}

// Three processes share 16 samples in batches of 6: 2 each, and of the last batch 2, 1 and 1.
TEST_CASE(
    "shared samples: a prediction whose parts make no later batch is left out, not all values") {
    const ExperimentFolder folder(
        {.training = kTwoEpochs,
         .pipeline = std::string("[records.sample_values]\n"
                                 "[pipeline.widened]\ntype = \"Widened\"\nfreeze = true\n"
                                 "streams = { inputs = \"features\", outputs = \"wide\" }\n") +
                     kHeedless});
    const std::vector<ProcessResult> ranks = run_together(
        folder, "run", 3,
        with_ranked_plugin({"--set", "validation.task.batch_size=6", "--set",
                            "test.task.batch_size=6", "--set", "training.task.batch_size=6"}));
    CHECK(ranks[0].errors == "");
    CHECK(ranks[0].status == 0);
    CHECK(files_in(folder.path() / "run/samples").size() == 3);
    for (const std::string& name : files_in(folder.path() / "run/samples")) {
        CAPTURE(name);
        const TensorFile samples(folder.read("run/samples/" + name));
        CHECK(!samples.header().contains("stream/wide"));
        CHECK(samples.numbers<float>("stream/predictions").size() == 160);
        const json judged =
            json::parse(samples.header().at("__metadata__").at("judged").get<std::string>());
        REQUIRE(judged.size() == 1);
        CHECK(judged[0].at("loss") == "nll");
    }
}

TEST_CASE("shared samples: a component that throws has no values, and the training continues") {
    const ExperimentFolder folder(
        {.training = kTwoEpochs,
         .pipeline = std::string("[records.sample_values]\n[pipeline.copied]\ntype = \"Centered\"\n"
                                 "streams = { inputs = \"features\", outputs = \"wide\" }\n") +
                     kHeedless});
    const std::vector<ProcessResult> ranks = run_together(folder, "run", 2, with_ranked_plugin({}));
    CHECK(ranks[0].errors == "");
    CHECK(ranks[0].status == 0);
    CHECK(ranks[1].status == 0);
    const std::string log = folder.read("run/ranks/1.log");
    for (
        const char* text :
        {"the values of samples of [validation] lack those of 'heedless', the training continues: ",
         "'heedless' (Heedless): no value of ",
         "    fix: correct collect_samples() of the component, or train without "
         "[records.sample_values]\n"}) {
        CAPTURE(text);
        const std::size_t found = log.find(text);
        CHECK(found != std::string::npos);
        CHECK(log.find(text, found + 1) == std::string::npos);  // once
    }
    const TensorFile samples(folder.read("run/samples/validation_000011.safetensors"));
    const auto values = samples.numbers<float>("heedless.surprise");
    CHECK(std::ranges::count(values, 1.0F) == 8);
    CHECK(std::ranges::count_if(values, [](float value) { return std::isnan(value); }) == 8);
}

TEST_CASE("shared samples: a stream that is a number in one process alone is left out") {
    const ExperimentFolder folder({.training = kTwoEpochs,
                                   .pipeline =
                                       "[records.sample_values]\nstreams = [\"odd\"]\n"
                                       "[pipeline.shapeless]\ntype = \"Shapeless\"\nfreeze = true\n"
                                       "streams = { inputs = \"features\", outputs = \"odd\" }\n"});
    const std::vector<ProcessResult> ranks = run_together(folder, "run", 2, with_ranked_plugin({}));
    const auto warning = [](const std::string& section) {
        return "warning: the values of samples of [" + section +
               "] lack a stream: the stream 'odd' of the processes does not make one batch: it is "
               "a number in some processes, and not in others\n"
               "    fix: train in one process to record it\n";
    };
    CHECK(ranks[0].errors == warning("validation") + warning("test"));
    CHECK(ranks[0].status == 0);
    CHECK(ranks[1].status == 0);
    CHECK(files_in(folder.path() / "run/samples").size() == 3);
}

}  // namespace shared_samples_test
