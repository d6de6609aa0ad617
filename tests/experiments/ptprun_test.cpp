// The commands of ptprun that need no libtorch, as a person meets them.

#include "experiments/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace ptprun_test {

using ptp::test::ptprun;
using ptp::test::Said;

TEST_CASE("ptprun check: a good experiment is summed up") {
    const Said said = ptprun("check good.toml");
    CHECK(said.code == 0);
    CHECK(said.err == "");
    CHECK(said.out ==
          "good.toml: nothing is wrong; the data were not read, --data does\n"
          "  name        wrong\n"
          "  tasks       training (SortOfCLEVR), validation (SortOfCLEVR)\n"
          "  components  encoder (ConvNetEncoder), reshape (ReshapeTensor), classifier "
          "(FeedForwardNetwork), nll_loss (NLLLoss), accuracy (AccuracyStatistics)\n"
          "  forward     encoder, reshape, classifier, nll_loss, accuracy\n"
          "  streams     12\n");
}

TEST_CASE("ptprun runs: PTP_RUNS names the folder of all runs") {
    CHECK(ptprun("runs; export PTP_RUNS=elsewhere; '" +
                 (ptp::test::build_dir() / "bin/ptprun").string() + "' runs")
              .err == "no runs in elsewhere\n");
}

TEST_CASE("ptprun check: a decimal comma is told from the values of a sweep") {
    for (const std::string command : {"check good.toml", "good.toml", "cv good.toml"}) {
        const Said said = ptprun(command + " --set training.optimizer.weight_decay=0,1");
        CHECK(said.code == 2);
        CHECK(said.out == "");
        CHECK(said.err.find("--set: error: training.optimizer.weight_decay: 0,1 may be one number "
                            "or two values of a sweep\n") != std::string::npos);
        CHECK(said.err.find(
                  "    fix: --set training.optimizer.weight_decay=0.1; or for the two values --set "
                  "training.optimizer.weight_decay=0.0,1.0\n") != std::string::npos);
    }
    CHECK(ptprun("check good.toml --set pipeline.classifier.dropout_rate=0,5")
              .err.find("dropout_rate: 0,5 may be one number") != std::string::npos);
    CHECK(ptprun("check good.toml --set training.optimizer.weight_decay=0.0,1.0").code == 0);
    CHECK(ptprun("check good.toml --set seed=0,1").err == "");
    CHECK(ptprun("check good.toml --set training.optimizer.lr=0.1,0.01").err == "");
}

TEST_CASE("ptprun check: warnings are counted, and refuse nothing") {
    const Said said = ptprun("check good.toml --set pipeline.classifier.globals.prediction_size=5");
    CHECK(said.code == 0);
    CHECK(said.err ==
          "--set: warning: pipeline.classifier.globals.prediction_size: 5 is less than the 10 "
          "classes of the targets of 'nll_loss' (NLLLoss): num_classes is 10, published by the "
          "task of [training] (SortOfCLEVR)\n"
          "      | pipeline.classifier.globals.prediction_size=5\n"
          "      |                                             ^\n"
          "    fix: write globals = { prediction_size = \"num_classes\" } in pipeline.classifier\n"
          "good.toml:5:1: warning: vars.classes: never used\n"
          "    5 | classes = \"num_classes\"\n"
          "      | ^~~~~~~\n");
    CHECK(said.out.starts_with(
        "good.toml: no errors, 2 warnings; the data were not read, --data does\n"));
}

TEST_CASE("ptprun check: a wrong experiment ends with 2 and says what is wrong") {
    const Said said = ptprun("check wrong.toml");
    CHECK(said.code == 2);
    CHECK(said.out == "");
    CHECK(said.err ==
          "wrong.toml:2:1: error: sead: unknown key; did you mean 'seed'?\n"
          "    2 | sead = 1\n"
          "      | ^~~~\n");
}

TEST_CASE("ptprun check: mistakes of the training, of a setting and of a type are said together") {
    const Said said = ptprun(
        "check good.toml --set training.optimizer.lrr=3 --set pipeline.nll_loss.type=NLLLos "
        "--set pipeline.classifier.dropout_rate=1.5");
    CHECK(said.code == 2);
    CHECK(said.err ==
          "--set: error: training.optimizer.lrr: unknown key; did you mean 'lr'?\n"
          "      | training.optimizer.lrr=3\n"
          "      |                    ^~~\n"
          "--set: error: pipeline.nll_loss.type = \"NLLLos\": no plugin has such a component; did "
          "you mean 'NLLLoss'?\n"
          "      | pipeline.nll_loss.type=NLLLos\n"
          "      |                        ^~~~~~\n"
          "--set: error: pipeline.classifier.dropout_rate = 1.5: must be in [0, 1)\n"
          "      | pipeline.classifier.dropout_rate=1.5\n"
          "      |                                  ^~~\n"
          "3 errors\n");
}

TEST_CASE("ptprun check: a stream that nothing writes is said beside a mistake of the training") {
    const Said said = ptprun(
        "check good.toml --set training.optimizer.lrr=3 --set "
        "pipeline.accuracy.streams.targets=tragets");
    CHECK(said.code == 2);
    CHECK(said.err.find("lrr: unknown key") != std::string::npos);
    CHECK(said.err.find("tragets") != std::string::npos);
}

TEST_CASE("ptprun check: a plugin folder that does not exist is not passed over in silence") {
    const Said said = ptprun("check good.toml --plugins /nowhere/plugins");
    CHECK(said.code == 0);
    CHECK(said.err == "/nowhere/plugins: warning: cannot be searched: No such file or directory\n");
}

TEST_CASE("ptprun: what it prints never lands in a file because a standard stream is closed") {
    const Said said = ptprun(
        "good.toml --run-dir run --set training.terminal_conditions.episode_limit=1 >&- 2>&-; "
        "{ echo code $?; head -c 19 run/training.csv; grep -cv ^20 run/run.log; }");
    CHECK(said.out == "code 0\nepisode,epoch,loss,0\n");
}

TEST_CASE("ptprun check: --set replaces a value before the check") {
    const Said said = ptprun("check good.toml --set training.task.batch_size=0");
    CHECK(said.code == 2);
    CHECK(said.err ==
          "--set: error: training.task.batch_size = 0: must be in [1, inf)\n"
          "      | training.task.batch_size=0\n"
          "      |                          ^\n"
          "    fix: --set training.task.batch_size=64\n");
}

TEST_CASE("ptprun check: a list of values by --set is shown as a sweep, which is accepted") {
    const Said said = ptprun("check good.toml --set 'training.task.batch_size=[2,4]'");
    CHECK(said.code == 2);
    CHECK(said.err ==
          "--set: error: training.task.batch_size = [2, 4]: must be an integer in [1, inf), not a "
          "list\n"
          "      | training.task.batch_size=[2,4]\n"
          "      |                          ^~~~~\n"
          "    fix: --set training.task.batch_size=2,4 trains with each\n");
    CHECK(ptprun("check good.toml --set training.task.batch_size=2,4").code == 0);
}

TEST_CASE("ptprun check: a list of callbacks by --set goes where its values are here") {
    const std::string fixed = "--set training.terminal_conditions.early_stop_validations=3";
    const Said said =
        ptprun("check good.toml --set 'callbacks=[{ type = \"EarlyStopping\", patience = 3 }]'");
    CHECK(said.code == 2);
    CHECK(said.err.ends_with("    fix: " + fixed + "\n"));
    CHECK(ptprun("check good.toml " + fixed).code == 0);
}

TEST_CASE("ptprun draw: shows the pipeline in the format asked for") {
    CHECK(ptprun("draw good.toml").out.starts_with("task  pre"));
    CHECK(ptprun("draw good.toml --format dot").out.starts_with("digraph pipeline {"));
    CHECK(ptprun("draw good.toml --format svg").out.find("<svg ") != std::string::npos);
}

TEST_CASE("ptprun: a command line that cannot be understood ends with 2") {
    struct Case {
        const char* arguments;
        const char* err;
        const char* command;
    };
    const Case cases[] = {
        {"check",
         "a run folder, a bundle or an experiment file is needed\n    fix: ptprun check "
         "RUN-OR-EXPERIMENT",
         "check"},
        {"control last --json",
         "a run folder and a request are needed\n    fix: ptprun control last REQUEST --json",
         "control"},
        {"--versoin", "unknown option '--versoin'; did you mean '--version'?", "run"},
        {"good.toml --worker slow", "--worker slow: must be offline or online", "run"},
        {"good.toml --jobs 2000", "--jobs 2000: must be in [1, 1024]", "run"},
        {"good.toml -j", "--jobs needs a value: --jobs N", "run"},
        {"good.toml --fold 0/2 --overfit 1", "--fold and --overfit exclude each other", "run"},
        {"replay last --plugin a", "--plugin is for --swaps", "replay"},
        {"cv good.toml --watch", "--watch is for a single run", "cv"},
        {"resume last --over more.toml",
         "--over is for a new training; give what changes here with --set KEY=VALUE", "resume"},
        {"replay last --over more.toml",
         "--over is for a new training: a replay repeats the run as it was; the experiment in its "
         "folder can be trained with it",
         "replay"},
        {"replay last --set seed=2",
         "--set is for a new training: a replay repeats the run as it was; the experiment in its "
         "folder can be trained with it",
         "replay"},
        {"completion bash --words", "--words must come first", "completion"},
        {"draw good.toml --format bmp", "--format bmp: must be text, dot, svg, png, pdf", "draw"},
        {"check good.toml --fast", "unknown option '--fast'", "check"},
        {"good.toml --quite", "unknown option '--quite'; did you mean '--quiet'?", "run"},
        {"good.toml --overf 3", "unknown option '--overf'; did you mean '--overfit'?", "run"},
        {"runs --status done", "--status is a condition\n    fix: --where state=done", "runs"},
        {"runs --experiment net", "--experiment is a condition\n    fix: --where experiment=net",
         "runs"},
        {"runs --tag 'very good'", "--tag is a condition\n    fix: --where tags='very good'",
         "runs"},
        {"runs --best mae", "unknown option '--best'\n    fix: --sort mae", "runs"},
        {"runs --filter 'mae<3'", "unknown option '--filter'\n    fix: --where 'mae<3'", "runs"},
        {"runs --metric loss", "unknown option '--metric'\n    fix: --columns loss", "runs"},
        {"tag last --delete a", "unknown option '--delete'\n    fix: --remove a", "tag"},
        {"plot last loss --smoothing 0.5",
         "unknown option '--smoothing'\n    fix: leave it out: each value is drawn as it was "
         "measured",
         "plot"},
        {"summary good.toml --depth 3",
         "unknown option '--depth'\n    fix: leave it out: all components are shown", "summary"},
        {"resume last --from-epoch 1",
         "unknown option '--from-epoch'\n    fix: leave it out: it continues from the last "
         "checkpoint; --checkpoint best from the best",
         "resume"},
        {"search good.toml --n-trials 3", "unknown option '--n-trials'\n    fix: --trials 3",
         "search"},
        {"search good.toml --direction maximize",
         "unknown option '--direction'\n    fix: leave it out: the experiment's training.judge "
         "knows which values are better",
         "search"},
        {"search good.toml --sampler tpe",
         "unknown option '--sampler'\n    fix: leave it out: the values are drawn at random",
         "search"},
        {"search good.toml --pruner hyperband", "unknown option '--pruner'\n    fix: --halving 3",
         "search"},
        {"good.toml --run-name first", "unknown option '--run-name'\n    fix: --set name=first",
         "run"},
        {"runs --wher state=done", "unknown option '--wher'; did you mean '--where'?", "runs"},
        {"good.toml --seed -1", "--seed -1: must be 0 or more", "run"},
        {"good.toml --seed one", "--seed one: must be an integer", "run"},
        {"good.toml --seed 1,2", "--seed 1,2: must be an integer\n    fix: --set seed=1,2", "run"},
        {"search good.toml --seed 1,2", "--seed 1,2: must be an integer", "search"},
        {"good.toml --seed", "--seed needs a value: --seed N", "run"},
        {"good.toml --run-dir --quiet", "--run-dir needs a value: --run-dir DIR", "run"},
        {"good.toml --seed=", "--seed needs a value: --seed N", "run"},
        {"good.toml --seed 1 --seed 2", "--seed is given more than once", "run"},
        {"good.toml --quiet=yes", "--quiet takes no value", "run"},
        {"good.toml --device gpu",
         "--device gpu: must be cpu, cuda or cuda:N\n    fix: --device cuda", "run"},
        {"good.toml --device mps",
         "--device mps: must be cpu, cuda or cuda:N\n    fix: --device cpu", "run"},
        {"good.toml more --quiet",
         "'more' is one word too many after 'good.toml'\n    fix: ptprun good.toml --quiet", "run"},
        {"good.toml seed=3",
         "'seed=3' is one word too many after 'good.toml'\n    fix: --set seed=3", "run"},
        {"good.toml --epochs 5",
         "unknown option '--epochs'\n    fix: --set training.terminal_conditions.epoch_limit=5",
         "run"},
        {"good.toml --learning-rate=0.1",
         "unknown option '--learning-rate'\n    fix: --set training.optimizer.lr=0.1", "run"},
        {"good.toml --lr 0.1,0.01",
         "unknown option '--lr'\n    fix: --set training.optimizer.lr=0.1,0.01", "run"},
        {"good.toml --lr '0.1, 0.01'",
         "unknown option '--lr'\n    fix: --set 'training.optimizer.lr=0.1, 0.01'", "run"},
        {"resume run --lr 0.1,0.01", "unknown option '--lr'", "resume"},
        {"good.toml --nproc_per_node 2", "unknown option '--nproc_per_node'\n    fix: --nproc 2",
         "run"},
        {"good.toml --output-dir out", "unknown option '--output-dir'\n    fix: --run-dir out",
         "run"},
        {"check good.toml --gpu",
         "unknown option '--gpu'\n    fix: leave it out; a training takes --device cuda", "check"},
        {"check good.toml --device mps",
         "unknown option '--device'\n    fix: leave it out; a training takes --device NAME (cpu, "
         "cuda or cuda:N)",
         "check"},
        {"good.toml --accelerator gpu", "unknown option '--accelerator'\n    fix: --device cuda",
         "run"},
        {"good.toml --precision 16",
         "unknown option '--precision'\n    fix: --set training.precision=bf16\n         --device cuda "
         "--set training.precision=fp16",
         "run"},
        {"good.toml --optimizer SGD",
         "unknown option '--optimizer'\n    fix: --set 'training.optimizer={ type = \"SGD\", lr = "
         "0.01, momentum = 0.9 }'",
         "run"},
        {"good.toml --grad-clip 1.0",
         "unknown option '--grad-clip'\n    fix: --set 'training.gradient_clipping={ norm = 1.0 }'",
         "run"},
        {"good.toml --interval 20", "unknown option '--interval'\n    fix: --set interval=20",
         "run"},
    };
    for (const Case& c : cases) {
        const std::string arguments = c.arguments;
        CAPTURE(arguments);
        const Said said = ptprun(arguments);
        CHECK(said.code == 2);
        CHECK(said.err == std::string("ptprun: error: ") + c.err + "\n    help: ptprun help " +
                              c.command + "\n");
    }
}

TEST_CASE("ptprun: a run that is not there is said to be none by all that take an experiment") {
    for (const std::string arguments :
         {"process net/lst", "check net/lst", "summary net/lst", "predict net/lst --data x"}) {
        CAPTURE(arguments);
        const Said said = ptprun(arguments);
        CHECK(said.code == 2);
        CHECK(said.err == "ptprun: error: net/lst: no such run\n    help: ptprun help " +
                              arguments.substr(0, arguments.find(' ')) + "\n");
    }
}

TEST_CASE("ptprun: the help of cv leaves out what it refuses") {
    const Said said = ptprun("cv --help");
    CHECK(said.code == 0);
    CHECK(said.out.find("--folds K (=5)") != std::string::npos);
    CHECK(said.out.find("--seed N") != std::string::npos);
    CHECK(said.out.find("--watch") == std::string::npos);
}

TEST_CASE("ptprun: the version, also behind an experiment") {
    CHECK(ptprun("--version").out == "ptprun 0.1.0\n");
    CHECK(ptprun("good.toml --version").out == "ptprun 0.1.0\n");
}

TEST_CASE("ptprun: an unknown command leads to the one that was meant") {
    struct Case {
        const char* arguments;
        const char* err;
    };
    const Case cases[] = {
        {"chek good.toml", "'chek' is neither a file nor a command; did you mean 'check'?"},
        {"train good.toml --seed 1",
         "'train' is not a command\n    fix: ptprun good.toml --seed 1"},
        {"train", "'train' is not a command\n    fix: ptprun EXPERIMENT.toml"},
        {"test runs/net", "'test' is not a command\n    fix: ptprun process runs/net"},
        {"compare runs/a runs/b", "'compare' is not a command\n    fix: ptprun diff runs/a runs/b"},
        {"optimize good.toml", "'optimize' is not a command\n    fix: ptprun search good.toml"},
        {"stop runs/net", "'stop' is not a command\n    fix: ptprun control runs/net stop"},
        {"ui", "'ui' is not a command\n    fix: ptprun report runs"},
        {"metrics runs/net", "'metrics' is not a command\n    fix: ptprun plot runs/net loss"},
        {"untag runs/net a", "'untag' is not a command\n    fix: ptprun tag RUN --remove TAG"},
        {"help chek",
         "'chek' is neither a command nor a term of the glossary; did you mean 'check'?\n"
         "    help: ptprun help words; ptp-inspect NAME shows a component"},
        {"control last learning-rate -1",
         "'-1' is read as an option: numbers here are not negative\n    help: ptprun help control"},
        {"good.toml --folds 5",
         "unknown option '--folds'\n    fix: ptprun cv good.toml --folds 5\n    help: ptprun help "
         "run"},
        {"good.toml --fp16",
         "unknown option '--fp16'\n    fix: --set training.precision=bf16\n         --device cuda "
         "--set training.precision=fp16\n    help: ptprun help run"},
        {"good.toml --ckpt_path last",
         "unknown option '--ckpt_path'\n    fix: ptprun resume RUN-FOLDER\n    help: ptprun help "
         "run"},
    };
    for (const Case& c : cases) {
        const std::string arguments = c.arguments;
        CAPTURE(arguments);
        const Said said = ptprun(arguments);
        CHECK(said.code == 2);
        CHECK(said.err == std::string("ptprun: error: ") + c.err + "\n");
    }
}

TEST_CASE("ptprun: the help fits on a screen, and a command's help has usage and an example") {
    const Said all = ptprun("--help");
    CHECK(all.code == 0);
    CHECK(std::ranges::count(all.out, '\n') <= 30);
    for (std::size_t at = 0; at < all.out.size(); at = all.out.find('\n', at) + 1) {
        CHECK(all.out.find('\n', at) - at <= 80);
    }
    CHECK(ptprun("help").out.starts_with(all.out + "\nprograms of their own, as ptprun NAME:\n"));
    CHECK(ptprun("").out == all.out);
    CHECK(ptprun("").code == 2);
    const Said check = ptprun("help check");
    CHECK(check.code == 0);
    CHECK(check.out.starts_with("usage: ptprun check RUN-OR-EXPERIMENT [OPTION]...\n"));
    CHECK(check.out.find("\nexample:\n  ptprun check ") != std::string::npos);
    CHECK(check.out.find("--set KEY=VALUE") != std::string::npos);
    CHECK(ptprun("check --help").out == check.out);
    CHECK(ptprun("check good.toml -h").out == check.out);
    CHECK(ptprun("help run").out.find("--seed N") != std::string::npos);
    CHECK(ptprun("good.toml --help").out == ptprun("help run").out);
}

TEST_CASE("ptprun: the example in the help of --set is one that works") {
    const Said help = ptprun("help check");
    const std::string key = "training.optimizer.lr=0.1,0.01";
    CHECK(help.out.find(key) != std::string::npos);
    CHECK(ptprun("check good.toml --set " + key).code == 0);
}

TEST_CASE("ptprun: a key of --set may be the end of the only one that the experiment states") {
    CHECK(ptprun("check good.toml --set lr=0.1").code == 0);
    CHECK(ptprun("explain good.toml training.optimizer.lr --set optimizer.lr=0.25")
              .out.find("0.25") != std::string::npos);
    CHECK(ptprun("check good.toml --set lr=-1").err ==
          "--set: error: training.optimizer.lr = -1: must be in [0, inf)\n"
          "      | training.optimizer.lr=-1\n"
          "      |                       ^~\n");
    const Said several = ptprun("check good.toml --set batch_size=8");
    CHECK(several.code == 2);
    CHECK(several.err.starts_with("--set: error: batch_size: unknown key; did you mean "));
    const Said unstated = ptprun("check good.toml --set epochs=3");
    CHECK(unstated.code == 2);
    CHECK(unstated.err.starts_with("--set: error: epochs: unknown key; did you mean "));
}

}  // namespace ptprun_test
