// CLEVR on a miniature: four questions about two images.

#include "image_files.hpp"
#include "pictures.hpp"
#include "refusal.hpp"
#include "support.hpp"
#include "support/temp_folder.hpp"

#include <array>
#include <thread>

namespace clevr_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::TempFolder;
using Words = std::vector<std::string>;

constexpr const char* kObtain =
    "take CLEVR_v1.0.zip or CLEVR_CoGenT_v1.0.zip from "
    "https://cs.stanford.edu/people/jcjohns/clevr/, unpack it, and set data_folder to its folder";

void write_scene(const fs::path& file, uint8_t value, uint32_t width = 480) {
    test::write_png(file, {width, 320, test::Bytes(std::size_t{width} * 320, value), {}});
}

// With members as in the real files; most are not read.
void write_questions(const TempFolder& folder, const std::string& part = "train") {
    folder.write("questions/CLEVR_" + part + "_questions.json",
                 R"({"info": {"split": "train", "questions": [{"question": "no"}]}, "questions": [
{"image_index": 1, "program": [{"inputs": [], "function": "scene", "question": "no"}],
 "question_index": 0, "image_filename": "b.png", "question_family_index": 2, "split": "train",
 "answer": "yes", "question": "Are there more big green things than large purple cubes?"},
{"image_filename": "a.png", "question": "What size is it?", "answer": "small",
 "question_family_index": 89},
{"image_filename": "b.png", "question": "How many?", "answer": "10",
 "question_family_index": 72},
{"image_filename": "b.png", "question": "What is it made of?", "program": [["answer", "no"]]}],
"license": "Creative Commons"})");
}

void write_images(const TempFolder& folder, const std::string& part = "train") {
    write_scene(folder.path() / "images" / part / "a.png", 51);
    write_scene(folder.path() / "images" / part / "b.png", 102);
}

test::Component build(const TempFolder& folder, const std::string& more = "",
                      const std::string& section = "training") {
    return test::build("vision_tasks", "CLEVR",
                       "data_folder = \"" + folder.path().string() + "\"\n" + more,
                       {.section = section});
}

std::string refusal(const TempFolder& folder, const std::string& more = "",
                    const std::string& section = "training") {
    return test::refusal(folder.path(), [&] { build(folder, more, section); });
}

}  // namespace

TEST_CASE("CLEVR: questions, their types, answers and images") {
    const TempFolder folder;
    write_questions(folder);
    write_images(folder);
    auto task = build(folder, "resize_image = [2, 3]");
    REQUIRE(task.size() == 4);
    const test::Slots batch = task.fetch({3, 0, 1, 2});
    CHECK(batch.at("questions").strings() ==
          Words{"What is it made of?", "Are there more big green things than large purple cubes?",
                "What size is it?", "How many?"});
    CHECK(batch.at("answers").strings() == Words{"<UNK>", "yes", "small", "10"});
    CHECK(torch::equal(batch.at("targets").tensor(), test::integers({-100, 27, 24, 2})));
    CHECK(batch.at("image_ids").strings() == Words{"b.png", "b.png", "a.png", "b.png"});
    CHECK(batch.at("question_type_names").strings() ==
          Words{"<UNK>", "greater_than", "query_size", "count"});
    CHECK(torch::equal(batch.at("question_type_ids").tensor(), test::integers({-1, 4, 0, 9})));
    const at::Tensor images = batch.at("images").tensor();
    REQUIRE(images.sizes() == at::IntArrayRef({4, 3, 2, 3}));
    CHECK(torch::allclose(images.select(1, 0).select(1, 0).select(1, 0),
                          test::floats({0.4, 0.4, 0.2, 0.4}, {4})));
    CHECK(task.published().at("num_classes") == ptp::Data(28));
    CHECK(task.published().at("label_word_mappings").find("yes")->as_integer() == 27);
    CHECK(task.published().at("image_width") == ptp::Data(3));
}

TEST_CASE("CLEVR: without resize_image an image has 320 rows of 480 pixels") {
    const TempFolder folder;
    write_questions(folder);
    write_images(folder);
    auto task = build(folder, "normalize = { mean = 0.2, std = 0.1 }");
    const at::Tensor images = task.fetch({0}).at("images").tensor();
    REQUIRE(images.sizes() == at::IntArrayRef({1, 3, 320, 480}));
    CHECK(torch::allclose(images, torch::full({1, 3, 320, 480}, 2.0), 0, 1e-5));
    CHECK(task.published().at("image_height") == ptp::Data(320));
    write_scene(folder.path() / "images/train/a.png", 51, 479);
    CHECK(refusal(folder) ==
          "images/train/a.png: has 320 x 479 pixels, expected 320 x 480\n"
          "the images of the split are in images/train, or set resize_image, or set "
          "stream_images = false");
}

TEST_CASE("CLEVR: questions alone need no images") {
    const TempFolder folder;
    write_questions(folder);
    auto task = build(folder, "stream_images = false");
    const test::Slots batch = task.fetch({2});
    CHECK_FALSE(batch.contains("images"));
    CHECK(batch.at("answers").strings() == Words{"10"});
    CHECK_FALSE(task.published().contains("image_height"));
    CHECK(refusal(folder, "resize_image = [2, 2]") ==
          "images/train/b.png: cannot be opened: No such file or directory\n"
          "images/train/a.png: cannot be opened: No such file or directory\n"
          "the images of the split are in images/train, or set stream_images = false");
}

TEST_CASE("CLEVR: the section decides the split unless it is given") {
    const TempFolder folder;
    const std::array<std::array<const char*, 2>, 6> splits{{{"training", "train"},
                                                            {"validation", "val"},
                                                            {"test", "test"},
                                                            {"cogent_a_training", "trainA"},
                                                            {"cogent_a_validation", "valA"},
                                                            {"cogent_b_validation", "valB"}}};
    for (const auto& [split, part] : splits) {
        folder.write("questions/CLEVR_" + std::string(part) + "_questions.json",
                     R"({"questions": [{"image_filename": "x.png", "question": ")" +
                         std::string(part) + R"("}]})");
    }
    for (const auto& [split, part] : splits) {
        CAPTURE(split);
        const auto question = [&](test::Component task) {
            return task.fetch({0}).at("questions").strings();
        };
        CHECK(question(build(folder, "stream_images = false", split)) == Words{part});
        CHECK(question(build(folder, "stream_images = false\nsplit = \"" + std::string(split) +
                                         "\"")) == Words{part});
    }
    CHECK(refusal(folder, "", "extra") ==
          "split: the section 'extra' is not one of training, validation, test, cogent_a_training, "
          "cogent_a_validation and cogent_b_validation; set which images to use");
}

TEST_CASE("CLEVR: the vocabulary is that of the chosen split, in each section") {
    const TempFolder folder;
    write_questions(folder);
    folder.write("questions/CLEVR_val_questions.json",
                 R"({"questions": [{"image_filename": "x.png", "question": "Other words"}]})");
    folder.write("questions/CLEVR_trainA_questions.json",
                 R"({"questions": [{"image_filename": "x.png", "question": "Is it it ?"}]})");
    const auto words = [&](const std::string& vocabulary, const std::string& section) {
        return build(folder, "stream_images = false\nvocabulary = \"" + vocabulary + "\"", section)
            .published()
            .at("question_word_mappings")
            .toml();
    };
    for (const char* section : {"training", "validation"}) {
        CAPTURE(section);
        CHECK(words("training", section) ==
              "{ Are = 0, there = 1, more = 2, big = 3, green = 4, things = 5, than = 6, large = "
              "7, purple = 8, \"cubes?\" = 9, What = 10, size = 11, is = 12, \"it?\" = 13, How = "
              "14, \"many?\" = 15, it = 16, made = 17, \"of?\" = 18 }");
        CHECK(words("cogent_a_training", section) == "{ Is = 0, it = 1, \"?\" = 2 }");
    }
    CHECK_FALSE(
        build(folder, "stream_images = false").published().contains("question_word_mappings"));
    std::filesystem::remove(folder.path() / "questions/CLEVR_trainA_questions.json");
    CHECK(refusal(folder, "stream_images = false\nvocabulary = \"cogent_a_training\"") ==
          std::string("questions/CLEVR_trainA_questions.json: no such file; ") + kObtain);
}

TEST_CASE("CLEVR: what is missing or wrong is named") {
    const TempFolder folder;
    const std::string file = "questions/CLEVR_train_questions.json";
    CHECK(refusal(folder) == file + ": no such file; " + kObtain);
    folder.write(file, "{\"questions\":\n [1, }");
    CHECK(refusal(folder) ==
          file +
              ": is not JSON: parse error at line 2, column 6: syntax error while parsing value "
              "- unexpected '}'; expected '[', '{', or a literal");
    folder.write(file, "{\"question\": []}");
    CHECK(refusal(folder) == file + ": has no list 'questions'");
    folder.write(file, "{\"questions\": []}");
    CHECK(refusal(folder) == file + ": has no questions");
    folder.write(file, R"({"questions": [
{"image_filename": 1, "question": "x"}, {"image_filename": "x.png"}, {"question": "x"},
{"image_filename": "../x.png", "question": "x"},
{"image_filename": "x.png", "question": "x", "answer": "maybe"},
{"image_filename": "x.png", "question": "x", "question_family_index": 90},
{"image_filename": "x.png", "question": "x", "question_family_index": -1},
{"image_filename": "x.png", "question": "x", "answer": true},
{"image_filename": "x.png", "question": "x", "question_family_index": 3.0},
{"image_filename": "x.png", "question": "x", "question_family_index": ""}]})");
    CHECK(refusal(folder) ==
          file + ": question 1: has no text 'question'\n" + file +
              ": question 2: has no text 'image_filename'\n" + file +
              ": question 3: '../x.png' is not the name of an image\n" + file +
              ": question 4: the answer is 'maybe', which is not one of the 28 of CLEVR\n" + file +
              ": question 5: question_family_index is '90', expected 0 to 89\n" + file +
              ": question 6: question_family_index is '-1', expected 0 to 89\n" + file +
              ": question 7: the answer is 'true', which is not one of the 28 of CLEVR\n" + file +
              ": question 8: question_family_index is '3.0', expected 0 to 89\n" + file +
              ": question 9: question_family_index is '', expected 0 to 89");
}

TEST_CASE("CLEVR: several threads may fetch at once") {
    const TempFolder folder;
    write_questions(folder);
    write_images(folder);
    auto task = build(folder, "resize_image = [16, 16]");
    const test::Slots expected = task.fetch({0, 1, 2, 3});
    std::array<bool, 4> is_same{};
    std::vector<std::thread> threads;
    for (bool& same : is_same) {
        threads.emplace_back([&] {
            const test::Slots found = task.fetch({0, 1, 2, 3});
            same = torch::equal(found.at("images").tensor(), expected.at("images").tensor()) &&
                   found.at("questions").strings() == expected.at("questions").strings();
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(is_same == std::array<bool, 4>{true, true, true, true});
}

}  // namespace clevr_test
