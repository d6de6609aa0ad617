#include "experiment/familiar_names.hpp"

#include "base/suggest.hpp"
#include "base/toml_writer.hpp"
#include "base/value.hpp"
#include "experiment/fields.hpp"
#include "optimizer/optimizers.hpp"
#include "schedule/schedules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <variant>

namespace ptp::experiment {

namespace {

struct Key {
    std::string_view name;
    std::string_view key;
};

constexpr std::string_view kEpochs = "training.terminal_conditions.epoch_limit";
constexpr std::string_view kEpisodes = "training.terminal_conditions.episode_limit";
constexpr std::string_view kPatience = "training.terminal_conditions.early_stop_validations";
constexpr std::string_view kTime = "training.terminal_conditions.wall_time";
constexpr std::string_view kRate = "training.optimizer.lr";
constexpr std::string_view kClipping = "training.gradient_clipping";
constexpr std::string_view kBatch = "training.task.batch_size";
constexpr std::string_view kWorkers = "training.dataloader.num_workers";

constexpr std::array kKeys = {
    Key{"accumulate_grad_batches", "training.accumulate"},
    Key{"accumulation_steps", "training.accumulate"},
    Key{"amsgrad", "training.optimizer.amsgrad"},
    Key{"base_lr", kRate},
    Key{"batch", kBatch},
    Key{"batch_size", kBatch},
    Key{"batchsize", kBatch},
    Key{"betas", "training.optimizer.betas"},
    Key{"bs", kBatch},
    Key{"criterion", "pipeline.loss"},
    Key{"clip_grad_norm", kClipping},
    Key{"clipnorm", kClipping},
    Key{"data", "training.task"},
    Key{"data_dir", "training.task.data_folder"},
    Key{"data_folder", "training.task.data_folder"},
    Key{"dataset", "training.task"},
    Key{"drop_last", "training.dataloader.drop_last"},
    Key{"early_stop_validations", kPatience},
    Key{"early_stopping", kPatience},
    Key{"early_stopping_patience", kPatience},
    Key{"ema", "training.weight_average"},
    Key{"ema_decay", "training.weight_average.decay"},
    Key{"epoch", kEpochs},
    Key{"epoch_limit", kEpochs},
    Key{"epochs", kEpochs},
    Key{"episode_limit", kEpisodes},
    Key{"episodes", kEpisodes},
    Key{"gpu", "device"},
    Key{"gpus", "device"},
    Key{"accelerator", "device"},
    Key{"grad_clip", kClipping},
    Key{"gradient_accumulation_steps", "training.accumulate"},
    Key{"gradient_clip_val", kClipping},
    Key{"group_by_length", "training.sampler"},
    Key{"iterations", kEpisodes},
    Key{"l2", "training.optimizer.weight_decay"},
    Key{"learning_rate", kRate},
    Key{"learning_rate_init", kRate},
    Key{"limit_train_batches", "training.batch_limit"},
    Key{"limit_val_batches", "validation.batch_limit"},
    Key{"lr", kRate},
    Key{"loss", "pipeline.loss"},
    Key{"loss_fn", "pipeline.loss"},
    Key{"loss_stop_threshold", "training.terminal_conditions.loss_stop_threshold"},
    Key{"lr_schedule", "training.scheduler"},
    Key{"lr_scheduler", "training.scheduler"},
    Key{"manual_seed", "seed"},
    Key{"max_epoch", kEpochs},
    Key{"max_epochs", kEpochs},
    Key{"max_grad_norm", kClipping},
    Key{"max_iter", kEpisodes},
    Key{"max_steps", kEpisodes},
    Key{"max_time", kTime},
    Key{"mixed_precision", "training.precision"},
    Key{"metrics", "pipeline.statistics"},
    Key{"model", "pipeline.model"},
    Key{"momentum", "training.optimizer.momentum"},
    Key{"n_epochs", kEpochs},
    Key{"nb_epoch", kEpochs},
    Key{"nesterov", "training.optimizer.nesterov"},
    Key{"net", "pipeline.model"},
    Key{"network", "pipeline.model"},
    Key{"num_epochs", kEpochs},
    Key{"num_steps", kEpisodes},
    Key{"num_train_epochs", kEpochs},
    Key{"num_workers", kWorkers},
    Key{"optimizer", "training.optimizer"},
    Key{"patience", kPatience},
    Key{"precision", "training.precision"},
    Key{"prefetch_factor", "training.dataloader.prefetch"},
    Key{"problem", "training.task"},
    Key{"random_seed", "seed"},
    Key{"random_state", "seed"},
    Key{"sampler", "training.sampler"},
    Key{"save_every", "checkpoint.every_episodes"},
    Key{"save_steps", "checkpoint.every_episodes"},
    Key{"save_top_k", "checkpoint.keep"},
    Key{"save_total_limit", "checkpoint.keep"},
    Key{"scheduler", "training.scheduler"},
    Key{"seed_numpy", "seed"},
    Key{"seed_torch", "seed"},
    Key{"shuffle", "training.dataloader.shuffle"},
    Key{"steps", kEpisodes},
    Key{"task", "training.task"},
    Key{"tensorboard", "records.tensorboard"},
    Key{"time_limit", kTime},
    Key{"wall_time", kTime},
    Key{"warmup", "training.warm_up"},
    Key{"warmup_steps", "training.warm_up.episodes"},
    Key{"weight_decay", "training.optimizer.weight_decay"},
    Key{"workers", kWorkers},
};

struct Type {
    std::string_view key;  // the last part
    std::string_view name;
    std::string_view table;
};

constexpr std::array kTypes = {
    Type{"sampler", "random", R"({ type = "RandomSampler" })"},
    Type{"sampler", "shuffle", R"({ type = "RandomSampler" })"},
    Type{"sampler", "sequential", R"({ type = "SequentialSampler" })"},
    Type{"sampler", "subset", R"({ type = "SubsetRandomSampler", indices = [0, 1000] })"},
    Type{"sampler", "subsetsampler", R"({ type = "SubsetRandomSampler", indices = [0, 1000] })"},
    Type{"sampler", "weighted", R"({ type = "WeightedRandomSampler", weights = [1.0, 2.0] })"},
    Type{"sampler", "balanced", R"({ type = "ClassBalancedSampler" })"},
    Type{"sampler", "bucket", R"({ type = "LengthGroupedSampler" })"},
    Type{"sampler", "bucketbatchsampler", R"({ type = "LengthGroupedSampler" })"},
    Type{"sampler", "bucketiterator", R"({ type = "LengthGroupedSampler" })"},
    Type{"sampler", "bylength", R"({ type = "LengthGroupedSampler" })"},
};

struct ComponentName {
    std::string_view name;
    std::string_view component;
};

constexpr std::array kComponents = {
    ComponentName{"bceloss", "BCEWithLogitsLoss"},
    ComponentName{"cnn", "ConvNetEncoder"},
    ComponentName{"cnn", "LeNet5"},
    ComponentName{"conv2d", "ConvNetEncoder"},
    ComponentName{"convnet", "ConvNetEncoder"},
    ComponentName{"dense", "FeedForwardNetwork"},
    ComponentName{"fc", "FeedForwardNetwork"},
    ComponentName{"fashion_mnist", "FashionMNIST"},
    ComponentName{"imagefolderdataset", "ImageFolder"},
    ComponentName{"linear", "FeedForwardNetwork"},
    ComponentName{"mae", "L1Loss"},
    ComponentName{"maeloss", "L1Loss"},
    ComponentName{"mlp", "FeedForwardNetwork"},
    ComponentName{"mse", "MSELoss"},
    ComponentName{"relu", "NonLinearity"},
    ComponentName{"resnet", "GenericImageEncoder"},
    ComponentName{"resnet18", "GenericImageEncoder"},
    ComponentName{"resnet50", "GenericImageEncoder"},
    ComponentName{"sequential", "FeedForwardNetwork"},
    ComponentName{"smoothl1loss", "HuberLoss"},
    ComponentName{"vgg16", "GenericImageEncoder"},
};

// The example of the type that has this name, or has it as another one.
template <class... Types>
std::string_view example_of(const std::string& name, const std::variant<Types...>&) {
    std::string_view example;
    const auto look_at = [&]<class One>(const One&) {
        bool is_it = folded(One::kName) == name;
        if constexpr (requires { One::kOtherNames; }) {
            is_it = is_it || std::ranges::count(One::kOtherNames, name) > 0;
        }
        example = is_it ? One::kExample : example;
    };
    (look_at(Types()), ...);
    return example;
}

}  // namespace

std::optional<std::string> familiar_key(std::string_view name) {
    const auto found = std::ranges::find(kKeys, folded(name), &Key::name);
    return found == kKeys.end() ? std::nullopt : std::optional<std::string>(found->key);
}

std::optional<std::string> familiar_key_in(std::string_view table, std::string_view name) {
    auto key = familiar_key(name);
    constexpr std::string_view kTraining = "training.";
    const std::string_view section = table.substr(0, table.find('.'));
    const bool is_of_each_section =
        key && key->starts_with(kTraining) &&
        (key->find(".task") != std::string::npos || key->find(".dataloader") != std::string::npos ||
         key->find(".sampler") != std::string::npos ||
         key->find(".batch_limit") != std::string::npos);
    if (is_of_each_section && (section == "validation" || section == "test")) {
        key->replace(0, kTraining.size() - 1, section);
    }
    if (key && *key == below(std::string(table), std::string(name))) {
        return std::nullopt;
    }
    return key;
}

std::string familiar_type_table(std::string_view key, std::string_view name) {
    const std::string_view last = key.substr(key.rfind('.') + 1);
    const std::string wanted = folded(name);
    if (last == "optimizer") {
        return std::string(example_of(wanted, optimizer::Any()));
    }
    if (last == "scheduler") {
        return std::string(example_of(wanted, schedule::Any()));
    }
    const auto found = std::ranges::find_if(
        kTypes, [&](const Type& type) { return type.key == last && type.name == wanted; });
    return found == kTypes.end() ? "" : std::string(found->table);
}

std::string familiar_table(std::string_view key, std::string_view name) {
    std::string known = familiar_type_table(key, name);
    if (!known.empty()) {
        return known;
    }
    const std::string_view last = key.substr(key.rfind('.') + 1);
    if (last != "task") {
        return "";
    }
    return fmt::format("{{ type = {}, batch_size = 64 }}", inline_toml(Value(std::string(name))));
}

std::vector<std::string> familiar_components(std::string_view name) {
    std::vector<std::string> found;
    const std::string wanted = folded(name);
    for (const ComponentName& one : kComponents) {
        if (one.name == wanted) {
            found.emplace_back(one.component);
        }
    }
    return found;
}

}  // namespace ptp::experiment
