// Whole trainings on texts and tables: threads, kills and swaps change no bit.

#include "runs/predictions.hpp"
#include "runs/same_bits.hpp"
#include "runs/support.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace text_tasks_test {

using ptp::test::TempFolder;

namespace {

// 24 rows; the class follows from x and y.
void write_table(const TempFolder& folder) {
    std::string text = "x,y,name,kind\n";
    for (int i = 0; i < 24; ++i) {
        text += std::to_string(i % 5) + "." + std::to_string(i) + "," + std::to_string(i % 3) +
                ",\"row \"\"" + std::to_string(i) + "\"\"\"," + (i % 3 == 0 ? "low" : "high") +
                "\n";
    }
    folder.write("table.csv", text);
}

// A section with a task.
std::string task(const std::string& section, const std::string& settings) {
    return "[" + section + "]\ntask = { batch_size = 4, " + settings + " }\n";
}

constexpr const char* kTraining =
    "seed = 3\nname = \"tiny\"\n[training]\noptimizer = { type = \"Adam\", lr = 0.02 }\n"
    "terminal_conditions = { epoch_limit = 6, loss_stop_threshold = 0.0 }\n";

std::string both(const std::string& training, const std::string& validation) {
    return kTraining + std::string("task = { batch_size = 4, ") + training + " }\n" +
           task("validation", validation);
}

std::string exporter(const std::string& streams) {
    return "[pipeline.exporter]\ntype = \"StreamFileExporter\"\nfilename = \"rows.csv\"\n"
           "input_streams = [\"indices\", " +
           streams + "]\n";
}

std::string table_experiment(const TempFolder& folder) {
    write_table(folder);
    const std::string settings = "type = \"CsvTable\", file = \"" +
                                 (folder.path() / "table.csv").string() +
                                 "\", features = [\"x\", \"y\"], text = \"name\", label = \"kind\"";
    return both(settings, settings) + exporter("\"texts\", \"labels\"") +
           "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nhidden_sizes = [8]\n"
           "dropout_rate = 0.1\nglobals = { prediction_size = \"num_classes\" }\n"
           "[pipeline.nll]\ntype = \"NLLLoss\"\n";
}

std::string language_model_experiment(const TempFolder& folder) {
    const std::string text =
        "the cat sat on the mat .\nthe dog sat on the cat .\n\nthe mat sat on the dog .\n";
    const auto file = folder.write("wikitext-2/wiki.train.tokens", text + text);
    folder.write("wikitext-2/wiki.valid.tokens", text);
    const std::string settings =
        "type = \"WikiTextLanguageModeling\", sentence_length = 5, data_folder = \"" +
        folder.path().string() + "\"";
    return both(settings + ", stride = 2", settings) + exporter("\"sources\", \"targets\"") +
           "[pipeline.source_indexer]\ntype = \"SentenceIndexer\"\n"
           "source_vocabulary_files = [\"" +
           file.string() +
           "\"]\nadditional_tokens = [\"<PAD>\", \"<eos>\"]\n"
           "streams = { inputs = \"sources\", outputs = \"source_indices\" }\n"
           "globals = { published_word_mappings = \"words\", vocabulary_size = \"word_count\" }\n"
           "[pipeline.target_indexer]\ntype = \"SentenceIndexer\"\nadditional_tokens = []\n"
           "streams = { inputs = \"targets\", outputs = \"target_indices\" }\n"
           "globals = { word_mappings = \"words\" }\n"
           "[pipeline.embeddings]\ntype = \"IndexEmbeddings\"\nembeddings_size = 6\n"
           "streams = { inputs = \"source_indices\", outputs = \"vectors\" }\n"
           "globals = { vocab_size = \"word_count\" }\n"
           "[pipeline.net]\ntype = \"RecurrentNeuralNetwork\"\nhidden_size = 8\n"
           "streams = { inputs = \"vectors\" }\nglobals = { prediction_size = \"word_count\" }\n"
           "[pipeline.nll]\ntype = \"NLLLoss\"\nnum_targets_dims = 2\n"
           "streams = { targets = \"target_indices\" }\n";
}

}  // namespace

TEST_CASE("text tasks: threads, kills and swaps change no bit of a training on a table") {
    const TempFolder folder;
    ptp::test::check_same_bits(folder, table_experiment(folder));
    // A row of each sample of each section and epoch, and the header.
    const std::string rows = folder.read("plain/exports/rows.csv");
    CHECK(std::count(rows.begin(), rows.end(), '\n') == 6 * (24 + 24) + 1);
    CHECK(rows.find(",17,\"row \"\"17\"\"\",high\n") != std::string::npos);
}

TEST_CASE("text tasks: threads, kills and swaps change no bit of a language model, which learns") {
    const TempFolder folder;
    ptp::test::check_same_bits(folder, language_model_experiment(folder));
    // Better than by chance: there are 9 words, <PAD> and <eos> included.
    CHECK(std::stod(ptp::test::last_value(folder.read("plain/validation.csv"), "loss")) <
          std::log(9.0));
}

TEST_CASE("text tasks: more folds than the rows of a table are refused, and leave no folder") {
    const TempFolder folder;
    const auto file = folder.write("e.toml", table_experiment(folder));
    const std::string cv = (folder.path() / "cv").string();
    const ptp::test::ProcessResult said =
        ptp::test::ptprun({"cv", file.string(), "--folds", "25", "--run-dir", cv});
    CHECK(said.status == 2);
    CHECK(said.errors ==
          "ptprun: warning: 25 folds are 25 trainings of 6 epochs each; 5 or 10 folds are usual\n"
          "    fix: --folds 10\n"
          "ptprun: error: --fold 0/25 (ptprun cv: --folds 25): CsvTable has only 24 samples\n"
          "    fix: --folds 5 of ptprun cv, or --fold 0/5\n");
    CHECK(said.output.ends_with("no run is kept: " + cv +
                                " is removed\n24 of 25 runs were not begun\n"));
    CHECK_FALSE(std::filesystem::exists(cv));
}

TEST_CASE("text tasks: check shows with --data what a start warns of") {
    const TempFolder folder;
    const auto table = folder.write("t.csv", "x,kind\n1,NA\n2,high\n3,low\n4,low\n");
    const std::string file =
        folder
            .write("e.toml",
                   std::string(kTraining) +
                       "task = { type = \"CsvTable\", batch_size = 4, file = \"" + table.string() +
                       "\", features = [\"x\"], label = \"kind\" }\n[pipeline.net]\ntype = "
                       "\"FeedForwardNetwork\"\nglobals = { prediction_size = 5 }\n"
                       "[pipeline.nll]\ntype = \"NLLLoss\"\n")
            .string();
    const ptp::test::ProcessResult plain = ptp::test::ptprun({"check", file});
    CHECK(plain.errors == "");
    CHECK(plain.output.ends_with(
        "  not known   num_classes, before the data are read: ptprun check " + file + " --data\n"));
    const ptp::test::ProcessResult read = ptp::test::ptprun({"check", "--data", file});
    CHECK(read.status == 0);
    CHECK(read.errors ==
          "warning: training: 'NA' in the column 'kind' is a class of its own, of 1 row; remove "
          "rows of missing values, or list it in `classes` if it is one\n"
          "warning: 'nll' (NLLLoss) gets 5 scores for the 3 classes of its targets: num_classes is "
          "3\n    fix: write globals = { prediction_size = \"num_classes\" } in pipeline.net\n");
    CHECK(read.output.starts_with(file + ": no errors, 2 warnings\n"));
    // Fewer scores would end the training at the first sample of the last class.
    std::string text = folder.read("e.toml");
    text.replace(text.find("prediction_size = 5"), 19, "prediction_size = 2");
    const std::string fewer = folder.write("fewer.toml", text).string();
    const std::string refused =
        fewer +
        ":9:31: error: 'nll' (NLLLoss) gets 2 scores for the 3 classes of its targets: num_classes "
        "is 3\n    fix: write globals = { prediction_size = \"num_classes\" } in pipeline.net\n";
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"check", "--data", fewer},
          std::vector<std::string>{fewer, "--run-dir", (folder.path() / "run").string()}}) {
        const ptp::test::ProcessResult result = ptp::test::ptprun(command);
        CHECK(result.status == 2);
        CHECK_MESSAGE(ptp::test::without_excerpts(result.errors).ends_with(refused), result.errors);
    }
}

TEST_CASE("text tasks: of many classes that are numbers both ways are shown") {
    const TempFolder folder;
    std::string rows = "x,kind\n";
    for (int i = 0; i < 21; ++i) {
        rows += std::to_string(i) + "," + std::to_string(10 * i) + "\n";
    }
    const std::string table = folder.write("t.csv", rows).string();
    const auto checked = [&](const std::string& task, const std::string& globals,
                             const std::string& loss) {
        const auto file = folder.write(
            "e.toml",
            std::string(kTraining) + "task = { type = \"CsvTable\", batch_size = 4, file = \"" +
                table + "\", features = [\"x\"], " + task + " }\n[pipeline.net]\n" +
                "type = \"FeedForwardNetwork\"\nglobals = { prediction_size = " + globals +
                " }\n[pipeline.nll]\ntype = \"" + loss + "\"\n");
        return ptp::test::ptprun({"check", "--data", file.string()}).errors;
    };
    const std::string refused = checked("label = \"kind\"", "5", "NLLLoss");
    CHECK_MESSAGE(
        refused.find("'nll' (NLLLoss) gets 5 scores for the 21 classes of its targets: num_classes "
                     "is 21\n") != std::string::npos,
        refused);
    CHECK_MESSAGE(refused.ends_with(
                      "    fix: to predict classes, write globals = { prediction_size = "
                      "\"num_classes\" } in pipeline.net; to predict numbers, write values = "
                      "[\"kind\"] in place of label in each task, and take a loss of numbers\n"),
                  refused);
    const std::string followed = checked("label = \"kind\"", "\"num_classes\"", "NLLLoss");
    CHECK_MESSAGE(followed.find("error") == std::string::npos, followed);
}

TEST_CASE("text tasks: the layer is named that makes another number of scores than of classes") {
    const TempFolder folder;
    std::string rows = "x,kind\n";
    for (int i = 0; i < 21; ++i) {
        rows += std::to_string(i) + "," + std::to_string(10 * i) + "\n";
    }
    const std::string table = folder.write("t.csv", rows).string();
    const auto checked = [&](const std::string& out) {
        const auto file = folder.write(
            "e.toml",
            std::string(kTraining) + "task = { type = \"CsvTable\", batch_size = 4, file = \"" +
                table + "\", features = [\"x\"], label = \"kind\" }\n[pipeline.net]\n" +
                "type = \"LayerStack\"\nlayers = [{ type = \"Linear\", out = 7 }, \"ReLU\", { type "
                "= \"Linear\", out = " +
                out +
                " }, \"LogSoftmax\"]\n[pipeline.nll]\ntype = \"NLLLoss\"\nstreams = { predictions = \"outputs\" }\n");
        return ptp::test::ptprun({"check", "--data", file.string()}).errors;
    };
    const std::string refused = checked("5");
    CHECK_MESSAGE(refused.find("e.toml:9:74: error: 'nll' (NLLLoss) gets 5 scores for the 21 "
                               "classes of its targets: num_classes is 21\n") != std::string::npos,
                  refused);
    CHECK_MESSAGE(
        refused.ends_with("    fix: to predict classes, set pipeline.net.layers[2].out_features = "
                          "\"num_classes\"; to predict numbers, write values = [\"kind\"] in place "
                          "of label in each task, and take a loss of numbers\n"),
        refused);
    const std::string followed = checked("\"num_classes\"");
    CHECK_MESSAGE(followed.find("error") == std::string::npos, followed);
}

TEST_CASE("text tasks: check names the columns that no section's table has") {
    const TempFolder folder;
    const std::string table = folder.write("t.csv", "x,kind\n1,low\n2,high\n").string();
    const std::string other = folder.write("v.csv", "x,kind\n3,low\n4,high\n").string();
    const auto task = [](const std::string& path) {
        return "task = { type = \"CsvTable\", batch_size = 2, file = \"" + path +
               "\", features = [\"x\"], label = \"knid\" }\n";
    };
    const std::string file =
        folder
            .write("e.toml",
                   "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n" + task(table) +
                       "[validation]\n" + task(other) +
                       "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nglobals = { "
                       "prediction_size = \"num_classes\" }\n[pipeline.nll]\ntype = \"NLLLoss\"\n")
            .string();
    const ptp::test::ProcessResult said = ptp::test::ptprun({"check", "--data", file});
    CHECK(said.status == 2);
    const std::string column = std::to_string(task(table).find("\"knid\"") + 1);
    const auto error = [&](const std::string& line, const std::string& section,
                           const std::string& path) {
        return file + ":" + line + ":" + column + ": error: " + section +
               ".task.label = \"knid\": 'knid' is not a column of " + path +
               ", which has 'x', 'kind'\n    fix: write label = \"kind\"\n";
    };
    const std::string errors =
        error("3", "training", table) + error("5", "validation", other) + "2 errors\n";
    CHECK(ptp::test::without_excerpts(said.errors) == errors);
    const ptp::test::ProcessResult first_lines = ptp::test::ptprun({"check", file});
    CHECK(first_lines.status == 2);
    CHECK(ptp::test::without_excerpts(first_lines.errors) == errors);
    const auto typed = [&](const std::string& label) {
        const ptp::test::ProcessResult one =
            ptp::test::ptprun({"check", file, "--set", "validation.task.label=kind", "--set",
                               "training.task.label=" + label});
        return ptp::test::without_excerpts(one.errors);
    };
    const std::string has = " is not a column of " + table + ", which has 'x', 'kind'\n    fix: ";
    CHECK(typed("kind") == "");
    CHECK(typed("knid") == "--set: error: training.task.label = \"knid\": 'knid'" + has +
                               "--set 'training.task.label=\"kind\"'\n");
    CHECK(typed("price") == "--set: error: training.task.label = \"price\": 'price'" + has +
                                "write the name of one of these columns\n");
    const ptp::test::ProcessResult values = ptp::test::ptprun(
        {"check", file, "--set", "validation.task.label=kind", "--set", "training.task.label=kind",
         "--set", "training.task.values=[\"x\", \"X\"]"});
    CHECK(ptp::test::without_excerpts(values.errors)
              .starts_with("--set: error: training.task.values[1] = \"X\": 'X'" + has +
                           "write \"x\" in place of it\n"));
}

TEST_CASE("text tasks: following the advice makes the classes of two tables fit") {
    const TempFolder folder;
    std::string prices = "x,kind\n";
    std::string others = prices;
    for (int i = 0; i < 15; ++i) {
        prices += "1," + std::to_string(i) + ".5\n";
        others += "1," + std::to_string(i) + ".7\n";
    }
    folder.write("prices.csv", prices);
    folder.write("others.csv", others);
    folder.write("two.csv", "x,kind\n1,high\n2,low\n");
    folder.write("three.csv", "x,kind\n1,high\n2,low\n3,NA\n");
    folder.write("four.csv", "x,kind\n1,high\n2,low\n3,NA\n4,mid\n");
    const auto fix = [&](const std::string& training, const std::string& validation) {
        const auto task = [&](const std::string& name) {
            return "task = { type = \"CsvTable\", batch_size = 4, file = \"" +
                   (folder.path() / name).string() + "\", features = [\"x\"], label = \"kind\" }\n";
        };
        const auto file =
            folder.write("e.toml", std::string(kTraining) + task(training) + "[validation]\n" +
                                       task(validation) +
                                       "[pipeline.net]\ntype = "
                                       "\"FeedForwardNetwork\"\nglobals = { prediction_size = "
                                       "\"num_classes\" }\n[pipeline.nll]\ntype = \"NLLLoss\"\n");
        const std::string errors = ptp::test::ptprun({"check", "--data", file.string()}).errors;
        const auto begin = errors.find("fix: ");
        return begin == std::string::npos ? errors : errors.substr(begin);
    };
    CHECK(fix("three.csv", "two.csv") ==
          "fix: remove the samples whose class is 'NA', a mark of a missing value\n");
    CHECK(
        fix("two.csv", "four.csv") ==
        "fix: remove the samples whose class is 'NA', a mark of a missing value, and write classes "
        "= [\"high\", \"low\", \"mid\"] in the task of each section\n");
    CHECK(fix("prices.csv", "others.csv") ==
          "fix: to predict numbers, write values = [\"kind\"] in place of label in each task, and "
          "take a loss of numbers\n");
    CHECK(fix("two.csv", "two.csv").starts_with("fix: read other data, or give [training]"));
}

TEST_CASE("text tasks: the words of a column become a vocabulary as the advice says") {
    const TempFolder folder;
    const auto table = folder.write("t.csv", "a,kind\nso long,x\nso dull,y\n");
    const auto experiment = [&](const std::string& more, const std::string& globals) {
        return folder
            .write("e.toml",
                   std::string(kTraining) +
                       "task = { type = \"CsvTable\", batch_size = 2, file = \"" + table.string() +
                       "\", text = \"a\", label = \"kind\"" + more +
                       " }\n[pipeline.tokenizer]\ntype = \"SentenceTokenizer\"\nstreams = { "
                       "inputs = \"texts\", outputs = \"words\" }\n[pipeline.bags]\ntype = "
                       "\"BOWEncoder\"\ninput_mode = \"words\"\nstreams = { inputs = \"words\", "
                       "outputs = \"bags\" }\nglobals = { word_mappings = \"all_words\", "
                       "vocabulary_size = \"word_count\" }\n[pipeline.net]\ntype = "
                       "\"FeedForwardNetwork\"\nstreams = { inputs = \"bags\" }\n" +
                       globals + "[pipeline.nll]\ntype = \"NLLLoss\"\n")
            .string();
    };
    const std::string globals =
        "globals = { input_size = \"word_count\", prediction_size = \"num_classes\" }\n";
    const ptp::test::ProcessResult without = ptp::test::ptprun({"check", experiment("", globals)});
    CHECK_MESSAGE(without.errors.find("reads global 'all_words', which nothing publishes") !=
                      std::string::npos,
                  without.errors);
    CHECK_MESSAGE(without.errors.ends_with("    fix: set training.task.vocabulary = true and write "
                                           "globals = { word_mappings = \"all_words\" } in "
                                           "training.task\n"),
                  without.errors);
    const std::string followed = ", vocabulary = true, globals = { word_mappings = \"all_words\" }";
    CHECK(ptp::test::ptprun({"check", "--data", experiment(followed, globals)}).errors == "");
}

TEST_CASE("text tasks: a table of vectors for fewer words than there are is warned of") {
    const TempFolder folder;
    write_table(folder);
    const auto said = [&](const std::string& rows, const std::string& globals) {
        const std::string experiment =
            kTraining +
            std::string(
                "task = { batch_size = 4, type = \"Table\", file = \"table.csv\", text = \"name\", label = "
                "\"kind\", vocabulary = true, globals = { word_mappings = \"words\" } }\n") +
            "[pipeline.tokens]\ntype = \"SentenceTokenizer\"\nstreams = { inputs = \"texts\", outputs "
            "= \"tokens\" }\n"
            "[pipeline.indexer]\ntype = \"SentenceIndexer\"\nadditional_tokens = [\"<PAD>\"]\n"
            "streams = { inputs = \"tokens\", outputs = \"ids\" }\nglobals = { word_mappings = "
            "\"words\"" +
            globals +
            " }\n[pipeline.net]\ntype = \"LayerStack\"\nlayers = [{ type = \"Embedding\", "
            "num_embeddings = " +
            rows +
            ", embedding_dim = 4 }, { type = \"GRU\", hidden = 4, streams = { last = \"end\" } }, { "
            "type = \"Linear\", out = \"num_classes\", streams = { inputs = \"end\" } }]\n"
            "streams = { inputs = \"ids\", outputs = \"predictions\" }\n"
            "[pipeline.loss]\ntype = \"CrossEntropyLoss\"\n";
        const auto file = folder.write("small.toml", experiment);
        return ptp::test::without_folder(
            ptp::test::run_program("ptprun", {"check", file.string(), "--data"}).errors,
            folder.path());
    };
    const std::string begin =
        "warning: FOLDER/small.toml:17:11: pipeline.net.layers[0].num_embeddings = 20, and "
        "'indexer' (SentenceIndexer) writes the indices of ";
    const std::string end = " words: the first of those beyond ends the run\n    fix: ";
    const std::string fix = "set pipeline.net.layers[0].num_embeddings = \"word_count\"\n";
    CHECK(said("20", ", vocabulary_size = \"word_count\"").find(begin + "26" + end + fix) !=
          std::string::npos);
    CHECK(said("20", "").find(begin + "at least 25" + end +
                              "write globals = { vocabulary_size = \"word_count\" } in "
                              "pipeline.indexer and " +
                              fix) != std::string::npos);
    CHECK(said("\"word_count\"", ", vocabulary_size = \"word_count\"").find("num_embeddings") ==
          std::string::npos);
}

}  // namespace text_tasks_test
