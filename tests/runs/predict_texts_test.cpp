// Predictions for texts: given on the command line, by the standard input and in files.

#include "runs/predictions.hpp"
#include "runs/reviews.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace predict_texts_test {

using namespace ptp::test;

namespace fs = std::filesystem;

namespace {

// Errors from a word on, without the lines of the experiment.
std::string message_of(const std::string& errors, const std::string& word) {
    return ptp::test::without_excerpts(errors.substr(std::min(errors.find(word), errors.size())));
}

// Two words of English, in the same order in French.
std::string translation(const TempFolder& folder, bool has_sentences) {
    const std::array<const char*, 3> first = {"red\trouge", "green\tvert", "blue\tbleu"};
    std::string pairs;
    for (int i = 0; i < 60; ++i) {
        pairs += first[static_cast<std::size_t>(i % 3)] + std::string("\n");
    }
    folder.write("eng-fra.txt", pairs);
    return training(30) + "type = \"TranslationPairs\"\nbatch_size = 8\ndata_folder = \"" +
           folder.path().string() + "\"\n" +
           R"(globals = { source_word_mappings = "english", target_word_mappings = "french" }
[pipeline.source_indexer]
type = "SentenceIndexer"
additional_tokens = ["<PAD>", "<UNK>"]
unknown = "<UNK>"
output_lengths = true
streams = { inputs = "sources", outputs = "source_indices" }
globals = { word_mappings = "english", vocabulary_size = "english_size", pad_index = "english_pad" }
[pipeline.target_indexer]
type = "SentenceIndexer"
additional_tokens = ["<PAD>", "<EOS>", "<UNK>"]
eos_token = true
fixed_padding = 3
streams = { inputs = "targets", outputs = "target_indices" }
globals = { word_mappings = "french", published_word_mappings = "french_words", vocabulary_size = "french_size", pad_index = "french_pad" }
[pipeline.embeddings]
type = "IndexEmbeddings"
embeddings_size = 8
streams = { inputs = "source_indices", outputs = "vectors" }
globals = { vocab_size = "english_size", pad_index = "english_pad" }
[pipeline.encoder]
type = "RecurrentNeuralNetwork"
cell_type = "GRU"
hidden_size = 12
initial_state = "Zero"
use_output_layer = false
output_last_state = true
use_lengths = true
streams = { inputs = "vectors", predictions = "encoded", output_state = "state" }
[pipeline.decoder]
type = "AttentionDecoder"
hidden_size = 12
embeddings_size = 8
autoregression_length = 3
teacher_forcing_rate = 0.5
use_lengths = true
streams = { inputs = "encoded", input_state = "state", targets = "target_indices" }
globals = { prediction_size = "french_size" }
[pipeline.nll]
type = "NLLLoss"
num_targets_dims = 2
streams = { targets = "target_indices" }
globals = { ignore_index = "french_pad" }
)" +
           (has_sentences ? R"([pipeline.written]
type = "SentenceIndexer"
reverse = true
use_input_distributions = true
stop_at_end = true
additional_tokens = []
phases = ["process"]
streams = { inputs = "predictions", outputs = "written_words" }
globals = { word_mappings = "french_words" }
[pipeline.sentences]
type = "SentenceTokenizer"
detokenize = true
phases = ["process"]
streams = { inputs = "written_words", outputs = "translation" }
)"
                          : "");
}

}  // namespace

TEST_CASE("predict: texts on the command line and in the standard input get their classes") {
    const TempFolder folder;
    train_run(folder, reviews(folder));
    fs::remove_all(folder.path() / "reviews");
    const std::string run = (folder.path() / "run").string();
    const ProcessResult result =
        predict({run, "--text", "this was so good", "--text", "bad and bad", "--quiet"});
    require_success(result);
    CHECK(header_of(result.output) == "index,predicted,score,unknown_words");
    CHECK(column(rows_of(result.output), "predicted") == Cells{"good", "bad"});
    CHECK(column(rows_of(result.output), "unknown_words") == Cells{"1", "0"});
    const std::string piped = predicted_from("very bad\\r\\nvery good", run + " --data - --quiet");
    CHECK(column(rows_of(piped), "predicted") == Cells{"bad", "good"});
    const std::string lines = folder
                                  .write("texts.jsonl",
                                         "\"this was so good\"\n"
                                         "{\"words\": \"bad\"}\n"
                                         "{\"text\": \"bad and bad\"}\n")
                                  .string();
    const ProcessResult of_lines = predict({run, "--jsonl", lines, "--quiet"});
    CHECK(of_lines.status == 4);
    CHECK(of_lines.output.find(R"({"line":1,"predicted":"good")") == 0);
    CHECK(of_lines.output.find(
              R"({"line":2,"error":"must be a text, or an object with \"text\" alone: )") !=
          std::string::npos);
    CHECK(of_lines.output.find(R"({"line":3,"predicted":"bad")") != std::string::npos);
    folder.write("new/1.txt", "good");
    const ProcessResult files =
        predict({run, "--data", (folder.path() / "new").string(), "--quiet"});
    CHECK(column(rows_of(files.output), "predicted") == Cells{"good"});
    const auto errors_of = [&](const std::string& input) {
        const std::string command = "printf '" + input + "' | " +
                                    (ptp::test::build_dir() / "bin/ptprun").string() + " predict " +
                                    run + " --data - --quiet 2> " +
                                    (folder.path() / "errors").string() + " > /dev/null";
        CHECK(std::system(command.c_str()) == 0);
        return folder.read("errors");
    };
    const auto warning = [](const std::string& header) {
        return "--data: warning: -: '" + header +
               "' looks like the header of a table, and is one text, as each line is with its other "
               "cells and quotes\n"
               "    fix: give the texts alone, one in each line, without header and quotes\n";
    };
    for (const char* const table : {"Review,label\\nbad,bad\\n\"good, and bad\",good\\n",
                                    "Review,label\\r\\nvery good, and bad,good\\r\\n"}) {
        CHECK(errors_of(table).find(warning("Review,label")) != std::string::npos);
    }
    CHECK(errors_of(",text\\n0,very bad\\n").find(warning(",text")) != std::string::npos);
    CHECK(errors_of("id;text\\n0;very bad\\n").find(warning("id;text")) != std::string::npos);
    CHECK(errors_of("text\\tlabel\\nbad\\tbad\\n").find("like the header") != std::string::npos);
    for (const char* const rows : {"\"bad\"\\n", "very good\\nbad\\n", "good, and bad\\r\\n"}) {
        CHECK(errors_of("text\\n" + std::string(rows)).find(warning("text")) != std::string::npos);
    }
    for (const char* const texts :
         {"good,bad\\nbad,good\\n", "text\\nbad\\n", "text\\n", "very\\nvery good\\n",
          "label this, good\\nbad, good\\n", "review, good\\nbad, good\\n", "Review,label\\nbad\\n",
          "text,good"}) {
        CAPTURE(texts);
        CHECK(errors_of(texts).find("table") == std::string::npos);
    }
}

TEST_CASE(
    "predict: texts for a Table whose column of texts alone is read, with a row's id or not") {
    const TempFolder folder;
    std::string table = "review,verdict,number\n";
    for (int i = 0; i < 12; ++i) {
        table += (i % 2 == 0 ? "this was bad and long,bad," : "this was good and long,good,") +
                 std::to_string(i) + "\n";
    }
    const std::string file = folder.write("reviews.csv", table).string();
    std::string experiment = reviews(folder);
    const std::size_t task = experiment.find("type = \"TextFolder\"");
    experiment.replace(task, experiment.find("globals = {") - task,
                       "type = \"Table\"\nbatch_size = 4\nvocabulary = true\nfile = \"" + file +
                           "\"\ntext = \"review\"\nlabel = \"verdict\"\nid = \"number\"\n");
    experiment.insert(experiment.find("outputs = \"words\""), "inputs = \"texts\", ");
    train_run(folder, experiment);
    fs::remove(file);
    const std::string run = (folder.path() / "run").string();
    const ProcessResult result =
        predict({run, "--text", "this was so good", "--text", "bad and bad", "--quiet"});
    require_success(result);
    CHECK(header_of(result.output) == "index,predicted,score,unknown_words");
    CHECK(column(rows_of(result.output), "predicted") == Cells{"good", "bad"});
    const std::string piped =
        predicted_from("review,number\\nvery bad,7\\n", run + " --data - --quiet");
    CHECK(column(rows_of(piped), "predicted") == Cells{"bad"});
    CHECK(predict({run, "--data", "was", "good"})
              .errors.find("    fix: ptprun predict " + run + " --text 'was good'\n") !=
          std::string::npos);
    const std::string bare = folder.write("bare.csv", "very bad\n").string();
    CHECK(predict({run, "--data", bare})
              .errors.find("a text alone: ptprun predict RUN --text TEXT\n") != std::string::npos);
}

TEST_CASE("predict: words that the model does not know are counted, and a few are shown") {
    const TempFolder folder;
    train_run(folder, reviews(folder));
    const std::string run = (folder.path() / "run").string();
    const ProcessResult result =
        predict({run, "--text", "zebra xylo", "--text", "zebra quux oak and", "--quiet"});
    CHECK(result.status == 0);
    CHECK(result.errors ==
          "warning: bags: 5 of 6 words are not in the vocabulary ('zebra', 'xylo', 'quux', ...): "
          "the vocabulary was probably made from other texts, from few, or from texts in other "
          "upper and lower case\n");
    CHECK(column(rows_of(result.output), "unknown_words") == Cells{"2", "3"});
    CHECK(predict({run, "--text", "this was so bad and long", "--quiet"}).errors == "");
}

TEST_CASE("predict: the fix for an unknown word is the word that the vocabulary has for it") {
    const TempFolder folder;
    std::string experiment = reviews(folder);
    experiment.erase(experiment.find("unknown = "), std::string("unknown = \"<UNK>\"\n").size());
    train_run(folder, experiment);
    const std::string run = (folder.path() / "run").string();
    const ProcessResult refused = predict({run, "--text", "zebra", "--quiet"});
    CHECK(message_of(refused.errors, "'zebra'") ==
          "'zebra' is not in the vocabulary (size 7)\n    fix: ptprun predict " + run +
              " --text zebra --quiet --set 'pipeline.bags.unknown=\"<UNK>\"'\n");
    CHECK(predict({run, "--text", "zebra", "--quiet", "--set", "pipeline.bags.unknown=\"<UNK>\""})
              .status == 0);
}

TEST_CASE("predict: a blank text, texts for numbers and texts beside files are refused") {
    const TempFolder folder;
    train_run(folder, reviews(folder));
    const std::string run = (folder.path() / "run").string();
    const ProcessResult blank = predict({run, "--text", "good", "--text", " "});
    CHECK(blank.status == 2);
    CHECK(blank.errors.find("text 2 is blank") != std::string::npos);
    const ProcessResult blank_line =
        run_program("/bin/sh", {"-c", "printf 'good\\n\\nbad\\n \\n' | '" +
                                          (build_dir() / "bin/ptprun").string() + "' predict '" +
                                          run + "' --data - --quiet"});
    CHECK(blank_line.status == 4);
    CHECK(blank_line.errors ==
          "ptprun: error: --data -: line 2 is blank, as 1 other is, expected a text\n"
          "    fix: leave blank lines out, as grep '[^[:space:]]' does\n");
    const ProcessResult both = predict({run, "--text", "good", "--data", "x.txt"});
    CHECK(both.status == 2);
    CHECK(both.errors.find("--data and --text exclude each other") != std::string::npos);
    CHECK(predict({run}).errors.find("--data or --text is needed: files, a folder or the name of a "
                                     "section, or a text") != std::string::npos);
    const ProcessResult continued =
        predict({run, "--data", (folder.path() / "reviews").string(), "--continue", "2"});
    CHECK(continued.status == 2);
    CHECK(continued.errors.find("--continue needs texts: --text TEXT, or --data - with a text in "
                                "each line") != std::string::npos);
    const ProcessResult classifier = predict({run, "--text", "was good", "--continue", "3"});
    CHECK(classifier.status == 2);
    CHECK(classifier.errors ==
          "these samples have no targets: nll is skipped\n"
          "ptprun: error: --continue: the model predicts one of 2 classes of "
          "a text (bad, good), not its next word\n");
}

TEST_CASE("predict: the words of a text without quotes are told from files") {
    const TempFolder folder;
    train_run(folder, reviews(folder));
    const std::string run = (folder.path() / "run").string();
    const auto errors = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), run);
        return predict(arguments).errors;
    };
    const std::string after = " is one word too many after '";
    const std::string help = "\n    help: ptprun help predict\n";
    const std::string fix = "    fix: ptprun predict " + run + " ";
    CHECK(errors({"was", "good"}) ==
          "ptprun: error: 'was'" + after + run + "'\n" + fix + "--text 'was good'" + help);
    CHECK(errors({"--text", "was", "good"}) ==
          "ptprun: error: 'good'" + after + run + "'\n" + fix + "--text 'was good'" + help);
    CHECK(errors({"--text", "is bad", "good"}) == "ptprun: error: 'good'" + after + run + "'\n" +
                                                      fix + "--text 'is bad' --text good" + help);
    CHECK(errors({"--text", "bad", "--text", "was", "good"}) ==
          "ptprun: error: 'good'" + after + run + "'\n" + fix + "--text bad --text 'was good'" +
              help);
    CHECK(errors({"training"}) ==
          "ptprun: error: 'training'" + after + run + "'\n" + fix + "--data training" + help);
    const std::string missing = ": no such file or folder, and no such section; known: training\n" +
                                fix + "--text 'was good'\n";
    CHECK(errors({"--data", "was", "good"}) ==
          "--data: error: was" + missing + "--data: error: good" + missing + "2 errors\n");
    for (const char* file : {"nosuch.csv", "new/reviews"}) {
        CHECK(errors({"--data", file}) ==
              "--data: error: " + std::string(file) +
                  ": no such file or folder, and no such section; known: training\n");
    }
}

TEST_CASE("predict: sentences are translated, as texts that end where the model ends them") {
    for (const bool has_sentences : {true, false}) {
        CAPTURE(has_sentences);
        const TempFolder folder;
        train_run(folder, translation(folder, has_sentences));
        const std::string run = (folder.path() / "run").string();
        const ProcessResult worst = predict({run, "--data", "training", "--worst", "2", "--quiet"});
        CHECK(worst.errors == "");
        const auto rows = rows_of(worst.output);
        REQUIRE(rows.size() == 2);
        CHECK(std::stod(rows[0].at("loss")) >= std::stod(rows[1].at("loss")));
        fs::remove(folder.path() / "eng-fra.txt");
        const ProcessResult result = predict({run, "--text", "Blue", "--text", "red", "--quiet"});
        require_success(result);
        if (has_sentences) {
            CHECK(result.output == "index,translation,unknown_words\n0,bleu,0\n1,rouge,0\n");
        } else {
            CHECK(result.output.starts_with("index,predicted,unknown_words\n0,bleu <EOS> "));
        }
        const ProcessResult continued =
            predict({run, "--text", "red", "--continue", "2", "--quiet"});
        CHECK(continued.status == 2);
        CHECK(
            continued.errors.find("--continue: 'predictions' has 3 steps for a text and 3 for the "
                                  "same with one more word: it does not predict the word after "
                                  "each") != std::string::npos);
    }
}

}  // namespace predict_texts_test
