// VQAMED2019 on a miniature: two images each of training, validation and test.

#include "pictures.hpp"
#include "refusal.hpp"
#include "support.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <thread>

namespace vqa_med_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::TempFolder;
using Words = std::vector<std::string>;
using Sentences = std::vector<Words>;

constexpr const char* kObtain =
    "take the files of VQA-Med 2019 from https://github.com/abachaa/VQA-Med-2019, unpack them, and "
    "set data_folder to the folder with ImageClef-2019-VQA-Med-Training, "
    "ImageClef-2019-VQA-Med-Validation and ImageClef-2019-VQA-Med-Test";
const std::string kTraining = "ImageClef-2019-VQA-Med-Training/";
const std::string kValidation = "ImageClef-2019-VQA-Med-Validation/";
const std::string kTest = "ImageClef-2019-VQA-Med-Test/";
const std::string kModality = kTraining + "QAPairsByCategory/C1_Modality_train.txt";

void write_image(const TempFolder& folder, const std::string& file, uint32_t height,
                 uint8_t value) {
    const fs::path path = folder.path() / file;
    test::write_jpeg(path, {8, height, std::vector<uint8_t>(std::size_t{8} * height, value), {}});
}

void write_training(const TempFolder& folder) {
    folder.write(kModality,
                 "a|What modality is it?|XR - Plain Film\n"
                 "b|Is this a \xE2\x80\x9CT1\xE2\x80\x9D image?|yes\r\n\n"
                 "b|is it T1 or T2?|T2\n");
    folder.write(kTraining + "QAPairsByCategory/C2_Plane_train.txt",
                 "a|in what plane is it?|axial\n");
    folder.write(kTraining + "QAPairsByCategory/C3_Organ_train.txt",
                 "b|which organ is it?|the lung");
    folder.write(kTraining + "QAPairsByCategory/C4_Abnormality_train.txt",
                 "a|does it look normal?|no\nb|what is wrong?|fracture of the lung\n");
    write_image(folder, kTraining + "Train_images/a.jpg", 4, 51);
    write_image(folder, kTraining + "Train_images/b.jpg", 16, 102);
}

void write_validation(const TempFolder& folder) {
    const char* line = "v|what is it?|";
    folder.write(kValidation + "QAPairsByCategory/C1_Modality_val.txt", line + std::string("us"));
    folder.write(kValidation + "QAPairsByCategory/C2_Plane_val.txt", line + std::string("axial"));
    folder.write(kValidation + "QAPairsByCategory/C3_Organ_val.txt", line + std::string("skull"));
    folder.write(kValidation + "QAPairsByCategory/C4_Abnormality_val.txt",
                 line + std::string("cyst"));
    write_image(folder, kValidation + "Val_images/v.jpg", 8, 0);
}

void write_tests(const TempFolder& folder) {
    folder.write(kTest + "VQAMed2019_Test_Questions.txt", "t|what organ is it?\nt|is it normal?\n");
    folder.write(kTest + "VQAMed2019_Test_Questions_w_Ref_Answers.txt",
                 "t|organ|what organ is it?|lung#lungs\nt|abnormality|is it normal?|no\n"
                 "t|plane|what plane?|axial\n");
    write_image(folder, kTest + "VQAMed2019_Test_Images/t.jpg", 8, 0);
}

test::Component build(const TempFolder& folder, const std::string& more = "",
                      const std::string& section = "training", test::Wiring wiring = {}) {
    wiring.section = section;
    return test::build("vision_tasks", "VQAMED2019",
                       "data_folder = \"" + folder.path().string() + "\"\n" + more, wiring);
}

std::string refusal(const TempFolder& folder, const std::string& more = "",
                    const std::string& section = "training") {
    return test::refusal(folder.path(), [&] { build(folder, more, section); });
}

std::vector<int64_t> all(test::Component& task) {
    std::vector<int64_t> indices(static_cast<size_t>(task.size()));
    for (size_t i = 0; i < indices.size(); ++i) {
        indices[i] = static_cast<int64_t>(i);
    }
    return indices;
}

// The words of a table by their numbers, with spaces between.
std::string words_of(test::Component& task, const char* global) {
    std::string text;
    for (const auto& member : task.published().at(global).as_table()) {
        text += (text.empty() ? "" : " | ") + member.key + "=" +
                std::to_string(member.value.as_integer());
    }
    return text;
}

}  // namespace

TEST_CASE("VQAMED2019: questions, categories, answers, images and their sizes") {
    const TempFolder folder;
    write_training(folder);
    auto task = build(folder, "resize_image = [2, 3]\nscale_image_size = [32, 16]");
    REQUIRE(task.size() == 7);
    const test::Slots batch = task.fetch({6, 0, 1, 2, 3, 4, 5});
    CHECK(batch.at("image_ids").strings() == Words{"b", "a", "b", "b", "a", "b", "a"});
    CHECK(batch.at("questions").strings() ==
          Words{"what is wrong", "what modality is it", "is this a  t1  image", "is it t1 or t2",
                "in what plane is it", "which organ is it", "does it look normal"});
    CHECK(batch.at("answers").strings() ==
          Words{"fracture of the lung", "XR - Plain Film", "yes", "T2", "axial", "the lung", "no"});
    CHECK(batch.at("category_names").strings() ==
          Words{"C4", "C1", "BINARY", "C1", "C2", "C3", "BINARY"});
    CHECK(torch::equal(batch.at("category_ids").tensor(), test::integers({3, 0, 4, 0, 1, 2, 4})));
    // Heights 4 and 16 of 32, widths 8 of 16.
    CHECK(torch::equal(
        batch.at("image_sizes").tensor(),
        test::floats({0.5, 0.5, 0.125, 0.5, 0.5, 0.5, 0.5, 0.5, 0.125, 0.5, 0.5, 0.5, 0.125, 0.5},
                     {7, 2})));
    const at::Tensor images = batch.at("images").tensor();
    REQUIRE(images.sizes() == at::IntArrayRef({7, 3, 2, 3}));
    CHECK(torch::allclose(images.select(1, 2).select(1, 1).select(1, 2),
                          test::floats({0.4, 0.2, 0.4, 0.4, 0.2, 0.4, 0.2}, {7}), 0, 1e-6));
    CHECK(task.published().at("num_categories") == ptp::Data(6));
    CHECK(words_of(task, "category_word_mappings") ==
          "C1=0 | C2=1 | C3=2 | C4=3 | BINARY=4 | <UNK>=5");
    CHECK(task.published().at("image_height") == ptp::Data(2));
    CHECK(task.published().at("image_depth") == ptp::Data(3));
}

TEST_CASE("VQAMED2019: preloaded images are the same") {
    const TempFolder folder;
    write_training(folder);
    auto task = build(folder, "resize_image = [3, 5]\nnormalize = { mean = 0.2, std = 0.1 }");
    auto preloaded = build(folder,
                           "resize_image = [3, 5]\nnormalize = { mean = 0.2, std = 0.1 }\n"
                           "preload_images = true");
    fs::remove(folder.path() / (kTraining + "Train_images/a.jpg"));
    write_image(folder, kTraining + "Train_images/a.jpg", 4, 0);
    CHECK(torch::allclose(preloaded.fetch({0}).at("images").tensor(), torch::zeros({1, 3, 3, 5}), 0,
                          1e-5));
    CHECK(torch::equal(preloaded.fetch({5, 1}).at("images").tensor().select(0, 1),
                       task.fetch({1}).at("images").tensor().select(0, 0)));
}

TEST_CASE("VQAMED2019: the files of each split, in order") {
    const TempFolder folder;
    write_training(folder);
    write_validation(folder);
    write_tests(folder);
    struct Case {
        const char* settings;
        const char* section;
        Words answers;
        Words categories;
    };
    const std::array<Case, 7> cases{{
        {"",
         "training",
         {"XR - Plain Film", "yes", "T2", "axial", "the lung", "no", "fracture of the lung"},
         {"C1", "BINARY", "C1", "C2", "C3", "BINARY", "C4"}},
        {"categories = ['C4', 'C2']",
         "training",
         {"axial", "no", "fracture of the lung"},
         {"C2", "BINARY", "C4"}},
        {"", "validation", {"us", "axial", "skull", "cyst"}, {"C1", "C2", "C3", "C4"}},
        {"split = 'training_validation'\ncategories = 'C3'",
         "test",
         {"the lung", "skull"},
         {"C3", "C3"}},
        {"", "test", {"<UNK>", "<UNK>"}, {"<UNK>", "BINARY"}},
        {"", "test_answers", {"lung#lungs", "no", "axial"}, {"C3", "BINARY", "C2"}},
        {"categories = ['C1', 'C2', 'C4']", "test_answers", {"no", "axial"}, {"BINARY", "C2"}},
    }};
    for (const Case& c : cases) {
        CAPTURE(c.settings);
        CAPTURE(c.section);
        auto task = build(folder, c.settings, c.section);
        const test::Slots batch = task.fetch(all(task));
        CHECK(batch.at("answers").strings() == c.answers);
        CHECK(batch.at("category_names").strings() == c.categories);
    }
    auto both = build(folder, "split = 'training_validation'\nstream_images = false");
    CHECK(both.fetch({0, 7, 8, 10}).at("image_ids").strings() == Words{"a", "v", "v", "v"});
    CHECK_FALSE(both.published().contains("image_height"));
    CHECK_FALSE(both.fetch({0}).contains("image_sizes"));
}

TEST_CASE("VQAMED2019: texts are changed and split as the settings say") {
    const TempFolder folder;
    write_training(folder);
    auto plain = build(folder, "question_preprocessing = []");
    CHECK(plain.fetch({1}).at("questions").strings() ==
          Words{"Is this a \xE2\x80\x9CT1\xE2\x80\x9D image?"});
    CHECK(plain.fetch({1}).at("category_names").strings() == Words{"BINARY"});
    auto lower =
        build(folder, "question_preprocessing = 'lowercase'\nanswer_preprocessing = 'lowercase'");
    CHECK(lower.fetch({0}).at("questions").strings() == Words{"what modality is it?"});
    CHECK(lower.fetch({0}).at("answers").strings() == Words{"xr - plain film"});
    auto words = build(folder,
                       "tokenize_questions = true\ntokenize_answers = true\n"
                       "answer_preprocessing = ['lowercase', 'remove_punctuation']");
    CHECK(words.fetch({1}).at("questions").tokens() ==
          Sentences{{"is", "this", "a", "t1", "image"}});
    CHECK(words.fetch({0}).at("answers").tokens() == Sentences{{"xr", "plain", "film"}});
}

TEST_CASE("VQAMED2019: stop words leave, and neighbors change places, by the sample's seed") {
    const TempFolder folder;
    write_training(folder);
    auto removed = build(folder,
                         "tokenize_questions = true\n"
                         "question_preprocessing = ['lowercase', 'random_remove_stop_words']");
    std::set<Words> seen;
    int count = 0;
    for (uint64_t seed = 0; seed < 400; ++seed) {
        const Words words = removed.fetch({4}, seed).at("questions").tokens()[0];
        CHECK(words == removed.fetch({4}, seed).at("questions").tokens()[0]);
        CHECK(words.size() >= 1);
        seen.insert(words);
        count += static_cast<int>(std::ranges::count(words, "it?"));
        CHECK(std::ranges::count(words, "organ") == 1);
    }
    // "which organ is it?": only which and is are stop words, and each stays or not.
    CHECK(seen == std::set<Words>{{"which", "organ", "is", "it?"},
                                  {"organ", "is", "it?"},
                                  {"which", "organ", "it?"},
                                  {"organ", "it?"}});
    CHECK(count == 400);
    auto exchanged = build(folder, "question_preprocessing = 'random_shuffle_words'");
    std::map<std::string, int> orders;
    for (uint64_t seed = 0; seed < 1200; ++seed) {
        ++orders[exchanged.fetch({6}, seed).at("questions").strings()[0]];
    }
    REQUIRE(orders.size() == 3);
    // Half of them as they are, a quarter with each pair exchanged: 600 and 300, with three
    // standard deviations.
    CHECK(std::abs(orders["what is wrong?"] - 600) < 52);
    CHECK(std::abs(orders["is what wrong?"] - 300) < 45);
    CHECK(std::abs(orders["what wrong? is"] - 300) < 45);
}

TEST_CASE("VQAMED2019: a question of stop words alone keeps them") {
    const TempFolder folder;
    folder.write(kModality, "a|what is this|x\n");
    auto task = build(folder,
                      "stream_images = false\ncategories = 'C1'\ntokenize_questions = true\n"
                      "question_preprocessing = 'all'");
    for (uint64_t seed = 0; seed < 50; ++seed) {
        CHECK(task.fetch({0}, seed).at("questions").tokens()[0].size() >= 1);
    }
}

TEST_CASE("VQAMED2019: vocabularies of the split that is asked for") {
    const TempFolder folder;
    write_training(folder);
    write_validation(folder);
    auto task = build(folder,
                      "stream_images = false\nvocabulary = 'training'\n"
                      "answer_preprocessing = ['lowercase', 'remove_punctuation']",
                      "validation");
    CHECK(words_of(task, "question_word_mappings") ==
          "what=0 | modality=1 | is=2 | it=3 | this=4 | a=5 | t1=6 | image=7 | or=8 | t2=9 | in=10 "
          "| plane=11 | which=12 | organ=13 | does=14 | look=15 | normal=16 | wrong=17");
    CHECK(words_of(task, "answer_word_mappings") ==
          "xr=0 | plain=1 | film=2 | yes=3 | t2=4 | axial=5 | the=6 | lung=7 | no=8 | fracture=9 | "
          "of=10");
    CHECK(words_of(task, "answer_mappings") ==
          "xr  plain film=0 | yes=1 | t2=2 | axial=3 | the lung=4 | no=5 | fracture of the lung=6");
    CHECK(words_of(task, "open_answer_mappings") ==
          "xr  plain film=0 | t2=1 | axial=2 | the lung=3 | fracture of the lung=4");
    CHECK(words_of(task, "c1_answer_mappings") == "xr  plain film=0 | t2=1");
    CHECK(words_of(task, "c2_answer_mappings") == "axial=0");
    CHECK(words_of(task, "c3_answer_mappings") == "the lung=0");
    CHECK(words_of(task, "c4_answer_mappings") == "fracture of the lung=0");
    CHECK(words_of(task, "binary_answer_mappings") == "yes=0 | no=1");
    auto both = build(folder,
                      "stream_images = false\nvocabulary = 'training_validation'\n"
                      "categories = ['C3']");
    CHECK(words_of(both, "answer_mappings") == "the lung=0 | skull=1");
    CHECK(words_of(both, "c1_answer_mappings") == "");
    CHECK(words_of(both, "question_word_mappings") == words_of(task, "question_word_mappings"));
}

TEST_CASE("VQAMED2019: what is missing or wrong is named") {
    const TempFolder folder;
    CHECK(refusal(folder) == kModality + ": no such file; " + kObtain);
    CHECK(
        refusal(folder, "", "extra") ==
        "split: the section 'extra' is not one of training, validation, training_validation, test "
        "and test_answers; set which images to use");
    folder.write(kModality,
                 "a|what|x\na|what\n|what|x\n../a|what|x\n.a|what|x\na| |x\na|what|\t\na|b|c|d\n");
    CHECK(refusal(folder) == kModality + ":2: has 2 parts, expected image|question|answer\n" +
                                 kModality + ":3: '' is not the name of an image\n" + kModality +
                                 ":4: '../a' is not the name of an image\n" + kModality +
                                 ":5: '.a' is not the name of an image\n" + kModality +
                                 ":6: the question is blank\n" + kModality +
                                 ":7: the answer is blank\n" + kModality +
                                 ":8: has 4 parts, expected image|question|answer");
    folder.write(kModality, "a|what|x\na|\xFF|x\n");
    CHECK(
        refusal(folder) ==
        kModality +
            ":2: is not valid UTF-8; convert it, as from Windows: iconv -f WINDOWS-1252 -t UTF-8 " +
            kModality + " > " + kModality.substr(0, kModality.size() - 4) + ".utf8.txt && mv " +
            kModality.substr(0, kModality.size() - 4) + ".utf8.txt " + kModality);
    folder.write(kModality, "\n");
    CHECK(refusal(folder) == kModality + ": has no questions");
    const std::string test = kTest + "VQAMed2019_Test_Questions.txt";
    folder.write(test, "t|what|x\n");
    CHECK(refusal(folder, "", "test") == test + ":1: has 3 parts, expected image|question");
    CHECK(
        refusal(folder, "categories = ['C1']", "test") ==
        "setting 'categories': the split test does not state categories; use all of them, or the split test_answers");
    const std::string answers = kTest + "VQAMed2019_Test_Questions_w_Ref_Answers.txt";
    folder.write(answers, "t|color|what|x\nt|what|x\n");
    CHECK(refusal(folder, "", "test_answers") ==
          answers +
              ":1: the category is 'color', expected modality, plane, organ or abnormality\n" +
              answers + ":2: has 3 parts, expected image|category|question|answer");
}

TEST_CASE("VQAMED2019: images that are not there are named") {
    const TempFolder folder;
    write_training(folder);
    fs::remove(folder.path() / (kTraining + "Train_images/b.jpg"));
    CHECK(refusal(folder) == kTraining +
                                 "Train_images/b.jpg: cannot be opened: No such file or directory\n"
                                 "the images of the questions must be there, or set stream_images "
                                 "= false");
}

TEST_CASE("VQAMED2019: several threads may fetch at once") {
    const TempFolder folder;
    write_training(folder);
    auto task = build(folder, "question_preprocessing = 'all'");
    const test::Slots expected = task.fetch({0, 1, 2, 3, 6});
    std::array<bool, 4> is_same{};
    std::vector<std::thread> threads;
    for (bool& same : is_same) {
        threads.emplace_back([&] {
            const test::Slots found = task.fetch({0, 1, 2, 3, 6});
            same = torch::equal(found.at("images").tensor(), expected.at("images").tensor()) &&
                   found.at("questions").strings() == expected.at("questions").strings();
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(is_same == std::array<bool, 4>{true, true, true, true});
}

}  // namespace vqa_med_test
