// ptprun help WORDS: the words of ptp and of other programs, and what is declared.

#include "experiments/support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace ptprun_help_test {

using ptp::test::ptprun;
using ptp::test::Said;

TEST_CASE("ptprun help: a word of another tool is explained, however it is written") {
    CHECK(ptprun("help metric").out ==
          "metric: a statistic: a component that measures each batch and each set, such as "
          "AccuracyStatistics\n");
    CHECK(ptprun("help clip-grad-norm_").out ==
          "clip-grad-norm_: training.gradient_clipping = { norm = 1.0 }; a number clips each "
          "element\n");
    CHECK(ptprun("help Early_Stopping").out ==
          "Early_Stopping: the key training.terminal_conditions.early_stop_validations\n");
    CHECK(ptprun("help words").out.find("\nDataLoader  ") != std::string::npos);
    CHECK(ptprun("help words").out.find("\nepisode  ") != std::string::npos);
}

TEST_CASE("ptprun help: a word of the documents is explained, also in its plural") {
    CHECK(ptprun("help handshake").out ==
          "handshake: the check of all ports and settings before anything runs; `ptprun check` "
          "makes it alone\n");
    CHECK(ptprun("help ports").out ==
          "ports: a declared input or output of a component; a stream connects an output with "
          "inputs, and streams = { PORT = \"STREAM\" } chooses which\n");
    for (const std::string word :
         {"episode",   "stream",  "global",    "component", "plugin",    "generation",
          "worker",    "sampler", "setting",   "statistic", "pipeline",  "experiment",
          "task",      "model",   "transform", "loss",      "publisher", "viewer",
          "processor", "section", "epoch",     "checkpoint"}) {
        CAPTURE(word);
        const Said said = ptprun("help " + word);
        CHECK(said.code == 0);
        CHECK(said.out.starts_with(word + ": "));
    }
}

TEST_CASE("ptprun help: several words are one term") {
    CHECK(ptprun("help early stopping").out ==
          "early stopping: the key training.terminal_conditions.early_stop_validations\n");
    CHECK(ptprun("help mixed precision").out ==
          "mixed precision: the key training.precision: \"bf16\" or \"fp16\"\n");
    CHECK(ptprun("help check foo").out == ptprun("help check").out);
}

TEST_CASE("ptprun help: the words that a user of other programs types lead somewhere") {
    struct Term {
        std::string words;
        std::string where;  // a part of what is printed
    };
    for (const Term& term : {Term{"class weights", "class_weights or positive_weights of a loss"},
                             {"imbalance", "the sampler ClassBalancedSampler"},
                             {"AUC", "ROCStatistics"},
                             {"roc", "ROCStatistics"},
                             {"one-hot", "a column of the task Table"},
                             {"one hot", "a column of the task Table"},
                             {"regression", "MSELoss and RegressionStatistics"},
                             {"dropout", "Dropout, Drops numbers"},
                             {"embedding", "the layer Embedding"},
                             {"bag of words", "BOWEncoder"},
                             {"BLEU", "BLEUStatistics"},
                             {"teacher forcing", "AttentionDecoder"},
                             {"data augmentation", "RandomFlip"},
                             {"transfer learning", "docs/pretrained-weights.md"},
                             {"padding", "use_lengths = true"},
                             {"transpose", "ReshapeTensor changes the shape alone"},
                             {"train_test_split", "`split` of the task Table"},
                             {"label encoder", "in the order of their names"},
                             {"val_loss", "in `ptprun runs`"},
                             {"ModelCheckpoint", "RUN/checkpoints/best"},
                             {"mae", "RegressionStatistics"},
                             {"mse", "MSELoss, Mean squared difference"},
                             {"perplexity", "PerplexityStatistics"},
                             {"learning rate finder", "`ptprun find-lr"},
                             {"mixed precision", "training.precision"},
                             {"gradient accumulation", "training.accumulate"},
                             {"early stopping", "early_stop_validations"},
                             {"freeze", "freeze of a model component"},
                             {"fine-tune", "docs/pretrained-weights.md"},
                             {"finetune", "docs/pretrained-weights.md"},
                             {"k-fold", "`ptprun cv"},
                             {"stratify", "`ptprun cv --stratified`"},
                             {"standardize", "docs/tables.md"},
                             {"missing values", "missing = \"mean\""},
                             {"tensorboard", "[records.tensorboard]"},
                             {"wandb", "docs/records.md"},
                             {"onnx", "`ptprun export"},
                             {"deploy", "`ptprun bundle"},
                             {"inference", "`ptprun predict"},
                             {"batch norm", "BatchNorm2d"},
                             {"batch normalization", "BatchNorm2d"},
                             {"weight decay", "training.optimizer.weight_decay"},
                             {"warm up", "training.warm_up"},
                             {"warmup", "training.warm_up"},
                             {"scheduler", "training.scheduler"},
                             {"seed", "the key seed"},
                             {"deterministic", "docs/training.md, On a GPU"},
                             {"GPU", "--device cuda"},
                             {"DDP", "--nproc N"},
                             {"multi-GPU", "--nproc N"},
                             {"overfit", "--overfit N"},
                             {"grid search", "--set KEY=A,B"},
                             {"sweep", "--set KEY=A,B"},
                             {"Grad-CAM", "`ptprun explain-prediction"},
                             {"device", "--device cuda"},
                             {"image_size", "resize_image of"},
                             {"callbacks", "EarlyStopping is in"},
                             {"beam_size", "beam_width of AttentionDecoder"},
                             {"BPE", "BytePairTokenizer"},
                             {"ToTensor", "numbers from 0 to 1"},
                             {"unknown words", "unknown = \"<UNK>\""}}) {
        CAPTURE(term.words);
        const Said said = ptprun("help " + term.words);
        CHECK(said.code == 0);
        CHECK(said.out.find(term.where) != std::string::npos);
    }
    CHECK(ptprun("help mse").out.find("SelfAttention") == std::string::npos);  // the-mse-lves
    CHECK(ptprun("help TPU").code == 2);                                       // of out-put
}

TEST_CASE("ptprun help: what the glossary lacks is looked for in what is declared") {
    CHECK(ptprun("help weight decay").out ==
          "weight decay: the key training.optimizer.weight_decay: docs/reference.md\n");
    CHECK(ptprun("help confusion matrix").out ==
          "confusion matrix: PrecisionRecallStatistics, Precision, recall and F1 score of classes, "
          "and their confusion matrix\n");
    CHECK(ptprun("help bce").out ==
          "bce: BCEWithLogitsLoss, Mean binary cross-entropy of logits\n");
    CHECK(ptprun("help top_k").out ==
          "top_k: the setting top_k of CausalTransformer, AccuracyStatistics\n");
    CHECK(ptprun("help images").out.ends_with(": ptp-inspect\n"));
    const Said unknown = ptprun("help xyzzy");
    CHECK(unknown.code == 2);
    CHECK(unknown.err.starts_with(
        "ptprun: error: 'xyzzy' is neither a command nor a term of the glossary; known: run, "));
    for (const char* term : {"k-fold", "beam search", "embedding", "GloVe", "class weights",
                             "unfreeze", "regression", "logits", "GPU", "pretrained",
                             "learning rate finder", "padding", "checkpoint best", "split"}) {
        CAPTURE(term);
        CHECK(ptprun(std::string("help ") + term).out.starts_with(std::string(term) + ": "));
    }
}

}  // namespace ptprun_help_test
