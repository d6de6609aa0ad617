#include "support.hpp"

#include <array>
#include <random>
#include <string>
#include <vector>

namespace sentence_tokenizer_test {

namespace {

using Sentences = std::vector<std::string>;

std::vector<Sentences> split(const std::string& settings, const Sentences& sentences) {
    auto tokenizer = test::build("language", "SentenceTokenizer", settings);
    const std::vector<std::uint64_t> seeds(sentences.size());
    return tokenizer.transform({{"inputs", sentences}}, seeds).at("outputs").tokens();
}

}  // namespace

TEST_CASE("SentenceTokenizer: a sentence that is not UTF-8 is refused with its sample") {
    for (const char* settings : {"", "preprocessing = \"all\"", "split_at = \"word_boundaries\""}) {
        CAPTURE(settings);
        CHECK_THROWS_WITH_AS(split(settings, {"right", "wr\xFFng"}),
                             "sample 1: the sentence is not valid UTF-8", ptp::DataError);
        CHECK_THROWS_WITH_AS(split(settings, {"cut off \xC3"}),
                             "sample 0: the sentence is not valid UTF-8", ptp::DataError);
    }
}

TEST_CASE(
    "SentenceTokenizer: a word of the vocabulary that is not UTF-8 is refused with its index") {
    test::Wiring wiring;
    wiring.globals = {{"word_mappings", ptp::Data::Table{{"right", 0}, {"wr\xFFng", 1}}}};
    CHECK_THROWS_WITH_AS(test::build("language", "SentenceTokenizer", "vocabulary = true", wiring),
                         "the global 'word_mappings': the word with the index 1 is not valid UTF-8",
                         ptp::ConfigError);
}

// Letters, marks, formats, digits, punctuation, symbols and white space, as far as Unicode's rules
// of words and case tell them apart: neighbors in any order.
TEST_CASE("SentenceTokenizer: a text is split into what its parts between white space are") {
    constexpr std::array kPieces{
        "a",      "Z",      "Σ",      "σ",  "İ",  "é",      "\u0301", "\u200D", "\u200E", "\u00AD",
        "1",      "2",      ",",      ".",  "'",  "_",      "-",      "א",      "\"",     "ア",
        "か",     "日本",   "ก",      "า",  "👩",  "🏽",   "🇫",      "🇷",      "\u200B", " ",
        "\u00A0", "\u202F", "\u2028", "\n", "\r", "\u001C", "\u3000", "\u0085"};
    constexpr size_t kSpaces = 9;  // at the end
    std::mt19937 random(7);
    const auto any_of = [&](size_t begin, size_t end) {
        return kPieces.at(begin + random() % (end - begin));
    };
    Sentences texts;
    Sentences parts;
    std::vector<size_t> part_counts;
    for (int i = 0; i < 2000; ++i) {
        std::string text;
        part_counts.push_back(random() % 4);
        for (size_t part = 0; part < part_counts.back(); ++part) {
            std::string word = any_of(0, kPieces.size() - kSpaces);
            while (random() % 4 != 0) {
                word += any_of(0, kPieces.size() - kSpaces);
            }
            text += any_of(kPieces.size() - kSpaces, kPieces.size()) + word;
            parts.push_back(word);
        }
        texts.push_back(text);
    }
    for (const char* settings : {"", "preprocessing = \"all\"\nremove_characters = \"-é\"",
                                 "split_at = \"word_boundaries\"",
                                 "split_at = \"word_boundaries\"\npreprocessing = \"lowercase\""}) {
        CAPTURE(settings);
        const std::vector<Sentences> whole = split(settings, texts);
        const std::vector<Sentences> by_part = split(settings, parts);
        auto part = by_part.begin();
        for (size_t i = 0; i < texts.size(); ++i) {
            CAPTURE(texts[i]);
            Sentences expected;
            for (size_t k = 0; k < part_counts[i]; ++k, ++part) {
                expected.insert(expected.end(), part->begin(), part->end());
            }
            CHECK(whole[i] == expected);
        }
    }
}

TEST_CASE("SentenceTokenizer: it may run in loader threads") {
    auto tokenizer = test::build("language", "SentenceTokenizer");
    CHECK(tokenizer.has_ability(PTP_EXTENSION_SAMPLES));
    CHECK_FALSE(tokenizer.has_ability(PTP_EXTENSION_STATE));
}

TEST_CASE("SentenceTokenizer: letters may become longer and shorter by lower-casing") {
    // U+0130 has two bytes and becomes three; U+2C62 and U+212A have three and become two and one.
    std::string longer;
    std::string lower;
    for (int i = 0; i < 100; ++i) {
        longer += "\xC4\xB0";
        lower += "i\xCC\x87";
    }
    CHECK(split("preprocessing = \"lowercase\"", {longer, "\xE2\xB1\xA2\xE2\x84\xAA"}) ==
          std::vector<Sentences>{{lower},
                                 {"\xC9\xAB"
                                  "k"}});
}

}  // namespace sentence_tokenizer_test
