// `ptprun fetch --list`: the files of a transform, by the settings that an entry of the list names.

#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <string>

namespace ptprun_fetch_transform_test {

namespace {

constexpr const char* kTexts = R"(
[training]
optimizer = { type = "SGD", lr = 0.1 }
terminal_conditions = { epoch_limit = 1 }
task = { type = "TextFolder", batch_size = 2, data_folder = "data", classes = ["a", "b"] }
[pipeline.tokenizer]
type = "SentenceTokenizer"
streams = { outputs = "words" }
[pipeline.indexer]
type = "SentenceIndexer"
data_folder = "data"
source_vocabulary_files = ["words.txt", "more.txt"]
streams = { inputs = "words", outputs = "word_indices" }
globals = { vocabulary_size = "word_count" }
[pipeline.encoder]
type = "TextEncoder"
hidden_size = 8
num_layers = 1
num_heads = 2
max_length = 8
streams = { inputs = "word_indices", pooled = "text" }
globals = { vocab_size = "word_count" }
[pipeline.net]
type = "FeedForwardNetwork"
streams = { inputs = "text" }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
)";

}  // namespace

TEST_CASE(
    "ptprun fetch: a transform is meant by some of its files, not by settings that it lacks") {
    const ptp::test::TempFolder temp;
    temp.write("data/a/1.txt", "a word\n");  // without a folder, nothing is listed but errors
    const std::string experiment = temp.write("e.toml", kTexts).string();
    const auto listed = [&](const std::string& when) {
        const auto list = temp.write(
            "list.toml",
            "[[data]]\ncomponent = \"SentenceIndexer\"\nfolder = \"data_folder\"\nfiles = "
            "[\"words.txt\"]\nurl = \"http://localhost/words.txt\"\nsha256 = \"248d6a61\"\nwhen = " +
                when + "\n");
        return ptp::test::run_program("ptprun", {"fetch", experiment, "--list"},
                                      {{"PTP_DOWNLOADS", list.string()}})
            .output;
    };
    const std::string none = experiment + ": no file is missing\n";
    const std::string one =
        "http://localhost/words.txt\n  " + (temp.path() / "data/words.txt").string() + "\n";
    CHECK(listed("{ source_vocabulary_files = [\"words.txt\", \"more.txt\"] }") == one);
    CHECK(listed("{ source_vocabulary_files = [\"words.txt\"] }") == one);
    CHECK(listed("{ source_vocabulary_files = [\"other.txt\"] }") == none);
    CHECK(listed("{ source_vocabulary_files = [] }") == none);
    CHECK(listed("{ fixed_padding = 4 }") == none);  // optional, and not set
}

}  // namespace ptprun_fetch_transform_test
