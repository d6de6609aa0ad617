// Outputs that the experiment asks for and that nothing reads: columns of a table, and targets that
// a transform makes in place of others.

#include "experiments/support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace unread_outputs_test {

namespace {

std::string of_table(const std::string& settings, const std::string& loss) {
    return ptp::test::problems_of(
        "seed = 1\n[training]\noptimizer = { type = \"Adam\" }\n[training.task]\ntype = \"Table\"\n"
        "file = \"t.csv\"\nfeatures = \"a\"\nbatch_size = 4\nvalues = \"b\"\n" +
            settings +
            "[pipeline.net]\ntype = \"LayerStack\"\nlayers = [{ type = \"Linear\", out = 1 }]\n"
            "streams = { outputs = \"predictions\" }\n[pipeline.loss]\ntype = \"MSELoss\"\n" +
            loss,
        ptp::pipeline::NeededFiles::kIgnored);
}

std::string of_mixing(const std::string& mixing, const std::string& loss) {
    return ptp::test::problems_of(
        "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\ntask = { type = \"FashionMNIST\", "
        "batch_size = 4 }\n[pipeline.mix]\ntype = \"" +
            mixing +
            "\"\nstreams = { inputs = \"inputs\", outputs = \"mixed\" }\n[pipeline.net]\ntype = "
            "\"LayerStack\"\nlayers = [\"Flatten\", { type = \"Linear\", out = \"num_classes\" }]\n"
            "streams = { inputs = \"mixed\", outputs = \"predictions\" }\n[pipeline.loss]\ntype = " +
            loss + "\n",
        ptp::pipeline::NeededFiles::kIgnored);
}

}  // namespace

TEST_CASE("unread outputs: a column that a loss could read is warned of, with its setting") {
    const std::string targets = "streams = { targets = \"values\" }\n";
    CHECK(of_table("weight = \"c\"\n", targets) ==
          "e.toml:10:10: training.task.weight: warning: nothing reads 'weights', so that it has no "
          "effect\n"
          "    fix: set pipeline.loss.use_sample_weights = true and write streams = { "
          "sample_weights = \"weights\" } in pipeline.loss, or leave weight out of training.task");
    CHECK(of_table("weight = \"c\"\n",
                   "use_sample_weights = true\nstreams = { targets = \"values\", sample_weights = "
                   "\"weights\" }\n") == "");
    CHECK(of_table("lists = [\"c\"]\nlist_sizes = [3]\n", targets) ==
          "e.toml:10:9: training.task.lists: warning: nothing reads 'c', so that it has no effect\n"
          "    fix: name the stream in a component that should read it, or leave lists out of "
          "training.task");
    const std::string both = targets +
                             "[pipeline.more]\ntype = \"LayerStack\"\nlayers = [{ type = "
                             "\"Linear\", out = 1 }]\nstreams = { inputs = \"c\", "
                             "outputs = \"other\" }\n";
    CHECK(of_table("lists = [\"c\", \"d\"]\nlist_sizes = [3, 3]\n", both)
              .find("nothing reads 'd', so that it has no effect\n"
                    "    fix: name the stream in a component that should read it, or leave \"d\" "
                    "out of training.task.lists") != std::string::npos);
    CHECK(of_table("text = \"c\"\n", targets) ==
          "e.toml:10:8: training.task.text: warning: nothing reads 'texts', so that it has no "
          "effect\n"
          "    fix: name the stream in a component that should read it, or leave text out of "
          "training.task");
    // Names of samples are for people, and a label also names the classes.
    CHECK(of_table("id = \"c\"\nlabel = \"d\"\n", targets) == "");
}

TEST_CASE(
    "unread outputs: features that nothing reads are warned of, unless their number is read") {
    const auto said = [](const std::string& out) {
        return ptp::test::problems_of(
            "seed = 1\n[training]\noptimizer = { type = \"Adam\" }\n[training.task]\ntype = "
            "\"Table\"\nfile = \"t.csv\"\nfeatures = \"a\"\nbatch_size = 4\nvalues = \"b\"\n"
            "lists = [\"c\"]\nlist_sizes = [3]\n[pipeline.net]\ntype = \"LayerStack\"\nlayers = "
            "[{ type = \"Linear\", out = " +
                out +
                " }, { type = \"Linear\", out = 1 }]\nstreams = { inputs = \"c\", outputs = "
                "\"predictions\" }\n[pipeline.loss]\ntype = \"MSELoss\"\nstreams = { targets = "
                "\"values\" }\n",
            ptp::pipeline::NeededFiles::kIgnored);
    };
    CHECK(said("2") ==
          "e.toml:7:12: training.task.features: warning: nothing reads 'inputs', so that it has no "
          "effect\n"
          "    fix: name the stream in a component that should read it, or leave features out of "
          "training.task");
    CHECK(said("\"num_features\"") == "");
}

TEST_CASE("unread outputs: of augmentations that nothing reads each is read by the next") {
    const auto warning = [](int line, const char* name, const char* stream, const char* type,
                            const char* reader) {
        return "e.toml:" + std::to_string(line) + ":1: warning: pipeline." + name +
               ": nothing reads '" + stream + "', so that " + type +
               " has no effect\n    fix: write streams = { inputs = \"" + stream +
               "\" } in pipeline." + reader + ", or set pipeline." + name + ".enabled = false";
    };
    CHECK(
        ptp::test::problems_of(
            "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\ntask = { type = "
            "\"FashionMNIST\", batch_size = 4 }\n[pipeline.flip]\ntype = \"RandomFlip\"\n"
            "[pipeline.crop]\ntype = \"RandomCrop\"\npadding = 2\n"
            "streams = { outputs = \"cropped\" }\n[pipeline.net]\ntype = \"LayerStack\"\nlayers = "
            "[\"Flatten\", { type = \"Linear\", out = \"num_classes\" }]\nstreams = { outputs = "
            "\"predictions\" }\n[pipeline.loss]\ntype = \"CrossEntropyLoss\"\n",
            ptp::pipeline::NeededFiles::kIgnored) ==
        warning(4, "flip", "outputs", "RandomFlip", "crop") + "\n" +
            warning(6, "crop", "cropped", "RandomCrop", "net"));
}

TEST_CASE("unread outputs: a loss over the targets from before a transform is warned of") {
    for (const std::string mixing : {"MixUp", "CutMix"}) {
        CHECK(of_mixing(mixing, "\"CrossEntropyLoss\"") ==
              "e.toml:11:1: warning: pipeline.loss: compares with 'targets', but 'mix' (" + mixing +
                  ") writes 'soft_targets' as the targets of what it makes of the samples, and "
                  "nothing reads these\n"
                  "    fix: write type = \"SoftCrossEntropyLoss\" and streams = { targets = "
                  "\"soft_targets\" } in pipeline.loss");
        CHECK(of_mixing(mixing,
                        "\"SoftCrossEntropyLoss\"\nstreams = { targets = \"soft_targets\" }") ==
              "");
    }
}

TEST_CASE("unread outputs: a loss of the wrong kind behind such a transform gets the right fix") {
    CHECK(
        of_mixing("MixUp", "\"SoftCrossEntropyLoss\"") ==
        "e.toml:11:1: pipeline.loss: input 'targets' takes floating numbers, but stream 'targets' "
        "carries integers (written by the task of [training] (FashionMNIST)); streams of floating "
        "numbers: inputs, mixed, soft_targets and predictions\n"
        "    fix: write streams = { targets = \"soft_targets\" } in pipeline.loss");
    CHECK(of_mixing("CutMix", "\"CrossEntropyLoss\"\nstreams = { targets = \"soft_targets\" }") ==
          "e.toml:13:23: pipeline.loss: input 'targets' takes integers, but stream 'soft_targets' "
          "carries floating numbers (written by 'mix' (CutMix)); streams of integers: targets\n"
          "    fix: set pipeline.loss.type = \"SoftCrossEntropyLoss\"");
}

}  // namespace unread_outputs_test
