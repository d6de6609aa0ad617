// Mistakes in --set that people bring from Keras and PyTorch: each fix is typed in place of what is
// wrong, to the letter, and afterwards nothing is wrong.

#include "experiments/support.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace typed_values_test {

using ptp::test::ptprun;
using ptp::test::Said;

namespace {

struct Case {
    std::string set;
    std::vector<std::string> lines;  // of what is said, without the excerpts
    std::string typed;               // "": nothing
};

// The lines of an error but for those of the excerpt.
std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        if (!line.starts_with("      | ")) {
            lines.push_back(line);
        }
        begin = end + 1;
    }
    return lines;
}

void check_cases(const std::vector<Case>& cases) {
    for (const Case& one : cases) {
        CAPTURE(one.set);
        const Said said = ptprun("check good.toml --set " + one.set);
        CHECK(said.code == 2);
        CHECK(lines_of(said.err) == one.lines);
        const Said after = ptprun("check good.toml" + one.typed);
        CHECK_MESSAGE(after.code == 0, after.err);
        if (!one.typed.empty()) {
            CHECK(one.lines.back().find(one.typed.substr(1)) != std::string::npos);
        }
    }
}

const std::string kError = "--set: error: training.";
const std::string kFix = "    fix:";

}  // namespace

TEST_CASE("typed values: what is wrong in a table of --set is fixed in the whole table") {
    const std::string rmsprop =
        " --set 'training.optimizer={ type = \"RMSprop\", lr = 0.01, alpha = 0.9, eps = 1e-07 }'";
    const std::string momentum =
        " --set 'training.optimizer={ type = \"SGD\", lr = 0.01, momentum = 0.9 }'";
    const std::string clipped =
        " --set 'training.optimizer={ type = \"Adam\", lr = 0.01 }' --set "
        "'training.gradient_clipping={ norm = 1.0 }'";
    const std::string step =
        " --set 'training.scheduler={ type = \"StepLR\", step_size = 1, gamma = 0.1 }'";
    check_cases(
        {{"'training.optimizer={ type = \"RMSprop\", learning_rate = 0.01, rho = 0.9, epsilon = "
          "1e-7 }'",
          {kError + "optimizer.learning_rate: unknown key; did you mean 'lr'?",
           kError + "optimizer.rho: unknown key; did you mean 'alpha'?",
           kError + "optimizer.epsilon: unknown key; did you mean 'eps'?", kFix + rmsprop,
           "3 errors"},
          ""},
         {"'training.optimizer={ type = \"SGD\", lr = 0.01, beta1 = 0.9 }'",
          {kError + "optimizer.beta1: unknown key; did you mean 'momentum'?", kFix + momentum},
          momentum},
         {"'training.optimizer={ type = \"Adam\", lr = 0.01, clipnorm = 1.0 }'",
          {kError + "optimizer.clipnorm: unknown key", kFix + clipped},
          clipped},
         {"'training.scheduler={ type = \"StepLR\", step_size = 1, gamma = 0.1, last_epoch = -1 }'",
          {kError + "scheduler.last_epoch: unknown key", kFix + step},
          step}});
    CHECK(ptprun("check good.toml" + rmsprop).code == 0);
    // An option that the optimizer has not is no fix.
    for (const char* option : {"beta_2 = 0.9", "epsilon = 1e-7"}) {
        const Said said = ptprun(
            "check good.toml --set 'training.optimizer={ type = \"SGD\", lr = "
            "0.01, " +
            std::string(option) + " }'");
        CHECK(said.code == 2);
        CHECK_MESSAGE(said.err.find("fix: ") == std::string::npos, said.err);
    }
}

TEST_CASE("typed values: what is wrong in a list of layers is fixed in the whole list") {
    const std::string net = "pipeline.net={ type = \"LayerStack\", layers = ";
    const Said said =
        ptprun("check good.toml --set '" + net + "[{ type = \"Linear\", units = 8 }, \"relu\"] }'");
    CHECK(said.code == 2);
    const std::vector<std::string> lines = lines_of(said.err);
    CHECK(std::ranges::find(lines, "    fix: --set '" + net +
                                       "[{ type = \"Linear\", out_features = 8 }, \"ReLU\"] }'") !=
          lines.end());
    // The activation of a layer becomes a layer behind it.
    const Said active =
        ptprun("check good.toml --set '" + net +
               "[\"Flatten\", { type = \"Linear\", units = 8, activation = \"relu\" }, { type = "
               "\"Linear\", out = 8, activation = \"tanh\" }, \"GELU\"] }'");
    CHECK(active.code == 2);
    const std::vector<std::string> said_of_active = lines_of(active.err);
    CHECK_MESSAGE(
        std::ranges::find(said_of_active,
                          "    fix: --set '" + net +
                              "[\"Flatten\", { type = \"Linear\", out_features = 8 }, \"ReLU\", { "
                              "type = \"Linear\", out = 8 }, \"Tanh\", \"GELU\"] }'") !=
            said_of_active.end(),
        active.err);
}

TEST_CASE("typed values: advice to write something elsewhere stays") {
    const std::string advice =
        "    fix: leave it out; EarlyStopping is early_stop_validations in "
        "[training.terminal_conditions], ModelCheckpoint is [checkpoint], schedules of the rate "
        "are [training.scheduler], and TensorBoard is [records.tensorboard]";
    const Said said = ptprun("check good.toml --set 'training={ callbacks = \"EarlyStopping\" }'");
    CHECK(said.code == 2);
    const std::vector<std::string> lines = lines_of(said.err);
    CHECK_MESSAGE(std::ranges::find(lines, advice) != lines.end(), said.err);
}

TEST_CASE("typed values: words of Keras that are other keys, or none") {
    const std::string best =
        " leave it out: the best weights are kept, and predictions are made with them";
    const std::string sampler = " --set 'training.sampler={ type = \"ClassBalancedSampler\" }'";
    const std::string average = " --set 'training.weight_average={ decay = 0.999 }'";
    const std::string decay =
        " --set 'training.scheduler={ type = \"ExponentialLR\", gamma = 0.9 }'";
    const std::string patience = " --set training.terminal_conditions.early_stop_validations=3";
    check_cases(
        {{"training.restore_best_weights=true",
          {kError + "restore_best_weights: unknown key", kFix + best},
          ""},
         {"save_best_only=true", {"--set: error: save_best_only: unknown key", kFix + best}, ""},
         {"verbose=1",
          {"--set: error: verbose: unknown key",
           kFix + " leave it out; --quiet shows less, and --verbose more"},
          ""},
         {"training.callbacks=EarlyStopping",
          {kError + "callbacks: unknown key",
           kFix +
               " leave it out; EarlyStopping is early_stop_validations in "
               "[training.terminal_conditions], ModelCheckpoint is [checkpoint], schedules of the "
               "rate are [training.scheduler], and TensorBoard is [records.tensorboard]"},
          ""},
         {"training.class_weight=balanced",
          {kError + "class_weight: unknown key", kFix + sampler},
          sampler},
         {"'training.class_weight={ a = 2.0 }'",
          {kError +
           "class_weight: unknown key; here it is 'pipeline.loss.class_weights', which must "
           "be a list with a weight for each class, in the order of their numbers"},
          ""},
         {"training.ema=true", {kError + "ema: unknown key", kFix + average}, average},
         {"training.lr_decay=0.9", {kError + "lr_decay: unknown key", kFix + decay}, decay},
         {"training.lr_decay=0.1",
          {kError +
           "lr_decay: unknown key; here it is 'scheduler', which must be a table, or \"none\""},
          ""},
         {"'early_stopping={ patience = 3, restore_best_weights = true }'",
          {"--set: error: early_stopping: unknown key", kFix + patience},
          patience}});
}

TEST_CASE("typed values: words of Hugging Face, Lightning and scikit-learn") {
    const auto set = [](const std::string& value) { return " --set " + value; };
    const std::string kOut = " leave it out";
    const std::string unknown = ": unknown key";
    const std::string top = "--set: error: ";
    const std::string loss =
        "--set: error: pipeline.nll_loss.reduction: unknown setting; a loss is "
        "the mean over what counts in the batch";
    const std::string net =
        "--set: error: pipeline.classifier.activation: unknown setting; the "
        "activation of FeedForwardNetwork ";
    const std::string no_type = kError + "sampler.type = ";
    std::vector<Case> cases;
    const auto moved = [&](const std::string& given, const std::string& said,
                           const std::string& typed) {
        cases.push_back({given, {said, kFix + set(typed)}, set(typed)});
    };
    const auto left_out = [&](const std::string& given, const std::string& said,
                              const std::string& more) {
        cases.push_back({given, {said, kFix + kOut + more}, ""});
    };
    moved(
        "per_device_train_batch_size=8",
        top + "per_device_train_batch_size: unknown key; did you mean 'training.task.batch_size'?",
        "training.task.batch_size=8");
    moved(
        "per_device_eval_batch_size=8",
        top + "per_device_eval_batch_size: unknown key; did you mean 'validation.task.batch_size'?",
        "validation.task.batch_size=8");
    moved("run_name=x", top + "run_name: unknown key; did you mean 'name'?", "'name=\"x\"'");
    moved("bf16=true", top + "bf16" + unknown, "'training.precision=\"bf16\"'");
    moved("training.optimizer.betas=0.8",
          kError + "optimizer.betas = 0.8: must be a list of 2 reals in [0, 1), not a real",
          "'training.optimizer.betas=[0.8, 0.999]'");
    moved("training.optimizer.beta_1=0.8", kError + "optimizer.beta_1" + unknown,
          "'training.optimizer.betas=[0.8, 0.999]'");
    moved("'training.gradient_clipping={ max_norm = 1.0 }'",
          kError + "gradient_clipping.max_norm: unknown key; did you mean 'norm'?",
          "'training.gradient_clipping={ norm = 1.0 }'");
    moved("training.terminal_conditions.epoch_limit=none",
          kError +
              "terminal_conditions.epoch_limit = \"none\": must be an integer, -1 or in [1, "
              "inf), not a string",
          "training.terminal_conditions.epoch_limit=1000000");
    moved("'training.sampler={ type = \"RandomSplit\", share = [0.0, 0.9] }'",
          no_type + "\"RandomSplit\": unknown type",
          "'training.sampler={ share = [0.0, 0.9], type = \"RandomSplitSampler\" }'");
    moved("'training.sampler={ type = \"StratifiedKFold\", n_splits = 3 }'",
          no_type + "\"StratifiedKFold\": unknown type",
          "'training.sampler={ type = \"kFoldStratifiedSampler\", folds = 3, fold = 0 }'");
    left_out("logging_steps=10", top + "logging_steps" + unknown,
             ": the statistics of each batch are in the run's folder");
    left_out("worker=ddp", top + "worker" + unknown, "; several processes train by --nproc N");
    left_out("training.dataloader.pin_memory=true", kError + "dataloader.pin_memory" + unknown,
             ": it is so where a GPU is used");
    left_out("training.dataloader.persistent_workers=true",
             kError + "dataloader.persistent_workers" + unknown, ": workers are threads");
    left_out("checkpoint.save_best_only=true", top + "checkpoint.save_best_only" + unknown,
             ": the best weights are kept, and predictions are made with them");
    left_out("checkpoint.save_top_k=3", top + "checkpoint.save_top_k" + unknown,
             ": the best weights are kept, one checkpoint of them; keep = N in [checkpoint] keeps "
             "the last N besides");
    left_out("output_dir=out", top + "output_dir" + unknown,
             "; here it is the option --run-dir DIR of a training");
    left_out("training.task.download=true",
             kError + "task.download: unknown setting; nothing is downloaded but by a command",
             "; ptprun fetch EXPERIMENT gets what is missing");
    left_out("training.task.download=false",
             kError + "task.download: unknown setting; nothing is downloaded but by a command", "");
    left_out("pipeline.nll_loss.reduction=mean", loss, "");
    left_out("pipeline.classifier.activation=relu", net + "is that one", "");
    cases.push_back({"pipeline.nll_loss.reduction=sum", {loss}, ""});
    cases.push_back(
        {"pipeline.classifier.activation=tanh",
         {net + "cannot be chosen", kFix + " put a list of layers in its place: docs/networks.md"},
         ""});
    const std::string adam =
        " --set 'training.optimizer={ type = \"Adam\", lr = 0.1, betas = [0.8, 0.9] }'";
    cases.push_back(
        {"'training.optimizer={ type = \"Adam\", lr = 0.1, beta_1 = 0.8, beta_2 = 0.9 }'",
         {kError + "optimizer.beta_1" + unknown, kError + "optimizer.beta_2" + unknown, kFix + adam,
          "2 errors"},
         ""});
    check_cases(cases);
    CHECK(ptprun("check good.toml" + adam).code == 0);
}

namespace {

// Returns what `check good.toml --set SET` writes, without the line that it is about.
std::string said_of_set(const std::string& set) {
    const std::string text = ptprun("check good.toml --set " + set).err;
    const std::size_t fix = text.find("\n    fix: ");
    return text.empty() ? "" : text.substr(0, text.find('\n')) + text.substr(fix);
}

}  // namespace

TEST_CASE("typed values: the fix of one is typed, too") {
    const std::string rate =
        "--set: error: training.scheduler.max_lr = 0.1: unknown key: the rate rises to the "
        "optimizer's lr, which is 0.001\n"
        "    fix: --set 'training.scheduler={ type = \"OneCycleLR\" }' --set "
        "training.optimizer.lr=0.1\n";
    CHECK(said_of_set("'training.scheduler={ type = \"OneCycleLR\", max_lr = 0.1 }'") == rate);
    CHECK(said_of_set("training.scheduler.type=OneCycleLR --set training.scheduler.max_lr=0.1") ==
          rate);
    const std::string judge =
        "--set: error: training.judge.better: required, but missing; of accuracy the larger value "
        "is the better one\n"
        "    fix: --set 'training.judge={ statistic = \"accuracy\", better = \"larger\" }'\n";
    CHECK(said_of_set("'training.judge={ statistic = \"accuracy\" }'") == judge);
    CHECK(said_of_set("training.judge.statistic=accuracy") == judge);
    CHECK(said_of_set("judge=accuracy") ==
          "--set: error: judge: unknown key\n"
          "    fix: --set 'training.judge={ statistic = \"accuracy\", better = \"larger\" }'\n");
    CHECK(said_of_set("'training.judge={ statistic = \"acc\" }'") ==
          "--set: error: training.judge.statistic = \"acc\": [validation] has no statistic of this "
          "name; did you mean 'accuracy'?\n"
          "    fix: --set 'training.judge={ statistic = \"accuracy\", better = \"larger\" }'\n");
    const std::string steps =
        "--set: error: training.scheduler.step_size: required, but missing: an integer in [1, inf) "
        "(epochs between two changes)\n"
        "    fix: --set 'training.scheduler={ type = \"StepLR\", step_size = 3 }'\n";
    CHECK(said_of_set("training.scheduler.type=StepLR") == steps);
    CHECK(said_of_set("'training.scheduler={ type = \"StepLR\" }'") == steps);
}

}  // namespace typed_values_test
