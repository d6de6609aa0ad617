// DummyLanguageIdentification, and WiLYLanguageIdentification on a miniature of WiLI-2018.

#include "text_task.hpp"

namespace language_identification_test {

namespace {

using ptp::test::TempFolder;
using Words = std::vector<std::string>;

constexpr const char* kName = "WiLYLanguageIdentification";
constexpr const char* kObtain =
    "take wili-2018.zip from https://zenodo.org/record/841984, unpack it, and set data_folder to "
    "the folder with x_train.txt, y_train.txt, x_test.txt and y_test.txt";

void write_all(const TempFolder& folder) {
    folder.write("x_train.txt", "Guten Tag\nGood day\nMoin\n");
    folder.write("y_train.txt", "deu\neng\nnds\n");
    folder.write("x_test.txt", "Buenos dias\r\nServus!\r\n");
    folder.write("y_test.txt", "spa\r\nbar\r\n");
}

test::Component build(const TempFolder& folder, const std::string& more = "") {
    return test::text_task(kName, test::in_folder(folder.path(), more));
}

std::string refusal(const TempFolder& folder, const std::string& more = "") {
    return test::text_refusal(folder.path(), kName, test::in_folder(folder.path(), more));
}

}  // namespace

TEST_CASE("DummyLanguageIdentification: four sentences to train with and two to test with") {
    auto train = test::text_task("DummyLanguageIdentification", "");
    REQUIRE(train.size() == 4);
    const test::Slots batch = train.fetch({3, 0, 1, 2});
    CHECK(batch.at("inputs").strings() == Words{"No it is not a good idea to get lost at sea",
                                                "me gusta comer en la cafeteria", "Give it to me",
                                                "No creo que sea una buena idea"});
    CHECK(torch::equal(batch.at("targets").tensor(), test::integers({0, 1, 0, 1})));
    CHECK(batch.at("labels").strings() == Words{"ENGLISH", "SPANISH", "ENGLISH", "SPANISH"});
    CHECK(train.published().at("num_classes") == ptp::Data(2));
    CHECK(train.published().at("label_word_mappings").toml() == "{ ENGLISH = 0, SPANISH = 1 }");
    auto held_out = test::text_task("DummyLanguageIdentification", "use_train_data = false");
    REQUIRE(held_out.size() == 2);
    CHECK(held_out.fetch({0, 1}).at("inputs").strings() ==
          Words{"Yo creo que si", "it is lost on me"});
    CHECK(torch::equal(held_out.fetch({0, 1}).at("targets").tensor(), test::integers({1, 0})));
}

TEST_CASE("WiLY: paragraphs, numbers and codes of their languages") {
    const TempFolder folder;
    write_all(folder);
    auto task = build(folder);
    REQUIRE(task.size() == 3);
    const test::Slots batch = task.fetch({2, 0, 1});
    CHECK(batch.at("inputs").strings() == Words{"Moin", "Guten Tag", "Good day"});
    CHECK(torch::equal(batch.at("targets").tensor(), test::integers({3, 1, 2})));
    CHECK(batch.at("labels").strings() == Words{"nds", "deu", "eng"});
    test::check_threads(task, "inputs");
    test::check_threads(task, "labels");
}

TEST_CASE("WiLY: both parts number all languages in the order of their codes") {
    const TempFolder folder;
    write_all(folder);
    for (const char* part : {"", "use_train_data = false"}) {
        const auto task = build(folder, part);
        CHECK(task.published().at("num_classes") == ptp::Data(5));
        CHECK(task.published().at("label_word_mappings").toml() ==
              "{ bar = 0, deu = 1, eng = 2, nds = 3, spa = 4 }");
    }
    auto held_out = build(folder, "use_train_data = false");
    REQUIRE(held_out.size() == 2);
    CHECK(held_out.fetch({0, 1}).at("inputs").strings() == Words{"Buenos dias", "Servus!"});
    CHECK(torch::equal(held_out.fetch({0, 1}).at("targets").tensor(), test::integers({4, 0})));
}

TEST_CASE("WiLY: texts without languages need no data_folder") {
    const TempFolder folder;
    const auto file = folder.write("mine.txt", "one line\nand another");
    auto task = test::text_task(kName, "texts = \"" + file.string() + "\"");
    REQUIRE(task.size() == 2);
    const test::Slots batch = task.fetch({1, 0});
    CHECK(batch.at("inputs").strings() == Words{"and another", "one line"});
    CHECK_FALSE(batch.contains("targets"));
    CHECK_FALSE(batch.contains("labels"));
    CHECK_FALSE(task.published().contains("num_classes"));
    folder.write("mine.txt", "one line\n\n");
    CHECK(test::text_refusal(folder.path(), kName, "texts = \"" + file.string() + "\"") ==
          "mine.txt:2: is blank, expected a text");
}

TEST_CASE("WiLY: what is missing or does not fit is named") {
    const TempFolder folder;
    CHECK(refusal(folder) == std::string("x_train.txt: no such file; ") + kObtain);
    write_all(folder);
    std::filesystem::remove(folder.path() / "y_test.txt");
    CHECK(refusal(folder) == std::string("y_test.txt: no such file; ") + kObtain);
    write_all(folder);
    folder.write("y_train.txt", "deu\neng\n");
    CHECK(refusal(folder) == std::string("x_train.txt: has 3 lines, but y_train.txt has 2; each "
                                         "text needs its language; ") +
                                 kObtain);
    folder.write("y_train.txt", "deu\n\nplatt deutsch\n");
    CHECK(refusal(folder) ==
          "y_train.txt:2: has 0 words, expected the code of a language\n"
          "y_train.txt:3: has 2 words, expected the code of a language");
    write_all(folder);
    folder.write("x_train.txt", "Guten Tag\nGood \xFF day\nMoin\n");
    CHECK(
        refusal(folder) ==
        "x_train.txt:2: is not valid UTF-8; convert it, as from Windows: iconv -f WINDOWS-1252 -t UTF-8 x_train.txt > x_train.utf8.txt && mv x_train.utf8.txt x_train.txt");
    std::string blank;
    for (int i = 0; i < 12; ++i) {
        blank += "\n";
    }
    folder.write("x_train.txt", blank);
    CHECK(refusal(folder).ends_with("x_train.txt:10: is blank, expected a text\nand 2 more"));
}

TEST_CASE("language identification: the vocabulary is that of the training, for the test too") {
    const TempFolder folder;
    write_all(folder);
    const auto task = build(folder, "use_train_data = false\nvocabulary = true");
    CHECK(task.published().at("word_mappings").toml() ==
          "{ Guten = 0, Tag = 1, Good = 2, day = 3, Moin = 4 }");
    CHECK(build(folder).published().count("word_mappings") == 0);
    const std::string texts =
        "vocabulary = true\ntexts = \"" + (folder.path() / "x_test.txt").string() + "\"";
    CHECK(build(folder, texts).published().empty());
    const auto sentences =
        test::text_task("DummyLanguageIdentification", "use_train_data = false\nvocabulary = true");
    const ptp::Data& words = sentences.published().at("word_mappings");
    CHECK(words.as_table().size() == 23);
    CHECK(*words.find("me") == ptp::Data(0));
    CHECK(*words.find("sea") == ptp::Data(12));
    CHECK(*words.find("at") == ptp::Data(22));
}

}  // namespace language_identification_test
