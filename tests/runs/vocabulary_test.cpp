// A whole run on texts, from sentences to answers, and what becomes of its vocabulary later.

#include "runs/support.hpp"
#include "runs/training_process.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace vocabulary_test {

using namespace ptp::test;

namespace {

// The experiment writes lengths that it does not use, and validates with words of other texts.
std::string without_oversights(const std::string& errors) {
    using ptp::test::without_warnings;
    return without_warnings(without_warnings(errors, "nothing reads 'lengths'"),
                            "are not in the vocabulary");
}

// Four sentences in two languages to learn from and two to validate with, as bags of words.
constexpr const char* kExperiment = R"(seed = 1
[training]
task = { type = "DummyLanguageIdentification", batch_size = 2 }
optimizer = { type = "SGD", lr = 0.5 }
terminal_conditions = { epoch_limit = 8 }
[validation]
task = { type = "DummyLanguageIdentification", batch_size = 2, use_train_data = false }

[pipeline.encoder]
type = "BOWEncoder"
input_mode = "indices"
streams = { inputs = "word_indices", outputs = "bags" }
globals = { bow_size = "word_count", pad_index = "padding" }
[pipeline.classifier]
type = "FeedForwardNetwork"
streams = { inputs = "bags" }
globals = { input_size = "word_count", prediction_size = "num_classes" }
[pipeline.label_indexer]
type = "LabelIndexer"
streams = { inputs = "labels", outputs = "label_indices" }
globals = { word_mappings = "label_word_mappings" }
[pipeline.loss]
type = "NLLLoss"
streams = { targets = "label_indices" }
[pipeline.decoder]
type = "WordDecoder"
streams = { inputs = "predictions", outputs = "answers" }
globals = { word_mappings = "label_word_mappings" }
[pipeline.accuracy]
type = "AccuracyStatistics"
[pipeline.exporter]
type = "StreamFileExporter"
input_streams = ["labels", "answers"]
phases = ["process"]
)";

// With the example of the document, which makes the indices.
std::string experiment() {
    std::ifstream file(ptp::test::source_dir() / "docs/experiments.md");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto begin = text.find("[pipeline.tokenizer]");
    std::string example = text.substr(begin, text.find("```", begin) - begin);
    const std::string folder = "~/data/reviews";
    example.replace(example.find(folder), folder.size(), ".");
    return kExperiment + example;
}

void train(const TempFolder& folder, const std::string& name,
           const std::vector<std::string>& more = {}) {
    folder.write("train.txt", "me gusta es una no\nit to is a\n");
    std::vector<std::string> arguments = {folder.write("x.toml", experiment()).string(),
                                          "--run-dir", (folder.path() / name).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProcessResult result = ptprun(arguments);
    CHECK(without_oversights(result.errors) == "");
    REQUIRE(result.status == 0);
}

ProcessResult process(const TempFolder& folder) {
    return ptprun({"process", (folder.path() / "run").string(), "--section", "validation",
                   "--run-dir", (folder.path() / "processed").string()});
}

void require_answers(const TempFolder& folder) {
    const ProcessResult processed = process(folder);
    CHECK(without_oversights(processed.errors) == "");
    REQUIRE(processed.status == 0);
    CHECK(folder.read("processed/exports/exporter.csv") ==
          "section,epoch,episode,labels,answers\nvalidation,1,0,SPANISH,SPANISH\n"
          "validation,1,0,ENGLISH,ENGLISH\n");
}

ProcessResult resume(const TempFolder& folder) {
    return ptprun({"resume", (folder.path() / "run").string(), "--set",
                   "training.terminal_conditions.epoch_limit=9"});
}

}  // namespace

TEST_CASE("vocabularies: a run learns from texts, and answers with labels") {
    const TempFolder folder;
    train(folder, "run");
    CHECK(folder.read("words.csv") ==
          "word,index\nme,0\ngusta,1\nes,2\nuna,3\nno,4\nit,5\nto,6\nis,7\na,8\n");
    CHECK(std::stod(last_value(folder.read("run/training_epochs.csv"), "accuracy")) == 1.0);
}

TEST_CASE("vocabularies: files that lie beside the experiment are found for the fix") {
    const TempFolder folder;
    folder.write("train.txt", "me gusta es una no\nit to is a\n");
    std::string text = experiment();
    const std::string own = "data_folder = \".\"";
    text.replace(text.find(own), own.size(), "data_folder = \"elsewhere\"");
    const ProcessResult result = ptprun({"check", "--data", folder.write("x.toml", text).string()});
    CHECK(result.status == 4);
    CHECK(
        without_folder(ptp::test::without_excerpts(result.errors), folder.path())
            .find(
                "FOLDER/elsewhere/train.txt: no such file\n    fix: write data_folder = \".\"\n") !=
        std::string::npos);
}

TEST_CASE("vocabularies: a run is processed and resumed by its word_mappings_file alone") {
    const TempFolder folder;
    train(folder, "run");
    std::filesystem::remove(folder.path() / "train.txt");
    require_answers(folder);
    CHECK(resume(folder).status == 0);
}

TEST_CASE("vocabularies: a run is processed and resumed without the files of its vocabulary") {
    const TempFolder folder;
    train(folder, "run");
    std::filesystem::remove(folder.path() / "train.txt");
    std::filesystem::remove(folder.path() / "words.csv");
    require_answers(folder);
    const ProcessResult resumed = resume(folder);
    CHECK(without_oversights(resumed.errors) == "");
    CHECK(resumed.status == 0);
    CHECK(!std::filesystem::exists(folder.path() / "words.csv"));
}

TEST_CASE("vocabularies: a run is not resumed with another one of the same size") {
    const TempFolder folder;
    train(folder, "run");
    folder.write("words.csv", "me,0\ngusta,1\nes,2\nuna,3\nsi,4\nit,5\nto,6\nis,7\na,8\n");
    const ProcessResult resumed = resume(folder);
    CHECK(resumed.status != 0);
    CHECK(
        without_folder(without_oversights(resumed.errors), folder.path()) ==
        "FOLDER/run/experiment.toml:151:1: error: 'indexer' (SentenceIndexer): the vocabulary had "
        "the size 11 and has the size 11; the first difference is at index 4: 'no' before, 'si' "
        "now\n");
}

TEST_CASE("vocabularies: nor is it processed with another one") {
    const TempFolder folder;
    train(folder, "run");
    folder.write("words.csv", "si,0\ngusta,1\nes,2\nuna,3\nme,4\nit,5\nto,6\nis,7\na,8\n");
    const ProcessResult processed = process(folder);
    CHECK(processed.status == 4);
    CHECK(
        without_folder(processed.errors, folder.path()) ==
        "FOLDER/run/experiment.toml:151:1: error: 'indexer' (SentenceIndexer): the vocabulary had "
        "the size 11 and has the size 11; the first difference is at index 0: 'me' before, 'si' "
        "now\n");
}

TEST_CASE("vocabularies: a word that only the test has is found before the training") {
    const TempFolder folder;
    folder.write("wikitext-2/wiki.train.tokens", "a b c a b c a b c");
    folder.write("wikitext-2/wiki.test.tokens", "a b c a z c a");
    const std::string task =
        "task = { type = \"WikiTextLanguageModeling\", batch_size = 2, sentence_length = 2, "
        "vocabulary = true, globals = { word_mappings = \"words\" }, data_folder = \"" +
        folder.path().string() + "\" }\n";
    const std::string file = folder
                                 .write("x.toml", "seed = 1\n[training]\n" + task +
                                                      R"(optimizer = { type = "SGD", lr = 0.5 }
terminal_conditions = { epoch_limit = 2 }
[test]
)" + task + R"([pipeline.sources]
type = "SentenceIndexer"
streams = { inputs = "sources", outputs = "source_indices" }
globals = { word_mappings = "words", vocabulary_size = "word_count", pad_index = "padding" }
[pipeline.targets]
type = "SentenceIndexer"
streams = { inputs = "targets", outputs = "target_indices" }
globals = { word_mappings = "words" }
[pipeline.net]
type = "IndexEmbeddings"
embeddings_size = 6
streams = { inputs = "source_indices", outputs = "predictions" }
globals = { vocab_size = "word_count", pad_index = "padding" }
[pipeline.loss]
type = "NLLLoss"
num_targets_dims = 2
streams = { targets = "target_indices" }
)")
                                 .string();
    CHECK(ptprun({"check", file, "--data"}).errors.find("found in [test], whose texts") !=
          std::string::npos);
    const ProcessResult result = ptprun({file, "--run-dir", (folder.path() / "run").string()});
    CHECK(result.status == 4);
    CHECK(result.errors.find("'targets' (SentenceIndexer): sample 1: 'z' is not in the vocabulary "
                             "(size 6)") != std::string::npos);
    CHECK(result.errors.find("'sources' (SentenceIndexer): sample 2: 'z' is not in the vocabulary "
                             "(size 6)") != std::string::npos);
    CHECK(result.errors.find("\n    found in [test], whose texts are read before the training "
                             "begins\n") != std::string::npos);
    CHECK(!std::filesystem::exists(folder.path() / "run/training.csv"));
}

TEST_CASE("vocabularies: the check reads texts, and warns of unknown words in any section") {
    const TempFolder folder;
    folder.write("train.txt", "me gusta es una no\nit to is a\n");
    const std::string file = folder.write("x.toml", experiment()).string();
    const ProcessResult result = ptprun({"check", file, "--data"});
    CHECK(result.status == 0);
    CHECK(result.errors.find("warning: indexer: ") != std::string::npos);
    CHECK(result.errors.find(" words are not in the vocabulary ('") != std::string::npos);
    CHECK(result.output.find("x.toml: no errors, ") != std::string::npos);
}

TEST_CASE("vocabularies: an exchange of the plugin changes nothing") {
    const TempFolder folder;
    train(folder, "run", {"--swap-check", "3"});
}

TEST_CASE("vocabularies: a plugin is exchanged while the files of its vocabulary are gone") {
    const TempFolder folder;
    train(folder, "undisturbed");
    const std::string run = (folder.path() / "run").string();
    TrainingProcess training({(folder.path() / "x.toml").string(), "--run-dir", run, "--paused"},
                             {{"OMP_NUM_THREADS", "1"}});
    REQUIRE(training.wait_for_lines("paused after 0 episodes", 1));
    std::filesystem::remove(folder.path() / "train.txt");
    const auto build = folder.path() / "language.so";
    std::filesystem::copy_file(ptp::test::build_dir() / "lib/ptp/plugins/language.so", build);
    for (int i = 0; i < 2; ++i) {  // the first exchange saves the words
        std::filesystem::remove(folder.path() / "words.csv");
        std::ofstream(build, std::ios::app) << '\n';  // another file with the same code
        require_success(ptprun({"swap", run, build.string()}));
    }
    REQUIRE(ptprun({"control", run, "continue"}).status == 0);
    REQUIRE(training.end_with(0) == 0);
    CHECK(folder.read("run/training.csv") == folder.read("undisturbed/training.csv"));
}

TEST_CASE("vocabularies: a replay without their files is refused before it begins") {
    const TempFolder folder;
    train(folder, "run");
    std::filesystem::remove(folder.path() / "train.txt");
    std::filesystem::remove(folder.path() / "words.csv");
    const ProcessResult result = ptprun({"replay", (folder.path() / "run").string(), "--run-dir",
                                         (folder.path() / "again").string()});
    CHECK(result.status == 4);
    CHECK(without_folder(ptp::test::without_excerpts(result.errors), folder.path())
              .ends_with(" error: 'indexer' (SentenceIndexer): FOLDER/train.txt: no such file\n"
                         "    a replay begins from nothing, and reads every file that the run has "
                         "read\n    fix: put the files back as the run has read them\n"));
    CHECK(!std::filesystem::exists(folder.path() / "again"));
}

}  // namespace vocabulary_test
