// Vocabularies that nothing publishes, or only a section that is not trained on, and lengths of
// texts that nothing writes; the fix of each is typed.

#include "experiments/support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace wrong_vocabularies_test {

using ptp::test::replaced;

namespace {

constexpr const char* kTexts = R"(seed = 1
[training]
optimizer = { type = "Adam" }
[training.task]
type = "TextFolder"
batch_size = 8
data_folder = "train"
vocabulary = true
globals = { word_mappings = "text_words" }
[validation.task]
type = "TextFolder"
batch_size = 8
data_folder = "val"
[pipeline.splitter]
type = "SentenceTokenizer"
preprocessing = ["lowercase"]
vocabulary = true
streams = { outputs = "words" }
globals = { word_mappings = "text_words", published_word_mappings = "all_words" }
[pipeline.bow]
type = "BOWEncoder"
input_mode = "words"
streams = { inputs = "words", outputs = "counts" }
globals = { word_mappings = "all_words", vocabulary_size = "n_words" }
[pipeline.head]
type = "FeedForwardNetwork"
streams = { inputs = "counts" }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
)";

std::string problems_of(const std::string& text) {
    return ptp::test::problems_of(text, ptp::pipeline::NeededFiles::kIgnored);
}

// The texts without what the reader calls its vocabulary.
std::string unnamed() {
    return replaced(kTexts, "globals = { word_mappings = \"all_words\", vocabulary_size",
                    "globals = { vocabulary_size");
}

}  // namespace

TEST_CASE("wrong vocabularies: the one of the words that are read is named") {
    CHECK(problems_of(kTexts) == "");
    CHECK(problems_of(unnamed()) ==
          "e.toml:20:1: pipeline.bow.word_mappings_file = \"\" (by default): there is no "
          "vocabulary: write globals = { word_mappings = \"NAME\" } with the name of a published "
          "one, or set this or source_vocabulary_files\n"
          "    fix: write globals = { word_mappings = \"all_words\" } in pipeline.bow");
    // A name that nothing has, however much it is like that of a size.
    CHECK(problems_of(replaced(kTexts, "word_mappings = \"all_words\", v",
                               "word_mappings = \"words\", v")) ==
          "e.toml:20:1: pipeline.bow: reads global 'words', which nothing publishes\n"
          "    fix: write globals = { word_mappings = \"all_words\" } in pipeline.bow");
}

TEST_CASE("wrong vocabularies: a switch that was forgotten is the fix") {
    CHECK(
        problems_of(replaced(kTexts, "[\"lowercase\"]\nvocabulary = true", "[\"lowercase\"]")) ==
        "e.toml:18:13: pipeline.splitter.globals.word_mappings: warning: has no effect: "
        "SentenceTokenizer has this global only with vocabulary\n"
        "e.toml:18:43: pipeline.splitter.globals.published_word_mappings: warning: has no effect: "
        "SentenceTokenizer has this global only with vocabulary\n"
        "e.toml:19:1: pipeline.bow: reads global 'all_words', which nothing publishes\n"
        "    fix: set pipeline.splitter.vocabulary = true: SentenceTokenizer has "
        "'published_word_mappings' only then");
    CHECK(
        problems_of(replaced(kTexts, "\"train\"\nvocabulary = true\n", "\"train\"\n")) ==
        "e.toml:8:13: training.task.globals.word_mappings: warning: has no effect: TextFolder has "
        "this global only with vocabulary and without files and without samples\n"
        "e.toml:13:1: pipeline.splitter: reads global 'text_words', which nothing publishes\n"
        "    fix: set training.task.vocabulary = true: TextFolder has 'word_mappings' only then");
}

TEST_CASE("wrong vocabularies: without a name the task of the training publishes it") {
    std::string text = replaced(
        kTexts, "\"train\"\nvocabulary = true\nglobals = { word_mappings = \"text_words\" }\n",
        "\"train\"\n");
    text = replaced(text, "[\"lowercase\"]\nvocabulary = true", "[\"lowercase\"]");
    text = replaced(
        text,
        "globals = { word_mappings = \"text_words\", published_word_mappings = \"all_words\" }\n",
        "");
    CHECK(problems_of(text).ends_with(
        "pipeline.bow: reads global 'all_words', which nothing publishes\n"
        "    fix: set training.task.vocabulary = true and write globals = { word_mappings = "
        "\"text_words\" } in training.task, set pipeline.splitter.vocabulary = true and write "
        "globals = { word_mappings = \"text_words\", published_word_mappings = \"all_words\" } in "
        "pipeline.splitter"));
    // Following it is enough.
    CHECK(problems_of(kTexts) == "");
    CHECK(problems_of(replaced(text, "preprocessing = [\"lowercase\"]\n", ""))
              .ends_with("    fix: set training.task.vocabulary = true and write globals = { "
                         "word_mappings = \"all_words\" } in training.task"));
}

TEST_CASE("wrong vocabularies: that of a validation alone is warned of where it is read") {
    std::string text =
        replaced(kTexts, "data_folder = \"val\"\n",
                 "data_folder = \"val\"\nvocabulary = true\nglobals = { word_mappings = \"words\" "
                 "}\n");
    CHECK(problems_of(text) == "");
    text = replaced(text, "word_mappings = \"all_words\", v", "word_mappings = \"words\", v");
    CHECK(problems_of(text) ==
          "e.toml:22:1: warning: pipeline.bow: global 'words' is the vocabulary of the task of "
          "[validation] (TextFolder) alone: other words of the training are unknown, and new "
          "samples come without it\n"
          "    fix: write globals = { word_mappings = \"all_words\" } in pipeline.bow");
}

TEST_CASE(
    "wrong vocabularies: a sampler by lengths reads words: the stream of lengths is the fix") {
    const auto sampled = [](const std::string& stream, const std::string& indexer) {
        const std::string text = replaced(kTexts, "[validation.task]",
                                          "[training.sampler]\ntype = \"LengthGroupedSampler\"\n"
                                          "length_stream = \"" +
                                              stream + "\"\n[validation.task]");
        return replaced(
            text, "[pipeline.bow]",
            "[pipeline.index]\ntype = \"SentenceIndexer\"\n" + indexer +
                "streams = { inputs = \"words\", outputs = \"index_outputs\" }\nglobals = { "
                "word_mappings = \"all_words\" }\n[pipeline.bow]");
    };
    const auto said = [](const std::string& stream, const std::string& known) {
        return "e.toml:10:1: training.sampler.length_stream = \"" + stream +
               "\": neither the task of [training] (TextFolder) nor a transform behind it that "
               "treats each sample by itself has a stream of this name with an integer for each "
               "sample; known: targets" +
               known + "\n    fix: set training.sampler.length_stream = \"lengths\"";
    };
    const std::string lengths = "output_lengths = true\n";
    for (const char* stream : {"words", "texts"}) {
        CHECK(problems_of(sampled(stream, lengths)) == said(stream, ", lengths"));
        CHECK(problems_of(sampled(stream, "")) ==
              said(stream, "") +
                  ", and set pipeline.index.output_lengths = true: SentenceIndexer has 'lengths' "
                  "only then");
    }
    CHECK(problems_of(sampled("lengths", lengths)) == "");
}

}  // namespace wrong_vocabularies_test
