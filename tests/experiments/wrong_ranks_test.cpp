// Layers that take another number of dimensions than they get, or say what follows from their
// input: one error each, whose fix is typed.

#include "experiments/support.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace wrong_ranks_test {

using ptp::test::problems_of;
using ptp::test::replaced;

namespace {

constexpr const char* kEnd =
    "\"Flatten\", { type = \"Linear\", out = \"num_classes\" }, \"LogSoftmax\"";

std::string problems_of_list(const std::string& layers) {
    return problems_of(R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Shapes", batch_size = 4 }
[validation]
task = { type = "Shapes", batch_size = 4 }
[pipeline.net]
type = "LayerStack"
streams = { outputs = "predictions" }
layers = [)" + layers +
                       "]\n[pipeline.loss]\ntype = \"NLLLoss\"\n[pipeline.accuracy]\n"
                       "type = \"AccuracyStatistics\"\n");
}

// Checks what is said of a list, and that nothing is wrong with the list that the fix makes.
void check(const std::string& layers, const std::string& problems, const std::string& fixed) {
    CAPTURE(layers);
    CHECK(problems_of_list(layers) == problems);
    CHECK(problems_of_list(fixed) == "");
}

}  // namespace

TEST_CASE("wrong ranks: a layer of images after Flatten is one error, not one for each reader") {
    const std::string conv = "{ type = \"Conv2d\", out = 8, kernel = 5 }";
    const std::string linear = "{ type = \"Linear\", out = \"num_classes\" }, \"LogSoftmax\"";
    check(
        conv + ", \"Flatten\", \"BatchNorm2d\", " + linear,
        "e.toml:9:64: pipeline.net.layers[2]: takes 4 dimensions as 'inputs', but stream 'net.1' "
        "has 2\n"
        "    layer 1 of 'net' (Flatten) writes [B, 28800] as 'outputs'\n"
        "    layer 2 of 'net' (BatchNorm2d) reads [B, num_features, height, width] as 'inputs'\n"
        "    fix: write \"BatchNorm1d\" in place of \"BatchNorm2d\" as pipeline.net.layers[2], or "
        "move pipeline.net.layers[2] before pipeline.net.layers[1]",
        conv + ", \"Flatten\", \"BatchNorm1d\", " + linear);
    CHECK(problems_of_list(conv + ", \"BatchNorm2d\", \"Flatten\", " + linear) == "");
    check(conv + ", \"Flatten\", { type = \"AvgPool2d\", kernel = 2 }, \"ReLU\", " + linear,
          "e.toml:9:64: pipeline.net.layers[2]: takes 4 dimensions as 'inputs', but stream 'net.1' "
          "has 2\n"
          "    layer 1 of 'net' (Flatten) writes [B, 28800] as 'outputs'\n"
          "    layer 2 of 'net' (AvgPool2d) reads [B, channels, height, width] as 'inputs'\n"
          "    fix: move pipeline.net.layers[2] before pipeline.net.layers[1]",
          conv + ", { type = \"AvgPool2d\", kernel = 2 }, \"Flatten\", \"ReLU\", " + linear);
}

TEST_CASE("wrong ranks: a layer of sequences or vectors for images names that of images") {
    const std::string end = kEnd;
    check("{ type = \"Conv1d\", out = 8, kernel = 5 }, " + end,
          "e.toml:9:11: pipeline.net.layers[0]: takes 3 dimensions as 'inputs', but stream "
          "'inputs' has 4\n"
          "    the task of [training] (Shapes) writes [B, 3, image_height = 64, image_width = 64] "
          "as 'inputs'\n"
          "    layer 0 of 'net' (Conv1d) reads [B, in_channels, length] as 'inputs'\n"
          "    fix: write \"Conv2d\" in place of \"Conv1d\" as pipeline.net.layers[0]",
          "{ type = \"Conv2d\", out = 8, kernel = 5 }, " + end);
    check("\"BatchNorm1d\", " + end,
          "e.toml:9:11: pipeline.net.layers[0]: takes vectors [B, C] or sequences [B, C, L]: the "
          "input is [B, 3, image_height = 64, image_width = 64]\n"
          "    fix: write \"BatchNorm2d\" in place of \"BatchNorm1d\" as pipeline.net.layers[0]",
          "\"BatchNorm2d\", " + end);
}

TEST_CASE("wrong ranks: the size of an input is left out, whatever it is called") {
    const std::string end = kEnd;
    for (const char* name : {"in", "in_channels", "in_features", "input_size"}) {
        check(std::string("{ type = \"Conv2d\", ") + name + " = 3, out = 8, kernel = 5 }, " + end,
              std::string("e.toml:9:30: pipeline.net.layers[0].") + name +
                  ": unknown setting: the size of the input is known\n    fix: leave it out",
              "{ type = \"Conv2d\", out = 8, kernel = 5 }, " + end);
    }
    CHECK(
        problems_of(
            replaced(ptp::test::good_experiment(), "hidden_sizes = [128]", "in = \"images\"")) ==
        "e.toml:34:1: pipeline.classifier.in: unknown setting; known: hidden_sizes, dropout_rate, "
        "use_logsoftmax, dimensions");
}

TEST_CASE("wrong ranks: a last layer that is wider than the classes warns as a narrower one") {
    const auto list = [](const std::string& out) {
        return "\"Flatten\", { type = \"Linear\", out = " + out + " }, \"LogSoftmax\"";
    };
    for (const auto& [out, text] : {std::pair("5", "5 is more"), std::pair("3", "3 is less")}) {
        check(list(out),
              std::string("e.toml:9:47: pipeline.net.layers[1].out_features: warning: ") + text +
                  " than the 4 classes of the targets of 'loss' (NLLLoss): num_classes is 4, "
                  "published by the task of [training] (Shapes)\n"
                  "    fix: set pipeline.net.layers[1].out_features = 4",
              list("4"));
    }
}

TEST_CASE("wrong ranks: trained weights in words of other programs are load") {
    const auto with = [](const std::string& line) {
        return problems_of(replaced(ptp::test::good_experiment(), "hidden_sizes = [128]",
                                    "hidden_sizes = [128]\n" + line));
    };
    CHECK(with("pretrained = \"net.pt\"") ==
          "e.toml:35:1: pipeline.classifier.pretrained: unknown setting; did you mean 'load'?\n"
          "    fix: write load = \"net.pt\"");
    CHECK(with("load = { from = \"weights.pt\", exclude = [\"8\"] }")
              .find("pipeline.classifier.load.exclude: unknown key; did you mean 'except'?\n"
                    "    fix: write except = [\"8\"]") != std::string::npos);
    CHECK(with("pretrained = true") ==
          "e.toml:35:1: pipeline.classifier.pretrained: unknown setting; load = \"FILE\" takes "
          "trained weights, of a run, a bundle or PyTorch");
    CHECK(with("pretrained = false") ==
          "e.toml:35:1: pipeline.classifier.pretrained: unknown setting; load = \"FILE\" takes "
          "trained weights, of a run, a bundle or PyTorch\n    fix: leave it out");
    for (const char* name : {"DEFAULT", "imagenet", "IMAGENET1K_V1", "ResNet18_Weights.DEFAULT"}) {
        CHECK(with(std::string("weights = \"") + name + "\"") ==
              "e.toml:35:1: pipeline.classifier.weights: unknown setting; load = \"FILE\" takes "
              "trained weights, of a run, a bundle or PyTorch");
    }
}

TEST_CASE("wrong ranks: a setting of the type that --set has replaced is removed") {
    const ptp::test::TempFolder folder;
    const auto checked = [&](const std::string& more) {
        const auto file =
            folder.write("e.toml", replaced(ptp::test::good_experiment(), "type = \"NLLLoss\"",
                                            "type = \"CrossEntropyLoss\"" + more));
        return ptp::test::run_program(
            "ptprun", {"check", file.string(), "--set", "pipeline.nll_loss.type=NLLLoss"});
    };
    const std::string file = (folder.path() / "e.toml").string();
    const auto wrong = checked("\nlabel_smoothing = 0.1");
    CHECK(
        wrong.errors ==
        file +
            ":41:1: error: pipeline.nll_loss.label_smoothing: unknown setting of NLLLoss; it is of "
            "the type that --set replaces\n"
            "   41 | label_smoothing = 0.1\n"
            "      | ^~~~~~~~~~~~~~~\n"
            "    fix: remove label_smoothing = 0.1 at " +
            file + ":41:1\n");
    CHECK(wrong.status == 2);
    CHECK(checked("").status == 0);
}

TEST_CASE("wrong ranks: a setting that no type has is none of a type that was replaced") {
    const ptp::test::TempFolder folder;
    const std::string text = replaced(ptp::test::good_experiment(), "hidden_sizes = [128]", "");
    const auto base = folder.write("base.toml", text);
    const auto wrong = folder.write(
        "e.toml", replaced(text, "type = \"NLLLoss\"", "type = \"NLLLoss\"\nzzqq = 1"));
    const auto over = folder.write("over.toml", "[pipeline.nll_loss]\nzzqq = 1\n");
    const auto top =
        folder.write("top.toml", "include = \"base.toml\"\n[pipeline.nll_loss]\nzzqq = 1\n");
    const auto said = [&](const std::vector<std::string>& words) {
        std::vector<std::string> arguments = {"check"};
        arguments.insert(arguments.end(), words.begin(), words.end());
        const auto result = ptp::test::run_program("ptprun", arguments);
        CHECK(result.status == 2);
        const std::string key = "pipeline.nll_loss.zzqq: ";
        const std::size_t begin = result.errors.find(key) + key.size();
        return result.errors.substr(begin, result.errors.find('\n', begin) - begin);
    };
    const std::string known =
        "unknown setting; known: num_targets_dims, num_masks_dims, classes_first, class_weights, "
        "use_masking, use_sample_weights";
    CHECK(said({top.string()}) == known);
    CHECK(said({base.string(), "--over", over.string()}) == known);
    CHECK(said({wrong.string(), "--set", "pipeline.nll_loss.type=NLLLoss"}) == known);
}

}  // namespace wrong_ranks_test
