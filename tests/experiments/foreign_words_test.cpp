// Words of other programs as settings and types, and the fixes that they get.

#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace foreign_words_test {

namespace {

constexpr const char* kExperiment =
    "[training]\noptimizer = { type = \"Adam\", lr = 0.01 }\nterminal_conditions = { epoch_limit = 1 "
    "}\n[training.task]\ntype = \"Table\"\nbatch_size = 4\nfile = \"t.csv\"\nfeatures = \"a\"\nlabel = "
    "\"b\"\nsplit = { shares = [0.5, 0.5] }\n[pipeline.net]\ntype = \"FeedForwardNetwork\"\nglobals = "
    "{ prediction_size = \"num_classes\" }\n[pipeline.rnn]\ntype = \"RecurrentNeuralNetwork\"\nstreams "
    "= { predictions = \"p\" }\n[pipeline.attention]\ntype = \"TransformerEncoder\"\nstreams = { "
    "outputs = \"o\" }\n[pipeline.vectors]\ntype = \"SentenceEmbeddings\"\nembeddings_size = 4\n[pipeline."
    "loss]\ntype = \"NLLLoss\"\n";

// Returns the last fix about a key, or all that is said where there is none.
std::string fix_of(const std::vector<std::string>& sets, const std::string& key) {
    const ptp::test::TempFolder folder;
    folder.write("t.csv", "a,b\n1,x\n2,y\n3,x\n4,y\n");
    std::vector<std::string> arguments = {"check", folder.write("e.toml", kExperiment).string()};
    for (const std::string& set : sets) {
        arguments.insert(arguments.end(), {"--set", set});
    }
    const std::string all = ptp::test::run_program("ptprun", arguments).errors;
    const std::size_t begin = all.find("error: " + key);
    const std::size_t fix = all.find("    fix: ", std::min(begin, all.size()));
    const std::size_t next = all.find("error: ", begin == all.npos ? begin : begin + 1);
    return fix == all.npos || fix > next ? all : all.substr(fix + 9, all.find('\n', fix) - fix - 9);
}

}  // namespace

TEST_CASE("foreign words: a setting of another program leads to what does so here") {
    struct Case {
        std::string set;
        std::string fix;
    };
    for (
        const Case& c : {
            Case{"training.task.split.test_size=0.3",
                 "--set 'training.task.split.shares=[0.7, 0.3]'"},
            {"training.task.split.train_size=0.4", "--set 'training.task.split.shares=[0.4, 0.6]'"},
            {"training.task.stratify=true",
             "leave it out; here it is `stratify` beside `shares` in `split` of the task Table, the "
             "sampler StratifiedSplitSampler, and `ptprun cv --stratified`: docs/tables.md, "
             "docs/experiments.md"},
            {"training.task.ignore=[\"c\"]",
             "leave it out; here it is \"ignore\" as the type of a column, columns = { NAME = "
             "\"ignore\" } of the task Table: docs/tables.md"},
            {"pipeline.rnn.return_sequences=true",
             "--set 'pipeline.rnn.prediction_mode=\"Dense\"'"},
            {"pipeline.attention.d_model=64",
             "leave it out: it is the length of the vectors that are read"},
            {"pipeline.attention.dim_feedforward=64",
             "--set pipeline.attention.feedforward_size=64"},
            {"pipeline.vectors.glove=\"g.txt\"",
             "--set 'pipeline.vectors.pretrained_embeddings_file=\"g.txt\"'"},
            {"pipeline.net.pretrained=true",
             "leave it out, and write load = \"FILE\": docs/pretrained-weights.md names published "
             "files, and `ptprun fetch EXPERIMENT` downloads the one that is written"},
            {"pipeline.net.load=\"imagenet\"",
             "docs/pretrained-weights.md names published files, and `ptprun fetch EXPERIMENT` "
             "downloads the one that is written"},
            {"training.gradient_clip_val=0.5", "--set 'training.gradient_clipping={ norm = 0.5 }'"},
            {"training.gradient_clip_algorithm=\"norm\"",
             "leave it out: gradient_clipping = { norm = 1.0 } limits the norm of all gradients, "
             "and a number each element"},
            {"training.optimizer.clipnorm=0.5",
             "--set 'training.gradient_clipping={ norm = 0.5 }'"},
            {"training.optimizer.global_clipnorm=0.5",
             "--set 'training.gradient_clipping={ norm = 0.5 }'"},
            {"training.optimizer.clipvalue=0.5", "--set training.gradient_clipping=0.5"},
        }) {
        CAPTURE(c.set);
        CHECK(fix_of({c.set}, c.set.substr(0, c.set.find('='))) == c.fix);
    }
    CHECK(fix_of({"training.gradient_clip_val=0.5", "training.gradient_clip_algorithm=\"value\""},
                 "training.gradient_clip_val") == "--set training.gradient_clipping=0.5");
}

TEST_CASE("foreign words: a type of another program leads to the component") {
    struct Case {
        std::string key;
        std::string type;
        std::string said;
    };
    for (const Case& c : {
             Case{"pipeline.x", "BPE", "did you mean 'BytePairTokenizer'?"},
             {"pipeline.x", "BERT", "did you mean 'TextEncoder'?"},
             {"pipeline.x", "WordTokenizer", "did you mean 'SentenceTokenizer'?"},
             {"pipeline.x", "TfidfVectorizer", "did you mean 'BOWEncoder'?"},
             {"pipeline.x", "LogisticRegression", "did you mean 'FeedForwardNetwork'?"},
             {"pipeline.x", "CNN", "fix: here it is layers such as Conv2d in a list"},
             {"pipeline.x", "ToTensor",
              "fix: here it is not needed: a task writes images as numbers from 0 to 1"},
             {"training.task", "Tabular", "did you mean 'Table'?"},
         }) {
        CAPTURE(c.type);
        CHECK(fix_of({c.key + ".type=\"" + c.type + "\""}, "none").find(c.said) !=
              std::string::npos);
    }
}

}  // namespace foreign_words_test
