// Each fix is typed here, to the letter: afterwards nothing may be wrong.

#include "experiments/support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace typed_fixes_test {

using namespace ptp::test;

TEST_CASE("typed fixes: words of PyTorch for a schedule, a split and a loss") {
    const Mistake mistakes[] = {
        {"steps of a warm-up", "dataloader = { num_workers = 2 }", "warm_up = { steps = 100 }",
         "e.toml:10:13: training.warm_up.steps: unknown key; did you mean 'episodes'?\n"
         "    fix: write episodes = 100",
         "steps = 100", "episodes = 100"},
        {"one share for a split", "dataloader = { num_workers = 2 }",
         "sampler = { type = \"RandomSplitSampler\", share = 0.8 }",
         "e.toml:10:50: training.sampler.share = 0.8: must be a list of 2 reals in [0, 1], not a "
         "real\n    fix: write share = [0.0, 0.8]",
         "share = 0.8", "share = [0.0, 0.8]"},
        {"the smoothing of another loss", "type = \"NLLLoss\"",
         "type = \"NLLLoss\"\nlabel_smoothing = 0.1",
         "e.toml:41:1: pipeline.nll_loss.label_smoothing: unknown setting of NLLLoss; "
         "CrossEntropyLoss has it\n    fix: write type = \"CrossEntropyLoss\"",
         "type = \"NLLLoss\"", "type = \"CrossEntropyLoss\""},
    };
    for (const Mistake& mistake : mistakes) {
        check_typed(mistake);
    }
}

TEST_CASE("typed fixes: a key of another table goes where that table, as it is written, takes it") {
    const Mistake mistakes[] = {
        {"an option of an optimizer in braces", "hidden_sizes = [128]", "weight_decay = 0.1",
         "e.toml:34:1: pipeline.classifier.weight_decay: unknown setting; did you mean "
         "'training.optimizer.weight_decay'?\n"
         "    fix: write optimizer = { type = \"Adam\", lr = 0.001, weight_decay = 0.1 }, at "
         "e.toml:8:1",
         "weight_decay = 0.1", "hidden_sizes = [128]"},
        {"the same in [training]", "terminal_conditions = { epoch_limit = 2 }", "patience = 2",
         "e.toml:9:1: training.patience: unknown key; did you mean "
         "'terminal_conditions.early_stop_validations'?\n"
         "    fix: write terminal_conditions.early_stop_validations = 2",
         "patience = 2", "terminal_conditions.early_stop_validations = 2"},
        {"a table with another name, and one below it", "[validation.task]",
         "[valid]\nbatch_limit = 2\n[valid.task]",
         "e.toml:17:2: valid: unknown key; did you mean 'validation'?\n"
         "    fix: write [validation] in place of [valid], [validation.task] in place of "
         "[valid.task]",
         "[valid]\nbatch_limit = 2\n[valid.task]",
         "[validation]\nbatch_limit = 2\n[validation.task]"},
        {"a table beside one below it with the right name", "[validation.task]",
         "[valid]\nbatch_limit = 2\n[validation.task]",
         "e.toml:17:2: valid: unknown key; did you mean 'validation'?\n"
         "    fix: write [validation] in place of [valid]",
         "[valid]", "[validation]"},
        {"a table of Keras", "[pipeline.accuracy]", "[metrics]",
         "e.toml:42:2: metrics: unknown key; did you mean 'pipeline.statistics'?\n"
         "    fix: write [pipeline.statistics] in place of [metrics]",
         "[metrics]", "[pipeline.statistics]"},
        {"a table of scikit-learn", "[validation.task]", "[eval.task]",
         "e.toml:17:2: eval: unknown key; did you mean 'validation'?\n"
         "    fix: write [validation.task] in place of [eval.task]",
         "[eval.task]", "[validation.task]"},
        {"a shuffle beside a sampler", "size = 1000",
         "size = 1000\nshuffle = true\n[training.sampler]\ntype = \"RandomSampler\"",
         "e.toml:16:1: training.task.shuffle: unknown setting; did you mean "
         "'training.dataloader.shuffle'?\n"
         "    fix: leave it out: the sampler decides the order; or leave out the sampler",
         "shuffle = true\n", ""},
        {"a shuffle of the loader beside a sampler", "num_workers = 2 }",
         "num_workers = 2, shuffle = true }\nsampler = { type = \"RandomSampler\" }",
         "e.toml:10:43: training.dataloader.shuffle = true: must be false beside a sampler, which "
         "decides the order by itself\n"
         "    fix: leave it out: the sampler decides the order; or leave out the sampler",
         ", shuffle = true", ""},
        {"a word of Lightning", "seed = 1", "seed_everything = 1",
         "e.toml:2:1: seed_everything: unknown key; did you mean 'seed'?\n"
         "    fix: write seed = 1",
         "seed_everything", "seed"},
        {"what Lightning monitors", "terminal_conditions",
         "monitor = \"val_loss\"\nterminal_conditions",
         "e.toml:9:1: training.monitor: unknown key\n"
         "    fix: write judge = { statistic = \"loss\", better = \"smaller\" }",
         "monitor = \"val_loss\"", "judge = { statistic = \"loss\", better = \"smaller\" }"},
        {"a logger", "seed = 1", "seed = 1\nlogger = \"tensorboard\"",
         "e.toml:3:1: logger: unknown key\n"
         "    fix: write records.tensorboard = { every_episodes = 1 }",
         "logger = \"tensorboard\"", "records.tensorboard = { every_episodes = 1 }"},
        {"what is an option here", "seed = 1", "seed = 1\nlog_dir = \"logs\"",
         "e.toml:3:1: log_dir: unknown key\n"
         "    fix: leave it out; here it is the option --run-dir DIR of a training",
         "log_dir = \"logs\"", ""},
        {"the trainer of Lightning", "[validation.task]",
         "[trainer]\nmax_epochs = 5\n[validation.task]",
         "e.toml:17:2: trainer: unknown key; did you mean 'training'?\n"
         "    fix: remove [trainer], and write training.terminal_conditions.epoch_limit = 5 at "
         "e.toml:9:39",
         "[trainer]\nmax_epochs = 5\n", ""},
        {"a table of models", "[pipeline.classifier]", "[model.classifier]",
         "e.toml:32:2: model: unknown key; did you mean 'pipeline'?\n"
         "    fix: write [pipeline.classifier] in place of [model.classifier]",
         "[model.classifier]", "[pipeline.classifier]"},
        {"a table of statistics", "[pipeline.accuracy]", "[metrics.accuracy]",
         "e.toml:42:2: metrics: unknown key; did you mean 'pipeline'?\n"
         "    fix: write [pipeline.accuracy] in place of [metrics.accuracy]",
         "[metrics.accuracy]", "[pipeline.accuracy]"},
        {"a component outside of the pipeline", "[pipeline.accuracy]", "[accuracy]",
         "e.toml:42:2: accuracy: unknown key; did you mean 'pipeline.accuracy'?\n"
         "    fix: write [pipeline.accuracy] in place of [accuracy]",
         "[accuracy]", "[pipeline.accuracy]"},
        {"an epoch of unfreezing", "hidden_sizes = [128]", "unfreeze_at = 1",
         "e.toml:34:1: pipeline.classifier.unfreeze_at: unknown setting; here it is 'freeze'\n"
         "    fix: write freeze = { until_epoch = 1 }",
         "unfreeze_at = 1", "freeze = { until_epoch = 1 }"},
    };
    for (const Mistake& mistake : mistakes) {
        check_typed(mistake);
    }
    // Only the line that the fix names is left.
    CHECK(ptp::test::problems_of(replaced(ptp::test::good_experiment(),
                                          "optimizer = { type = \"Adam\", lr = 0.001 }",
                                          "lr = 0.01\noptimizer = \"Adam\""))
              .find("fix: write optimizer = { type = \"Adam\", lr = 0.01 }, at e.toml:9:1\n") !=
          std::string::npos);
}

TEST_CASE("typed fixes: a value with commas is what its key takes") {
    const Mistake mistakes[] = {
        {"thousands", "batch_size = 64", "batch_size = 1,000",
         "e.toml:14:15: not valid TOML: a comma is not a decimal point\n    fix: write 1000",
         "1,000", "1000"},
        {"thousands in quotes", "batch_size = 64", "batch_size = \"1,000\"",
         "e.toml:14:14: training.task.batch_size = \"1,000\": must be an integer in [1, inf), not "
         "a string\n    fix: write 1000",
         "\"1,000\"", "1000"},
        {"thousands of a component", "size = 1000", "size = 1,000",
         "e.toml:15:9: not valid TOML: a comma is not a decimal point\n"
         "    fix: write 1000, or 1.000",
         "1,000", "1000"},
        {"a list", "hidden_sizes = [128]", "hidden_sizes = 8,8",
         "e.toml:34:17: not valid TOML: a comma is not a decimal point\n"
         "    fix: write [8, 8], or 8.8",
         "8,8", "[8, 8]"},
        {"a list in quotes", "hidden_sizes = [128]", "hidden_sizes = \"8,8\"",
         "e.toml:34:16: pipeline.classifier.hidden_sizes = \"8,8\": must be an integer or a list "
         "of integers in [1, inf), not a string\n    fix: write [8, 8]",
         "\"8,8\"", "[8, 8]"},
        {"a decimal comma in braces", "lr = 0.001", "lr = 0,001",
         "e.toml:8:36: not valid TOML: a comma is not a decimal point\n    fix: write 0.001",
         "0,001", "0.001"},
        {"a list of names", "[training.task]",
         "[swap]\ncomponents = \"encoder, classifier\"\n[training.task]",
         "e.toml:13:14: swap.components = \"encoder, classifier\": must be a list of strings, not "
         "a string\n    fix: write components = [\"encoder\", \"classifier\"]",
         "\"encoder, classifier\"", "[\"encoder\", \"classifier\"]"},
    };
    for (const Mistake& mistake : mistakes) {
        check_typed(mistake);
    }
}

TEST_CASE("typed fixes: a file in another language is named as one, with its first line") {
    const char* const fix =
        "    fix: write lr = 0.1 for \"lr\": 0.1 or lr: 0.1, and [training] for training:";
    CHECK(ptp::test::problems_of("# small\n\ntraining:\n  lr: 0.1\n") ==
          std::string("e.toml:3:1: is YAML, and experiments are TOML\n") + fix);
    CHECK(ptp::test::problems_of("{\"training\": {}}") ==
          std::string("e.toml:1:1: is JSON, and experiments are TOML\n") + fix);
    CHECK(ptp::test::problems_of("[training]\nseed: 1\n") ==
          "e.toml:2:5: not valid TOML: a key is followed by '=', not by ':'\n"
          "    fix: write = in place of :");
}

TEST_CASE("typed fixes: a word of the command line that lacks its option gets it") {
    struct Case {
        const char* arguments;
        const char* said;  // without the line of help
        const char* typed;
    };
    const Case cases[] = {
        {"check good.toml epochs=3",
         "'epochs=3' is one word too many after 'good.toml'\n"
         "    fix: --set training.terminal_conditions.epoch_limit=3",
         "check good.toml --set training.terminal_conditions.epoch_limit=3"},
        {"check good.toml training.epochs=3",
         "'training.epochs=3' is one word too many after 'good.toml'\n"
         "    fix: --set training.terminal_conditions.epoch_limit=3",
         "check good.toml --set training.terminal_conditions.epoch_limit=3"},
        {"check good.toml --set training.optimizer.lr 0.1",
         "'0.1' is one word too many after 'good.toml'\n    fix: --set training.optimizer.lr=0.1",
         "check good.toml --set training.optimizer.lr=0.1"},
        {"check good.toml --set learning_rate 0.1",
         "'0.1' is one word too many after 'good.toml'\n    fix: --set training.optimizer.lr=0.1",
         "check good.toml --set training.optimizer.lr=0.1"},
        {"check good.toml --set lr = 0.1",
         "'=' is one word too many after 'good.toml'\n    fix: --set training.optimizer.lr=0.1",
         "check good.toml --set training.optimizer.lr=0.1"},
        {"check good.toml --set training.optimizer.lr= 0.1",
         "'0.1' is one word too many after 'good.toml'\n    fix: --set training.optimizer.lr=0.1",
         "check good.toml --set training.optimizer.lr=0.1"},
        {"check good.toml --set seed =3",
         "'=3' is one word too many after 'good.toml'\n    fix: --set seed=3",
         "check good.toml --set seed=3"},
        {"check good.toml lr = 0.1",
         "'lr' is one word too many after 'good.toml'\n    fix: --set training.optimizer.lr=0.1",
         "check good.toml --set training.optimizer.lr=0.1"},
        {"runs --limit 3", "unknown option '--limit'\n    fix: ptprun runs | tail -n 3", ""},
        {"runs a/b --sort loss --last=3 --tag x",
         "unknown option '--last'\n    fix: ptprun runs a/b --sort loss --tag x | head -n 4", ""},
        {"predict runs/net --columns file,predicted",
         "unknown option '--columns'\n    fix: leave it out; --stream NAME chooses the streams that "
         "are predicted, and a table has a row for each sample",
         ""},
        {"predict runs/net --limit 2 --data a.csv",
         "unknown option '--limit'\n    fix: ptprun predict runs/net --data a.csv | head -n 3", ""},
        {"predict runs/net --max-epochs 3", "unknown option '--max-epochs'", ""},
        {"predict runs/net --optimizer SGD", "unknown option '--optimizer'", ""},
        {"predict runs/net --precision 16", "unknown option '--precision'", ""},
        {"process runs/net --saveall", "unknown option '--saveall'", ""},
        {"predict runs/net --batch-size 4",
         "unknown option '--batch-size'\n    fix: leave it out: it changes no prediction", ""},
        {"check good.toml small.toml",
         "'small.toml' is one word too many after 'good.toml'; to train both, start each by itself, "
         "or lay it over that\n"
         "    fix: ptprun check good.toml --over small.toml",
         "check good.toml --over small.toml"},
        {"predict --data photos runs/net",
         "a run folder, a bundle or an experiment file is needed\n"
         "    fix: ptprun predict runs/net --data photos",
         ""},
    };
    for (const Case& c : cases) {
        const std::string arguments = c.arguments;
        CAPTURE(arguments);
        const std::string command = arguments.substr(0, arguments.find(' '));
        CHECK(ptprun(arguments).err == std::string("ptprun: error: ") + c.said +
                                           "\n    help: ptprun help " + command + "\n");
        if (const std::string typed = c.typed; !typed.empty()) {
            CHECK(ptprun(typed).code == 0);
        }
    }
    CHECK(ptprun("good").err ==
          "ptprun: error: 'good' is neither a file nor a command\n    fix: ptprun good.toml\n");
}

TEST_CASE("typed fixes: what is wrong in --set is written as --set") {
    struct Case {
        const char* set;
        const char* said;  // without the excerpt
        const char* typed;
    };
    const char* const sgd =
        "    fix: --set 'training.optimizer={ type = \"SGD\", lr = 0.01, momentum = 0.9 }'\n";
    const Case cases[] = {
        {"training.optimizer=SGD", sgd,
         "'training.optimizer={ type = \"SGD\", lr = 0.01, momentum = 0.9 }'"},
        {"optimizer=SGD", sgd,
         "'training.optimizer={ type = \"SGD\", lr = 0.01, momentum = 0.9 }'"},
        {"trainer.max_epochs=3", "    fix: --set training.terminal_conditions.epoch_limit=3\n",
         "training.terminal_conditions.epoch_limit=3"},
        {"training.judge=val_acc",
         "    fix: to go by a statistic, --set 'training.judge={ statistic = \"accuracy\", better = "
         "\"larger\" }'\n",
         "'training.judge={ statistic = \"accuracy\", better = \"larger\" }'"},
        {"epochs=3", "    fix: --set training.terminal_conditions.epoch_limit=3\n",
         "training.terminal_conditions.epoch_limit=3"},
        {"training.optimizer.lr=0,01", "    fix: --set training.optimizer.lr=0.01\n",
         "training.optimizer.lr=0.01"},
        {"training.task.batch_size=1,000", "    fix: --set training.task.batch_size=1000\n",
         "training.task.batch_size=1000"},
        {"training.sampler=RandomSampler",
         "    fix: --set 'training.sampler={ type = \"RandomSampler\" }'\n",
         "'training.sampler={ type = \"RandomSampler\" }'"},
        {"'training.terminal_conditions.wall_time=10 minutes'",
         "    fix: --set 'training.terminal_conditions.wall_time=\"10m\"'\n",
         "'training.terminal_conditions.wall_time=\"10m\"'"},
        {"records.tensorboard=true", "    fix: --set 'records.tensorboard={}'\n",
         "'records.tensorboard={}'"},
        {"'search.space.\"training.optimizer.lr\"=[0.1, 0.2]'",
         "    fix: --set 'search.space.\"training.optimizer.lr\"={ choice = [0.1, 0.2] }'\n",
         "'search.space.\"training.optimizer.lr\"={ choice = [0.1, 0.2] }'"},
        {"training.task.batch_size=64.0", "    fix: --set training.task.batch_size=64\n",
         "training.task.batch_size=64"},
    };
    for (const Case& c : cases) {
        const std::string set = c.set;
        CAPTURE(set);
        const Said said = ptprun("check good.toml --set " + set);
        CHECK(said.code == 2);
        CHECK(said.err.find(c.said) != std::string::npos);
        CHECK(said.err.find("errors") == std::string::npos);
        CHECK(ptprun(std::string("check good.toml --set ") + c.typed).code == 0);
    }
    CHECK(ptprun("check good.toml --set training.optimizer.lr=0,01").err ==
          "--set: error: training.optimizer.lr: 0,01 is not a number\n"
          "      | training.optimizer.lr=0,01\n"
          "      | ^~~~~~~~\n"
          "    fix: --set training.optimizer.lr=0.01\n");
}

TEST_CASE("typed fixes: an input without a name reads the stream of its kind that nothing reads") {
    const std::string texts = R"(seed = 1
[training]
optimizer = { type = "Adam" }
[training.task]
type = "CsvTable"
batch_size = 2
file = "t.csv"
text = "review"
label = "opinion"
vocabulary = true
globals = { word_mappings = "words_of_texts" }
[pipeline.splitter]
type = "SentenceTokenizer"
streams = { outputs = "words" }
[pipeline.bag]
type = "BOWEncoder"
input_mode = "words"
streams = { inputs = "words", outputs = "counts" }
globals = { word_mappings = "words_of_texts" }
[pipeline.classifier]
type = "FeedForwardNetwork"
streams = { inputs = "counts" }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
)";
    const auto problems = [](const std::string& text) {
        return ptp::test::problems_of(text, ptp::pipeline::NeededFiles::kIgnored);
    };
    CHECK(problems(texts) ==
          "e.toml:12:1: pipeline.splitter: input 'inputs' reads stream 'inputs', which nothing "
          "writes\n"
          "    fix: write streams = { inputs = \"texts\", outputs = \"words\" } in "
          "pipeline.splitter");
    const std::string whole =
        replaced(texts, "{ outputs = \"words\" }", "{ inputs = \"texts\", outputs = \"words\" }");
    CHECK(problems(whole) == "");
    CHECK(problems(replaced(whole, "{ inputs = \"words\", outputs = \"counts\" }",
                            "{ outputs = \"counts\" }"))
              .ends_with("    fix: write streams = { inputs = \"words\", outputs = \"counts\" } in "
                         "pipeline.bag"));
    CHECK(problems(replaced(whole, "streams = { inputs = \"counts\" }\n", ""))
              .ends_with("    fix: write streams = { inputs = \"counts\" } in "
                         "pipeline.classifier"));
}

}  // namespace typed_fixes_test
