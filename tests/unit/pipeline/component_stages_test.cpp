#include "pipeline/component_stages.hpp"
#include "pipeline/prediction.hpp"
#include "support.hpp"

#include <ptp/ext/samples.h>

#include <doctest/doctest.h>

namespace component_stages_test {

using namespace ptp;
using plugin::Element;
using plugin::Kind;
using test::Make;

namespace {

plugin::Component with_abilities(plugin::Component component, std::vector<std::string> abilities) {
    component.abilities = std::move(abilities);
    return component;
}

// A transform of numbers that treats each sample by itself, and one that works on whole batches.
plugin::Component samplewise(const char* name) {
    return with_abilities(Make(Kind::kTransform, name).in("inputs", "B, 3").out("outputs", "B, 3"),
                          {PTP_EXTENSION_SAMPLES});
}

plugin::Component batchwise(plugin::Component component) {
    return with_abilities(std::move(component), {});
}

plugin::Catalog catalog() {
    return test::catalog_of(
        {Make(Kind::kTask, "Images")
             .out("inputs", "B, 3")
             .out("targets", "B, 3")
             .out("labels", "B", Element::kString),
         samplewise("Scale"),
         batchwise(Make(Kind::kTransform, "Mix").in("inputs", "B, 3").out("outputs", "B, 3")),
         batchwise(Make(Kind::kTransform, "Words")
                       .in("inputs", "B, 3")
                       .out("words", "B", Element::kString)),
         batchwise(Make(Kind::kTransform, "Numbers")
                       .in("labels", "B", Element::kString)
                       .out("outputs", "B, 3")),
         Make(Kind::kModel, "Net").in("inputs", "B, 3").out("predictions", "B, 3"),
         Make(Kind::kLoss, "Loss").in("predictions", "B, 3").in("targets", "B, 3").loss("loss"),
         Make(Kind::kStatistic, "Count").in("words", "B", Element::kString).statistic("count"),
         Make(Kind::kStatistic, "Error").in("predictions", "B, 3").statistic("error"),
         Make(Kind::kPublisher, "Writer").in("inputs", "B, 3"),
         Make(Kind::kPublisher, "Constant")});
}

std::string experiment(const std::string& components) {
    return R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Images", batch_size = 1 }
[pipeline.loss]
type = "Loss"
)" + components;
}

std::string stages(const std::string& components) {
    const test::Outcome outcome = test::assemble_text(experiment(components), catalog());
    REQUIRE(outcome.plan);  // it may have warnings of streams that nothing reads
    std::string text;
    for (const auto stage :
         {pipeline::Stage::kPre, pipeline::Stage::kForward, pipeline::Stage::kPost}) {
        text += std::string(pipeline::stage_name(stage)) + ": " +
                pipeline::stage_text(*outcome.plan, stage) + "\n";
    }
    return text;
}

std::string problems(const std::string& components) {
    return test::assemble_text(experiment(components), catalog()).problems;
}

std::string scale(const std::string& stage = "") {
    return "[pipeline.scale]\ntype = \"Scale\"\nstreams = { outputs = \"scaled\" }\n" + stage;
}

constexpr const char* kNet = "[pipeline.net]\ntype = \"Net\"\nstreams = { inputs = \"scaled\" }\n";

constexpr const char* kWords =
    "[pipeline.decoder]\ntype = \"Words\"\nstreams = { inputs = \"predictions\" }\n";

constexpr const char* kPlainNet = "[pipeline.net]\ntype = \"Net\"\n";

}  // namespace

TEST_CASE("stages: what treats samples comes before the model, what makes texts of results after") {
    CHECK(stages(scale() + kNet + kWords + "[pipeline.count]\ntype = \"Count\"\n" +
                 "[pipeline.error]\ntype = \"Error\"\n[pipeline.writer]\ntype = \"Writer\"\n") ==
          "pre: scale\n"
          "forward: net, loss, error\n"
          "post: decoder, count, writer\n");
}

TEST_CASE("stages: a transform of whole batches is in the forward stage") {
    CHECK(stages("[pipeline.mix]\ntype = \"Mix\"\nstreams = { outputs = \"scaled\" }\n" +
                 std::string(kNet)) == "pre: \nforward: mix, net, loss\npost: \n");
}

TEST_CASE("stages: a transform of whole batches is in the pre stage before one of samples") {
    CHECK(stages("[pipeline.mix]\ntype = \"Mix\"\nstreams = { outputs = \"mixed\" }\n" +
                 std::string("[pipeline.scale]\ntype = \"Scale\"\n"
                             "streams = { inputs = \"mixed\", outputs = \"scaled\" }\n") +
                 kNet) == "pre: mix, scale\nforward: net, loss\npost: \n");
}

TEST_CASE("stages: a transform that makes numbers of texts is in the pre stage") {
    CHECK(stages("[pipeline.numbers]\ntype = \"Numbers\"\nstreams = { outputs = \"scaled\" }\n" +
                 std::string(kNet)) == "pre: numbers\nforward: net, loss\npost: \n");
}

TEST_CASE("stages: a publisher of globals alone is in the pre stage") {
    CHECK(stages(std::string(kPlainNet) + "[pipeline.constant]\ntype = \"Constant\"\n") ==
          "pre: constant\nforward: net, loss\npost: \n");
}

TEST_CASE("stages: a decoder whose texts a model reads is in the forward stage") {
    CHECK(stages(std::string(kPlainNet) + kWords +
                 "[pipeline.numbers]\ntype = \"Numbers\"\n"
                 "streams = { labels = \"words\", outputs = \"more\" }\n"
                 "[pipeline.second]\ntype = \"Net\"\n"
                 "streams = { inputs = \"more\", predictions = \"others\" }\n") ==
          "pre: \nforward: net, loss, decoder, numbers, second\npost: \n");
}

TEST_CASE("stages: the experiment chooses where several are possible") {
    CHECK(stages(scale("stage = \"forward\"\n") + kNet) ==
          "pre: \nforward: scale, net, loss\npost: \n");
    const std::string behind =
        "[pipeline.scale]\ntype = \"Scale\"\n"
        "streams = { inputs = \"predictions\", outputs = \"scaled\" }\n";
    CHECK(stages(kPlainNet + behind) == "pre: \nforward: net, loss, scale\npost: \n");
    CHECK(stages(kPlainNet + behind + "stage = \"post\"\n") ==
          "pre: \nforward: net, loss\npost: scale\n");
    CHECK(stages(kPlainNet + scale("stage = \"post\"\n")) ==
          "pre: \nforward: net, loss\npost: scale\n");
}

TEST_CASE("stages: one that is not possible is refused with the reason") {
    CHECK(problems(kPlainNet + std::string("stage = \"post\"\n")) ==
          "e.toml:8:9: pipeline.net.stage = \"post\": Net is a model, which computes on batches; "
          "only transforms may run elsewhere\n"
          "    fix: stage = \"forward\", or leave it out");
    CHECK(problems("[pipeline.mix]\ntype = \"Mix\"\nstreams = { outputs = \"scaled\" }\n"
                   "stage = \"pre\"\n" +
                   std::string(kNet)) ==
          "e.toml:9:9: pipeline.mix.stage = \"pre\": Mix is a transform that computes on whole "
          "batches, not on each sample by itself\n"
          "    fix: stage = \"forward\", or leave it out");
    CHECK(problems(kPlainNet + std::string("[pipeline.scale]\ntype = \"Scale\"\n"
                                           "streams = { inputs = \"predictions\" }\n"
                                           "stage = \"pre\"\n")) ==
          "e.toml:11:9: pipeline.scale.stage = \"pre\": it reads stream 'predictions', which 'net' "
          "(Net) of the forward stage writes\n"
          "    fix: stage = \"forward\", or leave it out");
    CHECK(
        problems(scale("stage = \"post\"\n") + kNet) ==
        "e.toml:9:9: pipeline.scale.stage = \"post\": 'net' (Net) of the forward stage reads what "
        "it writes\n"
        "    fix: stage = \"forward\", or leave it out");
    CHECK(problems(std::string(kPlainNet) + kWords + "stage = \"forward\"\n") ==
          "e.toml:11:9: pipeline.decoder.stage = \"forward\": Words is a transform that reads or "
          "writes texts, and the forward stage computes with numbers\n"
          "    fix: stage = \"post\", or leave it out");
    CHECK(problems("[pipeline.numbers]\ntype = \"Numbers\"\nstreams = { outputs = \"scaled\" }\n"
                   "stage = \"forward\"\n" +
                   std::string(kNet)) ==
          "e.toml:9:9: pipeline.numbers.stage = \"forward\": Numbers is a transform that reads or "
          "writes texts, and the forward stage computes with numbers\n"
          "    fix: stage = \"pre\", or leave it out");
    CHECK(problems(std::string(kPlainNet) +
                   "[pipeline.writer]\ntype = \"Writer\"\nstage = \"pre\"\n") ==
          "e.toml:10:9: pipeline.writer.stage = \"pre\": Writer is a publisher, which runs on "
          "results\n"
          "    fix: stage = \"post\", or leave it out");
    CHECK(problems(std::string(kPlainNet) +
                   "[pipeline.constant]\ntype = \"Constant\"\nstage = \"post\"\n") ==
          "e.toml:10:9: pipeline.constant.stage = \"post\": Constant is a publisher that reads no "
          "streams, and so has no results to run on\n"
          "    fix: stage = \"pre\", or leave it out");
}

TEST_CASE("stages: a prediction refuses none because of what it leaves out") {
    // Without the transform of samples, which reads what it writes, it could not be in `pre`.
    const test::Outcome outcome = test::assemble_text(
        experiment("[pipeline.mix]\ntype = \"Mix\"\nstage = \"pre\"\n"
                   "streams = { outputs = \"mixed\" }\n"
                   "[pipeline.scale]\ntype = \"Scale\"\n"
                   "streams = { inputs = \"mixed\", outputs = \"scaled\" }\n"
                   "[pipeline.error]\ntype = \"Error\"\nstreams = { predictions = \"scaled\" }\n"
                   "[pipeline.net]\ntype = \"Net\"\nstreams = { inputs = \"mixed\" }\n"),
        catalog());
    REQUIRE(outcome.plan);
    pipeline::Plan plan = *outcome.plan;
    Diagnostics problems;
    const pipeline::Prediction prediction = pipeline::find_prediction(plan, {}, problems);
    CHECK(prediction.streams.size() == 1);
    CHECK(problems.ok());
    CHECK(pipeline::stage_text(plan, pipeline::Stage::kForward) == "mix, net, loss");
}

TEST_CASE("stages: a component's own setting of that name cannot be set") {
    plugin::Catalog own = test::catalog_of(
        {Make(Kind::kTask, "Images").out("inputs", "B, 3").out("targets", "B, 3"),
         Make(Kind::kModel, "Net")
             .in("inputs", "B, 3")
             .out("predictions", "B, 3")
             .integer("stage", "1"),
         Make(Kind::kLoss, "Loss").in("predictions", "B, 3").in("targets", "B, 3").loss("loss")});
    CHECK(test::assemble_text(experiment("[pipeline.net]\ntype = \"Net\"\nstage = \"forward\"\n"),
                              std::move(own))
              .problems ==
          "e.toml:8:9: pipeline.net.stage: Net has a setting of this name, which is a key of every "
          "component: it keeps its default");
}

}  // namespace component_stages_test
