// WiLYNGramLanguageModeling on a miniature of WiLI-2018.

#include "text_task.hpp"

namespace n_grams_test {

namespace {

using ptp::test::TempFolder;
using Words = std::vector<std::string>;

constexpr const char* kName = "WiLYNGramLanguageModeling";

test::Component build(const TempFolder& folder, const std::string& more) {
    return test::text_task(kName, test::in_folder(folder.path(), more));
}

std::string refusal(const TempFolder& folder, const std::string& more = "") {
    return test::text_refusal(folder.path(), kName, test::in_folder(folder.path(), more));
}

}  // namespace

TEST_CASE("n-grams: words in a row and the next one, within a line") {
    const TempFolder folder;
    folder.write("x_train.txt", "a b c d\ne f\n\tg  h \xE2\x80\x83i\nj k l\n");
    auto task = build(folder, "");
    REQUIRE(task.size() == 4);
    const test::Slots batch = task.fetch({3, 2, 0, 1});
    CHECK(batch.at("inputs").strings() == Words{"j k", "g h", "a b", "b c"});
    CHECK(batch.at("targets").strings() == Words{"l", "i", "c", "d"});
    test::check_threads(task, "inputs");
}

TEST_CASE("n-grams: `context` is the number of words") {
    const TempFolder folder;
    folder.write("x_train.txt", "a b c d\ne f\n");
    auto one = build(folder, "context = 1");
    REQUIRE(one.size() == 4);
    CHECK(one.fetch({3, 0}).at("inputs").strings() == Words{"e", "a"});
    CHECK(one.fetch({3, 0}).at("targets").strings() == Words{"f", "b"});
    auto three = build(folder, "context = 3");
    REQUIRE(three.size() == 1);
    CHECK(three.fetch({0}).at("inputs").strings() == Words{"a b c"});
    CHECK(refusal(folder, "context = 4") ==
          "x_train.txt: no line has more than 4 words: there are no samples of `context` words and "
          "the next one");
    folder.write("x_test.txt", "x\ny\n");
    CHECK(refusal(folder, "context = 1\nuse_train_data = false") ==
          "x_test.txt: no line has more than 1 word: there are no samples of `context` words and "
          "the next one");
}

TEST_CASE("n-grams: another part or another context is read anew, nothing is written") {
    const TempFolder folder;
    folder.write("x_train.txt", "a b c\n");
    folder.write("x_test.txt", "d e f\n");
    CHECK(build(folder, "").fetch({0}).at("targets").strings() == Words{"c"});
    CHECK(build(folder, "context = 1").fetch({0}).at("targets").strings() == Words{"b"});
    CHECK(build(folder, "use_train_data = false").fetch({0}).at("targets").strings() == Words{"f"});
    folder.write("x_train.txt", "x y z\n");
    CHECK(build(folder, "").fetch({0}).at("targets").strings() == Words{"z"});
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()),
                        std::filesystem::directory_iterator()) == 2);
}

TEST_CASE("n-grams: what is missing or blank is named") {
    const TempFolder folder;
    CHECK(refusal(folder) ==
          "x_train.txt: no such file; take wili-2018.zip from https://zenodo.org/record/841984, "
          "unpack it, and set data_folder to the folder with x_train.txt, y_train.txt, x_test.txt "
          "and y_test.txt");
    folder.write("x_train.txt", "a b c\n \nd\n\n");
    CHECK(refusal(folder) ==
          "x_train.txt:2: is blank, expected a text\n"
          "x_train.txt:4: is blank, expected a text");
    folder.write("x_train.txt", "");
    CHECK(refusal(folder) == "x_train.txt: is empty, expected a text in each line");
}

TEST_CASE("n-grams: the vocabulary is that of the training, for the test too") {
    const TempFolder folder;
    folder.write("x_train.txt", "b a b\nc\n");
    folder.write("x_test.txt", "x y z\n");
    const auto task = build(folder, "use_train_data = false\nvocabulary = true");
    CHECK(task.published().at("word_mappings").toml() == "{ b = 0, a = 1, c = 2 }");
    CHECK(build(folder, "").published().count("word_mappings") == 0);
}

}  // namespace n_grams_test
