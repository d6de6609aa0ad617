#include "support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace filling_test {

using namespace ptp;
using plugin::Element;
using plugin::Kind;
using test::Make;

namespace {

plugin::Catalog catalog() {
    return test::catalog_of(
        {Make(Kind::kTask, "Windows")
             .integer("stride", "1")
             .out("words", "B", Element::kTokens)
             .out("targets", "B", Element::kInteger),
         Make(Kind::kTask, "Texts")
             .out("words", "B", Element::kTokens)
             .out("targets", "B", Element::kInteger),
         Make(Kind::kTransform, "Embedding")
             .flag("output_lengths")
             .in("words", "B", Element::kTokens)
             .integer("fixed_padding")
             .out("vectors", "B, $fixed_padding|length, 8")
             .out("lengths", "B", Element::kInteger)
             .when("output_lengths"),
         Make(Kind::kModel, "Attention")
             .flag("use_lengths")
             .in("vectors", "B, length, 8")
             .in("lengths", "B", Element::kInteger)
             .when("use_lengths")
             .out("encoded", "B, length, 8"),
         Make(Kind::kModel, "Recurrent")
             .flag("use_lengths")
             .flag("all_steps")
             .in("encoded", "B, length, 8")
             .in("lengths", "B", Element::kInteger)
             .when("use_lengths")
             .out("predictions", "B, 10")
             .when("!all_steps")
             .out("predictions", "B, length, 10")
             .when("all_steps"),
         Make(Kind::kModel, "States")
             .in("inputs", "B, length, 8")
             .in("lengths", "B", Element::kInteger)
             .optional()
             .in("start", "B, 2, 8")
             .optional()
             .out("outputs", "B, length, 8")
             .out("last", "B, 8")
             .out("state", "B, 2, 8"),
         Make(Kind::kModel, "Attending")
             .flag("is_causal")
             .in("inputs", "B, length, 8")
             .in("memory", "B, memory_length, 8")
             .optional()
             .in("lengths", "B", Element::kInteger)
             .optional()
             .in("memory_lengths", "B", Element::kInteger)
             .optional()
             .out("outputs", "B, length, 8"),
         Make(Kind::kModel, "Encoder")
             .flag("use_lengths")
             .in("inputs", "B, length, 8")
             .in("lengths", "B", Element::kInteger)
             .when("use_lengths")
             .out("outputs", "B, length, 8")
             .out("state", "B, 8"),
         Make(Kind::kModel, "Stack")
             .setting(test::layers_of("layers"))
             .strings("more_inputs", "[]")
             .strings("more_outputs", "[]")
             .in("inputs", "", Element::kAny)
             .in("more_inputs", "", Element::kAny)
             .named_by("more_inputs")
             .out("outputs", "layers[0:]")
             .meaning("layers")
             .out("more_outputs", "layers[0:]")
             .named_by("more_outputs"),
         Make(Kind::kTransform, "Same").in("inputs", "...").out("outputs", "inputs[0:]"),
         Make(Kind::kTransform, "Reduce")
             .flag("use_lengths")
             .setting(test::choice_of("how", {"sum", "mean"}, "\"sum\""))
             .in("inputs", "...")
             .in("lengths", "B", Element::kInteger)
             .when("use_lengths")
             .out("outputs", "inputs[:1], inputs[2:]"),
         Make(Kind::kTransform, "Indexer")
             .in("words", "B", Element::kTokens)
             .out("numbers", "B, length", Element::kInteger),
         Make(Kind::kLoss, "StepLoss")
             .in("predictions", "B, length, 8")
             .in("targets", "B, length", Element::kInteger)
             .purpose(plugin::Purpose::kTargets)
             .reads_if_named("ignore_index")
             .purpose(plugin::Purpose::kIgnoredTarget)
             .loss("loss"),
         Make(Kind::kLoss, "Loss")
             .in("predictions", "...")
             .in("targets", "B", Element::kInteger)
             .loss("loss")});
}

// The pipeline with these lines in its embedding, its attention and its recurrent network.
std::string problems_of(const std::string& embedding, const std::string& attention,
                        const std::string& recurrent) {
    return test::assemble_text(
               "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
               "task = { type = \"Texts\", batch_size = 4 }\n"
               "[pipeline.embedding]\ntype = \"Embedding\"\n" +
                   embedding + "[pipeline.attention]\ntype = \"Attention\"\n" + attention +
                   "[pipeline.recurrent]\ntype = \"Recurrent\"\n" + recurrent +
                   "[pipeline.loss]\ntype = \"Loss\"\n",
               catalog())
        .problems;
}

// An embedding, the component "net" with these lines, and a loss that reads `read`.
std::string problems_of_net(const std::string& embedding, const std::string& net,
                            const std::string& read) {
    return test::assemble_text(
               "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
               "task = { type = \"Texts\", batch_size = 4 }\n"
               "[pipeline.embedding]\ntype = \"Embedding\"\n" +
                   embedding + "[pipeline.net]\n" + net + "[pipeline.loss]\ntype = \"Loss\"\n" +
                   "streams = { predictions = \"" + read + "\" }\n",
               catalog())
        .problems;
}

constexpr const char* kOutput = "output_lengths = true\n";
constexpr const char* kUse = "use_lengths = true\n";

}  // namespace

TEST_CASE("filling: who merges the steps of sentences, with their filling, is warned of") {
    CHECK(problems_of(kOutput, kUse, kUse) == "");
    CHECK(problems_of(kOutput, kUse, "") ==
          "e.toml:10:1: warning: pipeline.recurrent: reads the filling of shorter sequences as if "
          "it were data: 'embedding' (Embedding) fills all up to the longest of their batch\n"
          "    fix: set pipeline.recurrent.use_lengths = true");
    CHECK(problems_of("", "", "") ==
          "e.toml:6:1: warning: pipeline.attention: reads the filling of shorter sequences as if "
          "it were data: 'embedding' (Embedding) fills all up to the longest of their batch\n"
          "    fix: set pipeline.attention.use_lengths = true and set "
          "pipeline.embedding.output_lengths = true\n"
          "e.toml:8:1: warning: pipeline.recurrent: reads the filling of shorter sequences as if "
          "it were data: 'embedding' (Embedding) fills all up to the longest of their batch\n"
          "    fix: set pipeline.recurrent.use_lengths = true and set "
          "pipeline.embedding.output_lengths = true");
}

TEST_CASE("filling: a length that a setting states is named, and windows are equally long") {
    const auto said = [](const std::string& task, const std::string& embedding) {
        return test::assemble_text(
                   "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\ntask = { type = \"" +
                       task + "\", batch_size = 4 }\n[pipeline.embedding]\ntype = \"Embedding\"\n" +
                       embedding +
                       "output_lengths = true\n[pipeline.attention]\ntype = \"Attention\"\nuse_lengths = "
                       "true\n[pipeline.recurrent]\ntype = \"Recurrent\"\n"
                       "[pipeline.loss]\ntype = \"Loss\"\n",
                   catalog())
            .problems;
    };
    const std::string stated =
        "e.toml:11:1: warning: pipeline.recurrent: reads the filling of shorter sequences as if it "
        "were data: 'embedding' (Embedding) fills all up to 20 steps\n"
        "    fix: set pipeline.recurrent.use_lengths = true";
    CHECK(said("Texts", "fixed_padding = 20\n") == stated);
    CHECK(said("Windows", "") == "");
    CHECK(said("Windows", "fixed_padding = 20\n") == stated);
}

TEST_CASE("filling: lengths under another name are wired by the fix") {
    CHECK(problems_of(std::string(kOutput) + "streams = { lengths = \"counts\" }\n",
                      std::string(kUse) + "streams = { lengths = \"counts\" }\n", "") ==
          "e.toml:12:1: warning: pipeline.recurrent: reads the filling of shorter sequences as if "
          "it were data: 'embedding' (Embedding) fills all up to the longest of their batch\n"
          "    fix: set pipeline.recurrent.use_lengths = true and write streams = { lengths = "
          "\"counts\" } in pipeline.recurrent");
}

TEST_CASE("filling: a prediction for each step is no cause for a warning") {
    CHECK(problems_of("", "", "all_steps = true\n") == "");
}

TEST_CASE("filling: lengths that nothing reads are warned of") {
    CHECK(problems_of(kOutput, "", "all_steps = true\n") ==
          "e.toml:6:18: pipeline.embedding.output_lengths: warning: nothing reads 'lengths'\n"
          "    fix: set use_lengths = true in what reads the sequences, or remove output_lengths "
          "from pipeline.embedding");
}

TEST_CASE("filling: a mean over the steps that an encoder keeps is warned of, a sum is not") {
    const auto reduced = [](const std::string& how) {
        return problems_of(kOutput, kUse,
                           std::string(kUse) +
                               "streams = { encoded = \"encoded\", predictions = "
                               "\"others\" }\n[pipeline.reduce]\ntype = "
                               "\"Reduce\"\nhow = \"" +
                               how +
                               "\"\nstreams = { inputs = \"encoded\", outputs = \"predictions\" }\n"
                               "[pipeline.other]\ntype = \"Loss\"\nstreams = { predictions = "
                               "\"others\", loss = \"other\" }\n");
    };
    CHECK(reduced("sum") == "");
    CHECK(reduced("mean") ==
          "e.toml:14:1: warning: pipeline.reduce: reads the filling of shorter sequences as if it "
          "were data: 'embedding' (Embedding) fills all up to the longest of their batch\n"
          "    fix: set pipeline.reduce.use_lengths = true");
}

TEST_CASE("filling: the last state of a sequence is the filling's where no lengths are read") {
    const std::string net = "type = \"States\"\nstreams = { inputs = \"vectors\" }\n";
    const std::string warning =
        "e.toml:6:1: warning: pipeline.net: reads the filling of shorter sequences as if it were "
        "data: 'embedding' (Embedding) fills all up to the longest of their batch\n"
        "    fix: set pipeline.embedding.output_lengths = true";
    CHECK(problems_of_net("", net, "last") == warning);
    CHECK(problems_of_net("", net, "state") == warning);
    CHECK(problems_of_net("", net, "outputs") == "");
    CHECK(problems_of_net(kOutput, net, "last") == "");
    CHECK(problems_of_net(std::string(kOutput) + "streams = { lengths = \"counts\" }\n", net,
                          "last") ==
          "e.toml:8:1: warning: pipeline.net: reads the filling of shorter sequences as if it were "
          "data: 'embedding' (Embedding) fills all up to the longest of their batch\n"
          "    fix: write streams = { lengths = \"counts\" } in pipeline.net");
}

TEST_CASE(
    "filling: a state that a setting would keep from the filling is warned of where it is read") {
    const std::string net = "type = \"Encoder\"\nstreams = { inputs = \"vectors\" }\n";
    CHECK(problems_of_net("", net, "outputs") == "");
    CHECK(
        problems_of_net("", net, "state") ==
        "e.toml:6:1: warning: pipeline.net: reads the filling of shorter sequences as if it were "
        "data: 'embedding' (Embedding) fills all up to the longest of their batch\n"
        "    fix: set pipeline.net.use_lengths = true and set pipeline.embedding.output_lengths = "
        "true");
}

TEST_CASE("filling: attention to all steps is attention to the filling, causal attention is not") {
    const std::string net = "type = \"Attending\"\nstreams = { inputs = \"vectors\" }\n";
    const std::string warning =
        "warning: pipeline.net: reads the filling of shorter sequences as if it were "
        "data: 'embedding' (Embedding) fills all up to the longest of their batch\n    fix: ";
    CHECK(problems_of_net("", net, "outputs") ==
          "e.toml:6:1: " + warning + "set pipeline.embedding.output_lengths = true");
    CHECK(problems_of_net("", net + "is_causal = true\n", "outputs") == "");
    CHECK(problems_of_net(kOutput, net, "outputs") == "");
    // A memory has lengths of its own.
    const std::string other =
        "type = \"Attending\"\nis_causal = true\nstreams = { inputs = \"vectors\", memory = "
        "\"vectors\" }\n";
    CHECK(problems_of_net(kOutput, other, "outputs") ==
          "e.toml:7:1: " + warning +
              "write streams = { memory_lengths = \"lengths\" } in pipeline.net");
}

TEST_CASE("filling: where a loss counts each step there is none") {
    const auto checked = [](const std::string& ignored) {
        return problems_of_net(
            "", "type = \"Attending\"\nstreams = { inputs = \"vectors\" }\n",
            "outputs\"}\n[pipeline.indexer]\ntype = \"Indexer\"\n[pipeline.step]\n"
            "type = \"StepLoss\"\n" +
                ignored +
                "streams = { loss = \"steps\", targets = \"numbers\", predictions = "
                "\"outputs");
    };
    CHECK(checked("") == "");
    CHECK(checked("globals = { ignore_index = -1 }\n").find("pipeline.net: reads the filling") !=
          std::string::npos);
}

TEST_CASE("filling: layers of a list are warned of, and read lengths that their owner lets in") {
    const auto net = [](const std::string& layers, const std::string& more = "") {
        return "type = \"Stack\"\nlayers = [" + layers + "]\n" + more +
               "streams = { inputs = \"vectors\", outputs = \"predictions\" }\n";
    };
    const std::string states = "{ type = \"States\", streams = { last = \"end\" } }";
    const std::string merging = states + ", { type = \"Same\", streams = { inputs = \"end\" } }";
    const std::string warning =
        ": warning: pipeline.net.layers[0]: reads the filling of shorter sequences as if it were "
        "data: 'embedding' (Embedding) fills all up to the longest of their batch\n"
        "    fix: ";
    CHECK(problems_of_net("", net(merging), "predictions") ==
          "e.toml:8:11" + warning +
              "set pipeline.net.more_inputs = [\"lengths\"] and set "
              "pipeline.embedding.output_lengths = true");
    CHECK(problems_of_net(kOutput, net(merging), "predictions") ==
          "e.toml:9:11" + warning + "set pipeline.net.more_inputs = [\"lengths\"]");
    CHECK(problems_of_net("", net(states, "more_outputs = [\"end\"]\n"), "end") ==
          "e.toml:8:11" + warning +
              "set pipeline.net.more_inputs = [\"lengths\"] and set "
              "pipeline.embedding.output_lengths = true");
    CHECK(problems_of_net(kOutput, net(merging, "more_inputs = [\"lengths\"]\n"), "predictions") ==
          "");
    CHECK(problems_of_net("", net(states), "predictions") == "");
}

}  // namespace filling_test
