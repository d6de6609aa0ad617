#include "support.hpp"

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
