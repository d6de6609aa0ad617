#include "word_vectors.hpp"

#include "support/temp_folder.hpp"

#include <ptp/error.hpp>

#include <doctest/doctest.h>
#include <zlib.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace word_vectors_test {

namespace fs = std::filesystem;
using ptp::DataError;
using ptp::support::WordVectorFile;
using ptp::test::TempFolder;
using Vectors = std::map<std::int64_t, std::vector<float>>;

namespace {

constexpr const char* kThree = "the 0.5 -1 2e1\n, 0.25 3 4\ncat 5 6 7\n";

// A file, and the vectors of the wanted words by their indices.
struct Found {
    WordVectorFile::Counts counts;
    Vectors vectors;
};

Found found(const fs::path& path, const std::map<std::string, std::int64_t, std::less<>>& wanted) {
    WordVectorFile file(path);
    Found result;
    result.counts = file.read(
        [&](std::string_view word) {
            const auto place = wanted.find(word);
            return place == wanted.end() ? std::nullopt : std::optional(place->second);
        },
        [&](std::int64_t index, std::span<const float> values) {
            CHECK(result.vectors.emplace(index, std::vector(values.begin(), values.end())).second);
        });
    return result;
}

fs::path zipped(const TempFolder& folder, const std::string& text) {
    const fs::path path = folder.path() / "vectors.gz";
    const gzFile file = gzopen(path.c_str(), "wb1");
    REQUIRE(gzwrite(file, text.data(), static_cast<unsigned>(text.size())) ==
            static_cast<int>(text.size()));
    gzclose(file);
    return path;
}

// The message without the folder.
std::string refusal(const fs::path& path) {
    try {
        found(path, {});
    } catch (const DataError& error) {
        const std::string message = error.what();
        return message.substr(message.starts_with(path.string()) ? path.string().size() : 0);
    }
    return "";
}

std::string refusal(const TempFolder& folder, const std::string& text) {
    return refusal(folder.write("vectors.txt", text));
}

// More than two blocks of lines "w17 17 -17".
std::string many_lines(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        const std::string number = std::to_string(i);
        text += "w" + number + " " + number + " -" + number + "\n";
    }
    return text;
}

constexpr int kMany = 600000;  // 13 MB

}  // namespace

TEST_CASE("word vectors: those of wanted words are read, the first word's too") {
    const TempFolder folder;
    const fs::path path = folder.write("vectors.txt", kThree);
    CHECK(WordVectorFile(path).size() == 3);
    const Found made = found(path, {{"the", 0}, {"cat", 7}, {"dog", 1}});
    CHECK(made.vectors == Vectors{{0, {0.5F, -1, 20}}, {7, {5, 6, 7}}});
    CHECK(made.counts.words == 3);
    CHECK(made.counts.found == 2);
    CHECK(made.counts.duplicates == 0);
}

TEST_CASE("word vectors: fastText's header is not a word") {
    const TempFolder folder;
    const fs::path path = folder.write("vectors.vec", std::string("3 3\n") + kThree);
    const Found made = found(path, {{"the", 0}, {"3", 1}});
    CHECK(made.vectors == Vectors{{0, {0.5F, -1, 20}}});
    CHECK(made.counts.words == 3);
}

TEST_CASE("word vectors: gzip is known by its content, with a header or without") {
    const TempFolder folder;
    for (const char* header : {"", "3 3\n"}) {
        CAPTURE(header);
        const Found made = found(zipped(folder, std::string(header) + kThree), {{"cat", 2}});
        CHECK(made.vectors == Vectors{{2, {5, 6, 7}}});
        CHECK(made.counts.words == 3);
    }
}

TEST_CASE("word vectors: lines may end with a space, CR LF or the file, and begin with a BOM") {
    const TempFolder folder;
    for (const char* text :
         {"a 1 2 \nb 3 4 \n", "a 1 2\r\nb 3 4\r\n", "a 1 2\nb 3 4", "a 1 2 \r\nb 3 4 ",
          "\xEF\xBB\xBF"
          "a 1 2\nb 3 4\n",
          "\xEF\xBB\xBF"
          "2 2\na 1 2\nb 3 4\n"}) {
        CAPTURE(text);
        const Found made = found(folder.write("vectors.txt", text), {{"a", 0}, {"b", 1}});
        CHECK(made.vectors == Vectors{{0, {1, 2}}, {1, {3, 4}}});
        CHECK(made.counts.words == 2);
    }
}

TEST_CASE("word vectors: a word may have spaces, in the first line too, or be a number") {
    const TempFolder folder;
    const fs::path path =
        folder.write("vectors.txt", ". . . 1 2\nat name@x.org 3 4\n1 5 6\n\xC2\xA0 7 8\n");
    const Found made = found(path, {{". . .", 0}, {"at name@x.org", 1}, {"1", 2}, {"\xC2\xA0", 3}});
    CHECK(made.vectors == Vectors{{0, {1, 2}}, {1, {3, 4}}, {2, {5, 6}}, {3, {7, 8}}});
}

TEST_CASE("word vectors: the first vector of a word counts, the others are counted") {
    const TempFolder folder;
    const fs::path path = folder.write("vectors.txt", "a 1\nb 2\na 3\nb 4\na 5\nc 6\nc 7\n");
    const Found made = found(path, {{"a", 0}, {"b", 1}});
    CHECK(made.vectors == Vectors{{0, {1}}, {1, {2}}});
    CHECK(made.counts.found == 2);
    CHECK(made.counts.duplicates == 3);
}

TEST_CASE("word vectors: numbers that are too near 0 for a float are rounded") {
    const TempFolder folder;
    const Found made = found(folder.write("vectors.txt", "a 1e-60 -1e-42\n"), {{"a", 0}});
    CHECK(made.vectors == Vectors{{0, {0, -1e-42F}}});
}

TEST_CASE("word vectors: files of several blocks are read by several threads, plain and gzipped") {
    const TempFolder folder;
    const std::string text = many_lines(kMany) + "w5 1 1\n";
    std::map<std::string, std::int64_t, std::less<>> wanted;
    Vectors expected;
    for (int i = 0; i < kMany; i += 7) {
        wanted.emplace("w" + std::to_string(i), i);
        expected[i] = {static_cast<float>(i), -static_cast<float>(i)};
    }
    wanted.emplace("w5", 5);
    expected[5] = {5, -5};
    for (const bool is_zipped : {false, true}) {
        CAPTURE(is_zipped);
        const Found made =
            found(is_zipped ? zipped(folder, text) : folder.write("vectors.txt", text), wanted);
        CHECK((made.vectors == expected));
        CHECK(made.counts.words == kMany + 1);
        CHECK(made.counts.duplicates == 1);
    }
}

TEST_CASE("word vectors: of several wrong lines the first is reported with its number") {
    const TempFolder folder;
    std::string text = many_lines(kMany);
    for (const char* word : {"w590000 590000", "w400000 400000", "w210000 210000"}) {
        text.replace(text.find(word) + std::string(word).size() + 1, 1, "x");
    }
    constexpr const char* kExpected = ":210001: value 2 is 'x210000', must be a finite number";
    CHECK(refusal(folder, text) == kExpected);
    CHECK(refusal(zipped(folder, text)) == kExpected);
}

TEST_CASE("word vectors: wrong lines are refused with their numbers") {
    const TempFolder folder;
    struct Case {
        std::string text;
        const char* message;
    };
    const Case cases[] = {
        {"", ": is empty, must have a word and its vector in each line"},
        {"cat\n",
         ":1: has no values, must have a word and its vector, or the number of words and the size "
         "of a vector"},
        {"cat\t1\t2\ndog\t3\t4\n",
         ":1: has tabs, must have a space between the word and each of its values\n"
         "fix: write spaces in their place, as tr '\\t' ' ' < FILE > NEW-FILE does"},
        {"the cat\n",
         ":1: has no values, must have a word and its vector, or the number of words and the size "
         "of a vector"},
        {"a nan 2\nb 1 2\n", ":1: value 1 is 'nan', must be a finite number"},
        {"a 1 1e39\nb 1 2\n", ":1: value 2 is '1e39', must be a finite number"},
        {"a  1  2\n", ":1: has two spaces in a row, must have one between values"},
        {"a 1 2\rb 3 4\r",
         ":1: its lines end with CR alone, as on the first Macintosh, and it would be read as one "
         "line; convert it: tr '\\r' '\\n' < FILE > NEW"},
        {"2 0\na\nb\n", ":1: the header says that vectors have no values"},
        {"a 1 2\nb 3\n", ":2: has 1 value, must have 2, as the first line has"},
        {"1 2\nb 3\n", ":2: has 1 value, must have 2, as the header says"},
        {"a 1 2\nb 3 4 5\n", ":2: has 3 values, must have 2, as the first line has"},
        {"a 1 2\nb\n", ":2: has 0 values, must have 2, as the first line has"},
        {"a 1 2\n\nb 3 4\n", ":2: is blank, must have a word and its vector"},
        {"a 1 2\nb 3 4,5\n", ":2: value 2 is '4,5', must be a finite number"},
        {"a 1 2\nb nan 4\n", ":2: value 1 is 'nan', must be a finite number"},
        {"a 1 2\nb 1 inf\n", ":2: value 2 is 'inf', must be a finite number"},
        {"a 1 2\nb 1e39 1\n", ":2: value 1 is '1e39', must be a finite number"},
        {"a 1 2\nb 1  2\n", ":2: value 1 is '', must be a finite number"},
        {"a 1 2\nb 1\t2 3\n", ":2: value 1 is '1\t2', must be a finite number"},
        {"a 1 2\nb 1 \xff\n", ":2: value 2 is what is there, must be a finite number"},
        {"a 1 2\nb 1 " + std::string(50, 'x') + "\n",
         ":2: value 2 is a text of 50 bytes, must be a finite number"},
        {"a 1 2\n 3 4\n", ":2: begins with a space, must begin with a word"},
        {"a 1 2\n\xC3 3 4\n", ":2: the word is not valid UTF-8"},
        {std::string("a 1 2\nb\0c 3 4\n", 14), ":2: the word has a NUL character"},
        {"3 1\na 1\nb 2\n", ": has 2 words, its header says 3"},
        {"1 1\na 1\nb 2\n", ": has 2 words, its header says 1"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(refusal(folder, c.text) == c.message);
    }
}

TEST_CASE("word vectors: files that cannot be read are refused") {
    const TempFolder folder;
    CHECK(refusal(folder.path() / "none.txt") == ": no such file");
    CHECK(refusal(folder.path()) == ": is not a file");
    const fs::path whole = zipped(folder, many_lines(kMany));
    const auto size = fs::file_size(whole);
    std::string bytes = folder.read("vectors.gz");
    bytes[bytes.size() - 5] ^= 0x55;  // of the checksum, which comes before the size
    const fs::path damaged = folder.write("damaged.gz", bytes);
    CHECK(refusal(damaged) == ": is not a whole gzip file: incorrect data check");
    fs::resize_file(whole, size - 100);
    CHECK(refusal(whole) == ": is not a whole gzip file: it ends too early");
    CHECK(refusal(zipped(folder, std::string(70 << 20, 'x'))) == ": has a line of more than 64 MB");
}

}  // namespace word_vectors_test
