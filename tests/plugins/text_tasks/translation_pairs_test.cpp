// TranslationPairs. What it makes of sentences, and its subsets, are those of a program in Python.

#include "support/paths.hpp"
#include "text_task.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

namespace translation_pairs_test {

namespace {

using ptp::test::TempFolder;
using Tokens = std::vector<std::vector<std::string>>;

constexpr const char* kName = "TranslationPairs";
constexpr const char* kObtain =
    "take the archive of a pair of languages, such as fra-eng.zip, from "
    "https://www.manythings.org/anki/, unpack it, and set data_folder to where its file is";

test::Component build(const TempFolder& folder, const std::string& more = "",
                      const std::string& section = "training") {
    return test::text_task(kName, test::in_folder(folder.path(), more), section);
}

std::string refusal(const TempFolder& folder, const std::string& more = "",
                    const std::string& section = "training") {
    return test::text_refusal(folder.path(), kName, test::in_folder(folder.path(), more), section);
}

std::vector<std::string> split_at(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) {
        parts.push_back(part);
    }
    return parts;
}

// The rows of tests/golden/translation_pairs.txt that begin with this word.
Tokens golden_rows(const std::string& kind) {
    Tokens rows;
    std::ifstream file(ptp::test::source_dir() / "tests/golden/translation_pairs.txt");
    for (std::string line; std::getline(file, line);) {
        const std::vector<std::string> cells = split_at(line, '\t');
        if (cells[0] == kind) {
            rows.push_back(cells);
        }
    }
    REQUIRE_FALSE(rows.empty());
    return rows;
}

// A word of letters for a number.
std::string spelled(int64_t number) {
    std::string word;
    for (const char digit : std::to_string(number)) {
        word += static_cast<char>('a' + (digit - '0'));
    }
    return word;
}

std::string numbered_pairs(int64_t count) {
    std::string text;
    for (int64_t i = 0; i < count; ++i) {
        text += spelled(i) + "\t" + spelled(i) + " traduit\tCC-BY\n";
    }
    return text;
}

// Targets by their sources, each of one word.
std::map<std::string, std::vector<std::string>> by_source(test::Component task) {
    const test::Slots batch = task.fetch(test::all_of(task));
    std::map<std::string, std::vector<std::string>> targets;
    for (size_t i = 0; i < batch.at("sources").tokens().size(); ++i) {
        REQUIRE(batch.at("sources").tokens()[i].size() == 1);
        targets[batch.at("sources").tokens()[i][0]] = batch.at("targets").tokens()[i];
    }
    return targets;
}

}  // namespace

TEST_CASE("TranslationPairs: sentences of many scripts become the words that Python makes") {
    const Tokens rows = golden_rows("clean");
    const TempFolder folder;
    std::string text;
    for (size_t i = 0; i < rows.size(); ++i) {
        text += spelled(static_cast<int64_t>(i)) + "\t" + rows[i][1] + "\n";
    }
    folder.write("eng-fra.txt", text);
    const auto targets = by_source(build(folder, "sentence_length = -1"));  // too few for others
    REQUIRE(targets.size() == rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
        CAPTURE(rows[i][1]);
        CHECK(targets.at(spelled(static_cast<int64_t>(i))) == split_at(rows[i][2], ' '));
    }
}

TEST_CASE("TranslationPairs: vocabularies are those of the training's pairs, in each section") {
    const TempFolder folder;
    folder.write("eng-fra.txt", "Hi there, you.\tSalut toi!\nToo many words for it.\tTrop.\n");
    const auto small = build(folder, "sentence_length = 4");
    CHECK(small.published().at("source_word_mappings").toml() ==
          "{ hi = 0, there = 1, you = 2, \".\" = 3 }");
    CHECK(small.published().at("target_word_mappings").toml() ==
          "{ salut = 0, toi = 1, \"!\" = 2 }");

    folder.write("eng-fra.txt", numbered_pairs(45));  // 41 of them to train
    const auto training = build(folder);
    const std::string words = training.published().at("source_word_mappings").toml();
    CHECK(std::ranges::count(words, '=') == 41);
    for (const char* section : {"validation", "test"}) {
        const auto other = build(folder, "", section);
        CHECK(other.published().at("source_word_mappings").toml() == words);
        CHECK(other.published().at("target_word_mappings") ==
              training.published().at("target_word_mappings"));
    }
}

TEST_CASE("TranslationPairs: subsets and their order are a function of the seed") {
    for (const auto& row : golden_rows("split")) {
        const int64_t count = std::stoll(row[1]);
        const std::string subset = row[3];
        CAPTURE(count);
        CAPTURE(subset);
        const TempFolder folder;
        folder.write("eng-fra.txt", numbered_pairs(count));
        Tokens expected;
        for (const std::string& number : split_at(row[4], ' ')) {
            expected.push_back({spelled(std::stoll(number))});
        }
        auto task = build(folder, "seed = " + row[2] + "\nsubset = \"" + subset + "\"");
        CHECK(task.fetch(test::all_of(task)).at("sources").tokens() == expected);
    }
    const TempFolder folder;
    folder.write("eng-fra.txt", numbered_pairs(45));
    CHECK(build(folder).size() == 41);
    CHECK(build(folder, "", "validation").fetch({0, 1}).at("targets").tokens() ==
          Tokens{{"g", "traduit"}, {"cb", "traduit"}});  // 6 and 21
    CHECK(build(folder, "", "test").size() == 2);
    CHECK(refusal(folder, "", "extra") ==
          "subset: the section 'extra' is not one of training, validation and test; set which to "
          "use: train, valid or test");
}

TEST_CASE("TranslationPairs: pairs with too many words on a side, or none, are left out") {
    const TempFolder folder;
    folder.write("eng-fra.txt", "a b c\tx\nd e\ty z.\nf\tu v w\ng\t...\n17\tx\nh\t17\n");
    const auto sources = [&](int64_t length) {
        auto task = build(folder, "sentence_length = " + std::to_string(length));
        Tokens found = task.fetch(test::all_of(task)).at("sources").tokens();
        std::ranges::sort(found);
        return found;
    };
    CHECK(sources(-1) == Tokens{{"a", "b", "c"}, {"d", "e"}, {"f"}, {"g"}});
    CHECK(sources(3) == Tokens{{"a", "b", "c"}, {"d", "e"}, {"f"}, {"g"}});
    CHECK(refusal(folder, "sentence_length = 2") ==
          "eng-fra.txt: none of the 6 pairs of the subset train has 1 to sentence_length = 2 words "
          "on both sides");
    auto task = build(folder, "sentence_length = 3");
    CHECK(task.log_lines() ==
          std::vector<std::string>{"4 of the 6 pairs of the subset train are used, the "
                                   "others are too long or empty"});
    CHECK(refusal(folder, "sentence_length = 0") ==
          "setting 'sentence_length': must be at least 1, or -1 for any number");
    CHECK(refusal(folder, "", "test") ==
          "eng-fra.txt: has 6 pairs; the subset test needs a file of at least 20");
}

TEST_CASE("TranslationPairs: a file whose lines end with CR alone is refused, not read as one") {
    const TempFolder folder;
    folder.write("eng-fra.txt", "go.\tva.\rrun.\tcours.\r");
    CHECK(refusal(folder) ==
          "eng-fra.txt: its lines end with CR alone, as on the first Macintosh, and it would be "
          "read as one line; convert it: tr '\\r' '\\n' < FILE > NEW");
}

TEST_CASE("TranslationPairs: the file has the name of both languages, or of the second one") {
    const TempFolder folder;
    CHECK(refusal(folder) == std::string("eng-fra.txt: no such file, nor fra.txt; ") + kObtain);
    CHECK(refusal(folder, "dataset = \"../x\"") ==
          "setting 'dataset': must be two languages, such as eng-fra");
    folder.write("eng-ita.txt", "Go.\tVai.\n");
    folder.write("about.txt", "");
    CHECK(refusal(folder) == std::string("eng-fra.txt: no such file, nor fra.txt; ") + kObtain +
                                 "\nfix: set dataset = \"eng-ita\"");
    CHECK(refusal(folder, "dataset = \"ita\"") ==
          std::string("ita.txt: no such file; ") + kObtain + "\nfix: set dataset = \"eng-ita\"");
    folder.write("pol.txt", "Go.\tIdź.\n");
    auto task = build(folder, "dataset = \"eng-pol\"");
    CHECK(task.fetch({0}).at("targets").tokens() == Tokens{{"idz", "."}});
    folder.write("eng-pol.txt", "Stop.\tStój.\r\n");
    CHECK(build(folder, "dataset = \"eng-pol\"").fetch({0}).at("targets").tokens() ==
          Tokens{{"stoj", "."}});
}

TEST_CASE("TranslationPairs: wrong lines are named") {
    const TempFolder folder;
    folder.write("eng-fra.txt", "a\tb\nc\n\n\tx\nd\t\ne\t\tf\ng\th\ti\n");
    const std::string problem = ": expected a sentence and its translation, with a tab between";
    CHECK(refusal(folder) == "eng-fra.txt:2" + problem + "\neng-fra.txt:3" + problem +
                                 "\neng-fra.txt:4" + problem + "\neng-fra.txt:5" + problem +
                                 "\neng-fra.txt:6" + problem);
    folder.write("eng-fra.txt", "");
    CHECK(refusal(folder) ==
          "eng-fra.txt: is empty, expected a sentence and its translation in each line");
    folder.write("eng-fra.txt", "a\tb\n\xC0\xAF\tb\n");
    CHECK(
        refusal(folder) ==
        "eng-fra.txt:2: is not valid UTF-8; convert it, as from Windows: iconv -f WINDOWS-1252 -t UTF-8 eng-fra.txt > eng-fra.utf8.txt && mv eng-fra.utf8.txt eng-fra.txt");
}

TEST_CASE("TranslationPairs: several threads may fetch at once") {
    const TempFolder folder;
    folder.write("eng-fra.txt", numbered_pairs(30));
    auto task = build(folder);
    test::check_threads(task, "targets");
}

TEST_CASE("TranslationPairs: sentences without translations become words in the same way") {
    const TempFolder folder;
    auto task = build(folder, "samples = [\"I'm Cold!\", \"Où?\"]");
    REQUIRE(task.size() == 2);
    CHECK(task.fetch({0, 1}).at("sources").tokens() ==
          Tokens{{"i", "m", "cold", "!"}, {"ou", "?"}});
    CHECK(task.published().empty());
    CHECK(refusal(folder, "samples = [\"12\"]") == "sentence 1 has no words: '12'");
}

}  // namespace translation_pairs_test
