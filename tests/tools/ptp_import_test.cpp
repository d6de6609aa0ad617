// The files in tests/tools/import: NAME.yml becomes NAME.toml, and says what is in NAME.txt.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ptp_import_test {

namespace {

namespace fs = std::filesystem;
using namespace ptp::test;

fs::path folder() {
    return ptp::test::source_dir() / "tests/tools/import";
}

std::string without(std::string text, const std::string& part) {
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
        text.erase(at, part.size());
    }
    return text;
}

// Of this YAML as the file a.yml, in whose messages the folder is left out.
ProcessResult import_text(const std::string& yaml, std::vector<std::string> options = {}) {
    const TempFolder temp;
    options.insert(options.begin(), temp.write("a.yml", yaml).string());
    ProcessResult result = run_program("ptp-import", options);
    result.errors = without(ptp::test::without_excerpts(result.errors), temp.path().string() + "/");
    return result;
}

// The list `values` of a publisher, in TOML.
std::string imported_values(const std::string& yaml) {
    const std::string text =
        import_text("pipeline:\n  p:\n    type: GlobalVariablePublisher\n    values: " + yaml)
            .output;
    const std::string key = "values = ";
    const auto begin = text.find(key);
    return begin == std::string::npos
               ? ""
               : text.substr(begin + key.size(), text.find('\n', begin) - begin - key.size());
}

constexpr const char* kSmallest = R"(training:
  task: {type: DummyLanguageIdentification, batch_size: 2}
  optimizer: {type: Adam}
  terminal_conditions: {epoch_limit: 1}
pipeline:
)";

}  // namespace

TEST_CASE("ptp-import: a decoder with attention computes what PyTorchPipe's does") {
    const auto result = import_text(std::string(kSmallest) +
                                    "  decoder: {type: Attn_Decoder_RNN, ffn_output: False}\n");
    CHECK(
        result.output.ends_with("[pipeline.decoder]\ntype = \"AttentionDecoder\"\n"
                                "use_output_layer = false\nattention = \"Positions\"\n"));
}

TEST_CASE("ptp-import: examples become the experiments that are kept, with the messages that are") {
    for (const std::string name : {"digits", "fusion", "languages", "medical"}) {
        CAPTURE(name);
        const auto result = run_program("ptp-import", {(folder() / (name + ".yml")).string()});
        CHECK(result.output == content_of(folder() / (name + ".toml")));
        const std::string said = without(result.errors, folder().string() + "/");
        CHECK(without(said, "tests/tools/import/") == content_of(folder() / (name + ".txt")));
        CHECK(result.status == 1);  // Each has keys that are left out.
    }
}

TEST_CASE("ptp-import: ptprun refuses nothing in what was imported but that files are missing") {
    for (const std::string name : {"digits", "fusion", "languages", "medical"}) {
        CAPTURE(name);
        const auto result =
            run_program("ptprun", {"check", (folder() / (name + ".toml")).string()});
        CAPTURE(result.errors);
        CHECK(result.status == 4);
    }
}

TEST_CASE("ptp-import: scalars are read as PyYAML reads them") {
    struct Case {
        const char* yaml;
        const char* toml;
    };
    const Case cases[] = {
        {"[yes, Off, TRUE, n]", "[true, false, true, \"n\"]"},
        {"[12, +3, -4, 0x1F, 017, 0b11, 1_000]", "[12, 3, -4, 31, 15, 3, 1000]"},
        {"[08, 0x, 1:30, 99999999999999999999]",
         "[\"08\", \"0x\", \"1:30\", \"99999999999999999999\"]"},
        {"[1.5, .5, 1., 1.0e-3, 1e-3, -.inf, .nan]", "[1.5, 0.5, 1.0, 0.001, 0.001, -inf, nan]"},
        {"['5', \"yes\", !!str 5, 2019-05-04, a b]",
         "[\"5\", \"yes\", \"5\", \"2019-05-04\", \"a b\"]"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.yaml);
        CHECK(imported_values(c.yaml) == c.toml);
    }
}

TEST_CASE("ptp-import: what is not an experiment in YAML is refused, with its place") {
    struct Case {
        std::string yaml;
        const char* message;
    };
    std::string laughs = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    for (int i = 1; i < 6; ++i) {
        const std::string below = "*a" + std::to_string(i - 1);
        laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
        for (int j = 0; j < 10; ++j) {
            laughs += below + (j < 9 ? ", " : "]\n");
        }
    }
    const Case cases[] = {
        {"a:\n  b:\n \tc: 1\n",
         "a.yml:3:2: error: is not YAML: a tab indents the line, where YAML takes blanks alone\n"
         "    fix: replace these tabs by blanks, as `expand --initial --tabs=4 a.yml` prints it\n"},
        {"training: [1, 2", "a.yml:1:1: error: is not YAML: end of sequence flow not found\n"},
        {"a: *b", "a.yml:1:4: error: is not YAML: the referenced anchor is not defined\n"},
        {"", "a.yml: error: is empty: it has no key\n"},
        {"# nothing\n", "a.yml: error: is empty: it has no key\n"},
        {"a: 1\n---\nb: 1\n", "a.yml: error: has several documents: an experiment is one\n"},
        {"[1]", "a.yml: error: is not a map of keys\n"},
        {"a\xff: 1", "a.yml: error: is not UTF-8\n"},
        {"a: !!python/tuple [1]",
         "a.yml:1:4: error: the tag tag:yaml.org,2002:python/tuple is not one of YAML's safe "
         "types\n"},
        {"? [a, b]\n: 1", "a.yml:1:3: error: a key must be a scalar\n"},
        {"a: [1, ~]", "a.yml:1:8: error: null in a list has no counterpart\n"},
        {"a:\n  <<: 3", "a.yml:2:3: error: << takes a map, or a list of maps\n"},
        {"a: &a [*a]",
         "a.yml:1:4: error: is nested too deep, or is an alias within its own anchor\n"},
        {laughs, "a.yml:1:37: error: more than 100000 values, once aliases are resolved\n"},
        {"default_configs: none.yml",
         "a.yml:1:18: error: default_configs: there is no none.yml in a folder above a.yml\n"
         "    fix: name PyTorchPipe's folder of configurations: --configs FOLDER\n"},
    };
    const auto toml = run_program("ptp-import", {"net.toml"});
    CHECK(toml.status == 2);
    CHECK(toml.errors ==
          "ptp-import: error: net.toml is TOML: an experiment of ptp, which needs no import\n"
          "    fix: ptprun check net.toml\n"
          "    help: ptp-import --help\n");
    for (const Case& c : cases) {
        CAPTURE(c.yaml);
        const auto result = import_text(c.yaml);
        CHECK(result.errors == c.message);
        CHECK(result.output == "");
        CHECK(result.status == 2);
    }
}

TEST_CASE("ptp-import: earlier files count more, and null removes what later ones have") {
    const TempFolder temp;
    const std::string first = temp.write("first.yml",
                                         "default_configs: \"sub/one.yml,\n  sub/two.yml\"\n"
                                         "training:\n  dataloader:\n")
                                  .string();
    temp.write("sub/one.yml", "training:\n  batch_limit: 1\n  worker: offline\n");
    temp.write("sub/two.yml",
               "default_configs: sub/one.yml\ntraining:\n  batch_limit: 2\n"
               "  accumulate: 2\n  dataloader: {num_workers: 3}\n");
    const std::string second =
        temp.write("second.yml", "training:\n  accumulate: 7\n  precision: bf16\n").string();
    const auto result = run_program("ptp-import", {first, second});
    CHECK(result.output ==
          "# Made by ptp-import from first.yml, second.yml.\n\n"
          "name = \"first\"\n\n"
          "[training]\naccumulate = 2\nprecision = \"bf16\"\nbatch_limit = 1\n"
          "worker = \"offline\"\n");
}

TEST_CASE("ptp-import: a table over a value is refused, as PyTorchPipe ends there") {
    const TempFolder temp;
    const std::string file =
        temp.write("a.yml", "default_configs: b.yml\ntraining: {task: {a: 1}}\n").string();
    temp.write("b.yml", "training: {task: 3}\n");
    const auto result = run_program("ptp-import", {file, "--configs", temp.path().string()});
    const std::string text = without(result.errors, temp.path().string() + "/");
    CHECK(text.find("a.yml:2:12: error: training.task: a table here, but an integer at "
                    "b.yml:1:18; PyTorchPipe ends there\n") != std::string::npos);
    CHECK(result.status == 2);
}

TEST_CASE("ptp-import: what ptprun refuses is reported at its place in the YAML, and written") {
    struct Case {
        std::string pipeline;
        const char* message;
    };
    const Case cases[] = {
        {"  loss: {type: NLLoss}\n",
         "a.yml:6:16: error: pipeline.loss.type = \"NLLoss\": no plugin has such a component; "
         "did you mean 'NLLLoss'?\n"},
        {"  loss: {type: NLLLoss, num_targets_dims: two}\n",
         "a.yml:6:43: error: pipeline.loss.num_targets_dims = \"two\": must be an integer in [1, "
         "inf), not a string\n"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.pipeline);
        const auto result = import_text(kSmallest + c.pipeline);
        CHECK(result.errors.find(c.message) != std::string::npos);
        CAPTURE(result.errors);
        CHECK(result.output.find("[pipeline.loss]\n") != std::string::npos);
        CHECK(result.errors.ends_with(
            "\nthe experiment is written, and ptprun check refuses it until this is corrected\n"));
        CHECK(result.status == 2);
    }
}

TEST_CASE("ptp-import: YAML of another program is said to lack what an experiment needs") {
    const TempFolder temp;
    const std::string toml = (temp.path() / "a.toml").string();
    const auto result =
        import_text("name: three\ntraining:\n  optimizer: {type: Adam, lr: 0.001}\n", {"-o", toml});
    CHECK(result.errors ==
          "a.yml: error: has neither a pipeline of components nor a task, which an experiment of "
          "PyTorchPipe has; what ptp needs cannot be read from it\n"
          "    fix: of another program: write the experiment as docs/experiments.md has it; of a "
          "part of one: import the file that includes it\n" +
              toml + " is written, and ptprun check refuses it until this is corrected\n");
    CHECK(result.status == 2);
    CHECK(run_program("ptprun", {"check", toml}).status == 2);
}

TEST_CASE(
    "ptp-import: a size that PyTorchPipe publishes without a flag in old releases is published") {
    const auto result =
        import_text(std::string(kSmallest) +
                    "  words: {type: SentenceTokenizer, priority: 1, streams: {inputs: "
                    "sentences, outputs: words}}\n"
                    "  vectors: {type: SentenceOneHotEncoder, priority: 2, "
                    "word_mappings_file: w.csv, globals: {vocabulary_size: count}, "
                    "streams: {inputs: words, outputs: vectors}}\n"
                    "  bags: {type: BOWEncoder, priority: 3, globals: {bow_size: count}, "
                    "streams: {inputs: vectors}}\n");
    CHECK(result.errors.find(
              "a.yml:7:92: warning: pipeline.vectors.globals.vocabulary_size: count is published "
              "here, because other components read it; PyTorchPipe ends there without "
              "export_word_mappings_to_globals\n") != std::string::npos);
    CHECK(result.output.find("vocabulary_size = \"count\"") != std::string::npos);
}

TEST_CASE("ptp-import: names and settings of releases before 0.2 become today's") {
    const auto result =
        import_text(std::string(kSmallest) +
                    "  net: {type: RNN, priority: 1}\n  loss: {type: NLLLoss, targets_dim: 2}\n");
    CHECK(result.errors.find("a.yml:6:15: note: pipeline.net.type: RNN is called "
                             "RecurrentNeuralNetwork\n") != std::string::npos);
    CHECK(result.errors.find("a.yml:7:25: note: pipeline.loss.targets_dim: is called "
                             "num_targets_dims\n") != std::string::npos);
    CHECK(result.output.find("num_targets_dims = 2\n") != std::string::npos);
}

TEST_CASE("ptp-import: a size that a GlobalVariablePublisher publishes too has another name") {
    const auto result = import_text(
        std::string(kSmallest) +
        "  sizes: {type: GlobalVariablePublisher, priority: 0, keys: [size], values: [8]}\n"
        "  attention: {type: SelfAttention, priority: 1, globals: {output_size: size}}\n");
    CHECK(result.errors.find("a.yml:7:14: note: pipeline.attention.globals.output_size: is "
                             "size_of_attention: another component publishes size\n") !=
          std::string::npos);
    CHECK(result.output.find("output_size = \"size_of_attention\"") != std::string::npos);
}

TEST_CASE("ptp-import: a viewer is without streams that no component writes, with a warning") {
    const auto result =
        import_text(std::string(kSmallest) +
                    "  view: {type: StreamViewer, input_streams: [indices, nowhere, inputs]}\n");
    CHECK(result.errors.find("a.yml:6:55: warning: pipeline.view.input_streams: left out: no "
                             "component writes nowhere; PyTorchPipe skips it\n") !=
          std::string::npos);
    CHECK(result.output.find("input_streams = [\"indices\", \"inputs\"]\n") != std::string::npos);
}

TEST_CASE("ptp-import: a list of characters to remove is a text") {
    const auto result =
        import_text(std::string(kSmallest) +
                    "  words: {type: SentenceTokenizer, remove_characters: [“,”,’]}\n");
    CHECK(result.output.find("remove_characters = \"“”’\"\n") != std::string::npos);
}

TEST_CASE("ptp-import: VQA-Med's words, weights of samples, and what PyTorchPipe ignores") {
    const auto result = import_text(
        "training:\n"
        "  task: {type: VQAMED2019, batch_size: 2, question_preprocessing: \"lowercase,tokenize\"}\n"
        "  sampler: {type: WeightedRandomSampler, weights: ~/answers.c4.weights.csv}\n"
        "validation:\n"
        "  task: {type: VQAMED2019, batch_size: 2, question_preprocessing: "
        "random_shuffle_words}\n");
    CHECK(result.errors.find("a.yml:2:43: note: training.task.question_preprocessing: tokenize is "
                             "tokenize_questions = true; words are what is between white space, "
                             "where NLTK also cuts punctuation off\n") != std::string::npos);
    CHECK(result.errors.find("a.yml:3:42: note: training.sampler.weights: is \"task\": the task "
                             "states the weights that PyTorchPipe writes to a file\n") !=
          std::string::npos);
    CHECK(result.errors.find("a.yml:5:43: warning: validation.task.question_preprocessing: "
                             "PyTorchPipe ignores random_shuffle_words without tokenize; here it "
                             "counts\n") != std::string::npos);
    CHECK(result.output.find("weights = \"task\"\n") != std::string::npos);
    CHECK(result.output.find("tokenize_questions = true\n") != std::string::npos);
}

TEST_CASE("ptp-import: a seed beside that of torch, and words that PyTorchPipe reads from a file") {
    const auto result = import_text(
        "training:\n  seed_numpy: 4\n  seed_torch: 5\n  task: {type: MNIST, batch_size: 2}\n"
        "pipeline:\n  d: {type: WordDecoder, globals: {word_mappings: words}}\n");
    CHECK(result.errors.find("a.yml:2:3: note: seed_numpy: left out: the experiment has one seed, "
                             "for all that is random\n"
                             "a.yml:3:3: note: seed_torch: is the seed of the experiment\n") == 0);
    CHECK(result.errors.find("training.seed_numpy") == std::string::npos);
    CHECK(result.errors.find(
              "a.yml:6:36: warning: pipeline.d.globals.word_mappings: left out: PyTorchPipe reads "
              "the words from a file unless import_word_mappings_from_globals is true\n"
              "    fix: to read the global, write globals = { word_mappings = \"words\" } in place "
              "of word_mappings_file\n") != std::string::npos);
}

TEST_CASE("ptp-import: the exit code states whether all was converted") {
    const std::string begin = "training:\n  task: {type: MNIST, batch_size: 2";
    const std::string rest =
        "}\n  optimizer: {type: Adam}\n  terminal_conditions: {epoch_limit: 1}\npipeline:\n"
        "  rows: {type: ReshapeTensor, input_dims: [-1, 1, 28, 28], output_dims: [-1, 784],\n"
        "         streams: {outputs: rows}}\n"
        "  net: {type: FeedForwardNetwork, streams: {inputs: rows},\n"
        "        globals: {prediction_size: num_classes}}\n";
    const std::string loss = "  loss: {type: NLLLoss}\n";
    CHECK(import_text(begin + rest + loss).status == 0);
    CHECK(import_text(begin + ", nonsense: 1" + rest + loss).status == 1);
    CHECK(import_text(begin + rest).status == 2);  // There is no loss.
    CHECK(import_text("a: [1").status == 2);
}

TEST_CASE("ptp-import: the options of PyTorchPipe's command line that an experiment has") {
    const std::string yaml = "training: {optimizer: {type: Adam}}\nmine: {loss: {type: NLLLoss}}\n";
    const auto result = import_text(yaml, {"--worker", "online", "--pipeline", "mine"});
    CHECK(result.output.find("[training]\nworker = \"online\"\n") != std::string::npos);
    CHECK(result.output.find("[pipeline.loss]\n") != std::string::npos);
    CHECK(import_text(yaml, {"--pipeline", "other"})
              .errors.find("--pipeline: error: other: the configuration has no such section\n") !=
          std::string::npos);
}

TEST_CASE("ptp-import: a wrong command line ends with 2, a file that cannot be written with 5") {
    const auto none = run_program("ptp-import", {});
    CHECK(none.errors ==
          "ptp-import: error: a file of PyTorchPipe is needed\n"
          "    fix: ptp-import FILE.yml\n"
          "    help: ptp-import --help\n");
    CHECK(none.status == 2);
    const auto missing = run_program("ptp-import", {"/nowhere.yml"});
    CHECK(missing.errors ==
          "ptp-import: error: cannot read /nowhere.yml: No such file or directory\n");
    CHECK(missing.status == 2);
    const auto unwritten = import_text("a: {b: 1}", {"-o", "/nowhere/a.toml"});
    CHECK(unwritten.errors ==
          "ptp-import: error: -o /nowhere/a.toml: no such folder: /nowhere\n"
          "    help: ptp-import --help\n");
    CHECK(unwritten.status == 2);
    CHECK(run_program("ptp-import", {"--version"}).output.starts_with("ptp-import "));
    CHECK(run_program("ptp-import", {"--help"}).output.starts_with("usage: ptp-import"));
}

TEST_CASE("ptp-import: the experiment is written to a file that -o names") {
    const TempFolder temp;
    const std::string file = (temp.path() / "digits.toml").string();
    const auto result = run_program("ptp-import", {(folder() / "digits.yml").string(), "-o", file});
    CHECK(result.output == "");
    CHECK(temp.read("digits.toml") == content_of(folder() / "digits.toml"));
    // Once more the same; but nothing that was corrected by hand is replaced.
    const auto import = [&] {
        return run_program("ptp-import", {(folder() / "digits.yml").string(), "-o", file});
    };
    CHECK(import().status == result.status);
    temp.write("digits.toml", "name = \"mine\"\n");
    const auto refused = import();
    CHECK(refused.status == 2);
    CHECK(refused.errors.ends_with("ptp-import: error: -o " + file +
                                   ": there is such a file, which differs from what would be "
                                   "written\n    fix: name another file with -o, and compare the "
                                   "two; or delete this one\n"));
    CHECK(temp.read("digits.toml") == "name = \"mine\"\n");
}

}  // namespace ptp_import_test
