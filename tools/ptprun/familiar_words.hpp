// Commands and options of other programs, such as PyTorch Lightning, MLflow and Optuna, and what
// ptprun has for them.
#pragma once

#include <array>
#include <string_view>

namespace ptp::ptprun {

struct Familiar {
    std::string_view names;  // separated by spaces
    std::string_view form;   // "{}" is replaced by what follows the name, {rest} by all other words
                             // in this program's form, {run} by the run folder among all
    std::string_view values = {};   // with which alone it is meant so; it comes before one without
    std::string_view command = {};  // with which alone, too
};

struct FamiliarCommand {
    std::string_view names;                        // separated by spaces
    std::string_view form;                         // "{}" is replaced by what follows the name
    std::string_view operand = "EXPERIMENT.toml";  // where nothing follows, or another one
};

inline constexpr std::string_view kRun = "RUN";

// Options by which other programs name what is an operand here.
inline constexpr std::string_view kExperimentOptions =
    "c cfg config config_file config_path experiment";
inline constexpr std::string_view kRunOptions =
    "checkpoint checkpoint_path ckpt ckpt_path load_from model model_dir model_path run weights";

inline constexpr std::array kFamiliarCommands = {
    FamiliarCommand{"compare", "ptprun diff {}", "RUN RUN"},
    FamiliarCommand{"components inspect plugins", "ptp-inspect"},
    FamiliarCommand{"continue", "ptprun resume {}", kRun},
    FamiliarCommand{"eval evaluate test", "ptprun process {}", kRun},
    FamiliarCommand{"dashboard ui", "ptprun report {}", "runs"},
    FamiliarCommand{"download", "ptprun fetch {}"},
    FamiliarCommand{"findlr lr-find lr_find", "ptprun find-lr {}"},
    FamiliarCommand{"history metrics", "ptprun plot {} loss", kRun},
    FamiliarCommand{"onnx", "ptprun export {} -o model.onnx", kRun},
    FamiliarCommand{"torchscript", "ptprun export {} -o model.pt", kRun},
    FamiliarCommand{"fit run start train", "ptprun {}"},
    FamiliarCommand{"graph plot", "ptprun draw {}"},
    FamiliarCommand{"infer", "ptprun predict {} --data FILE", kRun},
    FamiliarCommand{"info", "ptprun summary {}"},
    FamiliarCommand{"install", "ptp-pack install {}", "NAME"},
    FamiliarCommand{"list ls", "ptprun runs"},
    FamiliarCommand{"pause", "ptprun control {} pause", kRun},
    FamiliarCommand{"publish upload", "ptp-pack publish FOLDER --key FILE"},
    FamiliarCommand{"sign", "ptp-pack sign {} --key FILE", "FILE"},
    FamiliarCommand{"status", "ptprun control {} status", kRun},
    FamiliarCommand{"sweep", ""},
    FamiliarCommand{"cancel kill stop", "ptprun control {} stop", kRun},
    FamiliarCommand{"hpo hyperopt optimize optuna study tune", "ptprun search {}"},
    FamiliarCommand{"untag", "ptprun tag RUN --remove TAG"},
    FamiliarCommand{"validate verify", "ptprun check {}"},
    FamiliarCommand{"validate", "ptprun process {} --section validation", kRun},
};

inline constexpr std::array kFamiliarOptions = {
    Familiar{"accelerator", "--device cpu", "cpu"},
    Familiar{"batch_size bs", "leave it out: it changes no prediction", {}, "predict"},
    Familiar{"d dataset file files i input inputs", "--data {}", {}, "predict"},
    Familiar{"f format", "--json", "json jsonl", "predict"},
    Familiar{"prob proba probabilities probs predict_proba scores",
             "leave it out: each row has the score of its class; --top-k N writes those of the N "
             "most likely classes",
             {},
             "predict"},
    Familiar{"cv k splits", "--folds {}", {}, "cv"},
    Familiar{"devices gpus num_gpus", "--device cpu", "0"},
    Familiar{"devices gpus num_gpus", "--nproc {} --device cuda", "2 3 4 5 6 7 8"},
    Familiar{"accelerator cuda devices gpu gpus num_gpus", "--device cuda"},
    Familiar{"agree dry_run", "ptprun check {rest}"},
    Familiar{"min_lr start_lr", "--from {}", {}, "find-lr"},
    Familiar{"end_lr max_lr", "--to {}", {}, "find-lr"},
    Familiar{"max_steps num_iter num_training steps", "--episodes {}", {}, "find-lr"},
    Familiar{"epochs max_epochs num_epochs",
             "leave it out: it trains as many batches as --episodes has",
             {},
             "find-lr"},
    Familiar{"plot show", "leave it out: the curve is drawn in the terminal", {}, "find-lr"},
    Familiar{"opset opset_version", "leave it out: the file has opset 17", {}, "export"},
    Familiar{"batch_size dynamic_axes dynamic_shapes",
             "leave it out: the sizes of batches stay free; --fixed SIZE keeps another size",
             {},
             "export"},
    Familiar{"onnx opset opset_version", "after the training: ptprun export last -o model.onnx"},
    Familiar{
        "columns cols fields usecols",
        "leave it out; --stream NAME chooses the streams that are predicted, and a table has a "
        "row for each sample",
        "", "predict"},
    Familiar{
        "algo algorithm sampler", "leave it out: the values are drawn at random", {}, "search"},
    Familiar{"direction mode",
             "leave it out: the experiment's training.judge knows which values are better",
             {},
             "search"},
    Familiar{"max_evals n_trials num_samples num_trials", "--trials {}", {}, "search"},
    Familiar{"max_evals n_trials num_trials", "ptprun search {rest} --trials {}"},
    Familiar{"max_concurrent n_jobs workers", "--jobs {}", {}, "search"},
    Familiar{"param params range", "--space {}", {}, "search"},
    Familiar{"pruner pruning", "--halving 3", {}, "search"},
    Familiar{"storage study study_name", "--run-dir runs/{}", {}, "search"},
    Familiar{"order_by sort_by", "--sort {}", {}, "runs"},
    Familiar{"asc ascending", "leave it out: --sort KEY has the smallest first", {}, "runs"},
    Familiar{
        "desc descending reverse", "leave it out: --sort -KEY has the largest first", {}, "runs"},
    Familiar{"filter query", "--where {}", {}, "runs"},
    Familiar{"cols fields metric metrics show", "--columns {}", {}, "runs"},
    Familiar{"format", "--csv", "csv", "runs"},
    Familiar{"format", "--json", "json", "runs"},
    Familiar{"a add tag tags", "ptprun tag {rest} {}", {}, "tag"},
    Familiar{"d delete rm unset untag", "--remove {}", {}, "tag"},
    Familiar{"comment description m message", "--note {}", {}, "tag"},
    Familiar{
        "ema smooth smoothing", "leave it out: each value is drawn as it was measured", {}, "plot"},
    Familiar{"o out output savefig", "ptprun report {run} -o curves.html", {}, "plot"},
    Familiar{"m metric metrics monitor statistic y", "ptprun plot {rest} {}", {}, "plot"},
    Familiar{"depth", "leave it out: all components are shown", {}, "summary"},
    Familiar{"batch_size input_shape input_size",
             "leave it out: the shapes follow from the experiment",
             {},
             "summary"},
    Familiar{"epoch from_epoch",
             "leave it out: it continues from the last checkpoint; --checkpoint best from the best",
             {},
             "resume"},
    Familiar{"checkpoint ckpt ckpt_path continue resume resume_from_checkpoint",
             "ptprun resume {run}"},
    Familiar{"cpu no_cuda no_gpu", "--device cpu"},
    Familiar{"debug log_level v verbosity vv", "--verbose"},
    Familiar{"eval evaluate", "ptprun process {run}"},
    Familiar{"expdir", "export PTP_RUNS={}"},
    Familiar{"exptag", "--tag {}"},
    Familiar{"amp bf16 mixed_precision", "--set training.precision=bf16"},
    Familiar{"cv folds k_folds kfold kfolds n_splits", "ptprun cv {rest} --folds {}"},
    Familiar{"fp16 half",
             "--set training.precision=bf16\n         --device cuda --set training.precision=fp16"},
    Familiar{"interval log_every_n_steps", "--set interval={}"},
    Familiar{"load", "--set pipeline.load={}"},
    Familiar{"default_root_dir log_dir logdir out output output_dir save_dir", "--run-dir {}"},
    Familiar{"logger", "--verbose", "DEBUG NOTSET"},
    Familiar{"logger", "leave it out", "INFO"},
    Familiar{"logger", "--quiet"},
    Familiar{"nprocs nproc_per_node num_processes world_size", "--nproc {}"},
    Familiar{"benchmark cudnn_benchmark", "--set deterministic=false"},
    Familiar{"deterministic", "leave it out: the same seed has the same bits"},
    Familiar{"check_val_every_n_epoch eval_every eval_steps val_check_interval",
             "leave it out: each epoch ends with a validation"},
    Familiar{"num_sanity_val_steps", "ptprun check {rest} --data"},
    Familiar{"non_blocking pin_memory", "leave it out: it is so where a GPU is used"},
    Familiar{"grid override params sweep", "--set {}"},
    Familiar{"overfit_batches", "--overfit {}"},
    Familiar{"pipeline",
             "leave it out, the pipeline is [pipeline]; of a file of PyTorchPipe: ptp-import "
             "--pipeline {}"},
    Familiar{"precision",
             "--set training.precision=bf16\n         --device cuda --set training.precision=fp16",
             "16 16-mixed"},
    Familiar{"precision", "--set training.precision=bf16", "bf16-mixed"},
    Familiar{"precision", "leave it out", "32"},
    Familiar{"saveall", "--set checkpoint.every_epochs=1 --set checkpoint.keep=1000000"},
    Familiar{"name run_name", "--set name={}"},
    Familiar{"note notes", "after the training: ptprun tag last --note {}"},
    Familiar{"section", "after the training: ptprun process last --section {}"},
    Familiar{"tensorboard",
             "--set records.tensorboard.every_episodes=1 --set "
             "records.tensorboard.histograms_every_episodes=100",
             "1 2"},
    Familiar{"tensorboard", "--set records.tensorboard.every_episodes=1"},
    Familiar{"test", "after the training: ptprun process last --section test"},
    Familiar{"threads", "OMP_NUM_THREADS={} in the environment"},
    Familiar{"training",
             "leave it out, the section is [training]; another one in a file of its own: "
             "--over FILE.toml"},
    Familiar{"validation",
             "leave it out, the section is [validation]; a further set is [validation.{}]"},
};

}  // namespace ptp::ptprun
