// Whole trainings on texts that become words or sub-words: threads, kills and swaps change no bit,
// and vocabularies stay with the run.

#include "runs/same_bits.hpp"
#include "runs/support.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

namespace tokens_test {

using ptp::test::ptprun;
using ptp::test::TempFolder;

namespace {

// The pipeline writes the streams to rows.csv, and classifies the stream `vectors`.
std::string experiment(const std::string& training, const std::string& validation,
                       const std::string& streams) {
    return "seed = 3\nname = \"tiny\"\n[training]\noptimizer = { type = \"Adam\", lr = 0.02 }\n"
           "terminal_conditions = { epoch_limit = 6, loss_stop_threshold = 0.0 }\n"
           "task = { batch_size = 4, " +
           training + " }\n[validation]\ntask = { batch_size = 4, " + validation +
           " }\n[pipeline.exporter]\ntype = \"StreamFileExporter\"\nfilename = \"rows.csv\"\n"
           "separator = \"\\t\"\ninput_streams = " +
           streams +
           "\n[pipeline.sum]\ntype = \"ReduceTensor\"\n"
           "streams = { inputs = \"vectors\", outputs = \"sums\" }\n"
           "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nhidden_sizes = [8]\n"
           "dropout_rate = 0.1\nstreams = { inputs = \"sums\" }\n"
           "globals = { prediction_size = \"num_classes\" }\n"
           "[pipeline.nll]\ntype = \"NLLLoss\"\n";
}

// Sentences of two classes, of the training and, in other letters, to validate with.
void write_reviews(const TempFolder& folder) {
    for (int i = 0; i < 12; ++i) {
        const std::string file = std::to_string(i) + ".txt";
        folder.write("training/good/" + file, i % 2 == 0 ? "Very good, this." : "I liked it well!");
        folder.write("training/bad/" + file, i % 3 == 0 ? "This was dull..." : "Not good; so long");
    }
    folder.write("validation/good/0.txt", "VERY WELL liked");
    folder.write("validation/bad/0.txt", "So dull, NOT liked, awful.");
}

// The words of the training's texts, in lower case, have vectors.
std::string reviews_experiment(const TempFolder& folder) {
    write_reviews(folder);
    const auto settings = [&](const std::string& part) {
        return "type = \"TextFolder\", data_folder = \"" + (folder.path() / part).string() + "\"";
    };
    return experiment(settings("training") +
                          ", vocabulary = true, globals = { word_mappings = \"text_words\" }",
                      settings("validation"), "[\"words\", \"labels\"]") +
           R"([pipeline.tokenizer]
type = "SentenceTokenizer"
vocabulary = true
preprocessing = "lowercase"
split_at = "word_boundaries"
streams = { outputs = "words" }
globals = { word_mappings = "text_words", published_word_mappings = "all_words" }
[pipeline.embeddings]
type = "SentenceEmbeddings"
embeddings_size = 6
additional_tokens = ["<PAD>", "<UNK>"]
unknown = "<UNK>"
word_mappings_file = "words.csv"
streams = { inputs = "words", outputs = "vectors" }
globals = { word_mappings = "all_words" }
data_folder = ")" +
           folder.path().string() + "\"\n";
}

std::filesystem::path golden(const std::string& name) {
    return ptp::test::source_dir() / "tests/golden" / name;
}

// The sentences of sentence_pieces.txt, which has their pieces.
std::string pieces_experiment(const TempFolder& folder) {
    std::ifstream rows(golden("sentence_pieces.txt"));
    std::string table = "text,kind\n";
    int count = 0;
    for (std::string row; std::getline(rows, row); ++count) {
        table += "\"" + row.substr(0, row.find('\t')) + "\"," + (count % 2 == 0 ? "a" : "b") + "\n";
    }
    const std::string settings =
        "type = \"CsvTable\", text = \"text\", label = \"kind\", file = \"" +
        folder.write("table.csv", table).string() + "\"";
    const std::string pieces = "type = \"SentencePieceTokenizer\"\nmodel_file = \"" +
                               golden("sentence_pieces.model").string() + "\"\n";
    return experiment(settings, settings, "[\"texts\", \"joined\", \"again\"]") +
           "[pipeline.pieces]\n" + pieces + R"(output_indices = true
streams = { inputs = "texts", outputs = "pieces" }
globals = { vocabulary_size = "piece_count", pad_index = "padding" }
[pipeline.joined]
type = "SentenceTokenizer"
detokenize = true
streams = { inputs = "pieces", outputs = "joined" }
[pipeline.embeddings]
type = "IndexEmbeddings"
embeddings_size = 6
streams = { inputs = "piece_indices", outputs = "vectors" }
globals = { vocab_size = "piece_count", pad_index = "padding" }
[pipeline.again]
detokenize = true
from_indices = true
streams = { inputs = "piece_indices", outputs = "again" }
)" + pieces;
}

}  // namespace

TEST_CASE("tokens: threads, kills and swaps change no bit of SentenceEmbeddings, which learn") {
    const TempFolder folder;
    ptp::test::check_same_bits(folder, reviews_experiment(folder));
    const std::string rows = folder.read("plain/exports/rows.csv");
    CHECK(std::count(rows.begin(), rows.end(), '\n') == 6 * (24 + 2) + 1);
    CHECK(std::stod(ptp::test::last_value(folder.read("plain/training_epochs.csv"), "loss")) <
          std::log(2.0));
}

// libtorch is in these processes, with a protobuf of its own.
TEST_CASE("tokens: threads, kills and swaps change no bit of sub-words, which are Python's") {
    const TempFolder folder;
    ptp::test::check_same_bits(folder, pieces_experiment(folder));
    const std::string rows = folder.read("plain/exports/rows.csv");
    std::ifstream file(golden("sentence_pieces.txt"));
    for (std::string row; std::getline(file, row);) {
        const std::size_t pieces = row.find('\t');
        const std::size_t indices = row.find('\t', pieces + 1);
        const std::size_t decoded = row.find('\t', indices + 1);
        const std::string expected = "\t" + row.substr(0, indices) + row.substr(decoded) + "\n";
        CAPTURE(expected);
        CHECK(rows.find(expected) != std::string::npos);
    }
}

TEST_CASE(
    "tokens: words of texts fit a tokenizer that makes them lower-case, and stay with a run") {
    const TempFolder folder;
    const auto file = folder.write("experiment.toml", reviews_experiment(folder));
    const std::string run = (folder.path() / "run").string();
    require_success(ptprun({file.string(), "--run-dir", run}));
    // Of bad/0.txt and bad/1.txt, good/0.txt and good/1.txt.
    CHECK(folder.read("words.csv") ==
          "word,index\nthis,0\nwas,1\ndull,2\n.,3\nnot,4\ngood,5\n;,6\nso,7\nlong,8\nvery,9\n"
          "\",\",10\ni,11\nliked,12\nit,13\nwell,14\n!,15\n");
    CHECK(folder.read("run/checkpoints/last/checkpoint.toml")
              .find("\n[globals.all_words]\nthis = 0\nwas = 1\ndull = 2\n\".\" = 3\nnot = 4\n"
                    "good = 5\n\";\" = 6\nso = 7\nlong = 8\nvery = 9\n\",\" = 10\ni = 11\nliked = "
                    "12\nit = 13\nwell = 14\n\"!\" = 15\n\n") != std::string::npos);
    std::filesystem::rename(folder.path() / "training", folder.path() / "moved");
    require_success(ptprun({"process", run, "--section", "validation", "--run-dir",
                            (folder.path() / "processed").string()}));
    folder.write("new/0.txt", "I liked this");
    const auto predicted = ptprun({"predict", run, "--data", (folder.path() / "new").string()});
    CHECK(predicted.errors ==
          "weights of " + run +
              ", epoch 6 (best)\n"
              "these samples have no targets: exporter and nll are skipped\n1 prediction\n");
    CHECK(predicted.status == 0);
    std::filesystem::rename(folder.path() / "moved", folder.path() / "training");
    std::filesystem::remove(folder.path() / "words.csv");
    for (int i = 1; i < 12; i += 2) {
        folder.write("training/good/" + std::to_string(i) + ".txt", "I liked it much!");
    }
    const auto resumed =
        ptprun({"resume", run, "--set", "training.terminal_conditions.epoch_limit=7"});
    CHECK(resumed.status != 0);
    CHECK(
        ptp::test::without_excerpts(resumed.errors)
            .ends_with(
                " 'embeddings' (SentenceEmbeddings): the vocabulary had the size 18 and has the size 18; "
                "the first difference is at index 14: 'well' before, 'much' now\n"));
}

// Its samples are words, which become a sentence first.
TEST_CASE("tokens: words of WikiText become lower-case, and so does its vocabulary") {
    const TempFolder folder;
    folder.write("wikitext-2/wiki.train.tokens", "The cat sat .\nA Dog sat on the Cat .\n");
    folder.write("wikitext-2/wiki.valid.tokens", "THE DOG SAT ON A CAT .\n");
    const std::string task =
        "type = \"WikiTextLanguageModeling\", sentence_length = 4, vocabulary = true, "
        "globals = { word_mappings = \"text_words\" }, data_folder = \"" +
        folder.path().string() + "\"";
    const auto lower = [](const std::string& stream, const std::string& more) {
        return "[pipeline.join_" + stream + "]\ntype = \"SentenceTokenizer\"\ndetokenize = true\n" +
               "streams = { inputs = \"" + stream + "\", outputs = \"" + stream + "_text\" }\n" +
               "[pipeline.split_" + stream +
               "]\ntype = \"SentenceTokenizer\"\npreprocessing = \"lowercase\"\n" +
               "streams = { inputs = \"" + stream + "_text\", outputs = \"lower_" + stream +
               "\" }\n" + more + "[pipeline." + stream + "_indexer]\ntype = \"SentenceIndexer\"\n" +
               "streams = { inputs = \"lower_" + stream + "\", outputs = \"" + stream +
               "_indices\" }\nglobals = { word_mappings = \"words\"";
    };
    const auto file =
        folder.write("experiment.toml",
                     "seed = 1\n[training]\noptimizer = { type = \"Adam\" }\n"
                     "terminal_conditions = { epoch_limit = 1 }\ntask = { batch_size = 2, " +
                         task + " }\n[validation]\ntask = { batch_size = 2, " + task + " }\n" +
                         lower("sources",
                               "vocabulary = true\nglobals = { word_mappings = \"text_words\", "
                               "published_word_mappings = \"words\" }\n") +
                         ", vocabulary_size = \"word_count\" }\n" + lower("targets", "") + " }\n" +
                         R"([pipeline.embeddings]
type = "IndexEmbeddings"
embeddings_size = 6
streams = { inputs = "sources_indices", outputs = "vectors" }
globals = { vocab_size = "word_count" }
[pipeline.net]
type = "RecurrentNeuralNetwork"
hidden_size = 8
streams = { inputs = "vectors" }
globals = { prediction_size = "word_count" }
[pipeline.nll]
type = "NLLLoss"
num_targets_dims = 2
streams = { targets = "targets_indices" }
)");
    require_success(ptprun({file.string(), "--run-dir", (folder.path() / "run").string()}));
    CHECK(folder.read("run/checkpoints/last/checkpoint.toml")
              .find("\n[globals.words]\nthe = 0\ncat = 1\nsat = 2\n\".\" = 3\n\"<eos>\" = 4\n"
                    "a = 5\ndog = 6\non = 7\n\n") != std::string::npos);
}

}  // namespace tokens_test
