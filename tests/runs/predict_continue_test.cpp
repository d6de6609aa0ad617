// `ptprun predict --continue`: a language model adds words to texts.

#include "runs/predictions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace predict_continue_test {

using namespace ptp::test;

namespace fs = std::filesystem;

namespace {

// a b c a b c ...
std::string language_model(const TempFolder& folder, bool has_unknown = false) {
    std::string text;
    for (int i = 0; i < 30; ++i) {
        text += "a b c ";
    }
    const auto words = folder.write("wikitext-2/wiki.train.tokens", text);
    return training(30) + "type = \"WikiTextLanguageModeling\"\nbatch_size = 4\n" +
           "sentence_length = 5\ndata_folder = \"" + folder.path().string() + "\"\n" +
           R"([pipeline.source_indexer]
type = "SentenceIndexer"
)" + std::string(has_unknown ? "unknown = \"<UNK>\"\n" : "") +
           "additional_tokens = [\"<PAD>\", \"<eos>\"" + (has_unknown ? ", \"<UNK>\"" : "") +
           R"(]
streams = { inputs = "sources", outputs = "source_indices" }
globals = { published_word_mappings = "all_words", vocabulary_size = "word_count", pad_index = "padding" }
source_vocabulary_files = ")" +
           words.string() + R"("
[pipeline.target_indexer]
type = "SentenceIndexer"
streams = { inputs = "targets", outputs = "target_indices" }
globals = { word_mappings = "all_words" }
[pipeline.embeddings]
type = "IndexEmbeddings"
embeddings_size = 8
streams = { inputs = "source_indices", outputs = "vectors" }
globals = { vocab_size = "word_count", pad_index = "padding" }
[pipeline.net]
type = "RecurrentNeuralNetwork"
hidden_size = 8
initial_state = "Zero"
streams = { inputs = "vectors" }
globals = { prediction_size = "word_count" }
[pipeline.nll]
type = "NLLLoss"
num_targets_dims = 2
streams = { targets = "target_indices" }
)";
}

// Returns the experiment of language_model() with a transformer that has these settings.
std::string transformer(const TempFolder& folder, const std::string& settings) {
    std::string model = language_model(folder);
    const std::size_t from = model.find("[pipeline.embeddings]");
    return model.replace(from, model.find("[pipeline.nll]") - from,
                         "[pipeline.net]\ntype = \"CausalTransformer\"\nhidden_size = 8\n"
                         "num_layers = 1\nnum_heads = 2\nmax_length = 40\n" +
                             settings +
                             "streams = { inputs = \"source_indices\" }\n"
                             "globals = { vocab_size = \"word_count\" }\n");
}

}  // namespace

TEST_CASE("predict: a language model continues a text, and its training's texts are not needed") {
    const TempFolder folder;
    train_run(folder, language_model(folder));
    // A first state of zeros is not trained, and does not count as frozen.
    CHECK(folder.read("run/run.log").find("frozen:") == std::string::npos);
    fs::remove_all(folder.path() / "wikitext-2");
    const std::string run = (folder.path() / "run").string();
    const ProcessResult result =
        predict({run, "--text", "a b", "--text", "b c a", "--continue", "4", "--quiet"});
    require_success(result);
    CHECK(result.output == "index,text,continued\n0,a b,c a b c\n1,b c a,b c a b\n");
    const ProcessResult next = predict({run, "--text", "a b", "--quiet"});
    CHECK(next.output == "index,predicted\n0,b c\n");
    CHECK(predicted_from("a b\\nc\\n", run + " --data - --quiet") ==
          "index,predicted\n0,b c\n1,a\n");
    CHECK(predicted_from("a b\\n", run + " --data - --continue 2 --quiet") ==
          "index,text,continued\n0,a b,c a\n");
    const ProcessResult unknown = predict({run, "--text", "a z", "--quiet"});
    CHECK(unknown.status == 4);
    const std::string why = ptp::test::without_excerpts(unknown.errors);
    CHECK(
        why.substr(why.find("'z'")) ==
        "'z' is not in the vocabulary (size 5)\n    fix: set unknown = \"<UNK>\" and "
        "additional_tokens = [\"<PAD>\", \"<eos>\", \"<UNK>\"] for the training, or leave the word out\n");
}

TEST_CASE("predict: words that no global names are asked of the component that has them") {
    const TempFolder folder;
    std::string model = language_model(folder);
    const auto change = [&](const std::string& from, const std::string& to) {
        model.replace(model.find(from), from.size(), to);
    };
    change("batch_size = 4\n",
           "batch_size = 4\nvocabulary = true\nglobals = { word_mappings = \"task_words\" }\n");
    change("published_word_mappings = \"all_words\"", "word_mappings = \"task_words\"");
    change("word_mappings = \"all_words\"", "word_mappings = \"task_words\"");
    model.erase(model.find("source_vocabulary_files"),
                model.find("[pipeline.target_indexer]") - model.find("source_vocabulary_files"));
    change("[pipeline.target_indexer]\ntype = \"SentenceIndexer\"\n",
           "[pipeline.target_indexer]\ntype = \"SentenceIndexer\"\nadditional_tokens = [\"<PAD>\", "
           "\"<eos>\"]\n");
    train_run(folder, model);
    const std::string run = (folder.path() / "run").string();
    std::vector<std::string> arguments{run, "--text", "a b", "--continue", "2", "--quiet"};
    const ProcessResult refused = predict(arguments);
    CHECK(refused.status == 2);
    CHECK(refused.errors ==
          "ptprun: error: --continue: the 5 words have no names: no global is a table of that "
          "many, or several are; choose one with --classes\n"
          "    fix: add --set 'pipeline.source_indexer.globals.published_word_mappings=words'\n");
    arguments.insert(arguments.end(),
                     {"--set", "pipeline.source_indexer.globals.published_word_mappings=words"});
    CHECK(predict(arguments).output == "index,text,continued\n0,a b,c a\n");
}

TEST_CASE(
    "predict: more words than the model takes are refused with the largest number that goes") {
    const TempFolder folder;
    std::string model = language_model(folder);
    const std::size_t from = model.find("[pipeline.embeddings]");
    model.replace(from, model.find("[pipeline.nll]") - from, R"([pipeline.net]
type = "CausalTransformer"
hidden_size = 8
num_layers = 1
num_heads = 2
max_length = 8
streams = { inputs = "source_indices" }
globals = { vocab_size = "word_count" }
)");
    model.replace(model.find("NLLLoss"), 7, "CrossEntropyLoss");
    train_run(folder, model);
    const std::string run = (folder.path() / "run").string();
    const std::vector<std::string> words = {run,       "--text",  "a b",       "--text",
                                            "a b c a", "--quiet", "--continue"};
    const auto continued = [&](const char* count) {
        std::vector<std::string> all = words;
        all.emplace_back(count);
        return predict(all);
    };
    const ProcessResult refused = continued("100");
    CHECK(refused.status == 4);
    CHECK(
        ptp::test::without_excerpts(refused.errors) ==
        "ptprun: error: --continue 100: the model takes no longer text after 7 words: " + run +
            "/experiment.toml:96:1: 'net' (CausalTransformer): inputs has 9 steps: must have 1 to "
            "max_length = 8\n"
            "    fix: ptprun predict " +
            run + " --text 'a b' --text 'a b c a' --quiet --continue 5\n");
    CHECK(continued("6").status == 4);
    CHECK(continued("5").status == 0);
}

TEST_CASE("predict: a model that draws its words continues a text with draws") {
    const auto continued = [](const std::string& settings) {
        const TempFolder folder;
        train_run(folder, transformer(folder, settings));
        const ProcessResult result = predict(
            {(folder.path() / "run").string(), "--text", "a b", "--continue", "12", "--quiet"});
        CHECK(result.status == 0);
        return result.output + result.errors;
    };
    const std::string likeliest = continued("");
    CHECK(likeliest == continued("continuation_length = 2\n"));
    const std::string draws = "continuation_length = 1\ndecoding = \"Sampling\"\n";
    const std::string drawn = continued(draws + "temperature = 100.0\n");
    CHECK(drawn != likeliest);
    CHECK(drawn == continued(draws + "temperature = 100.0\n"));
    CHECK(continued(draws + "top_k = 1\n") == likeliest);
    const TempFolder folder;
    const auto file = folder.write("e.toml", transformer(folder, "decoding = \"Sampling\"\n"));
    const std::string run = (folder.path() / "run").string();
    CHECK(ptprun({file.string(), "--quiet", "--run-dir", run}).errors ==
          "warning: net: decoding = \"Sampling\" has no effect without continuation_length\n"
          "    fix: set continuation_length to the number of words to write\n");
}

TEST_CASE("predict: unknown words of a text that is continued are counted once") {
    const TempFolder folder;
    train_run(folder, language_model(folder, true));
    const std::string run = (folder.path() / "run").string();
    const ProcessResult result =
        predict({run, "--text", "z z a", "--text", "b c", "--continue", "4"});
    CAPTURE(result.errors);
    REQUIRE(result.status == 0);
    CHECK(result.errors.find("2 of 5 words are not in the vocabulary ('z'): ") !=
          std::string::npos);
    CHECK(result.errors.find("not in the vocabulary") ==
          result.errors.rfind("not in the vocabulary"));
    CHECK(result.errors.find("weights of ") == std::string::npos);  // one more time
    CHECK(header_of(result.output) == "index,text,continued,unknown_words");
    const std::vector<Row> rows = rows_of(result.output);
    REQUIRE(rows.size() == 2);
    CHECK(column(rows, "unknown_words") == std::vector<std::string>{"2", "0"});
    CHECK(rows[1].at("continued") == "a b c a");
}

TEST_CASE("predict: a text is not continued where a weight of the model is nan") {
    const TempFolder folder;
    train_run(folder, language_model(folder));
    const fs::path checkpoint = folder.path() / "run/checkpoints/best";
    std::string weights = folder.read("run/checkpoints/best/weights.safetensors");
    std::uint64_t header = 0;
    std::memcpy(&header, weights.data(), sizeof(header));
    const auto begin = static_cast<std::ptrdiff_t>(sizeof(header) + header);
    std::fill(weights.begin() + begin, weights.end(), '\xFF');  // nan, as a float32
    std::ofstream(checkpoint / "weights.safetensors", std::ios::binary) << weights;
    const std::string hashed = "cd '" + checkpoint.string() +
                               "' && sha256sum $(cut -c 67- SHA256SUMS) >new && mv new SHA256SUMS";
    REQUIRE(std::system(hashed.c_str()) == 0);
    const std::string run = (folder.path() / "run").string();
    const ProcessResult result = predict({run, "--text", "a b", "--continue", "3", "--quiet"});
    CHECK(result.status == 4);
    CHECK(result.output == "");
    CHECK(result.errors == "ptprun: error: after 'a b' the scores of words are nan\n");
}

TEST_CASE("predict: a signal ends the continuation of a text between two words") {
    const TempFolder folder;
    train_run(folder, language_model(folder));
    const std::string at = folder.path().string();
    // The line that names the weights comes before the first word.
    const std::string command =
        "cd '" + at + "'; OMP_NUM_THREADS=1 timeout -k 1 100 '" +
        (ptp::test::build_dir() / "bin/ptprun").string() +
        "' predict run --text a --continue 1000000000 -o out.csv 2>err & "
        "pid=$!; until grep -q 'weights of' err; do kill -0 $pid || break; done; "
        "kill -TERM $pid; wait $pid; echo $? >code";
    REQUIRE(std::system(command.c_str()) == 0);
    CHECK(folder.read("code") == "143\n");
    CHECK_FALSE(fs::exists(folder.path() / "out.csv"));
}

}  // namespace predict_continue_test
