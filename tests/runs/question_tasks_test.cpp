// Whole trainings on questions about images: threads, kills and swaps change no bit.

#include "plugins/vqa_med_files.hpp"
#include "runs/same_bits.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace question_tasks_test {

namespace {

using ptp::test::TempFolder;

// Words and neighbors that are drawn, weights and vocabularies of the task, and images. `answers`
// is the stream that has the right ones.
std::string experiment(const TempFolder& folder, const std::string& answers = "answers") {
    const std::string task =
        "task = { type = \"VQAMED2019\", batch_size = 4, resize_image = [8, 8], split = "
        "\"training\", tokenize_questions = true, vocabulary = \"training\", data_folder = \"" +
        folder.path().string() + "\", streams = { answers = \"" + answers +
        "\" }, globals = { question_word_mappings = \"words\", answer_mappings = \"all_answers\" }";
    return "seed = 3\nname = \"tiny\"\n[training]\noptimizer = { type = \"Adam\", lr = 0.02 }\n"
           "terminal_conditions = { epoch_limit = 6, loss_stop_threshold = 0.0 }\n"
           "sampler = { type = \"WeightedRandomSampler\", weights = \"task\" }\n" +
           task + ", question_preprocessing = \"all\" }\n[validation]\n" + task + " }\n" +
           "[pipeline.exporter]\ntype = \"StreamFileExporter\"\nfilename = \"rows.csv\"\n"
           "input_streams = [\"indices\", \"image_ids\", \"questions\", \"" +
           answers +
           "\"]\n"
           "[pipeline.answer_indexer]\ntype = \"LabelIndexer\"\n"
           "streams = { inputs = \"" +
           answers +
           "\", outputs = \"targets\" }\n"
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

TEST_CASE("question tasks: a submission has the image and the answer of each question alone") {
    const TempFolder folder;
    test::write_vqa_med(folder.path(), 2);
    const auto part = ptp::test::source_dir() / "configs/vqa_med_2019/parts/answer_files.toml";
    const auto file =
        folder.write("experiment.toml", "include = \"" + part.string() + "\"\n" +
                                            experiment(folder, "predicted_answers") +
                                            "[pipeline]\ndisable = [\"answer_exporter\"]\n");
    const std::string run = (folder.path() / "run").string();
    require_success(ptp::test::run_program("ptprun", {file.string(), "--run-dir", run}));
    require_success(ptp::test::run_program(
        "ptprun", {"process", run, "--run-dir", (folder.path() / "out").string(), "--section",
                   "validation", "--set", "validation.task.split=\"test_answers\""}));
    CHECK(folder.read("out/exports/submission.txt") ==
          "test0|XR - Plain Film\ntest0|axial\ntest0|lung, mediastinum, pleura\n"
          "test0|acute appendicitis\ntest1|yes\ntest1|coronal\ntest1|skull and contents\n"
          "test1|yes\n");
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

TEST_CASE("question tasks: a word that only the test's questions have is found at the start") {
    const TempFolder folder;
    test::write_vqa_med(folder.path(), 2);
    const auto asked = folder.path() / "ImageClef-2019-VQA-Med-Test/VQAMed2019_Test_Questions.txt";
    std::ofstream(asked, std::ios::app) << "test0|where is the zebra?\n";
    std::string text = experiment(folder);
    std::string section = text.substr(text.find("[validation]"));
    section = section.substr(0, section.find("[pipeline"));
    section.replace(0, std::string("[validation]").size(), "[test]");
    section.replace(section.find("\"training\""), std::string("\"training\"").size(), "\"test\"");
    text.insert(text.find("[pipeline"), section);
    const auto file = folder.write("experiment.toml", text);
    const std::string run = (folder.path() / "run").string();
    const auto result = ptp::test::run_program("ptprun", {file.string(), "--run-dir", run});
    CHECK(result.status == 4);
    CHECK(
        ptp::test::without_excerpts(result.errors)
            .ends_with(
                "'words' (BOWEncoder): sample 8: 'where' is not in the vocabulary (size "
                "18)\n    fix: set unknown = \"<UNK>\" and additional_tokens = "
                "[\"<UNK>\"] for the training, or leave the word out\n    found in [test], whose texts are read before the "
                "training begins\n"));
}

TEST_CASE("question tasks: new questions are answered where the training's files are gone") {
    namespace fs = std::filesystem;
    const TempFolder folder;
    test::write_vqa_med(folder.path(), 2);
    const auto file = folder.write("experiment.toml", experiment(folder));
    const std::string run = (folder.path() / "run").string();
    const auto trained = ptp::test::run_program("ptprun", {file.string(), "--run-dir", run});
    REQUIRE(trained.status == 0);
    const fs::path training = folder.path() / "ImageClef-2019-VQA-Med-Training";
    fs::copy_file(*fs::directory_iterator(training / "Train_images"), folder.path() / "new.jpg");
    fs::remove_all(training);
    const auto predict = [&](const std::string& option, const std::string& data) {
        return ptp::test::run_program("ptprun", {"predict", run, option, data, "--quiet"});
    };
    const std::string question = "|is this the plane?\n";
    const auto lines = folder.write("asked.txt", "new.jpg" + question + "\nnew.jpg" + question);
    const auto by_file = predict("--data", lines.string());
    CHECK(by_file.errors == "");
    REQUIRE(by_file.status == 0);
    CHECK(by_file.output.starts_with("index,predicted,score\n0,"));
    const std::string image = (folder.path() / "new.jpg").string();
    const auto by_text = predict("--text", image + "|is this the plane?");
    CHECK(by_text.errors == "");
    // The last digit of a score depends on how many rows a matrix product has.
    const auto before_score = [](const std::string& text) {
        return text.substr(0, text.find('\n', text.find("\n0,") + 1)).rfind(',');
    };
    const std::size_t by_file_at = before_score(by_file.output);
    const std::size_t by_text_at = before_score(by_text.output);
    CHECK(by_file.output.substr(0, by_file_at) == by_text.output.substr(0, by_text_at));
    CHECK(std::stod(by_file.output.substr(by_file_at + 1)) ==
          doctest::Approx(std::stod(by_text.output.substr(by_text_at + 1))).epsilon(1e-5));
    const auto wrong = predict("--text", "what is it?");
    CHECK(wrong.status == 2);
    CHECK(
        wrong.errors.find("text 1: expected image|question, such as \"photo.jpg|What is this?\"") !=
        std::string::npos);
    CHECK(predict("--text", "none.jpg|is this the plane?").status == 4);
}

}  // namespace question_tasks_test
