#include "support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace other_vocabulary_test {

using namespace ptp;
using plugin::Element;
using plugin::Kind;
using plugin::Purpose;
using test::Make;

namespace {

plugin::Catalog catalog() {
    Make pairs(Kind::kTask, "Pairs");
    pairs.out("words", "B", Element::kTokens).out("targets", "B", Element::kTokens);
    pairs.writes_if_named("left_words").purpose(Purpose::kVocabulary);
    pairs.writes_if_named("right_words").purpose(Purpose::kVocabulary);
    return test::catalog_of({pairs,
                             Make(Kind::kTransform, "Indexer")
                                 .in("inputs", "B", Element::kTokens)
                                 .out("outputs", "B, length", Element::kInteger)
                                 .reads_if_named("word_mappings")
                                 .writes_if_named("all_words")
                                 .purpose(Purpose::kVocabulary)
                                 .writes_if_named("size")
                                 .writes_if_named("pad"),
                             Make(Kind::kModel, "Embed")
                                 .in("inputs", "B, length", Element::kInteger)
                                 .out("outputs", "B, length, 8")
                                 .reads("words"),
                             Make(Kind::kModel, "Decoder")
                                 .in("inputs", "B, length, 8")
                                 .out("predictions", "B, steps, prediction_size")
                                 .reads("prediction_size"),
                             Make(Kind::kLoss, "Loss")
                                 .in("predictions", "B, n, classes")
                                 .in("targets", "B, n", Element::kInteger)
                                 .loss("loss")
                                 .reads_if_named("ignore_index")});
}

// The pipeline whose target indexer names its globals so, with these in what reads them.
std::string problems_of(const std::string& out, const std::string& embed,
                        const std::string& decoder, const std::string& loss) {
    return test::assemble_text(
               R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Pairs", batch_size = 4, globals = { left_words = "en", right_words = "fr" } }
[pipeline.src]
type = "Indexer"
streams = { inputs = "words", outputs = "numbers" }
globals = { word_mappings = "en", all_words = "all_en", size = "en_size", pad = "en_pad" }
[pipeline.tgt]
type = "Indexer"
streams = { inputs = "targets", outputs = "answers" }
globals = { word_mappings = "fr")" +
                   out + R"( }
[pipeline.embed]
type = "Embed"
streams = { inputs = "numbers", outputs = "vectors" }
globals = { words = ")" +
                   embed + R"(" }
[pipeline.decoder]
type = "Decoder"
streams = { inputs = "vectors" }
globals = { prediction_size = ")" +
                   decoder + R"(" }
[pipeline.loss]
type = "Loss"
streams = { targets = "answers" }
globals = { ignore_index = ")" +
                   loss + "\" }\n",
               catalog())
        .problems;
}

constexpr const char* kSizes = ", size = \"fr_size\", pad = \"fr_pad\"";
constexpr const char* kOfOthers =
    "is of the words of 'src' (Indexer), and the indices are those of 'tgt' (Indexer)\n    fix: ";

}  // namespace

TEST_CASE("other vocabulary: sizes and padding of the words that are read are right") {
    CHECK(problems_of(kSizes, "en_size", "fr_size", "fr_pad") == "");
}

TEST_CASE("other vocabulary: the size and the padding of other words are warned of") {
    const std::string others = kOfOthers;
    CHECK(problems_of(kSizes, "en_size", "en_size", "fr_pad") ==
          "e.toml:16:1: warning: pipeline.decoder: prediction_size = \"en_size\" " + others +
              "write globals = { prediction_size = \"fr_size\" } in pipeline.decoder");
    CHECK(problems_of(kSizes, "en_size", "fr_size", "en_pad") ==
          "e.toml:20:1: warning: pipeline.loss: ignore_index = \"en_pad\" " + others +
              "write globals = { ignore_index = \"fr_pad\" } in pipeline.loss");
    CHECK(problems_of(kSizes, "fr_size", "fr_size", "fr_pad") ==
          "e.toml:12:1: warning: pipeline.embed: words = \"fr_size\" is of the words of 'tgt' "
          "(Indexer), and the indices are those of 'src' (Indexer)\n"
          "    fix: write globals = { words = \"en_size\" } in pipeline.embed");
    CHECK(problems_of(kSizes, "fr", "fr_size", "fr_pad") ==
          "e.toml:12:1: warning: pipeline.embed: words = \"fr\" is of the words of the task of "
          "[training] (Pairs), and the indices are those of 'src' (Indexer)\n"
          "    fix: write globals = { words = \"en\" } in pipeline.embed");
}

TEST_CASE("other vocabulary: what the indexer does not publish is named, too") {
    CHECK(problems_of(", pad = \"fr_pad\"", "en_size", "en_size", "fr_pad") ==
          "e.toml:16:1: warning: pipeline.decoder: prediction_size = \"en_size\" " +
              std::string(kOfOthers) +
              "write globals = { size = \"tgt_size\" } in pipeline.tgt, and write globals = { "
              "prediction_size = \"tgt_size\" } in pipeline.decoder");
}

TEST_CASE("other vocabulary: words that another component has added to are the same") {
    CHECK(test::assemble_text(R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Pairs", batch_size = 4, globals = { left_words = "words" } }
[pipeline.in]
type = "Indexer"
streams = { inputs = "words", outputs = "numbers" }
globals = { word_mappings = "words", all_words = "all", size = "size", pad = "pad" }
[pipeline.out]
type = "Indexer"
streams = { inputs = "targets", outputs = "answers" }
globals = { word_mappings = "all" }
[pipeline.embed]
type = "Embed"
streams = { inputs = "numbers", outputs = "vectors" }
globals = { words = "size" }
[pipeline.decoder]
type = "Decoder"
streams = { inputs = "vectors" }
globals = { prediction_size = "size" }
[pipeline.loss]
type = "Loss"
streams = { targets = "answers" }
globals = { ignore_index = "pad" }
)",
                              catalog())
              .problems == "");
}

}  // namespace other_vocabulary_test
