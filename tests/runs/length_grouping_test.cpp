// Whole trainings whose batches have sentences of similar lengths.

#include "runs/same_bits.hpp"
#include "runs/support.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>

namespace length_grouping_test {

using namespace ptp::test;

namespace {

// 26 sentences of 1 to 12 words, the lengths mixed: 24 in pairs of one length, then 7 and 8 words.
std::string experiment(const TempFolder& folder, const std::string& sampler) {
    std::string rows = "text,kind\n";
    std::string words;
    for (int i = 0; i < 26; ++i) {
        const int length = i < 24 ? i * 5 % 12 + 1 : i - 17;
        for (int word = 0; word < length; ++word) {
            rows += (word == 0 ? "w" : " w") + std::to_string(word);
        }
        rows += length <= 6 ? ",short\n" : ",long\n";
        words += "w" + std::to_string(i) + "\n";
    }
    const std::string task = "task = { type = \"CsvTable\", batch_size = 4, file = \"" +
                             folder.write("table.csv", rows).string() +
                             "\", text = \"text\", label = \"kind\" }\n";
    return "seed = 3\nname = \"tiny\"\n[training]\noptimizer = { type = \"Adam\", lr = 0.02 }\n"
           "terminal_conditions = { epoch_limit = 6, loss_stop_threshold = 0.0 }\n" +
           sampler + task + "[validation]\n" + task +
           "[pipeline.tokenizer]\ntype = \"SentenceTokenizer\"\n"
           "streams = { inputs = \"texts\", outputs = \"words\" }\n"
           "[pipeline.indexer]\ntype = \"SentenceIndexer\"\noutput_lengths = true\n"
           "source_vocabulary_files = [\"" +
           folder.write("words.txt", words).string() +
           "\"]\nstreams = { inputs = \"words\", outputs = \"word_indices\" }\n"
           "globals = { vocabulary_size = \"word_count\" }\n"
           "[pipeline.embeddings]\ntype = \"IndexEmbeddings\"\nembeddings_size = 6\n"
           "streams = { inputs = \"word_indices\", outputs = \"vectors\" }\n"
           "globals = { vocab_size = \"word_count\" }\n"
           "[pipeline.net]\ntype = \"RecurrentNeuralNetwork\"\nhidden_size = 8\n"
           "use_lengths = true\nprediction_mode = \"Last\"\n"
           "streams = { inputs = \"vectors\" }\nglobals = { prediction_size = \"num_classes\" }\n"
           "[pipeline.nll]\ntype = \"NLLLoss\"\n"
           "[pipeline.exporter]\ntype = \"StreamFileExporter\"\nfilename = \"rows.csv\"\n"
           "input_streams = [\"indices\", \"lengths\", \"word_indices\"]\n";
}

constexpr const char* kGrouped = "sampler = { type = \"LengthGroupedSampler\" }\n";

ProcessResult train(const TempFolder& folder, const std::string& name,
                    std::vector<std::string> more = {}) {
    more.insert(more.begin(), {(folder.path() / "experiment.toml").string(), "--run-dir",
                               (folder.path() / name).string()});
    ProcessResult result = ptprun(more);
    CHECK(without_warnings(result.errors, "has the samples of [training]") == "");
    return result;
}

// Steps of a section that are padding, over the whole run: training,1,0,5,2,"[7,8,0,0]".
int padded_steps(const std::string& rows, const std::string& section) {
    std::istringstream lines(rows);
    int padded = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(section + ",")) {
            const std::string steps = line.substr(line.find('['));
            std::istringstream cells(line);
            std::string length;
            for (int cell = 0; cell < 5; ++cell) {
                std::getline(cells, length, ',');
            }
            padded += 1 + static_cast<int>(std::ranges::count(steps, ',')) - std::stoi(length);
        }
    }
    return padded;
}

}  // namespace

TEST_CASE("length grouping: threads, kills and swaps change no bit") {
    const TempFolder folder;
    ptp::test::check_same_bits(folder, experiment(folder, kGrouped));
}

TEST_CASE("length grouping: batches need less padding than shuffled ones") {
    const TempFolder folder;
    folder.write("experiment.toml", experiment(folder, kGrouped));
    REQUIRE(train(folder, "grouped",
                  {"--set", "training.dataloader.drop_last=true", "--set",
                   "validation.sampler.type=LengthGroupedSampler"})
                .status == 0);
    REQUIRE(train(folder, "shuffled",
                  {"--set", "training.dataloader.drop_last=true", "--set", "training.sampler=none"})
                .status == 0);
    const std::string grouped = folder.read("grouped/exports/rows.csv");
    const std::string shuffled = folder.read("shuffled/exports/rows.csv");
    // Sorted 1 1 2 2, 3 3 4 4, 5 5 6 6, 7 7 7 8, 8 8 9 9, 10 10 11 11, 12 12 and six validations.
    CHECK(padded_steps(grouped, "validation") == 6 * (2 + 2 + 2 + 3 + 2 + 2));
    // In training two samples are left out of each epoch, so that a batch may have one length more.
    CHECK(padded_steps(grouped, "training") <= 6 * 6 * 5);
    CHECK(padded_steps(grouped, "training") * 3 < padded_steps(shuffled, "training"));
    CHECK(std::ranges::count(grouped, '\n') == 1 + 6 * (24 + 26));
}

TEST_CASE(
    "length grouping: a run that is resumed within an epoch continues with the same batches") {
    const TempFolder folder;
    folder.write("experiment.toml",
                 experiment(folder, "sampler = { type = \"LengthGroupedSampler\", pool = 2 }\n"));
    REQUIRE(
        train(folder, "whole", {"--set", "training.terminal_conditions.epoch_limit=2"}).status ==
        0);
    REQUIRE(train(folder, "parts",
                  {"--set", "training.terminal_conditions.episode_limit=10", "--set",
                   "training.terminal_conditions.epoch_limit=2"})
                .status == 0);
    const ProcessResult resumed = ptprun({"resume", (folder.path() / "parts").string(), "--set",
                                          "training.terminal_conditions.episode_limit=-1"});
    CHECK(without_warnings(resumed.errors, "has the samples of [training]") == "");
    REQUIRE(resumed.status == 0);
    const auto weights = [&](const std::string& run) {
        return folder.read(run + "/checkpoints/last/weights.safetensors");
    };
    CHECK((weights("parts") == weights("whole")));
    // A pool of two batches is sorted, not all: other batches, and more padding.
    CHECK(padded_steps(folder.read("whole/exports/rows.csv"), "training") > 2 * 6 * 5);
}

TEST_CASE(
    "length grouping: a cross-validation groups what is trained on, and check knows streams") {
    const TempFolder folder;
    folder.write("experiment.toml", experiment(folder, kGrouped));
    const std::string path = (folder.path() / "experiment.toml").string();
    require_success(
        ptprun({"cv", path, "--folds", "2", "--run-dir", (folder.path() / "cv").string(), "--set",
                "training.terminal_conditions.epoch_limit=1"}));
    const ProcessResult checked = run_program("ptprun", {"check", path});
    CHECK(without_warnings(checked.errors, "has the samples of [training]") == "");
    CHECK(checked.status == 0);
    const ProcessResult wrong = run_program(
        "ptprun", {"check", path, "--set", "training.sampler.length_stream=\"length\""});
    CHECK(wrong.status == 2);
    CHECK(wrong.errors.find(
              "training.sampler.length_stream = \"length\": neither the task of "
              "[training] (CsvTable) nor a transform behind it that treats each sample by "
              "itself has a stream of this name with an integer for each sample; did "
              "you mean 'lengths'?") != std::string::npos);
}

TEST_CASE(
    "length grouping: a section that is split by what a transform writes is processed alone") {
    const TempFolder folder;
    const auto sampler = [](const std::string& share) {
        return "{ type = \"StratifiedSplitSampler\", label_stream = \"lengths\", share = " + share +
               " }";
    };
    folder.write("experiment.toml", experiment(folder, ""));
    REQUIRE(train(folder, "run",
                  {"--set", "training.sampler=" + sampler("[0.0, 0.5]"), "--set",
                   "validation.sampler=" + sampler("[0.5, 1.0]")})
                .status == 0);
    require_success(
        ptprun({"process", (folder.path() / "run").string(), "--section", "validation"}));
}

}  // namespace length_grouping_test
