#include "vocabulary.hpp"

#include "support/temp_folder.hpp"
#include "vocabulary_file.hpp"

#include <ptp/error.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace vocabulary_test {

namespace fs = std::filesystem;
using ptp::Data;
using ptp::DataError;
using ptp::support::read_vocabulary;
using ptp::support::Vocabulary;
using ptp::support::vocabulary_csv;
using ptp::support::words_of;
using ptp::test::TempFolder;

namespace {

Vocabulary vocabulary(const std::vector<std::string>& words) {
    Vocabulary made;
    for (const std::string& word : words) {
        made.add_if_new(word);
    }
    return made;
}

// What read_vocabulary() makes of this text, or its message without the folder.
std::string read(const TempFolder& folder, const std::string& text) {
    const fs::path file = folder.write("words.csv", text);
    try {
        return read_vocabulary(file).mappings().toml();
    } catch (const DataError& error) {
        std::string message = error.what();
        for (const std::string& path : {file.string(), (folder.path() / "words").string()}) {
            for (auto at = message.find(path); at != std::string::npos; at = message.find(path)) {
                message.replace(at, path.size(), "F");
            }
        }
        return message;
    }
}

}  // namespace

TEST_CASE("vocabulary: words and indices are found by each other") {
    Vocabulary words = vocabulary({"cat", "dog", "cat", ""});
    words.add("bird", 7);
    CHECK(words.index_of("dog") == 1);
    CHECK(words.index_of("") == 2);
    CHECK(words.index_of("bird") == 7);
    CHECK_FALSE(words.index_of("Cat").has_value());
    REQUIRE(words.word_of(7) != nullptr);
    CHECK(*words.word_of(7) == "bird");
    CHECK(words.word_of(3) == nullptr);
    CHECK(words.word_of(-1) == nullptr);
    CHECK(words.size() == 8);
    CHECK(words.words().size() == 4);
    words.add_if_new("fish");
    CHECK(words.index_of("fish") == 8);
    CHECK(words.mappings().toml() == "{ cat = 0, dog = 1, \"\" = 2, bird = 7, fish = 8 }");
    CHECK(Vocabulary().size() == 0);
}

TEST_CASE("vocabulary: it can be moved") {
    Vocabulary words = vocabulary({"cat", "dog"});
    const Vocabulary moved = std::move(words);
    REQUIRE(moved.word_of(1) != nullptr);
    CHECK(*moved.word_of(1) == "dog");
    CHECK(moved.index_of("cat") == 0);
}

TEST_CASE("vocabulary: another one is refused with both sizes and the first difference") {
    const Vocabulary three = vocabulary({"a", "b", "c"});
    three.require_same(vocabulary({"a", "b", "c"}).save());
    Vocabulary().require_same(Vocabulary().save());
    Vocabulary sparse = vocabulary({"a"});
    sparse.add("b", 5);
    Vocabulary same = vocabulary({"a"});
    same.add("b", 5);
    sparse.require_same(same.save());
    struct Case {
        const Vocabulary& now;
        Data saved;
        const char* message;
    };
    const Case cases[] = {
        {three, vocabulary({"a", "x", "c"}).save(),
         "the vocabulary had the size 3 and has the size 3; the first difference is at index 1: "
         "'x' before, 'b' now"},
        {three, vocabulary({"a", "b"}).save(),
         "the vocabulary had the size 2 and has the size 3; the first difference is at index 2: no "
         "word before, 'c' now"},
        {three, vocabulary({"a", "b", "c", "d", "e"}).save(),
         "the vocabulary had the size 5 and has the size 3; the first difference is at index 3: "
         "'d' before, no word now"},
        {three, sparse.save(),
         "the vocabulary had the size 6 and has the size 3; the first difference is at index 1: no "
         "word before, 'b' now"},
        {three, Vocabulary().save(),
         "the vocabulary had the size 0 and has the size 3; the first difference is at index 0: no "
         "word before, 'a' now"}};
    for (const Case& c : cases) {
        CHECK_THROWS_WITH_AS(c.now.require_same(c.saved), c.message, DataError);
    }
}

TEST_CASE("vocabulary: what is written to a file is read from it") {
    const TempFolder folder;
    const Vocabulary words =
        vocabulary({"plain", "a,b", "say \"hi\"", "two\nlines", "word", "", " x ", "été", "\r"});
    const std::string csv = vocabulary_csv(words);
    CHECK(csv ==
          "word,index\nplain,0\n\"a,b\",1\n\"say \"\"hi\"\"\",2\n\"two\nlines\",3\nword,4\n,5\n x "
          ",6\nété,7\n\"\r\",8\n");
    CHECK(read(folder, csv) == words.mappings().toml());
}

TEST_CASE("vocabulary: a file may have a header, any order, any line ends and empty lines") {
    const TempFolder folder;
    CHECK(read(folder, "word,index\nb,1\na,0\n") == "{ a = 0, b = 1 }");
    CHECK(read(folder, "b,1\na,0") == "{ a = 0, b = 1 }");
    CHECK(read(folder, "word,index\r\n\"b\",\"1\"\r\na,0\r\n") == "{ a = 0, b = 1 }");
    CHECK(read(folder, "\xEF\xBB\xBFword,index\na,0\n\n\nb,1\n\n") == "{ a = 0, b = 1 }");
    CHECK(read(folder, "5\",0\n") == "{ \"5\\\"\" = 0 }");
}

TEST_CASE("vocabulary: what is wrong with a file is reported with its lines") {
    const TempFolder folder;
    struct Case {
        const char* text;
        const char* message;
    };
    const Case cases[] = {
        {"", "F: has no words, expected a word and its index in each line"},
        {"word,index\n", "F: has no words, expected a word and its index in each line"},
        {"a,0\nb\n", "F:2: expected a word and its index, with a comma between, found 1 cell"},
        {"a,0,1\n", "F:1: expected a word and its index, with a comma between, found 3 cells"},
        {"token,id\na,0\n", "F:1: the index is 'id', must be a whole number of 0 or more"},
        {"a,0\nword,index\n", "F:2: the index is 'index', must be a whole number of 0 or more"},
        {"a,-1\n", "F:1: the index is '-1', must be a whole number of 0 or more"},
        {"a,1.5\n", "F:1: the index is '1.5', must be a whole number of 0 or more"},
        {"a,\n", "F:1: the index is '', must be a whole number of 0 or more"},
        {"a, 0\n", "F:1: the index is ' 0', must be a whole number of 0 or more"},
        {"a,99999999999999999999\n",
         "F:1: the index is '99999999999999999999', must be a whole number of 0 or more"},
        {"a,0\nb,1\nc,1\n", "F:3: 'c' has the index 1, as 'b' in line 2"},
        {"a,0\n\"x\ny\",1\na,2\n", "F:4: the word 'a' is in line 1 too"},
        {"a,0\nb,7\nc,2\n", "F:3: 'c' has the index 2, but no word has 1"},
        {"a,1\n", "F:1: 'a' has the index 1, but no word has 0"},
        {"a,0\n\"b,1\nc,2\n", "F:2: has a quote that is not closed"},
        {"a,0\n\"b\"x,1\nc,2\n", "F:2: has text after a closing quote"},
        {"a,0\nb\xFF,1\n",
         "F:2: is not valid UTF-8; convert it, as from Windows: iconv -f WINDOWS-1252 -t UTF-8 F > F.utf8.csv && mv F.utf8.csv F"},
        {"a,-1\nb\nc,0\nd,0\n",
         "F:1: the index is '-1', must be a whole number of 0 or more\nF:2: expected a word and its "
         "index, with a comma between, found 1 cell\nF:4: 'd' has the index 0, as 'c' in line 3"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(read(folder, c.text) == c.message);
    }
    using namespace std::string_literals;
    CHECK(read(folder, "a,0\nb\0c,1\n"s) == "F:2: has a NUL character");
}

TEST_CASE("vocabulary: of many wrong lines the first ten are listed") {
    const TempFolder folder;
    std::string text;
    std::string message;
    for (int line = 1; line <= 12; ++line) {
        text += "a,x\n";
        if (line <= 10) {
            message += (line == 1 ? "F:" : "\nF:") + std::to_string(line) +
                       ": the index is 'x', must be a whole number of 0 or more";
        }
    }
    CHECK(read(folder, text) == message + "\nand 2 more");
}

TEST_CASE("vocabulary: words of texts get indices by their first appearance") {
    const TempFolder folder;
    const std::vector<fs::path> texts = {folder.write("b.txt", "the cat  sat\non the mat\n"),
                                         folder.write("a.txt", "a cat\r\n\r\n,the \"dog\"")};
    CHECK(
        words_of(texts).mappings().toml() ==
        "{ the = 0, cat = 1, sat = 2, on = 3, mat = 4, a = 5, \",the\" = 6, \"\\\"dog\\\"\" = 7 }");
}

TEST_CASE("vocabulary: what cannot be read is named") {
    const TempFolder folder;
    const auto message = [&](const fs::path& file) -> std::string {
        try {
            words_of(std::vector{file});
        } catch (const DataError& error) {
            return error.what();
        }
        return "accepted";
    };
    const std::string there = folder.path().string();
    using namespace std::string_literals;
    CHECK(message(folder.path() / "a.txt") == there + "/a.txt: no such file");
    CHECK(message(folder.path()) == there + ": is not a file");
    CHECK(
        message(folder.write("b.txt", "a\nb\n c\xC3 d\n")) ==
        there +
            "/b.txt:3: is not valid UTF-8; convert it, as from Windows: iconv -f WINDOWS-1252 -t UTF-8 " +
            there + "/b.txt > " + there + "/b.utf8.txt && mv " + there + "/b.utf8.txt " + there +
            "/b.txt");
    CHECK(message(folder.write("c.txt", "a\nb\0c\n"s)) == there + "/c.txt:2: has a NUL character");
}

}  // namespace vocabulary_test
