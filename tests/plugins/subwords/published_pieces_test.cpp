// BytePairTokenizer, WordPieceTokenizer: agree with Hugging Face's transformers, by
// tests/golden/published_pieces.py.

#include "plugins/refusal.hpp"
#include "plugins/support.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <nlohmann/json.hpp>

#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace published_pieces_test {

namespace {

using ptp::test::content_of;
using ptp::test::TempFolder;
using Strings = std::vector<std::string>;
using Lists = std::vector<Strings>;

std::filesystem::path golden(const std::string& name) {
    return ptp::test::source_dir() / "tests/golden" / name;
}

// The plugin has libsentencepiece, too: see sentence_piece_tokenizer_test.cpp.
bool has_library() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    MESSAGE("skipped: sanitizers refuse RTLD_DEEPBIND");
    return false;
#else
    return dlopen("libsentencepiece.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) != nullptr;
#endif
}

test::Component byte_pairs(const std::string& more = "") {
    return test::build("subwords", "BytePairTokenizer",
                       "vocabulary_file = \"" + golden("byte_pairs_vocab.json").string() +
                           "\"\nmerges_file = \"" + golden("byte_pairs_merges.txt").string() +
                           "\"\n" + more);
}

test::Component word_pieces(const std::string& more = "") {
    return test::build(
        "subwords", "WordPieceTokenizer",
        "vocabulary_file = \"" + golden("word_pieces_vocab.txt").string() + "\"\n" + more);
}

test::Slots transformed(test::Component& component, const test::Slots& inputs, size_t count) {
    return component.transform(inputs, std::vector<std::uint64_t>(count));
}

struct Golden {
    std::string sentence;
    Strings pieces;
    std::vector<int64_t> indices;
    std::string decoded;
};

std::vector<Golden> golden_rows(const std::string& name) {
    std::ifstream file(golden(name));
    std::vector<Golden> rows;
    for (std::string line; std::getline(file, line);) {
        std::istringstream cells(line);
        std::vector<nlohmann::json> values;
        for (std::string cell; std::getline(cells, cell, '\t');) {
            values.push_back(nlohmann::json::parse(cell));
        }
        rows.push_back({values.at(0), values.at(1), values.at(2), values.at(3)});
    }
    REQUIRE(rows.size() >= 15);
    return rows;
}

void check_golden(test::Component& split, test::Component& joined, const std::string& file) {
    for (const Golden& row : golden_rows(file)) {
        CAPTURE(row.sentence);
        test::Slots batch = transformed(split, {{"inputs", Strings{row.sentence}}}, 1);
        CHECK(batch.at("outputs").tokens() == Lists{row.pieces});
        CHECK(torch::equal(batch.at("piece_indices").tensor(),
                           test::integers(row.indices).view({1, -1})));
        if (!row.indices.empty()) {
            const test::Slots whole =
                transformed(joined, {{"inputs", test::integers(row.indices).view({1, -1})}}, 1);
            CHECK(whole.at("outputs").strings() == Strings{row.decoded});
        }
    }
}

// Returns the error about a vocabulary and merges with these texts.
std::string refusal_of(const std::string& vocabulary, const std::string& merges) {
    const TempFolder folder;
    const auto first = folder.write("vocab.json", vocabulary);
    const auto second = folder.write("merges.txt", merges);
    return test::refusal(folder.path(), [&] {
        test::build("subwords", "BytePairTokenizer",
                    "vocabulary_file = \"" + first.string() + "\"\nmerges_file = \"" +
                        second.string() + "\"\n");
    });
}

}  // namespace

TEST_CASE("BytePairTokenizer: has the pieces, indices and sentences of GPT2Tokenizer") {
    if (!has_library()) {
        return;
    }
    auto split = byte_pairs("output_indices = true\npadding_index = 0\n");
    auto joined = byte_pairs("detokenize = true\nfrom_indices = true\npadding_index = 299999\n");
    check_golden(split, joined, "byte_pairs.txt");
}

TEST_CASE("WordPieceTokenizer: has the pieces, indices and sentences of BertTokenizer") {
    if (!has_library()) {
        return;
    }
    auto split = word_pieces("output_indices = true\n");
    auto joined = word_pieces("detokenize = true\nfrom_indices = true\n");
    check_golden(split, joined, "word_pieces.txt");
}

TEST_CASE("WordPieceTokenizer: sentences have their begin, end and padding") {
    if (!has_library()) {
        return;
    }
    auto split = word_pieces("bos_token = true\neos_token = true\noutput_indices = true\n");
    const test::Slots batch = transformed(split, {{"inputs", Strings{"the cat", "on"}}}, 2);
    CHECK(batch.at("outputs").tokens() ==
          Lists{{"[CLS]", "the", "cat", "[SEP]"}, {"[CLS]", "on", "[SEP]"}});
    CHECK(batch.at("piece_indices").tensor()[1][3].item<int64_t>() == 0);
    CHECK(torch::equal(batch.at("lengths").tensor(), test::integers({4, 3})));
}

TEST_CASE("WordPieceTokenizer: letters may stay as they are") {
    if (!has_library()) {
        return;
    }
    auto split = word_pieces("lowercase = false\n");
    CHECK(transformed(split, {{"inputs", Strings{"The cat"}}}, 1).at("outputs").tokens() ==
          Lists{{"[UNK]", "cat"}});
    // Accents stay as they are, too, as in BertTokenizer of transformers 4.30.2 and its fast one of
    // tokenizers 0.13.3 with do_lower_case=False and this vocabulary.
    const TempFolder folder;
    const auto words =
        folder.write("vocab.txt", "[UNK]\n[CLS]\n[SEP]\ncaf\u00e9\ncafe\n##\u0301\n");
    auto accents = test::build("subwords", "WordPieceTokenizer",
                               "vocabulary_file = \"" + words.string() + "\"\nlowercase = false\n");
    CHECK(transformed(accents, {{"inputs", Strings{"cafe\u0301", "caf\u00e9"}}}, 2)
              .at("outputs")
              .tokens() == Lists{{"cafe", "##\u0301"}, {"caf\u00e9"}});
}

TEST_CASE("BytePairTokenizer, WordPieceTokenizer: wrong files are refused") {
    if (!has_library()) {
        return;
    }
    const std::string fix =
        "\nfix: take the vocab.json of a published model: an object with each piece and its index";
    CHECK(refusal_of("[1]", "") == "vocab.json: is not a JSON object of pieces" + fix);
    CHECK(refusal_of("{\"a\": 1}", "") == "vocab.json: 'a' has the index 1, expected 0 to 0" + fix);
    CHECK(refusal_of("{\"a\": 0, \"b\": 0}", "") ==
          "vocab.json: 'b' and 'a' have the index 0" + fix);
    CHECK(refusal_of("{\"a\": 0}", "") ==
          "vocab.json: has no piece '\xc4\x80' for the byte 0" + fix);
    const std::string vocabulary = content_of(golden("byte_pairs_vocab.json"));
    const std::string other = "\nfix: take vocab.json and merges.txt of one model";
    CHECK(refusal_of(vocabulary, "#version: 0.2\nt h\n") ==
          "merges.txt:2: 'th' is not in the vocabulary" + other);
    CHECK(refusal_of(vocabulary, "a\n") ==
          "merges.txt:1: 'a' is not two pieces with a blank between them" + other);
    CHECK(refusal_of(vocabulary, "#version: 0.2\rt h\r") ==
          "merges.txt: its lines end with CR alone, as on the first Macintosh, and it would be "
          "read as one line; convert it: tr '\\r' '\\n' < FILE > NEW");
    const TempFolder folder;
    const auto words = [&](const std::string& text) {
        const auto file = folder.write("vocab.txt", text);
        return test::refusal(folder.path(), [&] {
            test::build("subwords", "WordPieceTokenizer",
                        "vocabulary_file = \"" + file.string() + "\"\n");
        });
    };
    const std::string third =
        "\nfix: take the vocab.txt of a published model: a piece in each line";
    CHECK(words("a\n") == "vocab.txt: has no line [UNK], the piece for unknown words" + third);
    CHECK(words("a\n[UNK]\na\n") == "vocab.txt:3: 'a' is also in line 1" + third);
    auto joined = word_pieces("detokenize = true\nfrom_indices = true\n");
    CHECK(test::refusal("/", [&] {
              transformed(joined, {{"inputs", test::integers({1, 2})}}, 2);
          }) == "inputs has 1 dimensions, expected [B, length]");
    CHECK(test::refusal("/", [&] { byte_pairs("output_indices = true\n"); }) ==
          "setting 'padding_index': must be given: the model has no piece for padding");
}

}  // namespace published_pieces_test
