// `ptprun export`: what is in the files that it writes, and what it refuses.

#include "base/sha256.hpp"
#include "export_support.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>

namespace ptprun_export_test {

namespace fs = std::filesystem;
using ptp::test::ProcessResult;
using ptp::test::run_program;
using ptp::test::exports::Dots;
using ptp::test::exports::kSentences;
using ptp::test::exports::Strings;

TEST_CASE("export: ONNX has the layers, the weights, named streams and a free batch") {
    Dots dots;
    dots.train();
    const ProcessResult result = dots.run_export(dots.run(), {});
    require_success(result);
    CHECK(result.output ==
          dots.path("net.onnx") +
              ": written\n"
              "  in   inputs [batch, 3, 4, 4]\n"
              "  out  predictions [batch, 2]\n"
              "  samples go in as the task, ImageFolder, prepares them: by resize_image\n"
              "    its metadata ptp.before.toml has these settings\n");
    const auto onnx = dots.onnx();
    CHECK(onnx.ir_version == 8);
    CHECK(onnx.opset == 17);
    CHECK(onnx.operators ==
          Strings{"Conv", "Relu", "MaxPool", "Flatten", "Gemm", "LogSoftmax", "Identity"});
    CHECK(onnx.inputs == Strings{"inputs 1:[batch, 3, 4, 4]"});
    CHECK(onnx.outputs == Strings{"predictions 1:[batch, 2]"});
    CHECK(onnx.weights.at("net.0.weight") == "1:[5, 3, 3, 3]");
    CHECK(onnx.weights.at("net.4.weight") == "1:[2, 20]");
    CHECK(onnx.texts.at("ptp.experiment") == "dots");
    CHECK(onnx.texts.at("ptp.run") == "run");
    CHECK(onnx.texts.at("ptp.checkpoint") == "best");
    CHECK(onnx.texts.at("ptp.weights_sha256") ==
          ptp::sha256_of_file(dots.run() + "/checkpoints/best/weights.safetensors"));
    CHECK(onnx.texts.at("ptp.before") == "");
    // The folder of the data is one of this machine.
    const std::string task = onnx.texts.at("ptp.before.toml");
    CHECK(task.starts_with("[task]\ntype = \"ImageFolder\"\n"));
    CHECK(task.find("\nresize_image = [4, 4]\n") != std::string::npos);
    CHECK(task.find("pictures") == std::string::npos);
    CHECK(onnx.texts.at("ptp.forward") == "'net' (LayerStack)");
    CHECK(onnx.texts.at("ptp.class_names") == "first\nsecond");
    CHECK(std::distance(fs::directory_iterator(dots.folder().path()), {}) == 4);
}

TEST_CASE("export: safetensors has the bytes of the weights under the names of a state_dict") {
    Dots dots;
    dots.train();
    const ProcessResult result = dots.run_export(dots.run(), {}, "net.safetensors");
    CHECK(result.errors == "");
    CHECK(result.output == dots.path("net.safetensors") + ": written\n");
    REQUIRE(dots.run_export(dots.run(), {}).status == 0);
    const auto onnx = dots.onnx();
    const std::string bytes = dots.folder().read("net.safetensors");
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof size);
    const auto header = nlohmann::json::parse(bytes.substr(8, size));
    CHECK(header["__metadata__"]["format"] == "pt");
    Strings names;
    for (const auto& [name, tensor] : header.items()) {
        if (name == "__metadata__") {
            continue;
        }
        names.push_back(name);
        const std::size_t begin = tensor["data_offsets"][0];
        const std::size_t end = tensor["data_offsets"][1];
        CHECK(bytes.substr(8 + size + begin, end - begin) == onnx.data.at(name));
    }
    CHECK(names == Strings{"net.0.bias", "net.0.weight", "net.4.bias", "net.4.weight"});
}

TEST_CASE("export: the same run has the same file, byte for byte") {
    Dots dots;
    dots.train();
    REQUIRE(dots.run_export(dots.run(), {}).status == 0);
    const std::string first = dots.folder().read("net.onnx");
    REQUIRE(dots.run_export(dots.run(), {}).status == 0);
    CHECK(dots.folder().read("net.onnx") == first);
}

TEST_CASE("export: sizes of the batch in a component's code are read from the input") {
    Dots dots;
    require_success(dots.export_model("SizesOfBatch"));
    const Strings operators = dots.onnx().operators;
    CHECK(std::ranges::count(operators, "Shape") == 1);
    CHECK(dots.onnx().outputs == Strings{"outputs 1:[batch, 48]"});
}

TEST_CASE("export: words that a model writes are refused, and the fix exports its scores") {
    const Dots dots;
    dots.folder().write("net.toml", R"(
name = "words"
seed = 3
[training]
optimizer = { type = "SGD", lr = 0.1 }
terminal_conditions = { epoch_limit = 1 }
task = { type = "DummyLanguageIdentification", batch_size = 4, vocabulary = true, globals = { word_mappings = "words" } }
[pipeline.tokenizer]
type = "SentenceTokenizer"
streams = { outputs = "words" }
[pipeline.indexer]
type = "SentenceIndexer"
streams = { inputs = "words", outputs = "numbers" }
globals = { word_mappings = "words", vocabulary_size = "vocab_size" }
[pipeline.net]
type = "CausalTransformer"
hidden_size = 8
num_layers = 1
num_heads = 2
max_length = 64
continuation_length = 2
streams = { inputs = "numbers" }
[pipeline.loss]
type = "NLLLoss"
num_targets_dims = 2
streams = { targets = "numbers" }
)");
    REQUIRE(run_program("ptprun", {dots.file(), "--run-dir", dots.run(), "--quiet"}).status == 0);
    const ProcessResult refused = dots.run_export(dots.run(), {"--stream", "continuation"});
    CHECK(refused.status == 2);
    CHECK(refused.errors ==
          "ptprun: error: cannot export 'net' (CausalTransformer): its output 'continuation' does "
          "not come of operations of libtorch on its inputs, but of its own code\n"
          "    fix: --stream predictions\n");
    CHECK(dots.run_export(dots.run(), {"--stream", "predictions"}).errors == "");
    REQUIRE(dots.onnx().outputs.size() == 1);
    CHECK(dots.onnx().outputs.front().starts_with("predictions "));
}

TEST_CASE("export: what does not follow from the sizes is refused with its component") {
    Dots dots;
    CHECK(dots.export_model("HalfOfBatch").errors ==
          "ptprun: error: cannot export 'net' (HalfOfBatch): 'fill_value' of full is a number of "
          "its code that does not follow from the sizes of the inputs: 1, 2, 5 for batch = 3; "
          "batch = 5; batch = 11\n");
    CHECK(dots.export_model("LoopOverBatch").errors ==
          "ptprun: error: cannot export 'net' (LoopOverBatch): it computes other operations for "
          "batch = 5 than for batch = 3: a loop, or a case, depends on the size\n");
    CHECK(dots.export_model("OwnMemory").errors ==
          "ptprun: error: cannot export 'net' (OwnMemory): it fills memory of its own, which an "
          "exported graph does not see\n");
    CHECK(dots.export_model("ChangesPart").errors ==
          "ptprun: error: cannot export 'net' (ChangesPart): add_ changes memory that is read "
          "under another name afterwards, and an exported graph has no memory\n");
    CHECK(dots.export_model("ChangesChunk").errors ==
          "ptprun: error: cannot export 'net' (ChangesChunk): add_ changes memory that is read "
          "under another name afterwards, and an exported graph has no memory\n");
    const std::string other_results =
        ": for other samples than those that were traced, its operations compute another 'outputs' "
        "than it does: it reads values of its inputs, or fills memory, in code of its own\n";
    CHECK(dots.export_model("FillsZeros").errors ==
          "ptprun: error: cannot export 'net' (FillsZeros)" + other_results);
    CHECK(dots.export_model("OtherForOne").errors ==
          "ptprun: error: cannot export 'net' (OtherForOne)" + other_results);
    CHECK(dots.export_model("DrawsNumbers").errors ==
          "ptprun: error: cannot export 'net' (DrawsNumbers): it draws random numbers from the "
          "generator of the run, which an exported graph does not have\n");
    CHECK_FALSE(fs::exists(dots.path("net.onnx")));
}

TEST_CASE("export: the component that computes something else is named, not the last one") {
    Dots dots;
    dots.write_model("FillsZeros",
                     "streams = { outputs = \"filled\" }\n"
                     "[pipeline.last]\ntype = \"ReLU\"\nstreams = { inputs = \"filled\" }\n");
    CHECK(dots.run_export(dots.file(), {"--plugins", Dots::plugins()}).errors ==
          "ptprun: error: cannot export 'net' (FillsZeros): for other samples than those that were "
          "traced, its operations compute another 'filled' than it does: it reads values of its "
          "inputs, or fills memory, in code of its own\n");
}

TEST_CASE("export: what ONNX does not have is refused with the command that writes it") {
    const Dots dots;
    dots.write_model("LayerStack",
                     "layers = [{ type = \"AvgPool2d\", kernel_size = 3, stride = 2, ceil_mode = "
                     "true }]\n");
    CHECK(
        dots.run_export(dots.file(), {}).errors ==
        "ptp-export: error: cannot export 'net' (LayerStack) as ONNX: avg_pool2d: ceil_mode: ONNX "
        "divides the sums of windows beyond the border otherwise\n    fix: ptprun export " +
            dots.file() + " --format torchscript --output " + dots.path("net.pt") + "\n");
    require_success(dots.run_export(dots.file(), {"--format", "torchscript"}, "net.pt"));
}

TEST_CASE("export: recurrent layers of sequences with lengths are written") {
    const Dots dots;
    dots.folder().write("net.toml", kSentences);
    const ProcessResult trained =
        ptp::test::run_program("ptprun", {dots.file(), "--run-dir", dots.run(), "--quiet"});
    CHECK(trained.errors == "");
    require_success(dots.run_export(dots.run(), {"--section", "training"}));
    const Strings operators = dots.onnx().operators;
    CHECK(std::ranges::count(operators, "LSTM") == 1);
    CHECK(std::ranges::count(operators, "GRU") == 1);
}

TEST_CASE("export: components before and after the graph are in the file with their settings") {
    const Dots dots;
    dots.folder().write("net.toml", kSentences);
    REQUIRE(ptp::test::run_program("ptprun", {dots.file(), "--run-dir", dots.run(), "--quiet"})
                .status == 0);
    const ProcessResult said = dots.run_export(dots.run(), {"--section", "training"});
    CHECK(said.status == 0);
    CHECK(said.output.find("  before it, not in the file: 'tokenizer' (SentenceTokenizer), "
                           "'embeddings' (SentenceEmbeddings)\n"
                           "  with weights that `-o FILE.safetensors` writes: 'embeddings' "
                           "(SentenceEmbeddings)\n") != std::string::npos);
    const auto texts = dots.onnx().texts;
    CHECK(texts.at("ptp.before") ==
          "'tokenizer' (SentenceTokenizer)\n"
          "'embeddings' (SentenceEmbeddings)");
    const std::string before = texts.at("ptp.before.toml");
    CHECK(before.find("[pipeline.tokenizer]\ntype = \"SentenceTokenizer\"\n") != std::string::npos);
    CHECK(before.find("\nunknown = \"<UNK>\"\n") != std::string::npos);
    CHECK(before.find("[pipeline.first]") == std::string::npos);
    CHECK(texts.at("ptp.globals.toml").starts_with("[word_mappings]\n"));
}

TEST_CASE("export: the word 'mean' of a vocabulary standardizes nothing") {
    const Dots dots;
    dots.folder().write("texts/a/1.txt", "mean dogs");
    dots.folder().write("texts/b/1.txt", "kind cats");
    dots.folder().write("net.toml",
                        "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
                        "terminal_conditions = { epoch_limit = 1 }\n[training.task]\n"
                        "type = \"TextFolder\"\nbatch_size = 2\ndata_folder = \"texts\"\n"
                        "vocabulary = true\nglobals = { word_mappings = \"known\" }\n"
                        "[pipeline.words]\ntype = \"SentenceTokenizer\"\n"
                        "streams = { outputs = \"words\" }\n"
                        "[pipeline.bag]\ntype = \"BOWEncoder\"\ninput_mode = \"words\"\n"
                        "streams = { inputs = \"words\", outputs = \"bag\" }\n"
                        "globals = { word_mappings = \"known\" }\n"
                        "[pipeline.net]\ntype = \"FeedForwardNetwork\"\n"
                        "streams = { inputs = \"bag\" }\n"
                        "globals = { prediction_size = \"num_classes\" }\n"
                        "[pipeline.loss]\ntype = \"NLLLoss\"\n");
    const ProcessResult trained =
        ptp::test::run_program("ptprun", {dots.file(), "--run-dir", dots.run(), "--quiet"});
    CHECK(trained.errors == "");
    const ProcessResult result = dots.run_export(dots.run(), {"--section", "training"});
    CHECK(result.output.find("TextFolder, prepares them: with known\n") != std::string::npos);
}

TEST_CASE("export: how a table's numbers are standardized is printed, and in the file") {
    const Dots dots;
    dots.folder().write("rows.csv", "x,color,kind\n1,red,a\n3,blue,b\n");
    dots.folder().write("net.toml",
                        "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
                        "terminal_conditions = { epoch_limit = 1 }\n[training.task]\n"
                        "type = \"Table\"\nbatch_size = 2\nfile = \"rows.csv\"\n"
                        "features = [\"x\", \"color\"]\nlabel = \"kind\"\n"
                        "[pipeline.net]\ntype = \"FeedForwardNetwork\"\n"
                        "globals = { prediction_size = \"num_classes\" }\n"
                        "[pipeline.loss]\ntype = \"NLLLoss\"\n");
    REQUIRE(ptp::test::run_program("ptprun", {dots.file(), "--run-dir", dots.run(), "--quiet"})
                .status == 0);
    const ProcessResult result = dots.run_export(dots.run(), {"--section", "training"});
    const std::string how =
        "  samples go in as the task, Table, prepares them: by features; standardized by the means "
        "and deviations of table_columns\n    ";
    CHECK(result.output == dots.path("net.onnx") +
                               ": written\n  in   inputs [batch, 3]\n  out  predictions [batch, "
                               "2]\n" +
                               how +
                               "its metadata ptp.before.toml has these settings, ptp.globals.toml "
                               "has the numbers\n");
    const std::string globals = dots.onnx().texts.at("ptp.globals.toml");
    CHECK(globals.find("\nname = \"x\"\n") != std::string::npos);
    CHECK(globals.find("\nmean = [2.0]\ndeviation = [1.0]\n") != std::string::npos);
    CHECK(globals.find("\ncategories = [\"blue\", \"red\"]\n") != std::string::npos);
    CHECK(dots.run_export(dots.run(), {"--section", "training"}, "net.pt")
              .output.ends_with(how + "[training.task] of the experiment has these settings, " +
                                dots.run() +
                                "/checkpoints/best/checkpoint.toml has the numbers\n"));
}

TEST_CASE("export: a transform of samples is in the graph if the experiment puts it there") {
    const Dots dots;
    std::string text = ptp::test::exports::kTask + ptp::test::exports::kTrained;
    const std::string outputs = "streams = { outputs = \"predictions\" }";
    text.replace(text.find(outputs), outputs.size(),
                 "streams = { inputs = \"scaled\", outputs = \"predictions\" }");
    const auto exported = [&](const std::string& stage) {
        dots.folder().write("net.toml", text +
                                            "[pipeline.scale]\ntype = \"Normalize\"\n"
                                            "mean = [0.5, 0.5, 0.5]\nstd = [0.25, 0.25, 0.25]\n"
                                            "streams = { outputs = \"scaled\" }\n" +
                                            stage);
        REQUIRE(ptp::test::run_program("ptprun", {dots.file(), "--run-dir",
                                                  dots.path("run" + stage.substr(0, 5)), "--quiet"})
                    .status == 0);
        require_success(dots.run_export(dots.path("run" + stage.substr(0, 5)), {}));
        return dots.onnx();
    };
    const auto before = exported("");
    CHECK(before.inputs == Strings{"scaled 1:[batch, 3, 4, 4]"});
    CHECK(before.texts.at("ptp.before") == "'scale' (Normalize)");
    const auto within = exported("stage = \"forward\"\n");
    CHECK(within.inputs == Strings{"inputs 1:[batch, 3, 4, 4]"});
    CHECK(within.operators.size() > before.operators.size());
    // The training has the same bits.
    for (const auto& [name, bytes] : before.data) {
        CHECK((!name.starts_with("net.") || within.data.at(name) == bytes));
    }
}

TEST_CASE("export: wrong options are refused with what would work") {
    Dots dots;
    const std::string help = "\n    help: ptp-export --help\n";
    const auto errors = [&](const Strings& options, const std::string& name) {
        return dots.run_export("none.toml", options, name).errors;
    };
    CHECK(
        errors({}, "net.bin") ==
        "ptp-export: error: -o " + dots.path("net.bin") +
            ": its ending names no format, as .onnx, .pt and .safetensors do\n"
            "    fix: --format onnx\n         --format torchscript\n         --format safetensors" +
            help);
    CHECK(errors({"--format", "onnx"}, "net.pth") ==
          "ptp-export: error: -o " + dots.path("net.pth") +
              ": its ending is not that of --format onnx\n    fix: -o " + dots.path("net.onnx") +
              "\n         --format torchscript" + help);
    CHECK(errors({"--format", "torchscript"}, "net.onnx") ==
          "ptp-export: error: -o " + dots.path("net.onnx") +
              ": its ending is not that of --format torchscript\n    fix: -o " +
              dots.path("net.pt") + "\n         --format onnx" + help);
    CHECK(errors({"--format", "onnx"}, "net.safetensors").find("-o " + dots.path("net.onnx")) !=
          std::string::npos);
    CHECK(errors({"--verify"}, "net.pt") ==
          "ptp-export: error: --verify is for --format onnx alone" + help);
    CHECK(ptp::test::run_program("ptprun", {"export", "none.toml", "net.onnx"}).errors ==
          "ptp-export: error: 'net.onnx' is one word too many after 'none.toml'\n"
          "    fix: ptprun export none.toml --output net.onnx" +
              help);
    CHECK(
        ptp::test::run_program("ptprun", {"export", "none.toml"}).errors ==
        "ptp-export: error: -o FILE is needed: model.onnx, model.pt or model.safetensors\n    fix: -o model.onnx" +
            help);
}

TEST_CASE("export: a size to fix that the inputs do not have is refused") {
    Dots dots;
    dots.train();
    CHECK(dots.run_export(dots.run(), {"--fixed", "length"}).errors ==
          "ptprun: error: --fixed length: no size of the inputs is unknown under this name; all "
          "but the batch are known\n");
}

}  // namespace ptprun_export_test
