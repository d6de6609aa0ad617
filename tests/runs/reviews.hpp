// Reviews in files, and an experiment that tells the good ones by their bags of words.
#pragma once

#include "runs/predictions.hpp"

#include <string>

namespace ptp::test {

// Reviews that say good or bad; no section but [training].
inline std::string reviews(const TempFolder& folder) {
    for (int i = 0; i < 6; ++i) {
        folder.write("reviews/bad/" + std::to_string(i) + ".txt", "this was bad and long");
        folder.write("reviews/good/" + std::to_string(i) + ".txt", "this was good and long");
    }
    return training(20) + "type = \"TextFolder\"\nbatch_size = 4\nvocabulary = true\n" +
           "data_folder = \"" + (folder.path() / "reviews").string() + "\"\n" +
           R"(globals = { word_mappings = "text_words" }
[pipeline.tokenizer]
type = "SentenceTokenizer"
streams = { outputs = "words" }
[pipeline.bags]
type = "BOWEncoder"
input_mode = "words"
unknown = "<UNK>"
additional_tokens = "<UNK>"
streams = { inputs = "words", outputs = "bags" }
globals = { word_mappings = "text_words", vocabulary_size = "word_count" }
[pipeline.net]
type = "FeedForwardNetwork"
streams = { inputs = "bags" }
globals = { input_size = "word_count", prediction_size = "num_classes" }
[pipeline.nll]
type = "NLLLoss"
)";
}

}  // namespace ptp::test
