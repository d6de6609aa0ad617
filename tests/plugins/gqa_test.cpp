// GQA on a miniature: three questions about two photographs.

#include "image_files.hpp"
#include "pictures.hpp"
#include "refusal.hpp"
#include "support.hpp"
#include "support/temp_folder.hpp"

namespace gqa_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::TempFolder;
using Words = std::vector<std::string>;

constexpr const char* kObtain =
    "take the questions, version 1.2, and the images from "
    "https://cs.stanford.edu/people/dorarad/gqa/download.html, unpack them, and set data_folder to "
    "the folder with questions1.2 and images";

// With members as in the real files; most are not read.
constexpr const char* kQuestions =
    R"({"201307251": {"semantic": [{"operation": "select", "question": "no"}], "imageId": "2354786",
"groups": {"answer": "no"}, "question": "Is the sky dark?", "answer": "yes",
"fullAnswer": "Yes, the sky is dark.", "isBalanced": true},
"7": {"imageId": "n42", "question": "What is it?"},
"201640614": {"imageId": "2354786", "question": "Which color?", "answer": "white",
"fullAnswer": "The pot is white."}})";

void write_photograph(const fs::path& file, uint8_t value) {
    test::write_jpeg(file, {16, 8, test::Bytes(16 * 8, value), {}});
}

test::Component build(const TempFolder& folder, const std::string& more = "",
                      const std::string& section = "validation") {
    return test::build("vision_tasks", "GQA",
                       "data_folder = \"" + folder.path().string() + "\"\n" + more,
                       {.section = section});
}

std::string refusal(const TempFolder& folder, const std::string& more = "",
                    const std::string& section = "validation") {
    return test::refusal(folder.path(), [&] { build(folder, more, section); });
}

}  // namespace

TEST_CASE("GQA: questions, answers and photographs, in the order of the file") {
    const TempFolder folder;
    folder.write("questions1.2/val_all_questions.json", kQuestions);
    write_photograph(folder.path() / "images/2354786.jpg", 51);
    write_photograph(folder.path() / "images/n42.jpg", 102);
    auto task = build(folder);
    REQUIRE(task.size() == 3);
    const test::Slots batch = task.fetch({0, 1, 2});
    CHECK(batch.at("sample_ids").strings() == Words{"201307251", "7", "201640614"});
    CHECK(batch.at("image_ids").strings() == Words{"2354786", "n42", "2354786"});
    CHECK(batch.at("questions").strings() ==
          Words{"Is the sky dark?", "What is it?", "Which color?"});
    CHECK(batch.at("answers").strings() == Words{"yes", "<UNK>", "white"});
    CHECK(batch.at("full_answers").strings() ==
          Words{"Yes, the sky is dark.", "<UNK>", "The pot is white."});
    const at::Tensor images = batch.at("images").tensor();
    REQUIRE(images.sizes() == at::IntArrayRef({3, 3, 224, 224}));
    CHECK(torch::allclose(images.select(1, 0).select(1, 0).select(1, 0),
                          test::floats({0.2, 0.4, 0.2}, {3}), 0, 0.01));
    CHECK(task.published().at("image_height") == ptp::Data(224));
    CHECK(build(folder, "resize_image = [4, 6]").fetch({1}).at("images").tensor().sizes() ==
          at::IntArrayRef({1, 3, 4, 6}));
}

TEST_CASE("GQA: the section decides the split unless it is given; training has ten files") {
    const TempFolder folder;
    const auto write = [&](const std::string& file, const std::string& question) {
        folder.write("questions1.2/" + file + ".json",
                     R"({"1": {"imageId": "x", "question": ")" + question + R"("}})");
    };
    for (int part = 0; part < 10; ++part) {
        write("train_all_questions/train_all_questions_" + std::to_string(part),
              std::to_string(part));
    }
    write("val_all_questions", "val");
    write("testdev_all_questions", "testdev");
    write("test_all_questions", "test");
    const auto questions = [&](const std::string& more, const std::string& section) {
        auto task = build(folder, "stream_images = false\n" + more, section);
        std::vector<int64_t> all(static_cast<size_t>(task.size()));
        for (size_t i = 0; i < all.size(); ++i) {
            all[i] = static_cast<int64_t>(i);
        }
        return task.fetch(all).at("questions").strings();
    };
    CHECK(questions("", "training") == Words{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"});
    CHECK(questions("split = \"training_0\"", "training") == Words{"0"});
    CHECK(questions("", "validation") == Words{"val"});
    CHECK(questions("", "test") == Words{"test"});
    CHECK(questions("split = \"test_dev\"", "validation") == Words{"testdev"});
    CHECK(refusal(folder, "", "extra") ==
          "split: the section 'extra' is not one of training_0, training, validation, test_dev "
          "and test; set which images to use");
}

TEST_CASE("GQA: the vocabularies are those of the chosen split, in each section") {
    const TempFolder folder;
    folder.write("questions1.2/train_all_questions/train_all_questions_0.json", kQuestions);
    folder.write("questions1.2/val_all_questions.json",
                 R"({"1": {"imageId": "x", "question": "Other words", "answer": "no"}})");
    for (const auto& [split, section] :
         {std::pair("training_0", "training"), std::pair("validation", "validation")}) {
        CAPTURE(section);
        const auto task = build(folder,
                                "stream_images = false\nvocabulary = \"training_0\"\nsplit = \"" +
                                    std::string(split) + "\"",
                                section);
        const auto words = [&](const char* global) { return task.published().at(global).toml(); };
        CHECK(words("question_word_mappings") ==
              "{ Is = 0, the = 1, sky = 2, \"dark?\" = 3, What = 4, is = 5, \"it?\" = 6, Which = "
              "7, \"color?\" = 8 }");
        CHECK(words("answer_word_mappings") == "{ yes = 0, white = 1 }");
        CHECK(words("answer_mappings") == "{ yes = 0, white = 1 }");
        CHECK(words("full_answer_word_mappings") ==
              "{ \"Yes,\" = 0, the = 1, sky = 2, is = 3, \"dark.\" = 4, The = 5, pot = 6, "
              "\"white.\" = 7 }");
    }
    CHECK_FALSE(build(folder, "stream_images = false").published().contains("answer_mappings"));
    CHECK(
        refusal(folder, "stream_images = false\nvocabulary = \"training\"") ==
        std::string("questions1.2/train_all_questions/train_all_questions_1.json: no such file; ") +
            kObtain);
}

TEST_CASE("GQA: what is missing or wrong is named") {
    const TempFolder folder;
    const std::string file = "questions1.2/val_all_questions.json";
    CHECK(refusal(folder) == file + ": no such file; " + kObtain);
    folder.write(file, "[]");
    CHECK(refusal(folder) == file + ": has no questions");
    folder.write(file, "{\"1\": {\"imageId\": \"\xFF\"}}");
    CHECK(refusal(folder).starts_with(file + ": is not JSON: parse error at line 1, column "));
    folder.write(file, R"({"1": {"imageId": "x"}, "2": {"question": "x", "imageId": ["x"]},
"3": {"question": "x", "imageId": "a/b"}})");
    CHECK(refusal(folder) == file + ": question '1': has no text 'question'\n" + file +
                                 ": question '2': has no text 'imageId'\n" + file +
                                 ": question '3': 'a/b' is not the name of an image");
    folder.write(file, kQuestions);
    write_photograph(folder.path() / "images/2354786.jpg", 51);
    CHECK(refusal(folder) ==
          "images/n42.jpg: cannot be opened: No such file or directory\n"
          "the images of the questions must be in images, or set stream_images = false");
    CHECK(refusal(folder, "stream_images = false") == "accepted");
}

}  // namespace gqa_test
