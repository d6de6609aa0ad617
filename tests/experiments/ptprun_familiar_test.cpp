// The answers of ptprun to commands and options of other programs.

#include "experiments/support.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ptprun_familiar_test {

using ptp::test::ptprun;
using ptp::test::Said;

TEST_CASE("ptprun: a share for the validation comes with a [validation], by --set or an option") {
    const ptp::test::TempFolder folder;
    const std::string task =
        "type = \"Table\", batch_size = 4, file = \"/t.csv\", features = \"a\", label = \"b\"";
    const std::string text = "[training]\noptimizer = { type = \"Adam\" }\ntask = { " + task +
                             " }\n[pipeline.net]\ntype = \"FeedForwardNetwork\"\n";
    const std::string file = folder.write("e.toml", text).string();
    const auto fix_of = [](const std::vector<std::string>& arguments) {
        const std::string all = ptp::test::run_program("ptprun", arguments).errors;
        const std::size_t fix = std::min(all.find("    fix: "), all.size());
        return all.substr(fix, all.find('\n', fix) - fix);
    };
    const std::string sampler = "{ type = \"RandomSplitSampler\", share = [";
    const std::string held_out = "    fix: --set 'training.sampler=" + sampler +
                                 "0.0, 0.8] }' --set 'validation={ task = { " + task +
                                 " }, sampler = " + sampler + "0.8, 1.0] } }'";
    CHECK(fix_of({"check", file, "--set", "validation_split=0.2"}) == held_out);
    CHECK(fix_of({file, "--val-split", "0.2"}) == held_out);
    const std::string split = "split = { shares = [0.8, 0.2] }";
    CHECK(fix_of({"check", file, "--set", "training.task.validation_split=0.2"}) ==
          "    fix: --set 'training.task.split={ shares = [0.8, 0.2] }' --set 'validation.task={ " +
              task + ", " + split + " }'");
    CHECK(fix_of({"check", file, "--set", "model=resnet"}) ==
          "    fix: leave it out: GenericImageEncoder is for images, and training.task has none");
    folder.write("e.toml", text +
                               "[validation.task]\ntype = \"Table\"\nbatch_size = 4\nfile = "
                               "\"/v.csv\"\nfeatures = \"a\"\nlabel = \"b\"\n");
    CHECK(fix_of({"check", file, "--set", "training.task.validation_split=0.2"}) ==
          "    fix: --set 'training.task.split={ shares = [0.8, 0.2] }'");
    CHECK(fix_of({file, "--val-split", "0.2"}) ==
          "    fix: leave it out: [validation] has samples of its own");
}

TEST_CASE("ptprun: options of other programs that a command takes by another name") {
    const auto fix = [](const std::string& line) {
        const std::string error = ptprun(line).err;
        const auto at = error.find("    fix: ");
        return at == error.npos ? error : error.substr(at + 9, error.find('\n', at) - at - 9);
    };
    CHECK(fix("good.toml --overfit_batches 4") == "--overfit 4");
    CHECK(fix("good.toml --n-trials 4 --lr 0.1") ==
          "ptprun search good.toml --set training.optimizer.lr=0.1 --trials 4");
    CHECK(fix("plot runs/a --metric loss") == "ptprun plot runs/a loss");
    CHECK(fix("tag runs/a --add x --note y") == "ptprun tag runs/a --note y x");
    CHECK(fix("runs --sort loss --desc") == "leave it out: --sort -KEY has the largest first");
    CHECK(fix("cv good.toml --cv 5") == "--folds 5");
    CHECK(fix("good.toml --opset 17") == "after the training: ptprun export last -o model.onnx");
    CHECK(fix("good.toml --strategy ddp") == "leave it out; several processes train by --nproc N");
    CHECK(fix("good.toml --no-cuda") == "--device cpu");
    CHECK(fix("predict last --proba") ==
          "leave it out: each row has the score of its class; --top-k N writes those of the N most "
          "likely classes");
    CHECK(fix("report last --out x") ==
          "ptprun: error: unknown option '--out'; did you mean '--output'?\n"
          "    help: ptprun help report\n");
}

TEST_CASE(
    "ptprun: an option of another program that names the operand keeps the rest of the line") {
    const auto fix = [](const std::string& line) {
        const std::string error = ptprun(line).err;
        const std::size_t at = std::min(error.find("fix: "), error.size());
        return error.substr(at, error.find('\n', at) - at);
    };
    CHECK(fix("-c good.toml --lr 0.1") == "fix: ptprun good.toml --set training.optimizer.lr=0.1");
    CHECK(fix("good.toml --config small.toml") == "fix: ptprun good.toml --over small.toml");
    CHECK(fix("check --config good.toml --lr 0.1") ==
          "fix: ptprun check good.toml --set training.optimizer.lr=0.1");
    CHECK(fix("predict --ckpt runs/a --data t.csv") == "fix: ptprun predict runs/a --data t.csv");
    CHECK(fix("predict runs/a --ckpt last") == "fix: ptprun predict runs/a --checkpoint last");
    CHECK(fix("process runs/a --dataset t.csv") == "fix: ptprun predict runs/a --data t.csv");
    CHECK(fix("resume --ckpt runs/a") == "fix: ptprun resume runs/a");
}

TEST_CASE("ptprun --set: values that are separated by spaces are those of a sweep") {
    CHECK(ptprun("check good.toml --set lr=0.1 0.01").err ==
          "ptprun: error: '0.01' is one word too many after 'good.toml'\n"
          "    fix: --set lr=0.1,0.01\n    help: ptprun help check\n");
    CHECK(ptprun("good.toml --set seed=1 2 3 --device cpu").err ==
          "ptprun: error: '2' is one word too many after 'good.toml'\n"
          "    fix: --set seed=1,2,3\n    help: ptprun help run\n");
}

TEST_CASE("ptprun check: a plugin's file in place of its folder is one error with the folder") {
    const Said said =
        ptprun("check good.toml --plugins good.toml --set pipeline.nll_loss.type=mine/Mine");
    CHECK(said.code == 2);
    CHECK(said.err.find("warning") == std::string::npos);
    CHECK(said.err.find("not usable: good.toml: is a file") != std::string::npos);
    CHECK(said.err.find("\n    fix: --plugins ") != std::string::npos);
    CHECK(said.err.find("--plugins DIR") == std::string::npos);
}

TEST_CASE("ptprun: a word that is no command is explained") {
    const Said unknown = ptprun("deploy");
    CHECK(unknown.code == 2);
    CHECK(
        unknown.err ==
        "ptprun: error: 'deploy' is not a command\n"
        "    fix: deploy: `ptprun predict RUN --data FILES`, or `--jsonl FILE` for lines of JSON, and "
        "`ptprun bundle RUN` for one file to take along; in a program the C API of libptp (docs/embedding.md) or Python "
        "(docs/python.md)\n");
}

TEST_CASE("ptprun --set: a setting without its component leads to the whole keys that end so") {
    const auto said = [](const std::string& set) {
        const std::string error = ptprun("check good.toml --set " + set).err;
        CHECK(error.starts_with("--set: error: "));
        return error.substr(error.find(": error: ") + 9,
                            error.find('\n') - error.find(": error: ") - 9) +
               error.substr(std::min(error.find("\n    fix: "), error.size()));
    };
    CHECK(said("dropout=0.1") ==
          "dropout: unknown key; did you mean 'pipeline.classifier.dropout_rate'?\n"
          "    fix: --set pipeline.classifier.dropout_rate=0.1\n");
    CHECK(said("net.use_logsoftmax=false") ==
          "net: unknown key; did you mean 'pipeline.classifier.use_logsoftmax'?\n"
          "    fix: --set pipeline.classifier.use_logsoftmax=false\n");
    CHECK(said("image_size=30") ==
          "image_size: unknown key; did you mean 'training.task.image_size' or "
          "'validation.task.image_size'?\n"
          "    fix: --set training.task.image_size=30\n"
          "         --set validation.task.image_size=30\n");
    const Said followed = ptprun("check good.toml --set pipeline.classifier.dropout_rate=0.1");
    CHECK(followed.code == 0);
    CHECK(ptprun("search good.toml --space dropout=uniform:0,0.5").err ==
          "--space dropout=uniform:0,0.5: error: dropout = 0.0: unknown key; did you mean "
          "'pipeline.classifier.dropout_rate'?\n"
          "    fix: --space pipeline.classifier.dropout_rate=uniform:0,0.5\n");
    CHECK(
        ptprun("search good.toml --space 'use_logsoftmax=choice:true,false'").err ==
        "--space use_logsoftmax=choice:true,false: error: use_logsoftmax = true: unknown key; did "
        "you mean 'pipeline.classifier.use_logsoftmax'?\n"
        "    fix: --space pipeline.classifier.use_logsoftmax=choice:true,false\n");
}

// With each flag that PyTorchPipe's programs take, in the order of its documentation.
TEST_CASE("ptprun: a flag of PyTorchPipe gets what works here, and does when it is followed") {
    struct Case {
        const char* flag;
        const char* fix;
        const char* followed;  // as a command line that ends with 0; "": is not tried
    };
    const char* const scalars = "--set records.tensorboard.every_episodes=1";
    const char* const histograms =
        "--set records.tensorboard.every_episodes=1 --set "
        "records.tensorboard.histograms_every_episodes=100";
    const Case cases[] = {
        {"--config good.toml", "ptprun good.toml", "good.toml --version"},
        {"--config small.toml,good.toml", "ptprun good.toml --over small.toml",
         "good.toml --over small.toml --version"},
        {"--load net.pt", "--set pipeline.load=net.pt", ""},
        {"--disable accuracy", "--set pipeline.accuracy.enabled=false", "check good.toml {}"},
        {"--disable=accuracy,nll_loss",
         "--set pipeline.accuracy.enabled=false --set pipeline.nll_loss.enabled=false", ""},
        {"--pipeline other",
         "leave it out, the pipeline is [pipeline]; of a file of PyTorchPipe: ptp-import "
         "--pipeline other",
         "check good.toml"},
        {"--gpu", "--device cuda", "good.toml {} --version"},
        {"--gpus=0", "--device cpu", "good.toml {} --version"},
        {"--gpus 1", "--device cuda", "good.toml {} --version"},
        {"--devices 2", "--nproc 2 --device cuda", "good.toml {} --version"},
        {"--expdir out", "export PTP_RUNS=out", "runs >/dev/null 2>&1; {}"},
        {"--exptag first", "--tag first", "good.toml {} --version"},
        {"--logger DEBUG", "--verbose", "good.toml {} --version"},
        {"--logger NOTSET", "--verbose", "good.toml {} --version"},
        {"--logger INFO", "leave it out", "check good.toml"},
        {"--logger=ERROR", "--quiet", "good.toml {} --version"},
        {"--interval 10", "--set interval=10", "check good.toml {}"},
        {"--agree", "ptprun check good.toml", "check good.toml"},
        {"--training other",
         "leave it out, the section is [training]; another one in a file of its own: --over "
         "FILE.toml",
         "check good.toml --over small.toml"},
        {"--validation other",
         "leave it out, the section is [validation]; a further set is [validation.other]", ""},
        {"--saveall", "--set checkpoint.every_epochs=1 --set checkpoint.keep=1000000",
         "check good.toml {}"},
        {"--tensorboard", scalars, "check good.toml {}"},
        {"--tensorboard 0", scalars, "check good.toml {}"},
        {"--tensorboard 1", histograms, "check good.toml {}"},
        {"--tensorboard 2", histograms, "check good.toml {}"},
        {"--section test", "after the training: ptprun process last --section test", ""},
        {"--exptag 'my first'", "--tag 'my first'", "good.toml {} --version"},
        {"--config 'my net.toml'", "ptprun 'my net.toml'", ""},
        {"--load 'my net.pt'", "--set pipeline.load='my net.pt'", ""},
    };
    for (const Case& c : cases) {
        const std::string flag = c.flag;
        CAPTURE(flag);
        const bool is_first = flag.starts_with("--config");
        const Said said = ptprun((is_first ? "" : "good.toml ") + flag);
        const std::string name = flag.substr(0, flag.find_first_of(" ="));
        CHECK(said.err == "ptprun: error: unknown option '" + name + "'\n    fix: " + c.fix +
                              "\n    help: ptprun help run\n");
        std::string next = c.followed;
        if (const std::size_t at = next.find("{}"); at != std::string::npos) {
            next.replace(at, 2, c.fix);
        }
        if (!next.empty()) {
            CHECK(ptprun(next).code == 0);
        }
    }
}

TEST_CASE("ptprun: an option of another program has the value in the form that the key takes") {
    struct Case {
        const char* option;
        const char* fix;  // "": none
    };
    const Case cases[] = {
        {"--max-grad-norm 2", "--set 'training.gradient_clipping={ norm = 2 }'"},
        {"--scheduler cosine", "--set 'training.scheduler={ type = \"CosineAnnealingLR\" }'"},
        {"--early-stopping", "--set training.terminal_conditions.early_stop_validations=..."},
        {"--epochs many", ""},
        {"--model resnet18", ""},
    };
    for (const Case& c : cases) {
        const std::string option = c.option;
        CAPTURE(option);
        const std::string fix = c.fix;
        CHECK(ptprun("good.toml " + option).err ==
              "ptprun: error: unknown option '" + option.substr(0, option.find(' ')) + "'" +
                  (fix.empty() ? "" : "\n    fix: " + fix) + "\n    help: ptprun help run\n");
        if (!fix.ends_with("...") && !fix.empty()) {
            CHECK(ptprun("check good.toml " + fix).code == 0);
        }
    }
}

TEST_CASE("ptprun: a component of another program gets its type and its place at once") {
    struct Case {
        const char* set;
        const char* key;
        const char* fix;
        bool is_good;  // the fix, as it is typed
    };
    const Case cases[] = {
        {"training.loss=cross_entropy", "training.loss",
         "--set 'pipeline.nll_loss={ type = \"CrossEntropyLoss\" }'", true},
        {"loss=\"nn.NLLLoss()\"", "loss", "--set 'pipeline.nll_loss={ type = \"NLLLoss\" }'", true},
        {"training.loss=mse", "training.loss", "--set 'pipeline.nll_loss={ type = \"MSELoss\" }'",
         false},
        {"training.loss=MSELos", "training.loss",
         "--set 'pipeline.nll_loss={ type = \"MSELoss\" }'", false},
        {"training.metrics=accuracy", "training.metrics",
         "leave it out: pipeline.accuracy is of the type AccuracyStatistics", false},
        {"training.metrics=[\"auc\"]", "training.metrics",
         "--set 'pipeline.statistics={ type = \"ROCStatistics\" }'", false},
        {"metrics=[\"accuracy\", \"precision\", \"recall\", \"auc\"]", "metrics",
         "leave it out: pipeline.accuracy is of the type AccuracyStatistics\n"
         "         --set 'pipeline.precision={ type = \"PrecisionRecallStatistics\" }'\n"
         "         --set 'pipeline.auc={ type = \"ROCStatistics\" }'",
         false},
        {"model.type=resnet", "model",
         "--set 'pipeline.model={ type = \"GenericImageEncoder\", model_type = \"resnet18\" }'",
         false},
    };
    for (const Case& c : cases) {
        CAPTURE(c.set);
        const std::string said = ptprun(std::string("check good.toml --set '") + c.set + "'").err;
        CHECK(said.starts_with(std::string("--set: error: ") + c.key + ": unknown key\n"));
        CHECK(said.ends_with(std::string("\n    fix: ") + c.fix + "\n"));
        if (c.is_good) {
            CHECK(ptprun(std::string("check good.toml ") + c.fix).code == 0);
        }
    }
}

TEST_CASE("ptprun: the key of a sweep is corrected once, with all of its values") {
    const std::string fix = "--set training.task.batch_size=16,32";
    const Said said = ptprun("check good.toml --set batch_size=16,32");
    CHECK(said.code == 2);
    CHECK(said.err.starts_with(
        "--set: error: batch_size: unknown key; did you mean 'training.task.batch_size'?\n"));
    CHECK(said.err.ends_with("\n    fix: " + fix + "\n"));
    CHECK(said.err.find("fix: ") == said.err.rfind("fix: "));
    CHECK(ptprun("check good.toml " + fix).code == 0);
}

TEST_CASE("ptprun: commands of other programs are answered with what can be typed here") {
    struct Case {
        const char* arguments;
        const char* fix;
    };
    const Case cases[] = {
        {"list", "ptprun runs"},
        {"list good.toml", "ptprun runs"},
        {"status", "ptprun control RUN status"},
        {"status runs/a", "ptprun control runs/a status"},
        {"test good.toml", "ptprun process RUN"},
        {"onnx runs/a", "ptprun export runs/a -o model.onnx"},
        {"infer good.toml", "ptprun predict RUN --data FILE"},
        {"validate good.toml", "ptprun check good.toml"},
        {"validate .", "ptprun process . --section validation"},
        {"install my_model", "ptp-pack install my_model"},
        {"publish model.ptpm", "ptp-pack publish FOLDER --key FILE"},
        {"sign model.ptpm", "ptp-pack sign model.ptpm --key FILE"},
        {"sweep", "ptprun EXPERIMENT.toml --set training.optimizer.lr=0.1,0.01"},
        {"sweep good.toml", "ptprun good.toml --set training.optimizer.lr=0.1,0.01"},
        {"sweep good.toml seed=1,2 --tag a=b lr=0.1,0.01",
         "ptprun good.toml --set seed=1,2 --tag a=b --set lr=0.1,0.01"},
        {"sweep --over small.toml --set lr=0.1,0.2",
         "ptprun EXPERIMENT.toml --over small.toml --set lr=0.1,0.2"},
        {"sweep good.toml --set lr=0.5,0.2", "ptprun good.toml --set lr=0.5,0.2"},
        {"train", "ptprun EXPERIMENT.toml"},
        {"train 'my net.toml'", "ptprun 'my net.toml'"},
        {"train good.toml --epochs 5 --seed 1",
         "ptprun good.toml --set training.terminal_conditions.epoch_limit=5 --seed 1"},
        {"train --config good.toml --lr 0.1 --seed 3 --run-dir x --device cpu",
         "ptprun good.toml --set training.optimizer.lr=0.1 --seed 3 --run-dir x --device cpu"},
        {"train --lr 0.1 -c good.toml", "ptprun good.toml --set training.optimizer.lr=0.1"},
        {"train good.toml --lr 0.1 --folds 3",
         "ptprun cv good.toml --set training.optimizer.lr=0.1 --folds 3"},
        {"train --opset 17 good.toml --sweep lr=0.1,0.2 --pin-memory 1",
         "ptprun good.toml --set lr=0.1,0.2\n         after the training: ptprun export last -o "
         "model.onnx\n         without --pin-memory: it is so where a GPU is used"},
        {"train good.toml --fp16",
         "ptprun good.toml --set training.precision=bf16\n         or, in place of --set "
         "training.precision=bf16: --device cuda --set training.precision=fp16"},
        {"train --cfg=good.toml", "ptprun good.toml"},
        {"test --ckpt runs/a --device cpu", "ptprun process runs/a --device cpu"},
        {"test --config good.toml --ckpt runs/a", "ptprun process runs/a"},
        {"test good.toml --device cpu", "ptprun process RUN --device cpu"},
        {"infer --model runs/a --input t.csv", "ptprun predict runs/a --data t.csv"},
        {"evaluate runs/a --dataset t.csv", "ptprun predict runs/a --data t.csv"},
        {"evaluate runs/a --dataset val", "ptprun process runs/a --section validation"},
        {"compare .", "ptprun runs ."},
        {"compare runs/a", "ptprun diff runs/a"},
        {"infer runs/a --data x.csv", "ptprun predict runs/a --data x.csv"},
        {"evaluate runs/a --input x.csv --batch-size 4",
         "ptprun predict runs/a --data x.csv\n         without --batch-size: it changes no "
         "prediction"},
        {"infer runs/a --jsonl x.jsonl", "ptprun predict runs/a --jsonl x.jsonl"},
        {"evaluate runs/a --data x.csv", "ptprun predict runs/a --data x.csv"},
        {"onnx runs/a --output x.onnx", "ptprun export runs/a --output x.onnx"},
        {"torchscript runs/a", "ptprun export runs/a -o model.pt"},
        {"validate . --section test", "ptprun process . --section test"},
        {"sign model.ptpm --key k", "ptp-pack sign model.ptpm --key k"},
    };
    for (const Case& c : cases) {
        const std::string arguments = c.arguments;
        CAPTURE(arguments);
        const Said said = ptprun(arguments);
        CHECK(said.code == 2);
        CHECK(said.err == "ptprun: error: '" + arguments.substr(0, arguments.find(' ')) +
                              "' is not a command\n    fix: " + c.fix + "\n");
    }
}

TEST_CASE("ptprun: a command of another program is one beside a folder of its name") {
    const ptp::test::TempFolder folder;
    for (const char* name : {"train/x", "test/x", "runs/a/experiment.toml"}) {
        folder.write(name, "");
    }
    folder.write("a.toml", "");
    const auto said = [&](const std::string& arguments) {
        const std::string program = (ptp::test::build_dir() / "bin/ptprun").string();
        return ptp::test::run_program("/bin/sh", {"-c", "cd '" + folder.path().string() + "' && '" +
                                                            program + "' " + arguments})
            .errors;
    };
    const auto fix = [](const std::string& word, const std::string& line) {
        return "ptprun: error: '" + word + "' is not a command\n    fix: " + line + "\n";
    };
    CHECK(said("train a.toml") == fix("train", "ptprun a.toml"));
    CHECK(said("train --config a.toml") == fix("train", "ptprun a.toml"));
    CHECK(said("train") == fix("train", "ptprun EXPERIMENT.toml"));
    CHECK(said("test runs/a") == fix("test", "ptprun process runs/a"));
}

}  // namespace ptprun_familiar_test
