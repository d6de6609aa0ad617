// WikiTextLanguageModeling on a miniature of ten words.

#include "text_task.hpp"

namespace wiki_text_test {

namespace {

using ptp::test::TempFolder;
using Tokens = std::vector<std::vector<std::string>>;

constexpr const char* kName = "WikiTextLanguageModeling";
constexpr const char* kObtain =
    "take wikitext-2-v1.zip or wikitext-103-v1.zip from https://wikitext.smerity.com/, unpack it, "
    "and set data_folder to the folder that wikitext-2 or wikitext-103 is in";

// <eos> = Lobster = <eos> <eos> it may grow <eos>
void write_train(const TempFolder& folder) {
    folder.write("wikitext-2/wiki.train.tokens", " \n = Lobster = \n \n it may  grow\n");
}

test::Component build(const TempFolder& folder, const std::string& more,
                      const std::string& section = "training") {
    return test::text_task(kName, test::in_folder(folder.path(), more), section);
}

std::string refusal(const TempFolder& folder, const std::string& more,
                    const std::string& section = "training") {
    return test::text_refusal(folder.path(), kName, test::in_folder(folder.path(), more), section);
}

}  // namespace

TEST_CASE("WikiText: windows that meet, each with its words moved by one as targets") {
    const TempFolder folder;
    write_train(folder);
    auto task = build(folder, "sentence_length = 3");
    REQUIRE(task.size() == 3);
    const test::Slots batch = task.fetch({2, 0, 1});
    CHECK(batch.at("sources").tokens() ==
          Tokens{{"it", "may", "grow"}, {"<eos>", "=", "Lobster"}, {"=", "<eos>", "<eos>"}});
    CHECK(batch.at("targets").tokens() ==
          Tokens{{"may", "grow", "<eos>"}, {"=", "Lobster", "="}, {"<eos>", "<eos>", "it"}});
}

TEST_CASE("WikiText: a stride of 1 has a window for each word, other strides leave words out") {
    const TempFolder folder;
    write_train(folder);
    auto every = build(folder, "sentence_length = 3\nstride = 1");
    REQUIRE(every.size() == 7);
    CHECK(every.fetch({6}).at("sources").tokens() == Tokens{{"it", "may", "grow"}});
    CHECK(every.fetch({1}).at("sources").tokens() == Tokens{{"=", "Lobster", "="}});
    auto far = build(folder, "sentence_length = 1\nstride = 4");
    REQUIRE(far.size() == 3);
    CHECK(far.fetch({0, 1, 2}).at("sources").tokens() == Tokens{{"<eos>"}, {"<eos>"}, {"grow"}});
    CHECK(build(folder, "sentence_length = 3\nstride = 7").size() == 1);
    CHECK(build(folder, "sentence_length = 3\nstride = 6").size() == 2);
}

TEST_CASE("WikiText: the last window ends one word before the last") {
    const TempFolder folder;
    write_train(folder);
    CHECK(build(folder, "sentence_length = 9").size() == 1);
    CHECK(build(folder, "sentence_length = 1").size() == 9);
    CHECK(refusal(folder, "sentence_length = 10") ==
          "wikitext-2/wiki.train.tokens: has 10 words, a sample of 10 and its targets need 11");
    folder.write("wikitext-2/wiki.test.tokens", "");
    CHECK(refusal(folder, "sentence_length = 1\nsubset = \"test\"") ==
          "wikitext-2/wiki.test.tokens: has 0 words, a sample of 1 and its targets need 2");
}

TEST_CASE("WikiText: ends of lines and white space are what Unicode calls so") {
    const TempFolder folder;
    // A byte order mark, CR LF, a no-break space, and a last line without an end.
    folder.write("wikitext-2/wiki.train.tokens",
                 "\xEF\xBB\xBF"
                 "a\xC2\xA0"
                 "b\r\nc");
    auto task = build(folder, "sentence_length = 4");
    CHECK(task.fetch({0}).at("sources").tokens() == Tokens{{"a", "b", "<eos>", "c"}});
    CHECK(task.fetch({0}).at("targets").tokens() == Tokens{{"b", "<eos>", "c", "<eos>"}});
}

TEST_CASE("WikiText: section and dataset choose the file unless subset does") {
    const TempFolder folder;
    folder.write("wikitext-2/wiki.train.tokens", "train two");
    folder.write("wikitext-2/wiki.valid.tokens", "valid two");
    folder.write("wikitext-2/wiki.test.tokens", "test two");
    folder.write("wikitext-103/wiki.train.tokens", "train hundred");
    const auto first = [&](const std::string& more, const std::string& section) {
        auto task = build(folder, "sentence_length = 2\n" + more, section);
        return task.fetch({0}).at("sources").tokens()[0];
    };
    using Words = std::vector<std::string>;
    CHECK(first("", "training") == Words{"train", "two"});
    CHECK(first("", "validation") == Words{"valid", "two"});
    CHECK(first("", "test") == Words{"test", "two"});
    CHECK(first("subset = \"test\"", "training") == Words{"test", "two"});
    CHECK(first("subset = \"train\"", "extra") == Words{"train", "two"});
    CHECK(first("dataset = \"wikitext-103\"", "training") == Words{"train", "hundred"});
    CHECK(refusal(folder, "", "extra") ==
          "subset: the section 'extra' is not one of training, validation and test; set which to "
          "use: train, valid or test");
}

TEST_CASE("WikiText: what is missing or no text is named") {
    const TempFolder folder;
    CHECK(refusal(folder, "") ==
          std::string("wikitext-2/wiki.train.tokens: no such file; ") + kObtain);
    folder.write("wikitext-2/wiki.train.tokens", "a\nb\nc \xC3\x28 d\n");
    CHECK(
        refusal(folder, "") ==
        "wikitext-2/wiki.train.tokens:3: is not valid UTF-8; convert it, as from Windows: iconv -f WINDOWS-1252 -t UTF-8 wikitext-2/wiki.train.tokens > wikitext-2/wiki.train.utf8.tokens && mv wikitext-2/wiki.train.utf8.tokens wikitext-2/wiki.train.tokens");
    folder.write("wikitext-2/wiki.train.tokens", std::string("a\nb \0 c\n", 8));
    CHECK(refusal(folder, "") == "wikitext-2/wiki.train.tokens:2: has a NUL character");
    std::filesystem::create_directory(folder.path() / "wikitext-2/wiki.test.tokens");
    CHECK(refusal(folder, "subset = \"test\"") == "wikitext-2/wiki.test.tokens: is not a file");
}

TEST_CASE("WikiText: several threads may fetch at once") {
    const TempFolder folder;
    write_train(folder);
    auto task = build(folder, "sentence_length = 3\nstride = 1");
    test::check_threads(task, "sources");
}

TEST_CASE("WikiText: the vocabulary is that of the training, in each section") {
    const TempFolder folder;
    write_train(folder);
    folder.write("wikitext-2/wiki.valid.tokens", "another = text\n");
    for (const char* section : {"training", "validation"}) {
        CAPTURE(section);
        const auto task = build(folder, "sentence_length = 3\nvocabulary = true", section);
        CHECK(task.published().at("word_mappings").toml() ==
              "{ \"<eos>\" = 0, \"=\" = 1, Lobster = 2, it = 3, may = 4, grow = 5 }");
    }
    CHECK(build(folder, "sentence_length = 3").published().count("word_mappings") == 0);
    std::filesystem::remove(folder.path() / "wikitext-2/wiki.train.tokens");
    CHECK(refusal(folder, "sentence_length = 3\nvocabulary = true", "validation") ==
          std::string("wikitext-2/wiki.train.tokens: no such file; vocabulary = true publishes its "
                      "words, whatever subset is read; ") +
              kObtain);
}

TEST_CASE("WikiText: other texts are samples with all their words, in place of the files") {
    const TempFolder folder;
    auto given = build(folder, "samples = [\"it may\", \" grow  it may\"]");
    REQUIRE(given.size() == 2);
    CHECK(given.fetch({1, 0}).at("sources").tokens() ==
          Tokens{{"grow", "it", "may"}, {"it", "may"}});
    auto lines = build(folder, "texts = \"" + folder.write("t.txt", "a b\nc\n").string() + "\"");
    CHECK(lines.fetch({0, 1}).at("sources").tokens() == Tokens{{"a", "b"}, {"c"}});
    CHECK(refusal(folder, "samples = [\"a\", \"\"]") == "setting 'samples': text 2 is blank");
    CHECK(refusal(folder, "samples = [\"\\u0007\", \"\\u00a0\"]") ==
          "setting 'samples': text 2 is blank");
}

}  // namespace wiki_text_test
