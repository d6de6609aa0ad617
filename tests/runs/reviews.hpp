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
           "globals = { word_mappings = \"text_words\" }\n[pipeline.tokenizer]\n"
           "type = \"SentenceTokenizer\"\nstreams = { outputs = \"words\" }\n[pipeline.bags]\n"
           "type = \"BOWEncoder\"\ninput_mode = \"words\"\nunknown = \"<UNK>\"\n"
           "additional_tokens = \"<UNK>\"\n"
           "streams = { inputs = \"words\", outputs = \"bags\" }\n"
           "globals = { word_mappings = \"text_words\", vocabulary_size = \"word_count\" }\n"
           "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nstreams = { inputs = \"bags\" }\n"
           "globals = { input_size = \"word_count\", prediction_size = \"num_classes\" }\n"
           "[pipeline.nll]\ntype = \"NLLLoss\"\n";
}

}  // namespace ptp::test
