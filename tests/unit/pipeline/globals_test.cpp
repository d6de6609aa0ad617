#include "pipeline/sizes.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

namespace globals_test {

using namespace ptp;
using plugin::Kind;
using test::assemble_text;
using test::catalog_of;
using test::Make;

namespace {

plugin::Catalog catalog() {
    return catalog_of(
        {Make(Kind::kTask, "Words").out("inputs", "B, 3").writes("vocabulary_size"),
         Make(Kind::kTransform, "Indexer")
             .in("inputs", "B, 3")
             .out("outputs", "B, 3")
             .writes("vocabulary_size"),
         Make(Kind::kModel, "Embeddings")
             .in("outputs", "B, 3")
             .out("embeddings", "B, 3, embeddings_size")
             .reads("vocab_size"),
         Make(Kind::kViewer, "Reader").in("inputs", "B, 3").reads("vocabulary_size"),
         Make(Kind::kPublisher, "Publisher")
             .strings("keys")
             .integers("values")
             .writes("$keys", "$values"),
         Make(Kind::kTransform, "Joiner")
             .strings("vocabularies")
             .in("inputs", "B, 3")
             .out("joined", "B, 3")
             .reads("$vocabularies"),
         Make(Kind::kLoss, "Loss").in("inputs", "B, 3").loss("loss"),
         Make(Kind::kStatistic, "Accuracy").in("inputs", "B, 3").statistic("accuracy")});
}

std::string problems_of(std::string_view rest) {
    return assemble_text(R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Words", batch_size = 1 }
[pipeline.loss]
type = "Loss"
)" + std::string(rest),
                         catalog())
        .problems;
}

}  // namespace

TEST_CASE("globals: what is wrong with them is said with the likely fix") {
    struct Case {
        const char* text;
        const char* problems;
    };
    const Case cases[] = {
        {"[pipeline.indexer]\ntype = \"Indexer\"\n",
         "e.toml:6:1: pipeline.indexer: publishes global 'vocabulary_size', which the task of "
         "[training] (Words) publishes already; write globals = { vocabulary_size = "
         "\"indexer_vocabulary_size\" }"},
        {"[pipeline.indexer]\ntype = \"Indexer\"\nglobals = { vocabulary_size = \"size\" }\n"
         "[pipeline.embeddings]\ntype = \"Embeddings\"\n",
         "e.toml:9:1: pipeline.embeddings: reads global 'vocab_size', which nothing publishes; did "
         "you mean 'vocabulary_size'? Then write globals = { vocab_size = \"vocabulary_size\" }"},
        {"[pipeline.indexer]\ntype = \"Indexer\"\nglobals = { vocabulary_size = \"size\" }\n"
         "[pipeline.embeddings]\ntype = \"Embeddings\"\nglobals = { vocab_size = \"words\" }\n",
         "e.toml:9:1: pipeline.embeddings: reads global 'words', which nothing publishes; "
         "published are size and vocabulary_size; write globals = { vocab_size = \"...\" }, or add "
         "a Publisher"},
        {"[pipeline.reader]\ntype = \"Reader\"\nglobals = { vocabulary_size = \"vocabulary_sizes\" }\n",
         "e.toml:6:1: pipeline.reader: reads global 'vocabulary_sizes', which nothing publishes; did "
         "you mean 'vocabulary_size'? Then leave 'vocabulary_size' out of its globals"},
        {"[pipeline.indexer]\ntype = \"Indexer\"\nglobals = { vocabulary = \"size\" }\n",
         "e.toml:6:1: pipeline.indexer: publishes global 'vocabulary_size', which the task of "
         "[training] (Words) publishes already; write globals = { vocabulary_size = "
         "\"indexer_vocabulary_size\" }\n"
         "e.toml:8:13: pipeline.indexer.globals.vocabulary: Indexer has no global of this name; "
         "did you mean 'vocabulary_size'?"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(problems_of(c.text) == c.problems);
    }
}

TEST_CASE("globals: a constant stands in the place of a name, and nobody must publish it") {
    const auto outcome = assemble_text(R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Images", batch_size = 1 }
[pipeline.net]
type = "Dense"
streams = { inputs = "rows" }
globals = { prediction_size = 10 }
[pipeline.flatten]
type = "Reshape"
input_dims = [-1, 1, 28, 28]
output_dims = [-1, 784]
streams = { outputs = "rows" }
[pipeline.loss]
type = "Loss"
)");
    REQUIRE(outcome.problems == "");
    const auto& net = test::node_named(*outcome.plan, "net");
    CHECK(net.globals == std::map<std::string, std::string>{});
    REQUIRE(net.constants.contains("prediction_size"));
    CHECK(net.constants.at("prediction_size") == ptp::Value(10));
    CHECK(pipeline::shape_text(*outcome.plan, net.outputs[0].shape) == "[B, prediction_size = 10]");
}

TEST_CASE("globals: a constant that is a size must be one, and fits where it is used") {
    const auto problems = [](const std::string& globals) {
        return assemble_text(
                   R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Images", batch_size = 1, resize_image = [32, 32] }
[pipeline.net]
type = "Net"
globals = { )" + globals +
                       R"( }
[pipeline.loss]
type = "Ten"
)",
                   catalog_of([] {
                       auto components = test::usual_catalog().plugins[0].manifest.components;
                       components.emplace_back(
                           Make(Kind::kLoss, "Ten").in("predictions", "B, 10").loss("loss"));
                       return components;
                   }()))
            .problems;
    };
    CHECK(problems("prediction_size = 10") == "");
    CHECK(problems("prediction_size = 0") ==
          "e.toml:6:31: pipeline.net.globals.prediction_size = 0: must be an integer in [1, inf), "
          "because it is a size of a stream");
    CHECK(problems("prediction_size = true") ==
          "e.toml:6:31: pipeline.net.globals.prediction_size = true: must be an integer in [1, "
          "inf), because it is a size of a stream");
    CHECK(problems("prediction_size = 11") ==
          "e.toml:7:1: pipeline.loss: stream 'predictions' has another shape than 'predictions' "
          "takes\n"
          "    'net' (Net) writes [B, prediction_size = 11] as 'predictions'\n"
          "    'loss' (Ten) reads [B, 10] as 'predictions'\n"
          "    prediction_size = 11: pipeline.net.globals.prediction_size\n"
          "    fix: set pipeline.net.globals.prediction_size = 10");
    CHECK(problems("predicton_size = 10") ==
          "e.toml:6:13: pipeline.net.globals.predicton_size: Net has no global of this name; did "
          "you mean 'prediction_size'?");
}

TEST_CASE("globals: what a component publishes cannot be a constant") {
    CHECK(problems_of(
              "[pipeline.indexer]\ntype = \"Indexer\"\nglobals = { vocabulary_size = 7 }\n") ==
          "e.toml:8:31: pipeline.indexer.globals.vocabulary_size = 7: must be a name (a string): "
          "Indexer publishes this global, and a constant can only be read");
}

TEST_CASE("globals: a publisher's setting names what it publishes, and the experiment renames it") {
    const auto outcome = assemble_text(R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Words", batch_size = 1 }
[pipeline.embeddings]
type = "Embeddings"
streams = { outputs = "inputs" }
[pipeline.publisher]
type = "Publisher"
keys = ["vocab", "other"]
values = [7, 8]
globals = { vocab = "vocab_size" }
[pipeline.loss]
type = "Loss"
)",
                                       catalog());
    CHECK(outcome.problems ==
          "e.toml:4:1: warning: pipeline.embeddings: nothing reads 'embeddings', so that "
          "Embeddings has no effect\n    fix: name the stream in a component that should read "
          "it, or set pipeline.embeddings.enabled = false");
    REQUIRE(outcome.plan.has_value());
    CHECK(test::order_text(*outcome.plan) == "publisher embeddings loss");
    const auto& publisher = test::node_named(*outcome.plan, "publisher");
    CHECK(publisher.globals ==
          std::map<std::string, std::string>{{"other", "other"}, {"vocab", "vocab_size"}});
}

TEST_CASE("globals: a setting names what a component reads, and it runs after who publishes that") {
    constexpr const char* kJoiner =
        "[pipeline.joiner]\ntype = \"Joiner\"\nvocabularies = [\"vocabulary_size\", \"late\"]\n";
    CHECK(problems_of(kJoiner) ==
          "e.toml:6:1: pipeline.joiner: reads global 'late', which nothing publishes; published "
          "are vocabulary_size; write globals = { late = \"...\" }, or add a Publisher");
    CHECK(problems_of(std::string(kJoiner) + "globals = { late = \"vocabulary_size\" }\n")
              .find("reads global") == std::string::npos);
    const auto outcome = assemble_text(
        std::string("[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
                    "task = { type = \"Words\", batch_size = 1 }\n") +
            kJoiner +
            "[pipeline.publisher]\ntype = \"Publisher\"\nkeys = [\"late\"]\nvalues = [7]\n"
            "[pipeline.loss]\ntype = \"Loss\"\n",
        catalog());
    REQUIRE(outcome.plan.has_value());
    CHECK(test::order_text(*outcome.plan) == "publisher joiner loss");
}

TEST_CASE("globals: statistics that would share a column are refused") {
    for (const char* own : {"epoch", "episode", "episodes_aggregated", "batch", "batches",
                            "samples", "seconds", "state", "learning_rate", "learning_rate.net"}) {
        CAPTURE(own);
        CHECK(
            problems_of(std::string("[pipeline.a]\ntype = \"Accuracy\"\nstatistics = { accuracy = "
                                    "\"") +
                        own + "\" }\n") ==
            std::string("e.toml:6:1: pipeline.a: statistic '") + own +
                "' has the name of a column of ptp's own; write statistics = { accuracy = "
                "\"a_accuracy\" }");
    }
    for (const char* spread : {"loss_min", "loss_max", "loss_std"}) {
        CAPTURE(spread);
        CHECK(
            problems_of(std::string("[pipeline.a]\ntype = \"Accuracy\"\nstatistics = { accuracy = "
                                    "\"") +
                        spread + "\" }\n") ==
            std::string("e.toml:6:1: pipeline.a: statistic '") + spread +
                "' would share the column '" + spread +
                "' with 'loss' of 'loss' (Loss); write statistics = { accuracy = \"a_accuracy\" }");
    }
    // There is a total only of several losses.
    CHECK(problems_of("[pipeline.a]\ntype = \"Accuracy\"\nstatistics = { accuracy = \"total_loss\" "
                      "}\n") == "");
    CHECK(problems_of("[pipeline.a]\ntype = \"Accuracy\"\nstatistics = { accuracy = \"epochs\" "
                      "}\n") == "");
}

TEST_CASE("globals: two statistics of one name are refused") {
    CHECK(
        problems_of("[pipeline.a]\ntype = \"Accuracy\"\n[pipeline.b]\ntype = \"Accuracy\"\n") ==
        "e.toml:8:1: pipeline.b: statistic 'accuracy' has the name of one of 'a' (Accuracy); write "
        "statistics = { accuracy = \"b_accuracy\" }");
    CHECK(problems_of("[pipeline.a]\ntype = \"Accuracy\"\n[pipeline.b]\ntype = \"Accuracy\"\n"
                      "statistics = { accuracy = \"second\" }\n") == "");
    CHECK(problems_of("[pipeline.a]\ntype = \"Accuracy\"\nstatistics = { acuracy = \"x\" }\n") ==
          "e.toml:8:16: pipeline.a.statistics.acuracy: Accuracy has no statistic of this name; did "
          "you mean 'accuracy'?");
}

TEST_CASE(
    "globals: one that is read if it is published is not missed, and comes after its publisher") {
    const auto catalog =
        catalog_of({Make(Kind::kTask, "Words").out("inputs", "B, 3"),
                    Make(Kind::kViewer, "Viewer").in("inputs", "B, 3").reads_if_published("names"),
                    Make(Kind::kPublisher, "Namer").writes("names"),
                    Make(Kind::kLoss, "Loss").in("inputs", "B, 3").loss("loss")});
    const auto assembled = [&](const std::string& rest) {
        return assemble_text(R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Words", batch_size = 1 }
[pipeline]
freeze = true
[pipeline.viewer]
type = "Viewer"
)" + rest + "[pipeline.loss]\ntype = \"Loss\"\n",
                             catalog, {"training"});
    };
    const auto without = assembled("");
    REQUIRE(without.problems == "");
    CHECK(test::order_text(*without.plan) == "viewer loss");
    CHECK(test::node_named(*without.plan, "viewer").globals.empty());
    const auto with = assembled("[pipeline.namer]\ntype = \"Namer\"\n");
    REQUIRE(with.problems == "");
    CHECK(test::order_text(*with.plan) == "namer viewer loss");
    CHECK(test::node_named(*with.plan, "viewer").globals.at("names") == "names");
    CHECK(assembled("globals = { names = \"titles\" }\n").problems ==
          "e.toml:6:1: pipeline.viewer: reads global 'titles', which nothing publishes; add a "
          "component that publishes it");
}

}  // namespace globals_test
