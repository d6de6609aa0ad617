#include "reference/key_help.hpp"

#include <algorithm>
#include <array>

namespace ptp::reference {

namespace {

struct Row {
    std::string_view pattern;  // "*" stands for one part of a path
    std::string_view help;
};

constexpr std::array kRows = {
    Row{"name", "names the folder of its runs"},
    Row{"seed", "of all that is random; -1 or nothing: one is drawn and recorded"},
    Row{"device", "cpu, cuda or cuda:N"},
    Row{"include", "files that this one is laid over; later ones win"},
    Row{"vars", "values to use as \"${name}\""},
    Row{"plugins", "where plugins are looked for"},
    Row{"plugins.path", "folders with plugins, after --plugins and PTP_PLUGIN_PATH"},
    Row{"training", "what is trained on, and how"},
    Row{"validation", "runs over its whole set after every epoch"},
    Row{"test", "runs once at the end, with the best weights"},
    Row{"pipeline", "the components"},
    Row{"pipeline.name", "of the pipeline, for pictures"},
    Row{"pipeline.disable", "names of components to leave out"},
    Row{"pipeline.load", "initial weights, of all components: a run or a checkpoint"},
    Row{"pipeline.freeze", "trains none of its models unless they say otherwise"},
    Row{"pipeline.*.phases", "when it runs: training, validation, test, process"},
    Row{"pipeline.*.skip_if_missing", "does not run in sections that lack one of its inputs"},
    Row{"pipeline.*.type", "of the component: LeNet5, or plugin/LeNet5"},
    Row{"pipeline.*.streams", "other names for its ports"},
    Row{"pipeline.*.globals",
        "other names for the constants that it reads or publishes, or values for those that it "
        "reads"},
    Row{"pipeline.*.statistics", "other names for its statistics"},
    Row{"pipeline.*.priority", "orders components that the streams leave free; lower runs first"},
    Row{"pipeline.*.load", "initial weights: a run, a checkpoint or a file"},
    Row{"pipeline.*.freeze",
        "true trains nothing in it, and keeps it in evaluation; or names of parameters and layers"},
    Row{"pipeline.*.enabled", "false leaves it out"},
    Row{"*.task", "what gives the samples"},
    Row{"*.task.type", "of the task: MNIST, or plugin/MNIST"},
    Row{"*.task.batch_size", "samples in a batch"},
    Row{"*.task.streams", "other names for its streams"},
    Row{"*.task.globals", "other names for the constants that it publishes"},
    Row{"*.task.statistics", "other names for its statistics"},
    Row{"*.dataloader", "how samples are loaded"},
    Row{"*.dataloader.num_workers", "threads that load; 0 loads in the thread that trains"},
    Row{"*.dataloader.shuffle", "a new order in every epoch"},
    Row{"*.dataloader.drop_last", "leaves out a last batch that is not full"},
    Row{"*.dataloader.prefetch", "batches that may wait ready"},
    Row{"*.dataloader.mode", "ordered, or reservoir: training continues while loaders refill"},
    Row{"*.dataloader.reservoir_size", "batches that the reservoir holds"},
    Row{"*.dataloader.reservoir_exchange", "batches replaced between two rounds, at most"},
    Row{"*.sampler", "which samples are drawn, in which order"},
    Row{"*.sampler.type", "the kind of sampler"},
    Row{"*.sampler.indices", "of the samples: a list, a text or file of them, or [begin, end)"},
    Row{"*.sampler.weights", "a number for each sample of the task: a list, a text or a file"},
    Row{"*.sampler.folds", "into how many parts the samples are cut"},
    Row{"*.sampler.fold", "the part that is held out, from 0"},
    Row{"*.sampler.part", "training: all but the fold; validation: the fold"},
    Row{"*.sampler.fold_seed", "which samples are in which fold"},
    Row{"*.sampler.share", "[begin, end) of the samples in the split's order, as parts of 1"},
    Row{"*.sampler.seed", "which samples are in which share"},
    Row{"*.sampler.label_stream", "the stream of the task with the classes"},
    Row{"*.sampler.labels", "the class of each sample: a list, a text or a file"},
    Row{"*.sampler.samples", "how many an epoch has"},
    Row{"*.batch_limit", "of a pass only so many batches are used"},
    Row{"records", "what is written of the statistics besides CSV"},
    Row{"records.json_lines", "statistics.jsonl: an object on each line"},
    Row{"records.tensorboard", "event files in the folder tensorboard"},
    Row{"records.*.every_episodes", "episodes of training from one that is recorded to the next"},
    Row{"records.tensorboard.histograms_every_episodes",
        "the same for histograms of weights and gradients; 0: none"},
    Row{"records.tensorboard.images", "streams that are shown once in each epoch"},
    Row{"records.tensorboard.image_count", "of each stream"},
    Row{"checkpoint", "when a run saves what it needs to go on"},
    Row{"checkpoint.every_episodes",
        "after so many episodes, besides every end of an epoch; 0: not"},
    Row{"checkpoint.every", "after such a time"},
    Row{"checkpoint.keep", "how many are kept besides last and best"},
    Row{"swap", "what may be exchanged for newer builds while the training runs"},
    Row{"swap.components", "that may be swapped, and sections whose tasks may; all of them"},
    Row{"swap.numbers",
        "same: refuses a swap that changes a bit of the rehearsal's loss or gradients"},
    Row{"swap.rehearse", "one batch before it counts: off, thread, or a process of its own"},
    Row{"swap.time_limit", "for creating a component, and for its rehearsal"},
    Row{"validation.partial_validation_interval",
        "episodes from one validation of one batch to the next; -1: none"},
    Row{"training.worker", "offline judges after epochs, online after episodes"},
    Row{"training.optimizer", "how the weights are changed"},
    Row{"training.optimizer.type", "the kind of optimizer"},
    Row{"training.optimizer.lr", "learning rate"},
    Row{"training.optimizer.weight_decay", "pulls the weights towards 0"},
    Row{"training.optimizer.momentum", "share of the last step that is taken again"},
    Row{"training.optimizer.dampening", "share of the gradient that momentum leaves out"},
    Row{"training.optimizer.nesterov", "looks one step ahead; needs momentum"},
    Row{"training.optimizer.betas", "decay of the running means of gradient and square"},
    Row{"training.optimizer.eps", "added to the divisor"},
    Row{"training.optimizer.amsgrad", "divides by the largest running mean so far"},
    Row{"training.optimizer.alpha", "decay of the running mean of squares"},
    Row{"training.optimizer.centered", "divides by the variance"},
    Row{"training.optimizer.lr_decay", "how fast the learning rate falls with each step"},
    Row{"training.optimizer.initial_accumulator_value", "what the sums of squares begin with"},
    Row{"training.optimizer.max_iter", "iterations on each batch"},
    Row{"training.optimizer.max_eval", "evaluations of each batch; 5/4 of max_iter"},
    Row{"training.optimizer.tolerance_grad", "ends a batch where the gradient is as small"},
    Row{"training.optimizer.tolerance_change", "ends a batch where the change is as small"},
    Row{"training.optimizer.history_size", "how many updates the curvature is made from"},
    Row{"training.optimizer.line_search_fn", "how the length of a step is found"},
    Row{"training.optimizer.groups", "options of single components, by their names"},
    Row{"training.optimizer.groups.*.frozen", "trains nothing of it, all else continues"},
    Row{"training.scheduler", "how the learning rate changes"},
    Row{"training.scheduler.type", "the kind of scheduler"},
    Row{"training.scheduler.gamma", "what the rate is multiplied with"},
    Row{"training.scheduler.step_size", "epochs between two changes"},
    Row{"training.scheduler.milestones", "epochs of the changes, increasing"},
    Row{"training.scheduler.T_0", "epochs of the first period"},
    Row{"training.scheduler.T_mult", "how many times longer each period is than the last"},
    Row{"training.scheduler.eta_min", "the rate at the end of a period"},
    Row{"training.scheduler.total_episodes", "of the cycle; those of the limits"},
    Row{"training.scheduler.pct_start", "the part of the cycle in which the rate rises"},
    Row{"training.scheduler.anneal_strategy", "the form of rise and fall"},
    Row{"training.scheduler.div_factor", "the optimizer's rate divided by the first one"},
    Row{"training.scheduler.final_div_factor", "the first rate divided by the last one"},
    Row{"training.scheduler.three_phase", "falls to the first rate, then to the last"},
    Row{"training.scheduler.cycle_momentum", "momentum falls as the rate rises, and the reverse"},
    Row{"training.scheduler.base_momentum", "where the rate is highest"},
    Row{"training.scheduler.max_momentum", "where the rate is lowest; of Adam: the first beta"},
    Row{"training.scheduler.factor", "what the rate is multiplied with"},
    Row{"training.scheduler.patience", "validations without a better loss that are borne"},
    Row{"training.scheduler.threshold", "how much better a loss must be to count"},
    Row{"training.scheduler.threshold_mode", "whether the threshold is a share or a difference"},
    Row{"training.scheduler.cooldown", "validations after a change that are not looked at"},
    Row{"training.scheduler.min_lr", "the rate is not reduced below this"},
    Row{"training.warm_up", "lets the learning rate grow over the first episodes"},
    Row{"training.warm_up.episodes", "how many"},
    Row{"training.warm_up.start_factor", "of the rate in the first one"},
    Row{"training.gradient_clipping", "cuts gradients: a number or { value }, or { norm }"},
    Row{"training.accumulate", "batches for each step of the optimizer"},
    Row{"training.precision", "what models and transforms compute in while training"},
    Row{"training.weight_average", "a moving average of the weights, evaluated and saved"},
    Row{"training.weight_average.decay", "share of the average that stays in each step"},
    Row{"training.weight_average.start_episode", "the first one that counts"},
    Row{"training.on_bad_loss", "what follows a loss that is not a number"},
    Row{"training.loss_weights", "of losses in what is minimized, by their streams"},
    Row{"training.terminal_conditions", "when the training ends; the first one met counts"},
    Row{"training.terminal_conditions.loss_stop_threshold",
        "a validation loss below this; without [validation], only if given, the training's"},
    Row{"training.terminal_conditions.early_stop_validations",
        "validations in a row without a better loss; 0: never"},
    Row{"training.terminal_conditions.epoch_limit", "epochs; -1: no limit"},
    Row{"training.terminal_conditions.episode_limit", "episodes; -1: no limit"},
    Row{"training.terminal_conditions.wall_time", "time, all parts of a run together: \"90m\""},
    Row{"training.terminal_conditions.divergence_factor",
        "a loss above so many times the first one has diverged; 0: none has"},
};

// The part of a path before its first dot; the path loses it.
std::string_view take_part(std::string_view& path) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const std::string_view part = path.substr(0, dot);
    path.remove_prefix(std::min(dot + 1, path.size()));
    return part;
}

bool matches(std::string_view pattern, std::string_view path) {
    while (!pattern.empty() && !path.empty()) {
        const std::string_view wanted = take_part(pattern);
        const std::string_view part = take_part(path);
        if (wanted != "*" && wanted != part) {
            return false;
        }
    }
    return pattern.empty() && path.empty();
}

}  // namespace

std::string_view key_help(std::string_view path) {
    const auto row =
        std::ranges::find_if(kRows, [&](const Row& one) { return matches(one.pattern, path); });
    return row == kRows.end() ? std::string_view() : row->help;
}

}  // namespace ptp::reference
