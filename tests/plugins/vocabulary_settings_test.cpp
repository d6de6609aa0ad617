// Where the vocabulary of a component comes from: tried with LabelIndexer.

#include "refusal.hpp"
#include "support.hpp"
#include "support/temp_folder.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace vocabulary_settings_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::TempFolder;

std::string in(const TempFolder& folder, const std::string& settings) {
    return "data_folder = \"" + folder.path().string() + "\"\n" + settings;
}

test::Component build(const TempFolder& folder, const std::string& settings,
                      test::Wiring wiring = {}) {
    wiring.run_folder = (folder.path() / "run").string();
    return test::build("language", "LabelIndexer", in(folder, settings), std::move(wiring));
}

std::string refusal(const TempFolder& folder, const std::string& settings) {
    return test::refusal(folder.path(), [&] { build(folder, settings); });
}

std::string words(const test::Component& component) {
    return component.published().at("published_word_mappings").toml();
}

constexpr const char* kFromTexts =
    "source_vocabulary_files = [\"b.txt\", \"a.txt\"]\nword_mappings_file = \"w/words.csv\"\n";

void write_texts(const TempFolder& folder) {
    folder.write("a.txt", "yes maybe\n");
    folder.write("b.txt", "no yes\n");
}

}  // namespace

TEST_CASE("vocabularies: words of texts are saved, and read the next time") {
    const TempFolder folder;
    write_texts(folder);
    auto first = build(folder, kFromTexts);
    CHECK(words(first) == "{ no = 0, yes = 1, maybe = 2 }");
    CHECK_FALSE(fs::exists(folder.path() / "w"));  // before the training saves its state
    CHECK(words(build(folder, "word_mappings_file = \"w/words.csv\"")) == words(first));
    first.export_state();
    CHECK(first.published().at("vocabulary_size") == ptp::Data(3));
    CHECK(first.log_lines() ==
          std::vector<std::string>{"vocabulary of size 3 from 2 texts, to be saved as " +
                                   (folder.path() / "w/words.csv").string()});
    CHECK(folder.read("w/words.csv") == "word,index\nno,0\nyes,1\nmaybe,2\n");
    CHECK(std::distance(fs::directory_iterator(folder.path() / "w"), {}) == 1);

    folder.write("w/words.csv", "never,0\n");
    const auto second = build(folder, kFromTexts);
    CHECK(words(second) == "{ never = 0 }");
    CHECK(second.log_lines() == std::vector<std::string>{"vocabulary of size 1 from " +
                                                         (folder.path() / "w/words.csv").string() +
                                                         "; source_vocabulary_files are not read"});
    CHECK(folder.read("w/words.csv") == "never,0\n");
}

TEST_CASE("vocabularies: regenerate makes them from the texts again") {
    const TempFolder folder;
    write_texts(folder);
    folder.write("w/words.csv", "never,0\n");
    auto component = build(folder, std::string(kFromTexts) + "regenerate = true");
    CHECK(words(component) == "{ no = 0, yes = 1, maybe = 2 }");
    CHECK(folder.read("w/words.csv") == "never,0\n");
    component.export_state();
    CHECK(folder.read("w/words.csv") == "word,index\nno,0\nyes,1\nmaybe,2\n");
}

TEST_CASE("vocabularies: a file that is as it should be is not written") {
    const TempFolder folder;
    write_texts(folder);
    build(folder, kFromTexts).export_state();
    const fs::path file = folder.path() / "w/words.csv";
    const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(24);
    fs::last_write_time(file, long_ago);
    build(folder, std::string(kFromTexts) + "regenerate = true").export_state();
    CHECK(fs::last_write_time(file) == long_ago);
}

TEST_CASE("vocabularies: without a file for them nothing is written") {
    const TempFolder folder;
    write_texts(folder);
    const auto component = build(folder, "source_vocabulary_files = \"a.txt\"");
    CHECK(words(component) == "{ yes = 0, maybe = 1 }");
    CHECK(component.log_lines() == std::vector<std::string>{"vocabulary of size 2 from 1 text"});
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("vocabularies: words of tables and JSON are not taken from the raw file") {
    const TempFolder folder;
    for (const char* name : {"t.csv", "t.tsv", "t.json", "t.jsonl"}) {
        folder.write(name, "review\n\"So dull.\",bad\n");
        CHECK(refusal(folder, std::string("source_vocabulary_files = \"") + name + "\"") ==
              std::string("setting 'source_vocabulary_files': ") + name +
                  " is not plain text: its quotes, separators and names of columns would become "
                  "parts of words\nfix: publish the words of its column instead: write vocabulary "
                  "= true and globals = { word_mappings = \"text_words\" } in training.task and in "
                  "the tokenizer, and name what the tokenizer publishes here (docs/experiments.md, "
                  "\"Words and vocabularies\")");
    }
}

TEST_CASE("vocabularies: additional tokens are not in the file") {
    const TempFolder folder;
    write_texts(folder);
    auto component =
        build(folder, std::string(kFromTexts) + "additional_tokens = [\"<PAD>\", \"yes\"]");
    CHECK(words(component) == "{ no = 0, yes = 1, maybe = 2, \"<PAD>\" = 3 }");
    CHECK(component.published().at("vocabulary_size") == ptp::Data(4));
    component.export_state();
    CHECK(folder.read("w/words.csv") == "word,index\nno,0\nyes,1\nmaybe,2\n");
}

TEST_CASE("vocabularies: a file alone will do, and an absolute path") {
    const TempFolder folder;
    const TempFolder other;
    const std::string file = other.write("x.csv", "yes,0\nno,1\n").string();
    auto component = build(folder, "word_mappings_file = \"" + file + "\"");
    CHECK(words(component) == "{ yes = 0, no = 1 }");
    const test::Slots outputs =
        component.run({{"inputs", std::vector<std::string>{"no", "x", "yes"}}});
    CHECK(torch::equal(outputs.at("outputs").tensor(), test::integers({1, -100, 0})));
}

TEST_CASE("vocabularies: what does not go together is refused") {
    const TempFolder folder;
    write_texts(folder);
    CHECK(refusal(folder, "") ==
          "there is no vocabulary: name a global for word_mappings, or set word_mappings_file or "
          "source_vocabulary_files");
    CHECK(refusal(folder, "additional_tokens = [\"a\"]") ==
          "there is no vocabulary: name a global for word_mappings, or set word_mappings_file or "
          "source_vocabulary_files");
    CHECK(refusal(folder, "regenerate = true\nword_mappings_file = \"w.csv\"") ==
          "setting 'regenerate': needs source_vocabulary_files and word_mappings_file");
    CHECK(refusal(folder, "regenerate = true\nsource_vocabulary_files = \"a.txt\"") ==
          "setting 'regenerate': needs source_vocabulary_files and word_mappings_file");
}

TEST_CASE("vocabularies: files that are not there or not right are refused") {
    const TempFolder folder;
    write_texts(folder);
    folder.write("empty.txt", "\n \n");
    folder.write("bad.csv", "a,0\nb,x\n");
    folder.write("taken", "");
    CHECK(
        refusal(folder, "word_mappings_file = \"w.csv\"") ==
        "setting 'word_mappings_file': w.csv does not exist, and there are no source_vocabulary_files to make it from");
    CHECK(refusal(folder, "source_vocabulary_files = [\"a.txt\", \"c.txt\"]") ==
          "c.txt: no such file");
    CHECK(refusal(folder, "source_vocabulary_files = \"empty.txt\"") ==
          "setting 'source_vocabulary_files': there is no word in these files");
    CHECK(refusal(folder, "word_mappings_file = \"bad.csv\"") ==
          "bad.csv:2: the index is 'x', must be a whole number of 0 or more");
    CHECK(refusal(folder,
                  "source_vocabulary_files = \"a.txt\"\nword_mappings_file = \"taken/w.csv\"") ==
          "cannot write taken: Not a directory");
}

TEST_CASE("vocabularies: they are written below data_folder alone, and over nothing else") {
    const TempFolder folder;
    write_texts(folder);
    for (const std::string name : {"../victim", "/tmp/victim", "w/../../victim"}) {
        CAPTURE(name);
        CHECK(refusal(folder,
                      "source_vocabulary_files = \"a.txt\"\nword_mappings_file = \"" + name + "\"")
                  .find("is not below data_folder") != std::string::npos);
    }
    folder.write("notes.txt", "precious\n");
    CHECK(refusal(folder,
                  "source_vocabulary_files = \"a.txt\"\nword_mappings_file = \"notes.txt\"\n"
                  "regenerate = true")
              .starts_with("setting 'regenerate': does not replace notes.txt, which is not a "
                           "vocabulary: "));
    CHECK(folder.read("notes.txt") == "precious\n");
}

TEST_CASE("vocabularies: a run that is resumed writes none") {
    const TempFolder folder;
    write_texts(folder);
    const ptp::Data state = build(folder, kFromTexts).export_state();
    fs::remove_all(folder.path() / "w");
    auto resumed = build(folder, std::string(kFromTexts) + "regenerate = true");
    resumed.import_state(1, state);
    CHECK(resumed.export_state() == state);
    CHECK_FALSE(fs::exists(folder.path() / "w"));
}

TEST_CASE("vocabularies: another one than that of the checkpoint is refused") {
    const TempFolder folder;
    folder.write("a.csv", "yes,0\nno,1\n");
    folder.write("b.csv", "yes,0\nmaybe,1\nno,2\n");
    auto before = build(folder, "word_mappings_file = \"a.csv\"");
    const ptp::Data state = before.export_state();
    auto same = build(folder, "word_mappings_file = \"a.csv\"");
    same.import_state(1, state);
    CHECK(same.export_state() == state);
    auto other = build(folder, "word_mappings_file = \"b.csv\"");
    CHECK_THROWS_WITH_AS(other.import_state(1, state),
                         "the vocabulary had the size 2 and has the size 3; the first difference "
                         "is at index 1: 'no' before, 'maybe' now",
                         ptp::DataError);
}

TEST_CASE("vocabularies: an imported one is saved, and what is there must be the same") {
    const TempFolder folder;
    test::Wiring wiring;
    wiring.globals = {{"word_mappings", ptp::Data::Table{{"yes", 0}, {"no, thanks", 1}}}};
    const std::string settings =
        "word_mappings_file = \"w/words.csv\"\nadditional_tokens = [\"maybe\"]";
    const std::string file = (folder.path() / "w/words.csv").string();
    auto first = build(folder, settings, wiring);
    first.export_state();
    CHECK(folder.read("w/words.csv") == "word,index\nyes,0\n\"no, thanks\",1\n");
    CHECK(first.log_lines() ==
          std::vector<std::string>{"vocabulary of size 2, to be saved as " + file});
    const auto again = build(folder, settings, wiring);
    CHECK(again.log_lines().empty());
    CHECK(words(build(folder, settings)) == "{ yes = 0, \"no, thanks\" = 1, maybe = 2 }");

    folder.write("w/words.csv", "yes,0\nno,1\n");
    CHECK(test::refusal(folder.path(), [&] { build(folder, settings, wiring); }) ==
          "setting 'word_mappings_file': w/words.csv is not the vocabulary of the global that "
          "'word_mappings' names: the vocabulary had the size 2 and has the size 2; the first "
          "difference is at index 1: 'no' before, 'no, thanks' now; remove the file, this setting "
          "or that global");
    CHECK(folder.read("w/words.csv") == "yes,0\nno,1\n");
}

TEST_CASE("vocabularies: an imported one stays as it is") {
    const TempFolder folder;
    const ptp::Data words_before = ptp::Data::Table{{"yes", 0}, {"no", 1}};
    test::Wiring wiring;
    wiring.globals = {{"word_mappings", words_before}};
    const auto component = build(folder, "additional_tokens = [\"maybe\"]", wiring);
    CHECK(wiring.globals.at("word_mappings") == words_before);
    CHECK(words(component) == "{ yes = 0, no = 1, maybe = 2 }");
    CHECK(component.published().count("word_mappings") == 0);
}

// As a component of a run that is resumed or processed, or predicts.
TEST_CASE(
    "vocabularies: the checkpoint's one is taken where the files are gone, and none is saved") {
    const TempFolder folder;
    const test::Wiring saved{
        .saved_state = ptp::Data::Table{{"words", ptp::Data::List{"no", "yes", "maybe"}}}};
    CHECK(words(build(folder, kFromTexts, saved)) == "{ no = 0, yes = 1, maybe = 2 }");
    const std::string regenerated = std::string(kFromTexts) + "regenerate = true\n";
    CHECK(words(build(folder, regenerated, saved)) == "{ no = 0, yes = 1, maybe = 2 }");
    write_texts(folder);
    CHECK(words(build(folder, kFromTexts, saved)) == "{ no = 0, yes = 1, maybe = 2 }");
    CHECK(!fs::exists(folder.path() / "w"));
    CHECK(test::refusal(folder.path(),
                        [&] { build(folder, "source_vocabulary_files = \"a.txt\"", saved); }) ==
          "the vocabulary had the size 3 and has the size 2; the first difference is at index 0: "
          "'no' before, 'yes' now");
    std::string with_more = kFromTexts;
    with_more.append("additional_tokens = \"<UNK>\"");
    CHECK(
        test::refusal(folder.path(), [&] { build(folder, with_more, saved); }) ==
        "the vocabulary had the size 3 and has the size 4; the first difference is at index 3: no "
        "word before, '<UNK>' now");
}

TEST_CASE("vocabularies: a global's one is not saved in a file with a checkpoint") {
    const TempFolder folder;
    const test::Wiring wiring{
        .globals = {{"word_mappings", ptp::Data::Table{{"no", 0}, {"yes", 1}}}},
        .saved_state = ptp::Data::Table{{"words", ptp::Data::List{"no", "yes"}}}};
    CHECK(words(build(folder, "word_mappings_file = \"words.csv\"", wiring)) ==
          "{ no = 0, yes = 1 }");
    CHECK(!fs::exists(folder.path() / "words.csv"));
}

}  // namespace vocabulary_settings_test
