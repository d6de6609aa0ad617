// Whole trainings on questions about images: threads, kills and swaps change no bit.

#include "plugins/vqa_med_files.hpp"
#include "runs/same_bits.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace question_tasks_test {

namespace {

using ptp::test::TempFolder;

// Words and neighbors that are drawn, weights and vocabularies of the task, and images.
std::string experiment(const TempFolder& folder) {
    const std::string task =
        "task = { type = \"VQAMED2019\", batch_size = 4, resize_image = [8, 8], split = "
        "\"training\", tokenize_questions = true, vocabulary = \"training\", data_folder = \"" +
        folder.path().string() +
        "\", globals = { question_word_mappings = \"words\", answer_mappings = \"all_answers\" }";
    return "seed = 3\nname = \"tiny\"\n[training]\noptimizer = { type = \"Adam\", lr = 0.02 }\n"
           "terminal_conditions = { epoch_limit = 6, loss_stop_threshold = 0.0 }\n"
           "sampler = { type = \"WeightedRandomSampler\", weights = \"task\" }\n" +
           task + ", question_preprocessing = \"all\" }\n[validation]\n" + task + " }\n" +
           "[pipeline.exporter]\ntype = \"StreamFileExporter\"\nfilename = \"rows.csv\"\n"
           "input_streams = [\"indices\", \"image_ids\", \"questions\", \"answers\"]\n"
           "[pipeline.answer_indexer]\ntype = \"LabelIndexer\"\n"
           "streams = { inputs = \"answers\", outputs = \"targets\" }\n"
           "globals = { word_mappings = \"all_answers\", vocabulary_size = \"answer_count\" }\n"
           "[pipeline.words]\ntype = \"BOWEncoder\"\ninput_mode = \"words\"\n"
           "streams = { inputs = \"questions\", outputs = \"counts\" }\n"
           "globals = { word_mappings = \"words\", vocabulary_size = \"word_count\" }\n"
           "[pipeline.flatten]\ntype = \"Flatten\"\n"
           "streams = { inputs = \"images\", outputs = \"pixels\" }\n"
           "[pipeline.join]\ntype = \"LowRankBilinearPooling\"\ndropout_rate = 0.1\n"
           "streams = { image_encodings = \"pixels\", question_encodings = \"counts\", outputs = "
           "\"joined\" }\nglobals = { output_size = 8 }\n"
           "[pipeline.net]\ntype = \"FeedForwardNetwork\"\n"
           "streams = { inputs = \"joined\" }\nglobals = { prediction_size = \"answer_count\" }\n"
           "[pipeline.nll]\ntype = \"NLLLoss\"\n";
}

}  // namespace

TEST_CASE("question tasks: threads, kills and swaps change no bit of a training on VQA-Med") {
    const TempFolder folder;
    test::write_vqa_med(folder.path(), 4);
    ptp::test::check_same_bits(folder, experiment(folder));
    // A row of each sample of each section and epoch, and the header.
    const std::string rows = folder.read("plain/exports/rows.csv");
    CHECK(std::count(rows.begin(), rows.end(), '\n') == 6 * (16 + 16) + 1);
}

TEST_CASE("question tasks: weights of the test without answers are refused") {
    const TempFolder folder;
    test::write_vqa_med(folder.path(), 2);
    std::string text = experiment(folder);
    const std::string split = "split = \"training\"";
    text.replace(text.find(split), split.size(), "split = \"test\"");
    const auto file = folder.write("experiment.toml", text);
    const auto result = ptp::test::run_program(
        "ptprun", {file.string(), "--run-dir", (folder.path() / "run").string()});
    CHECK(
        ptp::test::without_excerpts(result.errors) ==
        file.string() +
            ":7:78: error: training.task.split = \"test\": questions without answers have none to "
            "draw by\n");
}

}  // namespace question_tasks_test
